"""Power laws of measured costs, and what a method needs at sizes that were not measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gramworks.job_resources import ENGINE_MB, Size, learn

MEMORY, DISK, DRAW, JOB = 24e9, 1e12, 3600.0, 86_400.0
"""What a job may take: bytes, bytes of a Gram file, CPU seconds of a draw, and of another job."""

_START_MB = 450  # of the interpreter and its libraries, in what `learn` jobs ask for


@dataclass(frozen=True)
class Law:
    """A power law: factor * size ** exponent."""

    exponent: float
    factor: float
    low: float
    high: float
    """Least and largest ratio of a fitted point to the law, less 1."""
    sizes: int = 2
    """How many points were fitted."""

    def at(self, size: float) -> float:
        """Give the cost at a size."""
        return self.factor * size**self.exponent

    def reaches(self, cost: float) -> float:
        """Give the size at which a cost is reached."""
        if self.exponent <= 0.05:
            return math.inf
        return (cost / self.factor) ** (1 / self.exponent)


def fit_law(points: list[list[float]]) -> Law | None:
    """Fit the larger half of the sizes, three at least, by least squares of the logarithms."""
    count = max(3, -(-len(points) // 2))
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points[-count:], dtype=float)).T
    slope, level = np.polyfit(x, y, 1)
    ratios = np.expm1(y - (slope * x + level))
    return Law(
        float(slope), float(math.exp(level)), float(ratios.min()), float(ratios.max()), len(x)
    )


def cost_at(points: list[list[float]], size: int) -> tuple[float | None, bool]:
    """Give the cost at a size, and whether it was measured."""
    for n, cost in points:
        if n == size:
            return cost, True
    law = fit_law(points)
    return (law.at(size) if law else None), False


def memory_law(looked: list[dict], key: str) -> Law | None:
    """Give memory as a whole power of the number of points, from the largest size looked at."""
    values = [(one["n"], one[key]) for one in looked if one.get(key)]
    if not values:
        return None
    n, most = values[-1]
    power = 2
    if len(values) > 1:
        power = round(math.log(most / values[0][1]) / math.log(n / values[0][0]))
    return Law(float(power), most / n**power, 0.0, 0.0)


def job_memory(method: dict, stage: str, n: float) -> float:
    """Give the bytes that a job of a stage holds: matrices, what was learned, what it works on."""
    matrix, looked = 8.0 * n * n, method["memory"]
    laws = {key: memory_law(looked, key) for key in ("learn", "run", "learned")}

    def part(key: str) -> float:
        return laws[key].at(n) if laws[key] else 0.0

    if stage == "learn" and method.get("functionals"):  # another algorithm where there are many
        size = Size(int(n), method["functionals"], functionals=int(n * method["functionals"]))
        return (learn(size).mem_mb - ENGINE_MB - _START_MB) * 2.0**20
    if stage == "learn":  # one matrix after the other
        return (matrix if method["grams"] != "none" else 0.0) + part("learn")
    held = method["matrices"] * matrix if method["grams"] == "full" else 0.0
    return held + part("learned") + part("run")


def square_law(points: list[list[float]]) -> Law:
    """Give the law with n^2 from the largest size: of what makes or reads a matrix."""
    n, cost = points[-1]
    return Law(2.0, cost / n**2, 0.0, 0.0, 1)


def breaks(method: dict, gram: Law) -> list[tuple[float, str, str]]:
    """List the numbers of points at which a stage meets a limit: (n, stage, what), least first."""
    found = []
    if method["grams"] != "none":
        found.append((math.sqrt(DISK / 8), "gram", "disk"))
        found.append((gram.reaches(JOB), "gram", "time"))
    for stage, limit in (("learn", JOB), ("fit", DRAW)):
        if method.get(stage):
            law = fit_law(method[stage])
            found.append((law.reaches(limit) if law else math.inf, stage, "time"))
            found.append((_reaches(method, stage), stage, "memory"))
    return sorted(found)


def _reaches(method: dict, stage: str) -> float:
    """Give the number of points at which a job's memory is that which it may have."""
    low, high = 1.0, 1e12
    if job_memory(method, stage, high) < MEMORY:
        return math.inf
    for _ in range(100):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if job_memory(method, stage, middle) < MEMORY else (low, middle)
    return low
