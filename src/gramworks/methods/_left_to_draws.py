"""What all draws share is made setting by setting: one that cannot be had spoils no other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import numpy as np

from gramworks.errors import FileDamaged, GramworksError
from gramworks.problem import Skip


@contextlib.contextmanager
def left_to_draws(what: str, log: Callable[[str], None]) -> Iterator[None]:
    """Log a refusal and go on: the draws that want the same come to it too, and say so.

    Parameters
    ----------
    what : str
        The kernel or settings, for the log.
    log : callable

    Raises
    ------
    FileDamaged
        As it came: no property of the kernel.
    """
    try:
        yield
    except FileDamaged:
        raise
    except (GramworksError, Skip, ArithmeticError, np.linalg.LinAlgError, MemoryError) as error:
        log(f"{what}: {type(error).__name__}: {error}")
