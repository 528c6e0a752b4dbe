"""Kernels on vectors, graphs and sequences, their transformations, comparison and checks."""

from importlib import import_module

_EXPORTS = {
    "alignment": "alignment_measure",
    "centre": "transforms",
    "check_gram": "checks",
    "concepts": "concepts_kernel",
    "correlation_diffusion": "correlation_kernel",
    "correlation_graph": "correlation_kernel",
    "diffusion": "diffusion_kernel",
    "empirical_map": "similarity_map",
    "from_distances": "output_kernels",
    "gaussian": "gaussian_kernel",
    "gaussian_of_kernel": "gaussian_map",
    "linear": "linear_kernel",
    "normalise": "transforms",
    "parse_kernel": "identifiers",
    "polynomial": "polynomial_kernel",
    "shared_labels": "output_kernels",
    "smith_waterman": "smith_waterman_kernel",
    "spectrum": "spectrum_kernel",
    "subsequence": "subsequence_kernel",
    "zero_one": "output_kernels",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name):
    # lazy: an import here would make every fingerprint depend on every module
    if name in _EXPORTS:
        return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
