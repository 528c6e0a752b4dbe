"""Kernels on vectors, their transformations, comparison and checks."""

from importlib import import_module

_EXPORTS = {
    "alignment": "alignment_measure",
    "centre": "transforms",
    "check_gram": "checks",
    "concepts": "concepts_kernel",
    "gaussian": "gaussian_kernel",
    "linear": "linear_kernel",
    "normalise": "transforms",
    "parse_kernel": "identifiers",
    "polynomial": "polynomial_kernel",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name):
    # lazy: an import here would make every fingerprint depend on every module
    if name in _EXPORTS:
        return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
