"""Tables of docs/scaling.md and its figures, from the numbers of benchmarks/scaling.json."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from scaling_figures import STAGES, by_family, draw
from scaling_fits import Law, breaks, cost_at, fit_law, job_memory, square_law

from gramworks.methods.registry import method_names

NUMBERS = "benchmarks/scaling.json"
PAGE = "scaling.md"
NEEDS = {
    "full": "whole matrices", "rows": "labelled rows", "eigenpairs": "eigenpairs", "none": "none",
}  # fmt: skip
FUNCTIONALS = {"invariance": 10}
"""Derivatives that a method learns from, a point."""
LARGE, MOST = (100_000, 1_000_000), 1e8


def write_page(docs: Path, kept: dict) -> None:
    """Write the tables between their marks in the page, and the figures."""
    path = docs / PAGE
    if path.exists():
        path.write_text(filled(path.read_text("utf-8"), kept), encoding="utf-8")
    methods = kept["methods"]

    def curves(key: str) -> dict:
        return {name: found.get(key, []) for name, found in methods.items()}

    folder = docs / Path(NUMBERS).parent
    stages = {STAGES: kept["stages"]} if "stages" in kept else {}
    draw(by_family(curves("fit")) | stages, folder / "scaling-draw", "points n", ("n", "n²", "n³"))
    draw(by_family(curves("learn")), folder / "scaling-learn", "points n", ("n", "n²", "n³"))
    draw(by_family(curves("kernels")), folder / "scaling-kernels", "kernels m", ("m", "m²"))
    draw(by_family(curves("draws")), folder / "scaling-draws", "draws", ("linear",))


def filled(text: str, kept: dict) -> str:
    """Put the tables of these numbers into the text of the page."""
    tables = {
        "machine": machine,
        "methods": cost_table,
        "large": large_table,
        "stages": stage_table,
    }
    for name, make in tables.items():
        begin, end = f"<!-- {name}: written by benchmarks/scaling.py -->", f"<!-- end {name} -->"
        body = "\n".join(make(kept))
        text, count = re.subn(
            f"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n\n{body}\n\n{end}",  # noqa: B023
            text, flags=re.S,
        )  # fmt: skip
        if count != 1:
            raise SystemExit(
                f"{PAGE}: wanted is one block from {begin!r} to {end!r}, found {count}"
            )
    return text


def machine(kept: dict) -> Iterator[str]:
    """Say where the numbers come from."""
    told = kept["machine"]
    before, after = told["load"]
    yield (
        f"Python {told['python']}, {told['processor']}, one thread of {told['cores']} cores; "
        f"{told['cpu_seconds']} CPU seconds in all."
    )
    if max(before, after) > 1.5:
        yield (
            f"**The machine was not idle**: load averages of 5 minutes were {before:g} before and "
            f"{after:g} after, so that caches and memory were shared. Times are too high where a "
            "matrix is beyond the cache, most of all at the largest sizes."
        )


def cost_table(kept: dict) -> Iterator[str]:
    """Give the costs of each method."""
    yield (
        "| method | Gram matrices | `learn`, n = 1000 | exponent in n | a draw, n = 1000 "
        "| exponent in n | in m | in draws | memory of a draw at n = 1000 |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    for name in known(kept):
        found = kept["methods"][name] | {"functionals": FUNCTIONALS.get(name, 0)}
        cells = [f"`{name}`", NEEDS[found["grams"]]]
        for stage in ("learn", "fit"):
            cells += [_cost(found.get(stage, []), 1000), _exponent(fit_law(found.get(stage, [])))]
        cells += [_plain(fit_law(found.get(key, []))) for key in ("kernels", "draws")]
        cells.append(size_of(job_memory(found, "fit", 1000)))
        yield f"| {' | '.join(cells)} |"


def large_table(kept: dict) -> Iterator[str]:
    """Give what large numbers of points need, and what breaks first."""
    yield (
        "| method | memory of a job at 1e5 | `learn` | a draw | memory at 1e6 | `learn` | a draw "
        "| breaks first | then |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|---|---|"
    gram = square_law(kept["stages"]["gram"])
    for name in known(kept):
        found = kept["methods"][name] | {"functionals": FUNCTIONALS.get(name, 0)}
        cells = [f"`{name}`"]
        for n in LARGE:
            stages = [stage for stage in ("learn", "fit") if found.get(stage)]
            cells.append(size_of(max(job_memory(found, stage, n) for stage in stages)))
            power = 3 if holds_matrices(found) else 1
            cells += [_far(found.get(stage, []), n, power) for stage in ("learn", "fit")]
        met = breaks(found, gram)
        first = met[0]
        other = next((one for one in met if one[1] != first[1]), None)
        cells += [_broken(first), _broken(other)]
        yield f"| {' | '.join(cells)} |"


def stage_table(kept: dict) -> Iterator[str]:
    """Give the costs of the stages before the methods."""
    yield "| stage | n = 1000 | exponent | n = 1e5 | n = 1e6 |"
    yield "|---|--:|--:|--:|--:|"
    for name, points in kept["stages"].items():
        cells = [name, _cost(points, 1000), _exponent(fit_law(points))]
        square = "gram" in name.lower()
        cells += [_far(points, n, 2 if square else 1) for n in LARGE]
        yield f"| {' | '.join(cells)} |"


def holds_matrices(found: dict) -> bool:
    """Tell whether memory grows with the square of n."""
    return max(job_memory(found, stage, 1e6) for stage in ("learn", "fit")) > 1e12


def known(kept: dict) -> list[str]:
    """List the methods that are registered; one without numbers is told with the command."""
    lacking = [name for name in method_names() if name not in kept["methods"]]
    if lacking:
        raise SystemExit(
            f"no numbers of {', '.join(lacking)}; run: python benchmarks/scaling.py --methods "
            f"{' '.join(lacking)} --write"
        )
    return method_names()


def _cost(points: list, n: int) -> str:
    if not points:
        return ""
    cost, seen = cost_at(points, n)
    if cost is None:
        return "?"
    return seconds(cost) if seen else f"~{seconds(cost)}"


def _exponent(law: Law | None) -> str:
    if law is None:
        return ""
    if law.sizes == 2:
        return f"{law.exponent:.1f} (2 sizes)"
    return f"{law.exponent:.1f} ({100 * law.low:+.0f} to {100 * law.high:+.0f} %)"


def _plain(law: Law | None) -> str:
    return f"{law.exponent:.1f}" if law else ""


def _far(points: list, n: int, power: int = 3) -> str:
    """Give an extrapolated cost, up to what it is with a power of n from the largest size on."""
    if not points:
        return ""
    last, cost = points[-1]
    first = cost_at(points, n)[0]
    most = cost * (n / last) ** power
    if first is None:
        return f"up to {seconds(most)}"
    ends = dict.fromkeys((seconds(first), seconds(max(first, most))))
    return " to ".join(ends)


def _spaced(value: float) -> str:
    """Write a number with spaces between thousands."""
    return f"{value:,.12g}".replace(",", " ")


def _broken(met: tuple[float, str, str] | None) -> str:
    if met is None or met[0] > MOST:
        return f"nothing below {MOST:.0e}".replace("+0", "")
    n, stage, what = met
    power = int(math.log10(n)) - 1
    return f"{stage}: {what}, n = {_spaced(round(n / 10**power) * 10**power)}"


def seconds(value: float) -> str:
    """Write a time in the unit that suits it, to two digits."""
    units = ((1e-3, "ms"), (1.0, "s"), (60.0, "min"), (3600.0, "h"), (86_400.0, "days"))
    size, unit = next(
        (one for one, after in zip(units, units[1:], strict=False) if value < after[0]),
        units[-1],
    )
    years = value / (365 * 86_400)
    if years > 100:
        return "> 100 years"
    if years > 2:
        size, unit = 365 * 86_400.0, "years"
    text = f"{_spaced(float(f'{value / size:.2g}'))} {unit}"
    return "1 day" if text == "1 days" else text


def size_of(value: float) -> str:
    """Write bytes in MB, GB or TB, to two digits."""
    for size, unit in ((1e12, "TB"), (1e9, "GB")):
        if value >= size:
            return f"{_spaced(float(f'{value / size:.2g}'))} {unit}"
    return f"{float(f'{value / 1e6:.2g}'):.12g} MB"
