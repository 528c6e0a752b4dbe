"""A trial: each chosen method once on a part of the points, before anything is promised."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter
from threadpoolctl import threadpool_limits

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.normalisation import normalise_dataset
from gramworks.datasets.seeds import generator
from gramworks.datasets.splits import Labelled, Splits, make_splits
from gramworks.draws import run_draws
from gramworks.gram import compute_gram, read_gram
from gramworks.kernel_points import points_for
from gramworks.methods.registry import load_method
from gramworks.owndata.kernel_choice import KernelChoice
from gramworks.owndata.method_choice import MethodChoice
from gramworks.studies.study_file import StudyMethod

POINTS = 120
"""Points of the trial."""


def try_methods(
    dataset: Dataset, choice: KernelChoice, methods: MethodChoice, *, square_views: bool
) -> None:
    """Run one draw of each method and setting; leave out, with the reason, what gives no result.

    What a kernel must be for a method, such as without negative entries for a graph, is known to
    the method alone, so that it is asked rather than listed here.

    Parameters
    ----------
    dataset : Dataset
    choice : KernelChoice
    methods : MethodChoice
        Changed in place.
    square_views : bool
        Whether the views are Gram matrices, whose columns are points too.
    """
    # Small matrices: several threads would wait for each other, and the workflow has one as well.
    with threadpool_limits(1):
        _try(dataset, choice, methods, square_views)


def _try(dataset: Dataset, choice: KernelChoice, methods: MethodChoice, square_views: bool) -> None:
    part = _part(normalise_dataset(dataset, choice.recipe), square_views)
    splits = _draw(part)
    grams = _grams(
        part, {*choice.kernels.values(), *([choice.gaussian] if choice.gaussian else [])}
    )
    for name in list(methods.bodies):
        body = TypeAdapter(StudyMethod).validate_python(methods.bodies[name])
        kernels = {k: grams[i] for k, i in (body.kernels or choice.kernels).items()}
        kept, reasons = [], {}
        for setting in body.combinations():
            reason = _trial(name, setting, body.parameters, part, splits, kernels)
            if reason:
                reasons[setting.get("kernel", "")] = reason
            else:
                kept.append(setting)
        if not kept:
            methods.left_out[name] = next(iter(reasons.values()))
            del methods.bodies[name], methods.summaries[name]
        elif reasons:
            stated = methods.bodies[name]["settings"]
            left = [setting["kernel"] for setting in kept]
            methods.bodies[name] = {**methods.bodies[name], "settings": {**stated, "kernel": left}}
            for kernel, reason in reasons.items():
                methods.left_out[f"{name} on {kernel}"] = reason


def _trial(name, setting, parameters, part, splits, kernels) -> str:
    method = load_method(name)
    used = kernels if "grams" in method.needs else {}

    def quiet(text: object) -> None:
        """Drop what is logged."""

    shared = None
    if method.learns:
        try:
            shared = method.module.learn(used, part.X, [setting], parameters, quiet)
        except Exception as error:  # as in the workflow, whatever a method raises is a reason
            return _short(error)
    rows, _ = run_draws(
        method, [setting], parameters, part, splits, used, study="trial", repeats=[0],
        shared=shared, log=quiet,
    )  # fmt: skip
    bad = [row["reason"] for row in rows if row["status"] in ("failed", "skipped")]
    return _short(bad[0]) if bad else ""


def _short(reason: object) -> str:
    # what went wrong, without the class of the error
    text = re.sub(
        r"^(?:Gramworks|Config|Data|Kernel|Fit)Error: ", "", " ".join(str(reason).split())
    )
    return text if len(text) <= 160 else f"{text[:157]}..."


def _part(dataset: Dataset, square_views: bool) -> Dataset:
    """Take some points: all classes, and some without a target."""
    n = dataset.rows
    if n <= POINTS:
        return dataset
    random = generator("trial", dataset.id)
    known = np.arange(n) if dataset.unlabelled is None else np.flatnonzero(~dataset.unlabelled)
    first = np.unique(dataset.y[known], return_index=True)[1] if dataset.classes else []
    order = np.concatenate([known[first], random.permutation(known), random.permutation(n)])
    rows = np.sort(np.array(list(dict.fromkeys(order.astype(int).tolist()))[:POINTS]))
    part = replace(dataset, views={} if square_views else dataset.views).take(rows)
    if square_views:
        views = {name: view[np.ix_(rows, rows)] for name, view in dataset.views.items()}
        part = replace(part, views=views)
    return part


def _draw(part: Dataset) -> dict[str, Splits]:
    known = part.rows if part.unlabelled is None else int((~part.unlabelled).sum())
    size = min(known - 1, max(len(part.classes), known // 2))
    spec = Labelled(
        sizes=[size], scheme="stratified" if part.classes else "free", repeats=1
    )  # fmt: skip
    return make_splits(spec, part.y, study="trial", dataset=part.id, unlabelled=part.unlabelled)


def _grams(part: Dataset, identifiers: set[str]) -> dict[str, np.ndarray]:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, kernel in enumerate(sorted(identifiers)):
            path = Path(folder) / f"{number}.h5"
            compute_gram(path, points_for(part, kernel), kernel)
            found[kernel] = read_gram(path)
            found[kernel].setflags(write=False)
    return found
