"""The errors of Gramworks: one base class, and messages that say what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class GramworksError(Exception):
    """Base class of every error that Gramworks raises on purpose.

    A message names the thing (data set, kernel, file and line, config key), the value found,
    what is allowed, and what to do next.
    """


class ConfigError(GramworksError):
    """A key or value of a run or study file is not usable."""


class DataError(GramworksError):
    """A data set cannot be fetched, parsed, or is not the one its registry entry describes.

    What a file holds may be quoted; of a message beyond 3000 letters the middle is left out.
    """

    def __init__(self, message: str) -> None:
        if len(message) > 3000:
            message = f"{message[:1500]} [...] {message[-1000:]}"
        super().__init__(message)


class SourceUnreachable(DataError):
    """No source of a data set could be reached; the message lists what was tried."""


class FileDamaged(GramworksError):
    """A result file is truncated, altered or of another kind than expected."""


class ResourceError(GramworksError):
    """Memory or disk space granted does not suffice; the same job may succeed with more."""


class KernelError(GramworksError, ValueError):
    """A kernel identifier, parameter or Gram matrix is not usable."""


class FitError(GramworksError, ValueError):
    """Labels, masks, shapes or parameters given to an estimator are not usable."""


def suggest(name: object, allowed: Iterable[str]) -> str:
    """Say which names are allowed, the nearest one first.

    Parameters
    ----------
    name : object
        What was found.
    allowed : iterable of str
        The valid names.

    Returns
    -------
    str
        ``"did you mean 'x'? Valid: a, b, x"``, without the question when nothing is near.
    """
    names = sorted(allowed)
    lower = {other.lower(): other for other in names}
    near = difflib.get_close_matches(str(name).lower(), lower, n=1)
    hint = f"did you mean {lower[near[0]]!r}? " if near else ""
    return f"{hint}Valid: {', '.join(names) if names else '(none)'}"
