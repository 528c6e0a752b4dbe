"""One draw of a split, seeded from its identity."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from gramworks.datasets.seeds import generator
from gramworks.errors import DataError

Draw: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Row indices: labelled, unlabelled, test."""
Identity: TypeAlias = tuple[str | int, ...]

MOST_TRIES = 100_000
"""Random draws after which a class is given up that never comes among the labelled points."""


def draw_fraction(
    y: np.ndarray, share: float, stratified: bool, identity: Identity, where: str
) -> Draw:
    """Draw a test set of a share of all points; the rest is labelled, with each class in it."""
    random, n = generator(*identity), len(y)
    n_test = int(np.floor(share * n + 0.5))
    if not 0 < n_test < n:
        raise DataError(f"{where}: a test share of {share:g} of {n} points leaves a part empty.")
    if stratified:
        codes, counts = _class_counts(y, where)
        spare = int((counts - 1).sum())
        if n_test > spare:
            raise DataError(
                f"{where}: a test share of {share:g} of {n} points is {n_test} test points, but "
                f"with a labelled point in each of {len(codes)} classes {spare} are left; lower "
                "`test` or leave out rare classes."
            )
        wanted = _apportion(counts, n_test, np.zeros_like(counts), counts - 1)
        test = _pick(random, y, codes, wanted)
        return _draw(n, np.setdiff1d(np.arange(n), test), test)
    labelled = _free(random, y, n - n_test, where)
    return _draw(n, labelled, np.setdiff1d(np.arange(n), labelled))


