"""What is to be predicted: classes or numbers, and which rows have it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from gramworks.errors import DataError
from gramworks.owndata.findings import Findings, counted, listed, quoted
from gramworks.owndata.numerals import is_number, loses_digits, number_text, read_numbers
from gramworks.owndata.raw_table import RawTable
from gramworks.owndata.thousands import number_cells

NOT_LABELS = frozenset({"", "?", "<null>"})
"""Cells of a target that are no label; NA and None are labels like others."""
MOST_NUMERIC_CLASSES = 10


@dataclass
class Target:
    """The target of all rows of a table."""

    name: str
    task: str
    """binary, multiclass or regression"""
    classes: list[str]
    values: np.ndarray
    """(n,) class codes or numbers; 0 where unknown"""
    known: np.ndarray
    """(n,) mask of the rows that have a target"""

    def counts(self) -> dict[str, int]:
        """Count the rows of each class."""
        found = np.bincount(self.values[self.known], minlength=len(self.classes))
        return dict(zip(self.classes, found.tolist(), strict=True))

    def take(self, rows: np.ndarray) -> Target:
        """Keep some rows."""
        return Target(self.name, self.task, self.classes, self.values[rows], self.known[rows])


def read_target(table: RawTable, name: str, task: str | None, findings: Findings) -> Target:
    """Decide what the target is.

    Parameters
    ----------
    table : RawTable
    name : str
        A column of it.
    task : {"classification", "regression"}, optional
        As the user says; None: what the values look like.

    Raises
    ------
    DataError
        No row has a target; one class only; as many classes as rows; text where numbers are asked
        for.
    """
    raw = table.columns[name]
    if isinstance(raw, np.ndarray):
        raw = ["" if np.isnan(v) else number_text(v) for v in raw]
    cells = [cell.strip() for cell in raw]
    gaps = NOT_LABELS | table.gaps
    known = np.array([cell not in gaps for cell in cells], dtype=bool)
    where = f"{table.path}: target {quoted(name)}"
    if not known.any():
        raise DataError(
            f"{where}: none of the {len(cells)} rows has a value, so there is nothing to learn "
            "from; fill it in for some rows, or name another column."
        )
    labels = [cell for cell, has in zip(cells, known, strict=True) if has]
    counts = Counter(labels)
    decimal, read, told = ".", cells, ""
    if isinstance(table.columns[name], list) and task != "classification":
        decimal, read, told = number_cells(table, name, cells, findings)
    numbers = read_numbers(read, decimal, gaps)
    numeric = bool(np.isfinite(numbers[known]).all())
    _refuse_odd_cells(table, name, cells, numbers, known)
    if len(counts) == 1:
        raise DataError(
            f"{where}: all {len(labels)} rows have the one value {quoted(labels[0])}; two classes "
            "at least, or numbers that differ, are needed."
        )
    if task == "regression" and not numeric:
        row = int(np.flatnonzero(known & ~np.isfinite(numbers))[0])
        raise DataError(
            f"{table.at(row)}: target {quoted(name)} is {quoted(cells[row])}, --task regression "
            "needs a number in each row; leave the cell empty where it is not known."
        )
    whole = numeric and bool((numbers[known] == np.rint(numbers[known])).all())
    many = len(counts) > MOST_NUMERIC_CLASSES
    is_regression = task == "regression" or (task is None and numeric and (many or not whole))
    _tell_unlabelled(name, known, findings)
    if told and numeric:
        findings.say(told)
    if is_regression:
        values = np.where(known, numbers, 0.0)
        low, high, middle = numbers[known].min(), numbers[known].max(), np.median(numbers[known])
        findings.say(
            f"target {quoted(name)}: numbers from {low:g} to {high:g}, median {middle:g}, so the "
            "task is regression" + (" (--task classification makes classes)" * (task is None))
        )
        long = [cell for cell in labels if loses_digits(cell)]
        if long:
            findings.warn(
                f"target {quoted(name)}: {quoted(long[0])} and {len(long) - 1} more cells have "
                "more digits than numbers hold, and are rounded; is it a target?"
            )
        return Target(name, "regression", [], values, known)
    if len(counts) > max(2, len(labels) / 2):
        raise DataError(
            f"{where}: {len(counts)} different values in {len(labels)} rows ({listed(counts, 4)}) "
            "are no classes; is it the column you mean? "
            + (
                "State --task regression for numbers."
                if numeric
                else "Names of rows are no target."
            )
        )
    _tell_blanks(name, raw, counts, findings)
    value_of = dict(zip(cells, numbers.tolist(), strict=True))
    classes = sorted(counts, key=lambda c: (value_of[c], c) if numeric else c)
    codes = {label: code for code, label in enumerate(classes)}
    values = np.array([codes.get(cell, 0) for cell in cells], dtype=np.int64)
    target = Target(name, "binary" if len(classes) == 2 else "multiclass", classes, values, known)
    _tell_classes(target, numeric, findings)
    return target


def _refuse_odd_cells(
    table: RawTable, name: str, cells: list[str], numbers: np.ndarray, known: np.ndarray
) -> None:
    """Refuse a few cells that are none among many different numbers."""
    odd = np.flatnonzero(known & ~np.isfinite(numbers))
    present = numbers[known & np.isfinite(numbers)]
    if len(odd) and len(present) >= 0.8 * known.sum() and len(np.unique(present)) > 10:
        cell = cells[int(odd[0])]
        raise DataError(
            f"{table.at(int(odd[0]))}: target {quoted(name)} is {quoted(cell)} ({len(odd)} such "
            f"cells), the other {len(present)} are numbers. State --na {cell!r} if it is not known "
            "there, or mend the file."
        )


def _tell_unlabelled(name: str, known: np.ndarray, findings: Findings) -> None:
    missing = int((~known).sum())
    if missing:
        findings.say(
            f"{counted(missing, 'row')} of {len(known)} without a target {quoted(name)}: "
            "unlabelled points. They take part in the Gram matrices and are never tested; "
            "`gramworks predict` predicts them after the run"
        )


def _tell_blanks(name: str, raw: list[str], counts: Counter, findings: Findings) -> None:
    spelt: dict[str, set[str]] = {}
    for cell in raw:
        spelt.setdefault(cell.strip(), set()).add(cell)
    twins = [label for label, forms in spelt.items() if len(forms) > 1 and label in counts]
    if twins:
        findings.warn(
            f"target {quoted(name)}: {listed(twins)} also stands with blanks around it; taken as "
            "one label"
        )
    folded: dict[str, list[str]] = {}
    for label in counts:
        folded.setdefault(label.casefold(), []).append(label)
    for forms in folded.values():
        if len(forms) > 1:
            findings.warn(
                f"target {quoted(name)}: {listed(sorted(forms))} differ in capitals only, and are "
                "classes of their own; if they are one, write them alike"
            )
    spelled: dict[float, list[str]] = {}
    for label in counts:
        if is_number(label) and not loses_digits(label):
            spelled.setdefault(float(label), []).append(label)
    for forms in spelled.values():
        if len(forms) > 1:
            findings.warn(
                f"target {quoted(name)}: {listed(sorted(forms))} are one number written in several "
                "ways, and are classes of their own; if they are one, write them alike"
            )
    doubtful = [label for label in counts if label.lower() in ("na", "n/a", "nan", "none", "null")]
    if doubtful:
        findings.warn(
            f"target {quoted(name)}: {listed(doubtful)} is taken as a class; leave the cell empty "
            "where the target is not known"
        )


def _tell_classes(target: Target, numeric: bool, findings: Findings) -> None:
    counts = target.counts()
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{quoted(label)} {n}" for label, n in ordered[:12])
    more = f" and {len(ordered) - 12} more classes" if len(ordered) > 12 else ""
    hint = " (--task regression takes them as numbers)" * (numeric and len(counts) > 2)
    findings.say(f"target {quoted(target.name)}: {len(counts)} classes: {shown}{more}{hint}")
    total, (largest, n_largest), (rarest, n_rarest) = sum(counts.values()), ordered[0], ordered[-1]
    if n_largest >= 5 * n_rarest:
        findings.warn(
            f"classes are unequal: {quoted(largest)} has {n_largest} rows, {quoted(rarest)} "
            f"{n_rarest}; always saying {quoted(largest)} is right in "
            f"{100 * n_largest / total:.0f} % of them, so look at test-auc beside the accuracy"
        )
    single = [label for label, n in counts.items() if n == 1]
    if single:
        findings.warn(
            f"{counted(len(single), 'class', 'classes')} with one row: {listed(single)}. It is "
            "always among the labelled points, and can never be tested; join or remove it"
        )
