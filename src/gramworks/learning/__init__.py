"""Estimators that learn kernels or targets."""

from importlib import import_module

_EXPORTS = {
    "AlignmentKernel": "alignment",
    "ClusterKernel": "cluster",
    "Gradient": "functionals",
    "GraphDifference": "functionals",
    "InvarianceKernel": "invariance",
    "JointGram": "joint_gram",
    "KernelDependency": "kernel_dependency",
    "LaplacianKernel": "laplacian",
    "LocalAverage": "functionals",
    "MarginKernel": "margin",
    "MixtureKernel": "mixture",
    "OptimalTarget": "optimal_target",
    "RankOneFamily": "rank_one",
    "Tangent": "functionals",
    "TransductiveDiscrimination": "transductive_discrimination",
    "bound_test_error": "margin_bound",
    "deformed_kernels": "deformed_series",
    "moved_images": "image_moves",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name):
    # lazy: an import here would make every fingerprint depend on every module
    if name in _EXPORTS:
        return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
