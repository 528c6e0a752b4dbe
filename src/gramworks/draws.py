"""Run a method over draws and turn what happens, failures included, into tidy rows."""

from __future__ import annotations

import math
import re
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gramworks.datasets.dataset import OUTPUT_TASKS, Dataset
from gramworks.datasets.seeds import generator
from gramworks.datasets.splits import Splits
from gramworks.errors import DataError, FitError
from gramworks.fields import NAME_PATTERN
from gramworks.fitting.output_scoring import score_outputs
from gramworks.fitting.scoring import correlate, score
from gramworks.label_tasks import (
    all_settings,
    classes_behind,
    mean_rows,
    one_against_rest,
    with_label,
)
from gramworks.methods.registry import OWN_DRAWS_ALONE, OWN_DRAWS_WANTED, Method
from gramworks.output_kernel import OutputKernel, output_kernel_of
from gramworks.problem import Outcome, Problem, Skip
from gramworks.score_files import cell
from gramworks.settings import format_setting, join_settings, parse_setting
from gramworks.stored_grams import GramRows


def run_draws(
    method: Method,
    settings: list[dict[str, Any]],
    parameters: dict[str, Any],
    dataset: Dataset,
    splits: dict[str, Splits],
    kernels: dict[str, np.ndarray],
    *,
    study: str,
    repeats: Iterable[int],
    labels: Sequence[str] = (),
    output_kernel: str | None = None,
    shared: dict[str, np.ndarray] | None = None,
    keep: Callable[[dict, Problem, Outcome, np.ndarray], None] | None = None,
    log: Callable[[str], None] = print,
) -> tuple[list[dict], list[dict]]:
    """Fit a method on some repeats of every setting.

    Parameters
    ----------
    method : Method
    settings : list of dict
        The method's own settings; each is joined with each setting of the splits.
    parameters : dict
        What all settings share, such as grids.
    dataset : Dataset
    splits : dict of str to Splits
        Index arrays by the setting of the splits ("" or for example "n_labelled=16"). Points
        that a draw has in none of its parts are no points of its problem.
    kernels : dict of str to ndarray (n, n)
        Gram matrices over all points, by the study's names.
    study : str
    repeats : iterable of int
        Which repeats to run; the rows do not depend on how repeats are cut into jobs.
    labels : sequence of str
        Classes or labels to tell from the rest one by one; each draw is fitted once for each, and
        their means follow (`gramworks.label_tasks.mean_rows`). Empty: the data set's own task.
    output_kernel : str, optional
        Identifier of the kernel between outputs, where they are strings or vectors.
    shared : dict of arrays, optional
        What the method's `learn` made.
    keep : callable, optional
        Receives what each draw that gave something gave: its key, problem, outcome, and the rows
        of the data set that are its test points, in the order of the predictions.
    log : callable
        Receives a progress line a draw at most every few seconds.

    Returns
    -------
    scores, timings : list of dict
        Rows with the keys `gramworks.score_files.COLUMNS`, in the order setting, repeat,
        metric. A draw that raises gives one row with status ``failed`` and the error as its reason.
    """
    repeats = list(repeats)
    pairs = [
        (join_settings(outer, format_setting(inner)), outer, inner)
        for outer in splits
        for inner in settings
    ]
    total, done, last = len(pairs) * len(repeats) * (len(labels) or 1), 0, time.monotonic()
    scores: list[dict] = []
    timings: list[dict] = []
    kept: dict[str, Any] = {}
    between = output_kernel_of(dataset, output_kernel) if dataset.task in OUTPUT_TASKS else None
    for setting, outer, inner in sorted(pairs, key=lambda pair: pair[0]):
        params = method.parameters({**parameters, **inner}, f"study {study}")
        for repeat in repeats:
            draw = {
                "study": study, "dataset": dataset.id, "method": method.name,
                "setting": setting, "repeat": repeat,
            }  # fmt: skip
            points, masks, present = _present(dataset, splits[outer], repeat, kernels, kept)
            tasks, lacking = _tasks(points, labels, method.predicts(params) == "classes")
            scored: dict[str, list[dict]] = {}
            timed: dict[str, list[dict]] = {}
            for label, task in tasks.items():
                key = draw | {"setting": with_label(setting, label) if label else setting}
                start = time.perf_counter()
                problem = _problem(
                    method, params, task, masks, present, study, key["setting"], repeat, shared,
                    between if task.task in OUTPUT_TASKS else None, log,
                )  # fmt: skip
                outcome, status, reason = None, "skipped", lacking
                if not lacking:
                    outcome, status, reason = _attempt(method, problem, params, log)
                seconds = time.perf_counter() - start
                if keep and outcome is not None:
                    keep(key, problem, outcome, np.sort(splits[outer].draw(repeat)[2]))
                scored[label] = list(_rows(key, problem, outcome, task, status, reason))
                timed[label] = [key | cell("seconds", seconds, status, reason)]
                done += 1
                if time.monotonic() - last > 5 or done == total:
                    last = time.monotonic()
                    log(f"{study}/{dataset.id}/{method.name}: {done} of {total} draws")
            for rows, of_label in ((scores, scored), (timings, timed)):
                rows += [row for found in of_label.values() for row in found]
                rows += mean_rows(draw, of_label) if labels else []
    if labels:
        for rows in (scores, timings):
            rows.sort(key=lambda row: (row["setting"], row["repeat"], row["metric"]))
    return scores, timings


