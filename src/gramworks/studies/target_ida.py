"""Table 2 of Angelini et al. (2007): honest and oracle thresholds beside the published errors."""

from __future__ import annotations

from gramworks.studies._oracle_columns import oracle_column

METRICS = ("oracle-test-error-percent",)


def derive(rows: list[dict]) -> list[dict]:
    """Put the errors with a threshold that test labels choose beside those without."""
    return oracle_column(rows, "test-error-percent", "threshold")
