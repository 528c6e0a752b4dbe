"""A user's own data: read, looked at, told what was understood, and made a study."""

from importlib import import_module

_EXPORTS = {"new_study": "new", "predict": "predicting", "read_own": "reading"}

__all__ = sorted(_EXPORTS)


def __getattr__(name):
    # lazy: an import here would make every fingerprint depend on every module
    if name in _EXPORTS:
        return getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__
