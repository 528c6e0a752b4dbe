"""Table 1 of Angelini et al. (2007): honest and oracle lengths beside the published errors."""

from __future__ import annotations

from gramworks.studies._oracle_columns import oracle_column

METRICS = ("oracle-root-mean-square-error",)


def derive(rows: list[dict]) -> list[dict]:
    """Put the errors with the length of the true targets beside those without."""
    return oracle_column(rows, "root-mean-square-error", "length")
