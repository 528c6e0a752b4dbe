"""What a study states, checked against the registries before anything runs."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from gramworks.datasets.dataset import OUTPUT_TASKS
from gramworks.datasets.normalisation import RECIPE_FORMS, is_recipe, task_after
from gramworks.datasets.recipe_checks import columns_after, recipe_misfit
from gramworks.datasets.recipe_rows import rows_after
from gramworks.datasets.registry import load_entry
from gramworks.datasets.splits import (
    AnySpec,
    ClassCounts,
    Drawn,
    HeldOut,
    Labelled,
    Subsets,
    goes_by_classes,
    leaves_points_out,
    split_settings,
)
from gramworks.errors import ConfigError, KernelError, suggest
from gramworks.fitting.output_scoring import OUTPUT_LOSSES, output_loss_name
from gramworks.fitting.task_metrics import METRICS_OF_TASK
from gramworks.kernel_points import check_points
from gramworks.label_tasks import MEAN_AUC, TASKS, label_word
from gramworks.methods.registry import OWN_DRAWS_ALONE, OWN_DRAWS_WANTED, Method, load_method
from gramworks.output_kernel import misfit as output_misfit
from gramworks.studies.derived import derived_module, derives
from gramworks.studies.study_file import Study, StudyDataset

_PUBLISHED = Path(__file__).parents[1] / "resources" / "published.csv"


def check_study(study: Study) -> None:
    """Check names against the registries, and parameters against the methods' models.

    Raises
    ------
    ConfigError
        Names the study, the key, the value and what is allowed.
    """
    where = f"study {study.name}"
    for dataset, body in study.datasets.items():
        load_entry(dataset)
        if not is_recipe(body.recipe):
            raise ConfigError(
                f"{where}: data set {dataset}: no recipe {body.recipe!r}; "
                f"{suggest(body.recipe, RECIPE_FORMS)}."
            )
        if reason := recipe_misfit(body.recipe, load_entry(dataset)):
            raise ConfigError(f"{where}: data set {dataset}: recipe {reason}.")
        _check_labels(body, dataset, f"{where}: data set {dataset}")
        _check_positive(body, dataset, f"{where}: data set {dataset}")
        _check_output_kernel(body, dataset, f"{where}: data set {dataset}")
        _check_strata(study, dataset)
        _check_splits(study, dataset, f"{where}: data set {dataset}")
    for name, body in study.methods.items():
        method, own = load_method(name), body.datasets or list(study.datasets)
        for dataset in own:
            if dataset not in study.datasets:
                raise ConfigError(
                    f"{where}: method {name}: datasets: the study has no {dataset!r}; "
                    f"{suggest(dataset, study.datasets)}."
                )
        for setting in body.combinations():
            twice = setting.keys() & body.parameters.keys()
            if twice:
                raise ConfigError(
                    f"{where}: method {name}: {sorted(twice)} stands in both settings and "
                    "parameters; keep it in one."
                )
            params = _parameters(method, body.parameters, setting, where)
            kernel = getattr(params, "kernel", None)
            for dataset in own if "grams" in method.needs else ():
                kernels = study.base_kernels(dataset, name)
                if kernel is not None and kernel not in kernels:
                    raise ConfigError(
                        f"{where}: method {name}: no kernel {kernel!r} for data set {dataset}; "
                        f"{suggest(kernel, kernels)}."
                    )
                _check_kernels(dataset, kernels.values(), f"{where}: method {name}")
            for dataset in own:
                _check_use(method, params, study, dataset, f"{where}: method {name}")
            leaves_out = any(leaves_points_out(study.splits_of(d)) for d in own)
            if method.learns and leaves_out and not method.takes_parts:
                raise ConfigError(
                    f"{where}: method {name} learns from all points once for all draws, so that no "
                    "draw can leave some out; state `rest: unlabelled` in splits, or another kind."
                )
    _check_metrics(study)
    _check_losses(study)


def _parameters(method: Method, parameters: dict, setting: dict, where: str) -> BaseModel:
    """Validate a row of the tables; a list in settings is many rows, which is not seen at once."""
    try:
        return method.parameters({**parameters, **setting}, where)
    except ConfigError as error:
        lists = [key for key in setting if f": {key}: Input should be a valid list" in str(error)]
        if not lists:
            raise
        raise ConfigError(
            f"{error} A list in settings is a row of the tables for each of its values; put "
            f"{', '.join(lists)} under parameters."
        ) from None


def _check_use(method: Method, params: BaseModel, study: Study, dataset: str, where: str) -> None:
    """Refuse methods that the data set's task, size or splits leave nothing to do for."""
    entry = load_entry(dataset)
    body = study.datasets[dataset]
    task = _task(body, dataset)
    left = rows_after(body.recipe, entry)
    rows = left.most if left else None
    columns = columns_after(body.recipe, entry)
    if method.predicts(params) != "classes":
        reason = method.misfit(params, task, rows, columns)
    elif task == "vectors" and entry.task in ("binary", "multiclass"):
        reason = method.misfit(params, entry.task, rows, columns)
    else:
        reason = (
            "label-of: it predicts the class of points whose features a recipe such as "
            f"columns-128-to-rest cuts into two parts; the data are {task}"
            f"{', without classes' if task == 'vectors' else ''}; leave label-of out"
        )
    source, own = method.labelled_by(params), study.splits_of(dataset).kind == "own-draws"
    if source == "splits" and own:
        reason = reason or f"it wants labelled points; {OWN_DRAWS_ALONE}"
    if source == "method" and not own:
        reason = reason or f"it labels points itself; {OWN_DRAWS_WANTED}"
    if reason:
        raise ConfigError(f"{where}: data set {dataset}: {reason}.")


