"""Predictors on a Gram matrix, cross-validation and model selection."""

from importlib import import_module

_EXPORTS = {
    "KernelSVM": "svm",
    "KernelRidge": "ridge",
    "KernelNeighbours": "neighbours",
    "KernelStack": "kernel_stack",
    "LabelDiffusion": "label_diffusion",
    "OutputNeighbours": "output_neighbours",
    "RandomWalkClassifier": "random_walk",
    "SelfTrainingSVM": "self_training",
    "TransductiveSVM": "transductive_svm",
    "cross_validate": "cross_validation",
    "select_dependency": "dependency_selection",
    "select_neighbours": "dependency_selection",
}

__all__ = sorted(_EXPORTS)


def __getattr__(name):
    # lazy: an import here would make every fingerprint depend on every module
    if name in _EXPORTS:
        return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
