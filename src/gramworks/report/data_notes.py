"""What happened to one's own data before anything was fitted, in a line for the answer."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gramworks.report.escaping import plain

if TYPE_CHECKING:
    from gramworks.studies.study_file import Study

MOST_NOTES = 2
_LETTERS = 160
_CHANGED = re.compile(r"dropped|left out|filled|taken at random|no row is left|is ignored")


def data_notes(study: Study, datasets: Iterable[dict]) -> dict[str, list[str] | int]:
    """Pick the notes of a study's data sets that a reader of the answer must know.

    Parameters
    ----------
    study : Study
        Those that reproduce a paper have none: their data are as the paper's.
    datasets : iterable of dict
        See `gramworks.report.build.build_page`.

    Returns
    -------
    dict
        ``notes``: the first `MOST_NOTES`, shortened, those that tell of rows and columns which
        are not there or were filled before the rest; ``more``: the number of the others.
    """
    found = []
    for row in datasets if not study.paper else ():
        if row["id"] not in study.datasets:
            continue
        caveats = row.get("caveats") or []
        for caveat in [caveats] if isinstance(caveats, str) else caveats:
            name = f"{row['id']}: " if len(study.datasets) > 1 else ""
            found.append(plain(f"{name}{caveat}"))
    found.sort(key=lambda note: not _CHANGED.search(note))
    shown = [textwrap.shorten(note, _LETTERS, placeholder=" …") for note in found[:MOST_NOTES]]
    return {"notes": shown, "more": len(found) - len(shown)}
