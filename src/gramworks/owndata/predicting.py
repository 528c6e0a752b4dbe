"""Predict the rows of an own data set that have no target, by every method of its study."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gramworks.absent import first_absent
from gramworks.config import read_config
from gramworks.datasets.dataset import Dataset
from gramworks.datasets.store import read_dataset
from gramworks.draws import fit_once
from gramworks.errors import ConfigError, DataError, suggest
from gramworks.gram import read_gram
from gramworks.methods.registry import load_method
from gramworks.owndata.best_of_run import Best, best_of_run, column_of, control_columns
from gramworks.owndata.places import OWN, config_of
from gramworks.plan import Plan
from gramworks.settings import format_setting
from gramworks.shared import read_shared
from gramworks.whole_files import write_text


@dataclass(frozen=True)
class Predictions:
    """What was predicted."""

    path: Path
    rows: int
    best: Best
    """The method and setting with the best test scores of the run, as its report says."""
    failed: dict[str, str]
    """Columns without predictions, with the reason."""


def predict(
    name: str,
    *,
    methods: list[str] | None = None,
    output: Path | None = None,
    log: Callable[[str], None] = print,
) -> Predictions:
    """Learn from all rows that have a target and predict the others.

    Parameters
    ----------
    name : str
        The own data set, whose study has run.
    methods : list of str, optional
        Only these; None: all of the study.
    output : Path, optional
        A CSV file: ``row``, ``prediction`` (of the best), ``agreement`` (share of the methods that
        say the same; in regression ``spread``, their standard deviation), and a column for each
        method and setting. A method counts once, each of its settings by a part, and a control not
        at all.
    log : callable
        Receives progress.

    Raises
    ------
    ConfigError
        No such data set or method.
    DataError
        Every row has a target, or the study has not run.
    """
    config = config_of(name)
    if not config.is_file():
        known = [path.stem for path in OWN.glob("*.yaml")]
        raise ConfigError(f"no own study {name!r}; {suggest(name, known)}.")
    plan = Plan(read_config(config))
    study = plan.studies[name]
    for method in methods or ():
        if method not in study.methods:
            raise ConfigError(f"--methods: no {method!r} in it; {suggest(method, study.methods)}.")
    table = plan.table(name, name)
    run = f"snakemake --cores all --configfile {config}"
    if not Path(table).is_file():
        raise DataError(f"{table} is not there; run `{run}` first.")
    if absent := first_absent([table]):
        raise DataError(f"{table}: {absent.reason}")
    dataset = read_dataset(table)
    if dataset.unlabelled is None:
        raise DataError(
            f"data set {name!r}: every row has a target, so there is none to predict. Add rows "
            "whose target is empty to the file, and run `gramworks new --update` on it."
        )
    columns, failed = _columns(plan, name, dataset, methods, run, log)
    best = best_of_run(study, name, plan.scores(name), list(columns))
    path = output or OWN / f"{name}-predictions.csv"
    _write(path, dataset, columns, best.column, control_columns(study, columns))
    return Predictions(path, int(dataset.unlabelled.sum()), best, failed)


def _columns(plan, name, dataset: Dataset, methods, run: str, log):
    masks = {
        "labelled": ~dataset.unlabelled,
        "unlabelled": np.zeros(dataset.rows, dtype=bool),
        "test": dataset.unlabelled.copy(),
    }
    grams: dict[str, np.ndarray] = {}
    columns: dict[str, np.ndarray] = {}
    failed: dict[str, str] = {}
    for method_name in plan.methods(name):
        if methods and method_name not in methods:
            continue
        method, body = load_method(method_name), plan.studies[name].methods[method_name]
        paths = [*plan.grams(name, name, method_name), *plan.shared(name, name, method_name)]
        gone = [path for path in paths if not Path(path).is_file()]
        if gone:
            raise DataError(f"{gone[0]} is not there; {_part_of_run(plan, name)}run `{run}` first.")
        if absent := first_absent(paths):
            failed[method_name] = absent.reason
            continue
        kernels = {}
        if wanted := plan.kernels(name, name, method_name):
            files = plan.grams(name, name, method_name)
            # No more matrices at a time than this method needs.
            grams = {path: K for path, K in grams.items() if path in files}
            for key, path in zip(wanted, files, strict=True):
                if path not in grams:
                    grams[path] = read_gram(path)
                    grams[path].setflags(write=False)
                kernels[key] = grams[path]
        shared_paths = plan.shared(name, name, method_name)
        shared = read_shared(shared_paths[0]) if shared_paths else None
        for setting in body.combinations():
            word = format_setting(setting)
            column = column_of(method_name, word)
            outcome, status, reason = fit_once(
                method, {**body.parameters, **setting}, dataset, masks, kernels, study=name,
                setting=word, shared=shared, log=log,
            )  # fmt: skip
            if outcome is None or outcome.predictions is None:
                failed[column] = reason or f"{status}, without predictions"
            else:
                columns[column] = np.asarray(outcome.predictions)
    if not columns:
        raise DataError(f"data set {name!r}: no method gives predictions: {failed}.")
    return columns, failed


def _part_of_run(plan: Plan, name: str) -> str:
    """Say what to do where some methods have run and others have not; the start of a sentence."""
    files = [Path(path) for path in plan.scores(name)]
    ran = [path.stem for path in files if path.is_file()]
    if not ran or len(ran) == len(files):
        return ""
    return (
        f"{len(ran)} of the study's {len(files)} methods have run: the run was limited to them, as "
        "by `--config 'methods=[...]'`, or did not end. Predict by these, `gramworks predict "
        f"{name} --methods {' '.join(ran)}`, or "
    )


def _write(
    path: Path,
    dataset: Dataset,
    columns: dict[str, np.ndarray],
    best: str,
    controls: Collection[str] = (),
) -> None:
    rows = np.flatnonzero(dataset.unlabelled)
    ids = dataset.row_ids or [str(i + 1) for i in range(dataset.rows)]
    table = np.column_stack(list(columns.values()))
    chosen = list(columns).index(best)
    of_method = [column.split(" ")[0] for column in columns]
    # a control has not learned, so that it agrees or differs by chance; alone it is all there is
    counts = np.array([column not in controls for column in columns])
    counts |= not counts.any()
    settings = Counter(m for m, counted in zip(of_method, counts, strict=True) if counted)
    parts = np.array([1 / settings[m] if m in settings else 0.0 for m in of_method])
    parts[~counts] = 0.0
    parts /= len(settings)

    def shown(value) -> str:
        return dataset.classes[int(value)] if dataset.classes else f"{value:.10g}"

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", "prediction", "agreement" if dataset.classes else "spread", *columns])
    for place, row in enumerate(rows):
        said = table[place]
        if dataset.classes:
            same = parts @ (said == said[chosen])
        else:
            same = np.sqrt(parts @ (said - parts @ said) ** 2)
        writer.writerow([ids[row], shown(said[chosen]), f"{same:.3g}", *map(shown, said)])
    write_text(path, text.getvalue())
