"""What one cell of a table for people says: numbers rounded alike, and the verdict's mark."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal

import pandas as pd

from gramworks.report.label_rows import apart

MARKS = {
    "agrees": "=", "better": "▲", "worse": "▼", "higher": "↑", "lower": "↓",
    "not-comparable": "≁", "not-run": "∅", "measured-only": "",
}  # fmt: skip
LATEX_MARKS = {
    "=": "$=$", "▲": r"$\bigtriangleup$", "▼": r"$\bigtriangledown$", "↑": r"$\uparrow$",
    "↓": r"$\downarrow$", "≁": r"$\not\sim$", "∅": r"$\emptyset$", "": "",
}  # fmt: skip
MOST_NAMED = 3
"""Rows that the note of a reason names."""
INCOMPLETE = "†"
"""Beside a mean that repeats are missing from, or that did not converge in all repeats."""
ASSUMED = "*"
"""Beside a published number without spread: the measured spread was taken for it."""


@dataclass(frozen=True)
class Cell:
    """Texts of one cell."""

    mean: str = ""
    sd: str = ""
    se: str = ""
    published: str = ""
    resolution: str = ""
    difference: str = ""
    verdict: str = ""
    reason: str = ""
    mark: str = ""
    flag: str = ""
    note: str = ""

    @property
    def measured(self) -> str:
        """The mean, with its standard deviation where there is one."""
        if not self.mean:
            return "–"
        return self.mean + (f" ± {self.sd}" if self.sd else "") + self.flag

    @property
    def details(self) -> str:
        """Standard error, published number, smallest difference the test could see, reason."""
        beside = "; ".join(part for part in (self.published, self.resolution) if part)
        why = self.reason if self.verdict == "not-run" else ""
        parts = [f"[{self.se}]" if self.se else "", f"({beside})" if beside else "", why]
        return " ".join(part for part in parts if part)

    @property
    def text(self) -> str:
        """The whole cell in one line."""
        return " ".join(part for part in (self.measured, self.details, self.mark) if part)


@dataclass(frozen=True)
class Table:
    """The table of one data set: rows are method and setting, columns metrics."""

    dataset: str
    published_as: str
    metrics: list[str]
    rows: list[tuple[str, str, list[Cell]]] = field(default_factory=list)
    note: str = ""
    left_out: int = 0
    """Published cells that were not run and stand in no row."""
    unmeasured: list[str] = field(default_factory=list)
    """Metrics of the study that no row here has."""
    lost: list[str] = field(default_factory=list)
    """Reasons why rows have no value, each once, after the rows that it holds for."""
    by_label: bool = False
    """Whether the rows are single labels, whose means stand in a table of their own."""

    @property
    def name(self) -> str:
        """The data set, and whether its labels are shown one by one."""
        return f"{self.dataset} by label" if self.by_label else self.dataset


def tables(comparison: pd.DataFrame, metrics: list[str]) -> list[Table]:
    """Arrange a comparison as one table a data set.

    Parameters
    ----------
    comparison : DataFrame
        From `compare`.
    metrics : list of str
        The columns, in this order; those a data set has no cell of are left out.

    Returns
    -------
    list of Table
        Data sets with at least one row that was tried. Rows that were only published are
        counted, not shown. Rows of single labels make a table of their own, after their means.
    """
    return [
        replace(_table(dataset, part, metrics), by_label=bool(by_label))
        for dataset, cells in comparison.groupby("dataset", sort=False)
        for by_label, part in enumerate(apart(cells))
        if _tried(part).any()
    ]


def _tried(cells: pd.DataFrame) -> pd.Series:
    return (cells["n"] > 0) | cells["reason"].isin(["failed", "skipped"])


def _table(dataset: str, cells: pd.DataFrame, metrics: list[str]) -> Table:
    tried = set(cells.loc[_tried(cells), ["method", "setting"]].itertuples(index=False, name=None))
    shown = [metric for metric in metrics if (cells["metric"] == metric).any()] or metrics[:1]
    places = {m: _decimals(cells[cells["metric"] == m]) for m in shown}
    table = Table(dataset, cells["published_as"].iloc[0], shown)
    left_out = 0
    for (method, setting), row in cells.groupby(["method", "setting"], sort=False):
        if (method, setting) not in tried:
            left_out += int(row["published"].notna().sum())
            continue
        by_metric = {record["metric"]: record for record in row.to_dict("records")}
        whole = by_metric.get("")  # nothing came of this row, and nothing is published
        texts = [
            make_cell(found, places[m]) if (found := by_metric.get(m, whole)) else Cell()
            for m in shown
        ]
        table.rows.append((method, setting, texts))
    return replace(
        table, note=_shared_note(cells), left_out=left_out,
        unmeasured=[metric for metric in metrics if metric not in shown], lost=_lost(cells),
    )  # fmt: skip


def _lost(cells: pd.DataFrame) -> list[str]:
    """Say why rows without any value have none, each distinct reason once."""
    rows = cells[cells["metric"].eq("") & cells["reason"].isin(["failed", "skipped"])]
    named: dict[str, list[str]] = {}
    for row in rows.to_dict("records"):
        name = " ".join(filter(None, (row["method"], row["setting"])))
        named.setdefault(f"{row['reason']}, {row['note']}", []).append(name)
    return [
        ", ".join(names[:MOST_NAMED])
        + (f" and {len(names) - MOST_NAMED} more rows" if len(names) > MOST_NAMED else "")
        + f": {told}"
        for told, names in named.items()
    ]


def _shared_note(cells: pd.DataFrame) -> str:
    """Return the data set's own note: the part that all its cells share."""
    parts = [set(note.split("; ")) for note in cells["note"]]
    common = set.intersection(*parts) if parts else set()
    return "; ".join(part for part in cells["note"].iloc[0].split("; ") if part in common)


