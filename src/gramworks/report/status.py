"""How a run ended: draws by study and status."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from gramworks.report.scores import STATUSES, draw_status, read_scores


def status_rows(scores: str | Path | Iterable[str | Path]) -> pd.DataFrame:
    """Count draws by study and status.

    Parameters
    ----------
    scores : path-like or iterable of path-like
        The folder of scores, of which the merged files ``{study}/{dataset}/{method}.csv`` are
        read and their chunks are not; or files.

    Returns
    -------
    DataFrame
        Columns study, status, draws; only what occurs. A draw (one data set, method, setting
        and repeat) counts once, under the worst status of its rows.

    Raises
    ------
    FileDamaged
        A score file is damaged; names it.
    """
    if isinstance(scores, str | Path):
        scores = sorted(Path(scores).glob("*/*/*.csv"))
    return status_rows_of(draw_status(read_scores(scores)))


def status_rows_of(draws: pd.DataFrame) -> pd.DataFrame:
    """Count draws (from `draw_status`) by study and status; see `status_rows`."""
    counts = draws.groupby(["study", "status"]).size().reset_index(name="draws")
    order = counts["status"].map({status: i for i, status in enumerate(STATUSES)})
    counts = counts.assign(_order=order).sort_values(["study", "_order"])
    return counts[["study", "status", "draws"]].reset_index(drop=True)


def format_status(counts: pd.DataFrame) -> str:
    """Write the counts as lines of text, one a study and one for all."""
    if counts.empty:
        return "no scores yet"
    totals = counts.groupby("status")["draws"].sum()
    names = list(dict.fromkeys(counts["study"]))
    width = max(len(name) for name in [*names, "all"])
    lines = [
        f"{name:<{width}}  {_words(part.set_index('status')['draws'])}"
        for name, part in counts.groupby("study", sort=False)
    ]
    if len(names) > 1:
        lines.append(f"{'all':<{width}}  {_words(totals)}")
    return "\n".join(lines)


def _words(counts: pd.Series) -> str:
    return ", ".join(f"{int(counts[s])} {s}" for s in STATUSES if s in counts.index)
