"""Gram matrices in tiles: bounded memory, symmetric to the bit, the same whatever the memory.

The tile boundaries depend on the number of points alone, and only tiles on or above the diagonal
are computed, the others being their transposes. So a matrix that is filled in memory and one that
goes to disk tile by tile have the same bits.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_info

Log = Callable[[str], None]
LARGEST_TILE = 512
_LONG = 20.0  # seconds


@dataclass(frozen=True)
class Blocks:
    """A kernel matrix as a function of blocks."""

    rows: int
    columns: int
    symmetric: bool
    """Both sides are the same points."""
    block: Callable[[slice, slice], np.ndarray]
    """Computes a new float64 array for a range of rows and of columns."""

    def tile(self, rows: slice, columns: slice) -> np.ndarray:
        """Compute a tile of a symmetric matrix; one on the diagonal is made symmetric."""
        tile = self.block(rows, columns)
        if rows == columns:
            # A product of matrices does not promise the same bits on both sides.
            tile = np.triu(tile) + np.triu(tile, 1).T
        return tile


def blas_threads() -> int:
    """Say how many threads BLAS has, which is how many a kernel may use."""
    had = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max(had, default=1)


def tile_side(n: int) -> int:
    """Side of the tiles of an n x n matrix: even, at most 512, and nearly equal tiles."""
    count = -(-n // LARGEST_TILE)
    return 2 * -(-n // (2 * count))


def ranges(n: int) -> list[slice]:
    """Split ``range(n)`` at the tile boundaries."""
    side = tile_side(n)
    return [slice(start, min(start + side, n)) for start in range(0, n, side)]


def stripes(n: int, most: int) -> list[slice]:
    """Cut the rows of an n x n matrix at tile boundaries into nearly equal stripes.

    Parameters
    ----------
    n : int
    most : int
        Rows of a stripe at most, but for one row of tiles, which is never cut.

    Returns
    -------
    list of slice
        One for all rows where ``n`` is not above ``most``.
    """
    if n <= most:
        return [slice(0, n)]
    parts = ranges(n)
    count = -(-len(parts) // max(most // tile_side(n), 1))
    cuts = [len(parts) * k // count for k in range(count + 1)]
    return [slice(parts[a].start, parts[b - 1].stop) for a, b in itertools.pairwise(cuts)]


def within(part: slice, stripe: slice | None) -> bool:
    """Tell whether a range of a tile lies in a stripe; None is all rows."""
    return stripe is None or stripe.start <= part.start < stripe.stop


def upper_tiles(n: int, stripe: slice | None = None) -> Iterator[tuple[slice, slice]]:
    """List the tiles on and above the diagonal, by rows.

    With a stripe, only those that it needs: in its rows, or above them in its columns, whose
    transposes are its part below the diagonal.
    """
    parts = ranges(n)
    for index, rows in enumerate(parts):
        for columns in parts[index:]:
            if within(rows, stripe) or within(columns, stripe):
                yield rows, columns


def fill(
    blocks: Blocks, log: Log | None = None, out: np.ndarray | None = None, workers: int = 1
) -> np.ndarray:
    """Compute a whole kernel matrix.

    Parameters
    ----------
    blocks : Blocks
    log : function of a str, optional
        Gets a progress line every tenth of the way.
    out : ndarray of shape (rows, columns), optional
        Where to put it; may be what `held` reads, since a tile is read before it is written.
    workers : int, default 1
        Threads, as in `computed_tiles`.

    Returns
    -------
    ndarray of shape (rows, columns)
        Exactly symmetric when both sides are the same points.
    """
    K = np.empty((blocks.rows, blocks.columns)) if out is None else out
    if not blocks.symmetric:
        for rows in ranges(blocks.rows):
            for columns in ranges(blocks.columns):
                K[rows, columns] = blocks.block(rows, columns)
        return K
    for rows, columns, tile in computed_tiles(blocks, log, "kernel", workers):
        K[rows, columns] = tile
        if rows != columns:
            K[columns, rows] = tile.T
    return K


def computed_tiles(
    blocks: Blocks, log: Log | None, what: str, workers: int = 1, stripe: slice | None = None
) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """Compute the tiles on and above the diagonal of a symmetric matrix, in their order.

    Parameters
    ----------
    blocks : Blocks
    log : function of a str, optional
        Gets a progress line every tenth of a long way, and every 20 seconds.
    what : str
        What the progress line calls it.
    workers : int, default 1
        Threads, each with one tile. At most ``workers`` finished tiles wait to be taken.
    stripe : slice, optional
        Only the tiles that these rows need, as in `upper_tiles`.

    Yields
    ------
    rows, columns : slice
    tile : ndarray
    """
    places = list(upper_tiles(blocks.rows, stripe))
    said, told_at = 0, time.monotonic()
    for done, (place, tile) in enumerate(_ahead(blocks.tile, places, workers)):
        tenths = 10 * done // len(places)
        slow = done and time.monotonic() - told_at > _LONG
        if log is not None and ((len(places) >= 50 and tenths > said) or slow):
            said, told_at = tenths, time.monotonic()
            log(f"{what}: {100 * done // len(places)} % of {len(places)} tiles")
        yield *place, tile


def _ahead(function: Callable, places: list, workers: int) -> Iterator[tuple]:
    """Apply a function to places, in order, with a few threads that run a little ahead."""
    workers = min(workers, len(places))
    if workers == 1:
        for place in places:
            yield place, function(*place)
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque = deque()
        try:
            for place in places:
                waiting.append((place, pool.submit(function, *place)))
                if len(waiting) > workers:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def held(K: np.ndarray) -> Blocks:
    """See a symmetric matrix in memory as blocks."""

    def block(rows: slice, columns: slice) -> np.ndarray:
        return K[rows, columns].copy()

    return Blocks(K.shape[0], K.shape[1], symmetric=True, block=block)
