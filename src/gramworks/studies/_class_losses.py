"""Classification errors as a fraction, the way Weston et al. (2002) print them."""

from __future__ import annotations

LOSS = "classification-loss"


def class_losses(rows: list[dict]) -> list[dict]:
    """Give the rows ``classification-loss``: test errors of classifiers as a fraction, 0 to 1."""
    return [
        row | {"metric": LOSS, "value": None if row["value"] is None else row["value"] / 100.0}
        for row in rows
        if row["metric"] == "test-error-percent"
    ]
