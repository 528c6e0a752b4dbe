"""Where a user's own data sets, studies and configurations lie: a folder `own/`, ignored by git."""

from __future__ import annotations

from pathlib import Path

OWN = Path("own")
"""In the folder one works in, beside `data/` and `results/`; `gramworks new` fills it."""
DATASETS = OWN / "datasets"
"""``{id}.yaml``, entries as in resources/datasets, and ``{id}.h5``, the table as it was read."""
STUDIES = OWN / "studies"
"""``{id}.yaml``, study files as in config/studies."""


def config_of(name: str) -> Path:
    """Name the configuration of an own study."""
    return OWN / f"{name}.yaml"