def make_cell(record: dict, decimals: int | None) -> Cell:
    """Turn one row of a comparison into texts with the given decimals (None: 3 digits)."""
    lost = record["n_failed"] or record["n_not_converged"] or record["n_skipped"]
    incomplete = record["n"] > 0 and lost
    printed = record["decimals"]
    published = number(record["published"], None if pd.isna(printed) else int(printed))
    return Cell(
        mean=number(record["measured_mean"], decimals),
        sd=number(record["measured_sd"], decimals),
        se=two_digits(record["measured_se"]),
        published=published + (ASSUMED if record["assumed_spread"] else ""),
        resolution=two_digits(record["resolution"]),
        difference=signed(record["difference"], decimals),
        verdict=record["verdict"],
        reason=record["reason"],
        mark=MARKS.get(record["verdict"], ""),
        flag=INCOMPLETE if incomplete else "",
        note=record["note"],
    )


def number(value: float, decimals: int | None) -> str:
    """Print a number; with 3 significant digits where decimals say nothing or it is large.

    It is rounded as the comparison's CSV has it, half to even in decimals: a mean such as 0.14875,
    whose last bit depends on the order of its sum and on a file in between, is one text everywhere.
    """
    if pd.isna(value):
        return ""
    if math.isfinite(value):
        kept = Decimal(f"{value:.10g}")
        value = kept if decimals is not None and decimals <= 6 and abs(kept) < 1e5 else float(kept)
    if decimals is None or decimals > 6 or abs(value) >= 1e5:
        return f"{value:.3g}"
    return f"{value:.{decimals}f}"


def two_digits(value: float) -> str:
    """Print an error with two significant digits; whole digits are never cut."""
    if pd.isna(value) or value <= 0:
        return "" if pd.isna(value) else "0"
    decimals = _places(value)
    return number(value, decimals) if decimals <= 6 else f"{value:.1e}"


def _places(value: float) -> int:
    """Count the decimals that show two significant digits of a positive number."""
    return max(1 - math.floor(math.log10(value)), 0)


def signed(value: float, decimals: int | None) -> str:
    """Print a difference with its sign."""
    text = number(value, decimals)
    return text if not text or text.startswith("-") else f"+{text}"


def _decimals(cells: pd.DataFrame) -> int | None:
    """Choose decimals for a column: two digits of the typical error, the paper's at most.

    With digits of the standard error a reader can redo the verdict from the table.
    """
    printed = cells["decimals"].dropna()
    if printed.empty and cells["published"].notna().any():
        return None  # printed in another form, such as 1.2e+07
    most = int(printed.max()) if len(printed) else 6
    spread = cells["measured_se"][cells["measured_se"] > 0].median()
    if pd.isna(spread):
        return min(most, 3)
    needed = _places(spread)
    # numbers as small as gaps: significant digits say more than decimals
    return None if needed > 6 and printed.empty else min(needed, most)
