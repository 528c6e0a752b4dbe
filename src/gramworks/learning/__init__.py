"""Estimators that learn kernels or targets."""

from importlib import import_module

_EXPORTS = {
    "AlignmentKernel": "alignment",
    "ClusterKernel": "cluster",
    "KernelDependency": "kernel_dependency",
    "MarginKernel": "margin",
    "MixtureKernel": "mixture",
    "OptimalTarget": "optimal_target",
    "RankOneFamily": "rank_one",
    "TransductiveDiscrimination": "transductive_discrimination",
    "bound_test_error": "margin_bound",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name):
    # lazy: an import here would make every fingerprint depend on every module
    if name in _EXPORTS:
        return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