def draw_outcome(
    method: Method,
    parameters: dict[str, Any],
    dataset: Dataset,
    splits: Splits,
    repeat: int,
    kernels: dict[str, np.ndarray],
    *,
    study: str,
    output_kernel: OutputKernel | None = None,
) -> tuple[Outcome, np.ndarray]:
    """Fit a method without settings of its own on one draw, as `run_draws` does it.

    Returns
    -------
    outcome : Outcome
    test_rows : ndarray of int
        Of the data set; needs a draw that leaves no point out.
    """
    params = method.parameters(parameters, f"study {study}")
    points, masks, present = _present(dataset, splits, repeat, kernels, {})
    problem = _problem(
        method, params, points, masks, present, study, "", repeat, None, output_kernel, print
    )
    return method.fit(problem, params), problem.test_rows


def fit_once(
    method: Method,
    values: dict[str, Any],
    dataset: Dataset,
    masks: dict[str, np.ndarray],
    kernels: dict[str, np.ndarray],
    *,
    study: str,
    setting: str,
    shared: dict[str, np.ndarray] | None = None,
    output_kernel: OutputKernel | None = None,
    log: Callable[[str], None] = print,
) -> tuple[Outcome | None, str, str]:
    """Fit a method on one problem that is not scored, such as that of points without a target.

    Parameters
    ----------
    method : Method
    values : dict
        Settings and parameters.
    dataset : Dataset
    masks : dict of str to (n,) bool
        ``labelled``, ``unlabelled`` and ``test``, the points to predict.
    kernels : dict of str to ndarray (n, n)
    study, setting : str
        The identity of the random numbers.
    shared : dict of arrays, optional
        What the method's `learn` made.
    output_kernel : OutputKernel, optional
        Of outputs that are strings or vectors.
    log : callable

    Returns
    -------
    outcome, status, reason
        None with the reason where the method gives none.
    """
    params = method.parameters(values, f"study {study}")
    problem = _problem(
        method, params, dataset, masks, kernels, study, setting, 0, shared, output_kernel, log
    )
    return _attempt(method, problem, params, log)


def failed_rows(
    method: str,
    settings: list[dict[str, Any]],
    split_settings: Iterable[str],
    *,
    study: str,
    dataset: str,
    repeats: Iterable[int],
    status: str,
    reason: str,
    labels: Sequence[str] = (),
) -> list[dict]:
    """Make the rows of draws that could not be tried, because an input is absent."""
    return [
        {"study": study, "dataset": dataset, "method": method, "setting": setting,
         "repeat": repeat, **cell("", None, status, reason)}
        for setting in all_settings(
            [
                join_settings(outer, format_setting(inner))
                for outer in split_settings
                for inner in settings
            ],
            labels,
        )
        for repeat in repeats
    ]  # fmt: skip


def _tasks(points: Dataset, labels: Sequence[str], behind: bool) -> tuple[dict[str, Dataset], str]:
    """Give the data of each label's task, of one task without labels, or why there are none."""
    try:
        points = classes_behind(points) if behind else points
        return {label: one_against_rest(points, label) for label in labels} or {"": points}, ""
    except DataError as error:
        return dict.fromkeys(labels or [""], points), _one_line(error)


