"""Table 2 of Weston et al. (2002): classification losses."""

from __future__ import annotations

from gramworks.studies._class_losses import LOSS, class_losses

METRICS = (LOSS,)


def derive(rows: list[dict]) -> list[dict]:
    """Give the classification losses."""
    return class_losses(rows)
