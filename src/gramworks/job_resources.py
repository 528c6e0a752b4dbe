"""What the jobs of each rule ask of a scheduler: memory and time from the size of their data.

Formulas of the number of points n, of columns d and of Gram files m. Their constants are above
what was measured on the data sets of the papers, see docs/slurm.md. They are resources of rules
and no parameters, so that changing them reruns nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

ENGINE_MB = 400
"""What the engine's own processes take beside a job's script: two of them on SLURM."""
SMALL_ROWS = 5000
"""Up to so many points a job that is not a fit takes seconds, and shares a SLURM job."""

_STEP_MB = 100
_MAPPED_ROWS = 2000
_SPARSE_COLUMNS = 2000
_DENSE_FUNCTIONALS = 4000
_DENSE_SHARE, _MOST_DENSE_SHARED = 20, 12_000
_MOST_DOUBLE = 50_000
_BLOCK_VALUES = 96_000_000
_COPIES = 3
_LEARN_ROWS, _LEARN_MINUTES = 3000, 0.54


@dataclass(frozen=True)
class Size:
    """How large a job is."""

    rows: int
    """Number of points n."""
    columns: int | None
    """Number of features d; None for strings and for what has views only."""
    grams: int = 0
    """Number m of Gram files that the job reads."""
    functionals: int = 0
    """Derivatives and the like that a method learns from."""
    held: float | None = None
    """Numbers that a method holds beside the features; None: matrices over all points."""
    growth: float = 3.0
    """Power of n with which `learn` grows."""
    draws: int = 0
    """Draws of the splits, whose points are drawn once and read by every fit."""

    @property
    def matrix_mb(self) -> float:
        """One matrix over all points."""
        return 8 * self.rows**2 / 2**20

    @property
    def points_mb(self) -> float:
        """The features. Beyond 2000 columns they are taken to be sparse, like counts of words."""
        return 8 * self.rows * min(self.columns or 1000, _SPARSE_COLUMNS) / 2**20

    @property
    def drawn_mb(self) -> float:
        """The points of all draws."""
        return 8 * self.rows * self.draws / 2**20

    def working_mb(self, matrices: int) -> float:
        """So many matrices, or what is held instead, with copies to work on."""
        return matrices * self.matrix_mb if self.held is None else _COPIES * 8 * self.held / 2**20


@dataclass(frozen=True)
class Request:
    """What one job asks for."""

    mem_mb: int
    """Memory in MB, the engine's share included."""
    minutes: int
    """Run time."""


def request(memory_mb: float, minutes: float, attempt: int = 1) -> Request:
    """Round a prediction up; each further attempt doubles both numbers.

    Parameters
    ----------
    memory_mb : float
        Of the script alone, in MB.
    minutes : float
    attempt : int, default 1
        1 for the first run of a job.
    """
    factor = 2 ** (attempt - 1)
    memory = _STEP_MB * ceil((memory_mb + ENGINE_MB) * factor / _STEP_MB)
    return Request(memory, ceil(minutes * factor))


def normalise(size: Size, attempt: int = 1) -> Request:
    """Parse and normalise: a few copies of the features."""
    return request(200 + 4 * size.points_mb, 2 + size.points_mb / 50, attempt)


def split(size: Size, attempt: int = 1) -> Request:
    """Draw splits: the features once, and the points of all draws as drawn and as written."""
    drawn = 2.5 * size.drawn_mb
    return request(150 + size.points_mb + drawn, 1 + size.rows / 10_000 + drawn / 1000, attempt)


def gram(
    size: Size, attempt: int = 1, *, bound_mb: float, share: float = 1.0, takes: str = "vectors"
) -> Request:
    """Compute a Gram matrix or a block of its rows.

    Parameters
    ----------
    size : Size
    attempt : int, default 1
    bound_mb : float
        What the job may hold beside the features, `gram_memory_mb` of the configuration.
    share : float, default 1
        Part of the rows that the job computes.
    takes : {"vectors", "graph", "strings"}
        What the kernel compares: strings pair by pair, which takes about a millisecond each, and
        nodes by the eigenvectors of their graph.
    """
    held = min(bound_mb, 200 + 4 * size.matrix_mb)
    pairs = size.rows**2 * share
    work = pairs * ((size.columns or 0) + 200) / 3e10
    if takes == "strings":
        work = pairs / 60_000
    elif takes == "graph":
        work += size.rows**3 / 5e10
    return request(250 + 2 * size.points_mb + held, 1 + work, attempt)


def align(size: Size, attempt: int = 1) -> Request:
    """Compare kernels: blocks of rows of all Gram files, of 80 MB together, with copies."""
    return request(250 + min(240, 3 * size.grams * size.matrix_mb),
                   1 + size.grams**2 * size.rows**2 / 6e10, attempt)  # fmt: skip


def map_points(size: Size, attempt: int = 1) -> Request:
    """Map up to 2000 points: the sum of the Gram matrices, one at a time, and its leading pairs."""
    held = 4 * replace(size, rows=min(size.rows, _MAPPED_ROWS)).matrix_mb + size.points_mb
    return request(250 + held, 1 + size.grams * size.rows**2 / 6e9, attempt)


def learn(size: Size, attempt: int = 1) -> Request:
    """Learn what all draws share: decompositions, or kernels deformed by functionals."""
    large = size.grams or size.functionals
    memory = 450 + size.working_mb(size.grams + 8 if large else 2) + 4 * size.points_mb
    # A power fitted at some thousand points may hide the square that going through a matrix takes.
    power = size.growth if size.held is not None else max(size.growth, 2.0)
    work = _LEARN_MINUTES * (size.rows / _LEARN_ROWS) ** power
    if size.functionals:
        memory += _functionals_mb(size)
        work += size.rows**2 * size.functionals / 1e9
    return request(memory, 20 + work, attempt)


def fit(size: Size, attempt: int = 1, *, minutes: float | None = None) -> Request:
    """Run draws: all Gram files of the part, what is shared, and the matrices of one draw.

    Parameters
    ----------
    size : Size
        With the Gram files that the part reads.
    attempt : int, default 1
    minutes : float, optional
        What the part is expected to take. A job may take three times as long, and a quarter of
        an hour more.
    """
    matrices = size.grams + 6 if size.grams else 7 if size.functionals else 3
    memory = 450 + size.working_mb(matrices) + 2 * size.points_mb + size.drawn_mb
    return request(memory, 60 if minutes is None else 15 + 3 * minutes, attempt)


def _functionals_mb(size: Size) -> float:
    """Return what is held for functionals: their Gram matrix, or the systems of all points."""
    t, p = size.rows, size.functionals
    if p <= _DENSE_FUNCTIONALS or p <= min(_DENSE_SHARE * t, _MOST_DENSE_SHARED):
        return 2.5 * 8 * p**2 / 2**20
    # Where float32 does not do, everything is solved anew in float64: the second attempt has it.
    width = 8 if p <= _MOST_DOUBLE else 4
    return 500 + width * (2 * t * p + 6 * min(t * p, _BLOCK_VALUES)) / 2**20