def _task(body: StudyDataset, dataset: str) -> str:
    """Tell the task that methods get: after the recipe, and of labels one by one."""
    if body.labels or body.positive:
        return "binary"
    return task_after(load_entry(dataset).task, body.recipe)


def _check_output_kernel(body: StudyDataset, dataset: str, where: str) -> None:
    """Refuse outputs without a kernel between them, and kernels that do not compare them."""
    if reason := output_misfit(_task(body, dataset), body.output_kernel):
        raise ConfigError(f"{where}: output_kernel: {reason}.")


def _shown(settings: Iterable[str]) -> str:
    return ", ".join(setting or "no setting" for setting in settings)


def _check_labels(body: StudyDataset, dataset: str, where: str) -> None:
    """Refuse labels that the data set has not, and data sets without labels to tell apart."""
    labels = body.labels
    if labels is None:
        return
    entry = load_entry(dataset)
    task = task_after(entry.task, body.recipe)
    if task not in TASKS:
        raise ConfigError(
            f"{where}: labels: its task is {task}, labels one against the rest are for "
            f"{' and '.join(TASKS)} data; leave `labels` out."
        )
    classes = entry.target.classes
    words: dict[str, str] = {}
    for label in classes if labels == "all" else labels:
        if label not in classes:
            raise ConfigError(f"{where}: labels: no label {label!r}; {suggest(label, classes)}.")
        twin = words.setdefault(label_word(label), label)
        if twin != label:
            raise ConfigError(
                f"{where}: labels: {twin!r} and {label!r} would have one name in the tables, "
                f"{label_word(label)!r}; take one of them."
            )


def _check_positive(body: StudyDataset, dataset: str, where: str) -> None:
    """Refuse classes that the data set has not, and groups that leave one side empty."""
    if body.positive is None:
        return
    entry = load_entry(dataset)
    task = task_after(entry.task, body.recipe)
    if body.labels is not None or task != "multiclass":
        raise ConfigError(
            f"{where}: positive: it makes one binary task of several classes, its task is "
            f"{task} and `labels` is {body.labels}; leave one of them out."
        )
    for label in body.positive:
        if label not in entry.target.classes:
            raise ConfigError(
                f"{where}: positive: no class {label!r}; {suggest(label, entry.target.classes)}."
            )
    if len(body.positive) == len(entry.target.classes):
        raise ConfigError(
            f"{where}: positive: all classes are in it; leave some to the other side."
        )


def _check_strata(study: Study, dataset: str) -> None:
    """Refuse to stratify points with several labels each, before any work is done."""
    spec = study.splits_of(dataset)
    if goes_by_classes(spec) and load_entry(dataset).task == "multilabel":
        way = "scheme: free" if spec.kind == "labelled" else "stratified: false"
        raise ConfigError(
            f"study {study.name}: splits: points of data set {dataset} have several labels each, "
            f"so that there are no classes to stratify by; state `{way}`."
        )


def _check_splits(study: Study, dataset: str, where: str) -> None:
    """Refuse more labelled and test points than there are, and stand-ins of other settings."""
    own, entry = study.splits_of(dataset), load_entry(dataset)
    body, all_of_them = study.datasets[dataset], study.splits.repeats
    if body.published_as in study.datasets:
        wanted, found = split_settings(study.splits_of(body.published_as)), split_settings(own)
        if list(wanted) != list(found):
            raise ConfigError(
                f"{where}: its splits distinguish {_shown(found)}, those of {body.published_as}, "
                f"which it stands for, {_shown(wanted)}; state splits of the same settings."
            )
    if body.repeats and body.splits:
        raise ConfigError(
            f"{where}: repeats: its splits are its own; state `repeats` in them, and leave this "
            "one out."
        )
    if body.repeats and all_of_them and body.repeats > all_of_them:
        raise ConfigError(
            f"{where}: repeats: {body.repeats} are asked for, the study's splits have "
            f"{all_of_them}; raise `repeats` of `splits`, or lower this one."
        )
    if isinstance(own, ClassCounts):
        _check_counts(own, dataset, where)
    left = rows_after(body.recipe, entry)
    for key, size, n_others, others in _stated_sizes(own) if left else ():
        # A recipe that drops rows may drop those without a target alone.
        most = min(entry.facts.rows - entry.facts.unlabelled, left.most) - n_others
        if size > most:
            raise ConfigError(
                f"{where}: splits: {key}: {size} {others[0]} points, with {n_others} {others[1]} "
                f"at least, are more than its {most + n_others} points; state {key} up to {most}, "
                "or leave the data set out."
            )


