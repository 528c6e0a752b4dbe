"""Relative links from the page to the files that its numbers come from."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote


class RawFiles:
    """Links to raw rows and notes, of those files that are there.

    Parameters
    ----------
    folder : Path
        The report's folder, ``results/report``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    def rows(self, study: str, dataset: str, method: str) -> str:
        """Link to the rows of all draws of a method, or to all cells where it has none of its own.

        Numbers that a study derives from several methods have no file of their own.
        """
        scores = self._link("..", "scores", study, dataset, f"{method}.csv")
        return scores or f"{quote(study)}/comparison.csv"

    def notes(self, paper: str) -> str:
        """Link to what the reproduction notes say of a paper; "" where there are none."""
        return self._link("..", "..", "docs", "reproduction", f"{paper}.md")

    def _link(self, *parts: str) -> str:
        # a name with a slash is no name of a file, and would lead elsewhere
        if any("/" in part or "\0" in part for part in parts):
            return ""
        try:
            found = self.folder.joinpath(*parts).is_file()
        except (OSError, ValueError):
            found = False
        return "/".join(quote(part) for part in parts) if found else ""