def draw_labelled(
    y: np.ndarray, size: int, scheme: str, test: str | int, identity: Identity, where: str
) -> Draw:
    """Draw ``size`` labelled points and the test set among the others."""
    random, n = generator(*identity), len(y)
    n_test = n - size if test == "rest" else int(test)
    if size >= n or n_test > n - size:
        raise DataError(
            f"{where}: {size} labelled and {max(n_test, 1)} test points are asked for, "
            f"there are {n}."
        )
    if scheme == "free":
        labelled = _free(random, y, size, where)
    else:
        codes, counts = _class_counts(y, where)
        _check_room(len(counts), size, where)
        if scheme == "stratified":
            wanted = _apportion(counts, size, np.ones_like(counts), counts)
        else:
            wanted = np.full(len(counts), size // len(counts))
            wanted[random.permutation(len(counts))[: size % len(counts)]] += 1
            short = np.flatnonzero(wanted > counts)
            if len(short):
                raise DataError(
                    f"{where}: class code {codes[short[0]]} has {counts[short[0]]} members, "
                    f"{wanted[short[0]]} are wanted; use fewer labels or another scheme."
                )
        labelled = _pick(random, y, codes, wanted)
    others = np.setdiff1d(np.arange(n), labelled)
    return _draw(n, labelled, others[random.permutation(len(others))[:n_test]])


def draw_test(y: np.ndarray, size: int, identity: Identity, where: str) -> Draw:
    """Draw ``size`` test points; the rest is labelled, with each class in it."""
    n = len(y)
    if size >= n:
        raise DataError(f"{where}: {size} test points are asked for, there are {n} points.")
    labelled = _free(generator(*identity), y, n - size, where)
    return _draw(n, labelled, np.setdiff1d(np.arange(n), labelled))


def draw_folds(
    y: np.ndarray,
    folds: int,
    stratified: bool,
    identity: Identity,
    where: str,
    *,
    one: bool = False,
) -> list[Draw]:
    """Cut the points into folds whose sizes differ by one at most.

    Each is once the test set, or with `one` the labelled part.
    """
    random, n = generator(*identity), len(y)
    if folds > n:
        raise DataError(f"{where}: {folds} folds are asked for, there are {n} points.")
    order = random.permutation(n)
    if stratified:
        codes, counts = _class_counts(y, where)
        if counts.min() < folds:
            raise DataError(
                f"{where}: class code {codes[counts.argmin()]} has {counts.min()} member(s), fewer "
                f"than the {folds} folds; use fewer folds, `stratified: false`, or leave the class "
                "out."
            )
        # Dealing class after class, without a gap, keeps folds and classes even at once.
        order = order[np.argsort(y[order], kind="stable")]
    draws = []
    for fold in range(folds):
        own = order[fold::folds]
        others = np.setdiff1d(np.arange(n), own)
        labelled, test = (own, others) if one else (others, own)
        if is_classes(y) and len(np.unique(y[labelled])) < len(np.unique(y)):
            lost = np.setdiff1d(y, y[labelled])[0]
            holds = "no member" if one else "all members"
            raise DataError(
                f"{where}: fold {fold} has {holds} of class code {lost}, so that none is "
                "labelled; use `stratified: true` or leave the class out."
            )
        draws.append(_draw(n, labelled, test))
    return draws


def draw_from_part(
    n: int, train: np.ndarray, test: np.ndarray, size: int, identity: Identity, where: str
) -> Draw:
    """Draw ``size`` labelled points out of given training rows; the test set is as given.

    A row that stands several times among the training rows is one point. Nothing is asked of the
    classes: a rare one may have no labelled point.
    """
    rows = np.setdiff1d(train, test)
    if size > len(rows):
        raise DataError(
            f"{where}: {size} labelled points are asked for, the given training part has "
            f"{len(rows)}."
        )
    return _draw(n, generator(*identity).permutation(rows)[:size], np.unique(test))


def draw_classes(y: np.ndarray, wanted: dict[int, int], identity: Identity, where: str) -> Draw:
    """Draw stated numbers of labelled points of some classes; their others are the test set.

    Parameters
    ----------
    wanted : dict of int to int
        Class code to number of labelled points. Points of other classes are in no part.
    """
    random = generator(*identity)
    codes, counts = _class_counts(y, where)
    members = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    for code, number in wanted.items():
        if number >= members.get(code, 0):
            raise DataError(
                f"{where}: {number} labelled points of class code {code} are asked for, and one "
                f"for the test at least; it has {members.get(code, 0)} members."
            )
    order = sorted(wanted)
    labelled = _pick(random, y, np.array(order), np.array([wanted[code] for code in order]))
    own = np.flatnonzero(np.isin(y, order))
    nothing = np.zeros(0, dtype=np.int64)
    return np.sort(labelled), nothing, np.setdiff1d(own, labelled)


def draw_subsets(
    n: int,
    pool: int,
    size: int,
    count: int,
    partitions: list[tuple[np.ndarray, np.ndarray]] | None,
    identity: Identity,
    where: str,
) -> tuple[list[Draw], list[Draw]]:
    """Cut a pool of rows at random into disjoint subsets, which are labelled one after the other.

    Returns
    -------
    within, beyond : list of (labelled, unlabelled, test)
        The rest of the pool is the test set and all other points are left out; points out of the
        pool are the test set. Without a given partition the pool is random, and so many subsets
        come out of the same pool.
    """
    random = generator(*identity)
    rows, others = (None, None) if not partitions else partitions[0]
    if rows is None:
        order = random.permutation(n)
        rows, others = order[:pool], order[pool:]
    if len(rows) < pool or not len(others):
        raise DataError(
            f"{where}: a pool of {pool} rows and test points beside it are asked for, there are "
            f"{len(rows)} training and {len(others)} other rows; lower `pool`."
        )
    rows, others = np.sort(rows[:pool]), np.sort(others)
    nothing = np.zeros(0, dtype=np.int64)
    order = random.permutation(rows)
    within, beyond = [], []
    for start in range(0, size * count, size):
        labelled = np.sort(order[start : start + size])
        rest = np.setdiff1d(rows, labelled)
        within.append((labelled, nothing, rest))
        beyond.append((labelled, rest, others))
    return within, beyond


def is_classes(y: np.ndarray) -> bool:
    """Whether a target is one class code a point, so that draws can go by classes."""
    return y.ndim == 1 and y.dtype.kind in "iub"


def _class_counts(y: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Give the codes of the classes that have members, and how many each has."""
    if not is_classes(y):
        what = "a real-valued target" if y.ndim == 1 else "data with several labels a point"
        raise DataError(
            f"{where}: {what} has no classes to stratify by; use the scheme free, or "
            "`stratified: false`."
        )
    return np.unique(y, return_counts=True)


def _check_room(classes: int, size: int, where: str) -> None:
    if size < classes:
        raise DataError(f"{where}: {size} labelled points cannot hold each of {classes} classes.")


def _draw(n: int, labelled: np.ndarray, test: np.ndarray) -> Draw:
    unlabelled = np.setdiff1d(np.arange(n), np.concatenate([labelled, test]))
    return np.sort(labelled), unlabelled, np.sort(test)


def _pick(
    random: np.random.Generator, y: np.ndarray, codes: np.ndarray, wanted: np.ndarray
) -> np.ndarray:
    """Choose the wanted number of members of each class."""
    return np.concatenate([
        random.permutation(np.flatnonzero(y == code))[:number]
        for code, number in zip(codes, wanted, strict=True)
    ])  # fmt: skip


def _free(random: np.random.Generator, y: np.ndarray, size: int, where: str) -> np.ndarray:
    """Choose any points: uniform over the choices with each class among them."""
    if not is_classes(y):
        return random.permutation(len(y))[:size]
    classes = len(np.unique(y))
    _check_room(classes, size, where)
    for _ in range(MOST_TRIES):
        chosen = random.permutation(len(y))[:size]
        if len(np.unique(y[chosen])) == classes:
            return chosen
    raise DataError(
        f"{where}: {MOST_TRIES} random draws of {size} points never had all {classes} classes; "
        "use the scheme balanced or stratified, or more points."
    )


def _apportion(counts: np.ndarray, size: int, least: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Divide ``size`` in proportion to ``counts``, each between ``least`` and ``most``.

    The largest remainder is served first, the lower code among equals. The sums of the limits
    enclose ``size``.
    """
    exact = counts * (size / counts.sum())
    wanted = np.clip(np.floor(exact).astype(np.int64), least, most)
    while wanted.sum() != size:
        step = 1 if wanted.sum() < size else -1
        possible = (wanted < most) if step > 0 else (wanted > least)
        gain = np.where(possible, step * (exact - wanted), -np.inf)
        wanted[int(np.argmax(gain))] += step
    return wanted
