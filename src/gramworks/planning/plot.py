"""The speed-up curve of a planned run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from gramworks.planning.schedule import Schedule


def plot_speed(found: Sequence[Schedule], file: BinaryIO, kind: str) -> None:
    """Draw the speed-up against cores, log-log, beside the ideal line.

    Parameters
    ----------
    found : sequence of Schedule
        Of ascending numbers of cores, the first of one core.
    file : binary file
    kind : {"svg", "png"}
    """
    from matplotlib.figure import Figure

    cores = [one.cores for one in found]
    speed = [found[0].seconds / one.seconds for one in found]
    figure = Figure(figsize=(5.5, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(cores, cores, color="0.6", linestyle="--", label="every core busy")
    axes.plot(cores, speed, marker="o", color="#0072B2", label="this run")
    axes.set(xscale="log", yscale="log", xlabel="cores", ylabel="times faster than on one core")
    axes.set_ylim(0.9, 2 * max(speed))
    axes.legend(loc="upper left", frameon=False)
    axes.grid(alpha=0.3)
    figure.savefig(file, format=kind, dpi=150)
