"""Colour and shape of a method or class, told apart by both; controls are drawn open."""

from __future__ import annotations

from collections.abc import Iterable

from gramworks.report.weight_figure import COLOURS, MARKERS, shifted


def colour(place: int) -> str:
    """Give the colour of the n-th thing in a plot."""
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    """Give the shape of the n-th thing in a plot: pairs with a colour repeat after 49."""
    return MARKERS[shifted(place) % len(MARKERS)]


def places(names: Iterable[str]) -> dict[str, int]:
    """Give each name a number, by its first appearance."""
    return {name: place for place, name in enumerate(dict.fromkeys(names))}
