"""What made a result: versions, time and inputs, written into every result file."""

from __future__ import annotations

import platform
from importlib import metadata

from gramworks import __version__

_PACKAGES = (
    "numpy", "scipy", "scikit-learn", "h5py", "pandas", "cvxpy", "matplotlib", "snakemake",
)  # fmt: skip


def provenance(stage: str, **inputs: object) -> dict:
    """Describe how a file was made.

    Parameters
    ----------
    stage : str
        The stage's name.
    **inputs
        JSON values that identify the inputs, such as the data set and kernel.

    Returns
    -------
    dict
        Without times or host names, so that equal runs write equal bytes.
    """
    return {
        "gramworks": __version__,
        "stage": stage,
        "inputs": inputs,
        "python": platform.python_version(),
        "packages": package_versions(),
    }


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that results depend on."""
    return {name: metadata.version(name) for name in _PACKAGES}
