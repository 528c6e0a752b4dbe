"""Score files: tidy rows of every draw, read together and checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from gramworks.hdf5 import damaged, rebuild_command
from gramworks.report.csv_text import read_table
from gramworks.score_files import COLUMNS, WORST_FIRST

STATUSES = ("ok", "failed", "skipped", "not-converged")
DRAW = ["study", "dataset", "method", "setting", "repeat"]


def read_scores(files: Iterable[str | Path]) -> pd.DataFrame:
    """Read score files into one table.

    Parameters
    ----------
    files : iterable of path-like
        CSV files with the columns `COLUMNS`.

    Returns
    -------
    DataFrame
        `COLUMNS`, all text but ``repeat`` (nullable integer, missing where a row stands for all
        repeats) and ``value`` (float, NaN where there is none). Rows in the order of the files.

    Raises
    ------
    FileDamaged
        With the file, the row, what was found, and the command that rebuilds the file.
    """
    files = [Path(file) for file in files]
    tables = [_read(file) for file in files]
    if not tables:
        return _typed(pd.DataFrame(columns=list(COLUMNS), dtype=str))
    table = pd.concat(tables, ignore_index=True)
    origin = [str(file) for file, part in zip(files, tables, strict=True) for _ in part.index]
    measured = table[table["metric"] != ""]
    twice = measured.duplicated([*DRAW, "metric"])
    if twice.any():
        at = int(twice.idxmax())
        cell = "/".join(str(table.loc[at, key]) for key in [*DRAW, "metric"])
        raise damaged(origin[at], f"has the row {cell}, which stands twice in the files read")
    return table


def read_timings(files: Iterable[str | Path]) -> pd.DataFrame:
    """Read files of times, which have the shape of score files.

    Returns
    -------
    DataFrame
        `COLUMNS`, as from `read_scores`; of draws that gave something alone, since one that
        failed or was skipped has a time as well.

    Raises
    ------
    FileDamaged
        As `read_scores` does.
    """
    tables = [_read(Path(file), times=True) for file in files]
    if not tables:
        return _typed(pd.DataFrame(columns=list(COLUMNS), dtype=str))
    table = pd.concat(tables, ignore_index=True)
    return table[table["status"].isin(["ok", "not-converged"])].reset_index(drop=True)


def draw_status(scores: pd.DataFrame) -> pd.DataFrame:
    """Give each draw (study, data set, method, setting, repeat) the worst status of its rows.

    Returns
    -------
    DataFrame
        One row a draw: the columns of a draw, ``status`` and the ``reason`` of that row.
    """
    rank = scores["status"].map({status: i for i, status in enumerate(WORST_FIRST)})
    worst = scores.assign(_rank=rank).sort_values("_rank", kind="stable")
    worst = worst.drop_duplicates(DRAW).sort_index()
    return worst[[*DRAW, "status", "reason"]].reset_index(drop=True)


def counts_by_status(scores: pd.DataFrame) -> dict[str, int]:
    """Count draws by status, every status of `STATUSES` in this order.

    A draw counts once, whatever number of metrics it has, under the worst status of its rows.
    """
    counts = draw_status(scores)["status"].value_counts()
    return {status: int(counts.get(status, 0)) for status in STATUSES}


def _read(path: Path, *, times: bool = False) -> pd.DataFrame:
    text = read_table(path, COLUMNS, hint=f"Rebuild it with: {rebuild_command(path)}")
    try:
        table = _typed(text)
    except (ValueError, TypeError) as error:
        told = " ".join(str(error).split())
        raise damaged(path, f"has a repeat or value that is no number ({told})") from None
    valued = table["value"].notna()
    needs_value = table["status"] == "ok"
    may_have_value = needs_value | (table["status"] == "not-converged") | times
    faults = {
        f"status is none of {', '.join(STATUSES)}": ~table["status"].isin(STATUSES),
        "an ok row without metric or value": needs_value & ~valued,
        "a value without a metric": (table["metric"] == "") & valued,
        "a failed or skipped row with a value": valued & ~may_have_value,
        "the value is not finite": valued & ~table["value"].abs().lt(float("inf")),
        "repeat is negative": table["repeat"].lt(0).fillna(False).astype(bool),
        "repeat is missing": table["repeat"].isna() & may_have_value & (not times),
        "study or dataset is empty": (text[["study", "dataset"]] == "").any(axis=1),
    }
    for fault, rows in faults.items():
        if rows.any():
            at = int(rows.idxmax())
            found = ",".join(text.loc[at])
            raise damaged(path, f"row {at + 2} ({found}): {fault}")
    return table


def _typed(text: pd.DataFrame) -> pd.DataFrame:
    value = pd.Series(
        [float(v) if v else float("nan") for v in text["value"]], dtype=float, index=text.index
    )
    nan_text = (text["value"] != "") & value.isna()
    if nan_text.any():
        raise ValueError(f"value {text['value'][nan_text].iloc[0]!r}")
    repeat = pd.Series(
        [int(v) if v else pd.NA for v in text["repeat"]], dtype="Int64", index=text.index
    )
    return text.assign(value=value, repeat=repeat)