def _present(
    dataset: Dataset,
    splits: Splits,
    repeat: int,
    kernels: dict[str, np.ndarray],
    kept: dict[str, Any],
) -> tuple[Dataset, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Give the points of a draw, their masks and Gram matrices, without points it leaves out.

    The matrices of the last part of the points stay in `kept`: draws may have it in common.
    """
    masks = {}
    for name, rows in zip(("labelled", "unlabelled", "test"), splits.draw(repeat), strict=True):
        masks[name] = np.zeros(dataset.rows, dtype=bool)
        masks[name][rows] = True
    rows = np.flatnonzero(masks["labelled"] | masks["unlabelled"] | masks["test"])
    if len(rows) < dataset.rows:
        dataset = replace(dataset, partitions=None).take(rows)
        masks = {name: mask[rows] for name, mask in masks.items()}
        if not np.array_equal(kept.get("rows"), rows):
            kept.clear()
            parts = {
                name: K.part(rows) if isinstance(K, GramRows) else _square_part(K, rows)
                for name, K in kernels.items()
            }
            kept.update(rows=rows, kernels=parts)
        kernels = kept["kernels"]
    for mask in masks.values():
        mask.setflags(write=False)
    return dataset, masks, kernels


def _square_part(K: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Take ``K[np.ix_(rows, rows)]`` a row at a time, which is several times faster."""
    part = np.empty((len(rows), len(rows)), dtype=K.dtype)
    for place, row in enumerate(rows):
        np.take(K[row], rows, out=part[place], mode="clip")
    part.setflags(write=False)
    return part


def _problem(
    method: Method, params: Any, dataset: Dataset, masks: dict[str, np.ndarray],
    kernels: dict[str, np.ndarray], study: str, setting: str, repeat: int, shared: dict | None,
    between: OutputKernel | None, log: Callable,
) -> Problem:  # fmt: skip
    y = _without_unlabelled(dataset.y, masks["labelled"])
    wants_features = {"features", "strings"} & set(method.needs)
    sees_all = method.sees_test_labels(params)
    # What draws share is read-only, and containers are fresh, so that no draw can alter the next.
    return Problem(
        study=study, dataset=dataset.id, task=dataset.task, setting=parse_setting(setting),
        repeat=repeat, kernels={name: _read_only(K) for name, K in kernels.items()}, y=y,
        n_classes=len(dataset.classes), generator=generator(study, dataset.id, setting, repeat),
        shared={name: _read_only(array) for name, array in (shared or {}).items()},
        features=_read_only(dataset.X) if wants_features else None,
        truth=_read_only(dataset.y) if sees_all else None, output_kernel=between, log=log, **masks,
    )  # fmt: skip


def _read_only(values: Any) -> Any:
    """Give a view that cannot be written to; a list is copied."""
    if isinstance(values, GramRows):
        return values
    if isinstance(values, list):
        return list(values)
    if isinstance(values, np.ndarray):
        view = values.view()
        view.setflags(write=False)
        return view
    parts = tuple(_read_only(part) for part in (values.data, values.indices, values.indptr))
    return type(values)(parts, shape=values.shape, copy=False)


def _without_unlabelled(y: np.ndarray | list[str], labelled: np.ndarray) -> np.ndarray | list[str]:
    """Hide the targets of the points that are not labelled, behind zeros or empty strings."""
    if isinstance(y, list):
        return [text if known else "" for text, known in zip(y, labelled, strict=True)]
    hidden = y.copy()
    hidden[~labelled] = 0
    hidden.setflags(write=False)
    return hidden


def _attempt(
    method: Method, problem: Problem, params: Any, log: Callable
) -> tuple[Outcome | None, str, str]:
    if problem.task not in method.tasks:
        reason = f"{method.name} is made for {', '.join(method.tasks)}, not for {problem.task}"
        return None, "skipped", reason
    if reason := _labels_misfit(method.labelled_by(params), problem):
        return None, "skipped", f"{method.name} {reason}"
    try:
        outcome = method.fit(problem, params)
    except Skip as error:
        return None, "skipped", _one_line(error)
    except (Exception, SystemExit) as error:
        # A failed draw is a row with its reason; the traceback goes to the log.
        log(traceback.format_exc())
        return None, "failed", _one_line(f"{type(error).__name__}: {_text(error)}")
    fault = _fault(outcome)
    if fault:
        return None, "failed", _one_line(fault)
    if outcome.converged:
        return outcome, "ok", ""
    return outcome, "not-converged", _one_line(outcome.reason or "iteration cap reached")


def _labels_misfit(source: str, problem: Problem) -> str:
    """Say what is wrong between the splits and a method that wants labelled points, or none."""
    if source == "splits" and not problem.labelled.any():
        return f"wants labelled points, and there are none: {OWN_DRAWS_ALONE}"
    if source == "method" and (problem.labelled.any() or problem.test.any()):
        return f"labels points itself, so that those of the splits go unused: {OWN_DRAWS_WANTED}"
    return ""


def _fault(outcome: object) -> str:
    """Say what is wrong with what a method returned; empty when nothing is."""
    if not isinstance(outcome, Outcome):
        return f"the method returned {type(outcome).__name__}, wanted is an Outcome"
    given = (outcome.predictions, outcome.preimages, outcome.components)
    if all(part is None for part in given) and not outcome.metrics:
        return "the method returned neither predictions nor metrics nor components"
    for metric, value in outcome.metrics.items():
        if not isinstance(metric, str) or not re.fullmatch(NAME_PATTERN, metric):
            return f"the metric name {metric!r} is not usable; allowed: {NAME_PATTERN}"
        if not isinstance(value, (int, float, np.number, np.bool_)):
            return f"metric {metric} is {type(value).__name__}, wanted is one number"
    return ""


def _rows(
    key: dict, problem: Problem, outcome: Outcome | None, dataset: Dataset, status: str, reason: str
) -> Iterator[dict]:
    if outcome is None:
        yield key | cell("", None, status, reason)
        return
    metrics = dict(outcome.metrics)
    if outcome.components is not None:
        metrics |= correlate(*_known(dataset, outcome.components))
    if outcome.predictions is not None or outcome.preimages is not None:
        try:
            values, undefined = _scored(problem, outcome, dataset)
        except Exception as error:
            reason = f"cannot be scored: {type(error).__name__}: {_text(error)}"
            yield key | cell("", None, "failed", _one_line(reason))
            return
        metrics |= values
        # Such as the area under the curve with one class in the test: no fault of the method.
        for metric in sorted(undefined):
            problem.log(f"{metric} is not defined in repeat {problem.repeat}: {undefined[metric]}")
    for metric in sorted(outcome.undefined):
        told = f"{metric} is not defined: {outcome.undefined[metric]}"
        yield key | cell(metric, None, "failed", _one_line(told))
    for metric in sorted(metrics):
        value = float(metrics[metric])
        if math.isfinite(value):
            yield key | cell(metric, value, status, reason)
        else:
            yield key | cell(metric, None, "failed", f"{metric} is {value}")


def _scored(
    problem: Problem, outcome: Outcome, dataset: Dataset
) -> tuple[dict[str, float], dict[str, str]]:
    """Score predictions, or the outputs of pre-images; the latter are for strings and vectors."""
    if problem.task in OUTPUT_TASKS:
        values = score_outputs(
            dataset.y, dataset.groups, problem.test_rows, problem.labelled, problem.output_kernel,
            task=problem.task, predictions=outcome.predictions, preimages=outcome.preimages,
        )  # fmt: skip
        return values, {}
    if outcome.predictions is None:
        raise FitError(f"pre-images are for {' and '.join(OUTPUT_TASKS)}, not for {problem.task}")
    return score(
        dataset.y[problem.test_rows], outcome.predictions, outcome.decision,
        task=problem.task, n_classes=problem.n_classes,
    )  # fmt: skip


def _known(dataset: Dataset, components: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leave out the points whose target nobody knows."""
    if dataset.unlabelled is None:
        return dataset.y, components
    known = ~dataset.unlabelled
    return dataset.y[known], components[known]


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as fault:
        return f"(its message cannot be made: {type(fault).__name__})"


def _one_line(message: object) -> str:
    text = " ".join(str(message).split()).encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= 500 else text[:497] + "..."