def _check_counts(spec: ClassCounts, dataset: str, where: str) -> None:
    """Refuse classes that the data set has not, or of which no point is left for the test."""
    entry = load_entry(dataset)
    classes = entry.target.classes or []
    for name, counts in spec.labelled.items():
        for label, number in counts.items():
            if label not in classes:
                raise ConfigError(
                    f"{where}: splits: labelled: {name}: no class {label!r}; "
                    f"{suggest(label, classes)}."
                )
            members = entry.facts.classes.get(label) if entry.facts else None
            if members is not None and number >= members:
                raise ConfigError(
                    f"{where}: splits: labelled: {name}: {number} labelled points of class "
                    f"{label!r}, which has {members}; state up to {members - 1}."
                )


def _stated_sizes(spec: AnySpec) -> Iterator[tuple[str, int, int, tuple[str, str]]]:
    """Give key, size, the least number of other points wanted, and what both are."""
    for_test = ("labelled", "for the test")
    match spec:
        case Labelled():
            n_test = 1 if spec.test == "rest" else spec.test
            yield from (("sizes", size, n_test, for_test) for size in spec.sizes)
        case Drawn():
            yield "labelled", spec.labelled, spec.test, for_test
        case Subsets():
            yield "pool", spec.pool, 1, for_test
        case HeldOut():
            yield from (("sizes", size, 1, ("test", "labelled")) for size in spec.sizes)


def _check_kernels(dataset: str, kernels: Iterable[str], where: str) -> None:
    """Check that each kernel's view is there and holds what the kernel compares."""
    facts = load_entry(dataset).facts
    for kernel in kernels if facts else ():
        try:
            check_points(facts, kernel, dataset)
        except KernelError as error:
            raise ConfigError(f"{where}: {error}") from None


def _check_metrics(study: Study) -> None:
    """Refuse a metric that no method of the study measures and the paper does not print."""
    known = {metric for metrics in METRICS_OF_TASK.values() for metric in metrics}
    known |= _published_metrics(study.name)
    known |= derives(study.name)
    if any(body.labels for body in study.datasets.values()):
        known.add(MEAN_AUC)
    patterns = [p for name in study.methods for p in load_method(name).metrics]
    for metric in study.metrics:
        if metric not in known and not any(re.fullmatch(p, metric) for p in patterns):
            hint = " (means over `labels:`, which no data set here states)" * (metric == MEAN_AUC)
            own = derived_module(study.name)
            stem = study.name.replace("-", "_")
            derived = (
                f"a study's own columns come from its module, {own}"
                if own
                else f"columns of a study's own come from a module of its name, studies/{stem}.py, "
                "and there is none"
            )
            raise ConfigError(
                f"study {study.name}: metrics: nothing measures {metric!r}{hint}; "
                f"{suggest(metric, known | set(map(_example, patterns)))}. Metrics made from "
                f"others, such as oracle-test-error-percent, are not measured: {derived}."
            )


def _check_losses(study: Study) -> None:
    """Refuse losses of outputs that no data set of the study has."""
    losses = {
        name: output_loss_name(task, body.output_kernel)
        for name, body in study.datasets.items()
        if (task := _task(body, name)) in OUTPUT_TASKS
    }
    for metric in study.metrics:
        if metric in OUTPUT_LOSSES and metric not in losses.values():
            found = ", ".join(f"that of {name} is {loss}" for name, loss in losses.items())
            raise ConfigError(
                f"study {study.name}: metrics: {metric}: no data set has this loss of outputs; "
                f"{found or 'all have classes or numbers'}."
            )


def _example(pattern: str) -> str:
    """Turn a pattern of metric names into one of them, without its optional parts."""
    plain = re.sub(r"\([^)]*\)\?", "", pattern)
    return re.sub(r"\(([^|)]*)[^)]*\)", r"\1", plain.replace(r"\d+", "1"))


@cache
def _published_metrics(study: str) -> frozenset[str]:
    with open(_PUBLISHED, newline="", encoding="utf-8") as file:
        return frozenset(row["metric"] for row in csv.DictReader(file) if row["study"] == study)
