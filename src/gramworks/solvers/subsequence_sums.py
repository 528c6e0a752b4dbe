"""Sums over the common subsequences of many pairs of strings, by dynamic programming.

With the factor decay^(2 r) taken out, the kernel of Lodhi et al. (2002) is

    V(s, t) = sum over common subsequences u of length r, at i in s and at j in t,
              of decay^(gaps(i) + gaps(j)),      gaps(i) = i_r - i_1 + 1 - r,

which is at least 1 for a string of r letters or more with itself, however small decay is. One pair
takes O(r |s| |t|) steps and O(r min(|s|, |t|)) memory; states of more letters than a prefix has, or
of so few that the letters left cannot make up r, are not computed. Many shorter strings go side by
side with a longer one, so that the processor works on several at once. A sum does not depend, to
the bit, on what goes beside it, on the order of the two strings or on the number of threads. All
that is compiled stands in this one file, since the compiler's cache looks at no other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager

import numba
import numpy as np

LOST = 1e-290
"""Weights of gaps below this are taken for zero: numbers beyond it make a processor slow."""
_MOST_BESIDE = 64
_MOST_HELD = 1 << 21  # numbers, for strings side by side; fewer go there where they are long
_NO_LETTER = -1
_STEPS_A_TASK = 2e8
_STEPS_ALONE = 1e6  # not worth a thread
_MANY = 1e10  # some ten seconds
_LONG = 20.0  # seconds


def pair_sums(
    letters: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    length: int,
    decay: float,
    *,
    equal: bool = True,
    threads: int = 1,
    log: Callable[[str], None] | None = None,
) -> np.ndarray:
    """Compute V of all pairs of some distinct strings.

    Parameters
    ----------
    letters : ndarray of int64
        The letters of all strings, one after the other; not negative.
    starts : ndarray of shape (n + 1,), int64
        String number i is ``letters[starts[i] : starts[i + 1]]``; no string is longer than one of
        a higher number.
    rows : ndarray of shape (p,), int64
        Numbers of strings, ascending.
    columns : ndarray of shape (q,), int64
        The same.
    length : int
        r, at least 1.
    decay : float
        In (0, 1].
    equal : bool
        Whether to compute pairs of a string with itself, which are 0 else.
    threads : int
    log : function of a str, optional
        Gets a progress line every 20 seconds.

    Returns
    -------
    ndarray of shape (p, q)
        Infinite where it is beyond float64.
    """
    sizes = np.diff(starts).astype(float)
    jobs = []

    def fill(longer, shorter, same):
        """Plan the pairs of a longer string with a shorter one, which goes beside it."""
        out = np.zeros((longer.size, shorter.size))
        cumulated = np.concatenate([[0.0], np.cumsum(sizes[shorter])])
        counts = np.searchsorted(shorter, longer, "right" if same else "left")
        steps = length * sizes[longer] * cumulated[counts]

        def job(part):
            _fill(letters, starts, longer[part], shorter, length, decay, same, out[part])

        jobs.extend((steps[part].sum(), job, part) for part in _parts(steps, threads))
        return out

    shape = rows.size, columns.size
    short = int(np.count_nonzero(sizes < length))  # the first ones, which have no subsequence
    kept = np.searchsorted(rows, short), np.searchsorted(columns, short)
    rows, columns = rows[kept[0] :], columns[kept[1] :]
    sums = fill(rows, columns, equal)
    mirrored = np.array_equal(rows, columns)
    others = None if mirrored else fill(columns, rows, False)
    _run(jobs, threads, log)
    sums += np.tril(sums, -1).T if mirrored else others.T
    found = np.zeros(shape)
    found[kept[0] :, kept[1] :] = sums
    return found


def self_sums(
    letters: np.ndarray,
    starts: np.ndarray,
    length: int,
    decay: float,
    *,
    threads: int = 1,
    log: Callable[[str], None] | None = None,
) -> np.ndarray:
    """Compute V of each of n strings with itself, shape (n,); parameters as in `pair_sums`."""
    sums = np.zeros(starts.size - 1)
    sizes = np.diff(starts)
    steps = np.where(sizes < length, 0.0, length * sizes.astype(float) ** 2)

    def job(part):
        _fill_self(letters, starts, part.start, part.stop, length, decay, sums)

    _run([(steps[part].sum(), job, part) for part in _parts(steps, threads)], threads, log)
    return sums


def _parts(steps: np.ndarray, threads: int) -> list[slice]:
    """Split rows into parts of about the same number of steps."""
    total = steps.sum()
    if not total:
        return []
    each = total if total < _STEPS_ALONE else min(total / (4 * threads), _STEPS_A_TASK)
    ends = np.append(np.flatnonzero(np.diff(np.floor(np.cumsum(steps) / each))) + 1, steps.size)
    return [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True) if b > a]


def _run(jobs: list[tuple], threads: int, log: Callable[[str], None] | None) -> None:
    total, done, told = sum(steps for steps, _, _ in jobs), 0.0, time.monotonic()
    if log is not None and total > _MANY:
        log(f"subsequences: {total:.2g} steps at most")
    with _finished(jobs, threads if total > _STEPS_ALONE else 1) as finished:
        for steps in finished:
            done += steps
            if log is not None and time.monotonic() - told > _LONG:
                told = time.monotonic()
                log(f"subsequences: {100 * done / total:.0f} % of {total:.2g} steps")


@contextmanager
def _finished(jobs: list[tuple], threads: int) -> Iterator[Iterator[float]]:
    def run(steps, job, part):
        job(part)
        return steps

    if threads == 1:
        yield (run(*job) for job in jobs)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        waiting = [pool.submit(run, *job) for job in jobs]
        yield (future.result() for future in as_completed(waiting))
    finally:
        pool.shutdown(cancel_futures=True)


# Plain loops throughout what is compiled: numba takes several times as long over array expressions.
@numba.njit(cache=True, nogil=True)
def _fill(letters, starts, longer, shorter, length, decay, equal, out):
    """Fill out[a, b] for shorter[b] < longer[a], or <= with `equal`."""
    first = 0
    while first < shorter.size and shorter[first] <= longer[-1]:
        count = min(_MOST_BESIDE, shorter.size - first)
        # the lowest strings are the shortest, so that the last of a group is its longest
        while count > 1 and count * length * (_size(starts, shorter[first + count - 1]) + 1) > (
            _MOST_HELD
        ):
            count -= 1
        width = _size(starts, shorter[first + count - 1])
        beside = np.empty((width, count), np.int64)
        for lane in range(count):
            number = shorter[first + lane]
            size = _size(starts, number)
            for k in range(width):
                beside[k, lane] = letters[starts[number] + k] if k < size else _NO_LETTER
        states = np.empty((length, width + 1, count))
        carried, rows, totals = np.empty(count), np.empty(count), np.empty(count)
        for a in range(longer.size):
            number = longer[a]
            needed = 0
            while needed < count and (
                shorter[first + needed] < number or (equal and shorter[first + needed] == number)
            ):
                needed += 1
            text = letters[starts[number] : starts[number + 1]]
            if needed == 1:
                other = shorter[first]
                one = letters[starts[other] : starts[other + 1]]
                out[a, first] = _one_pair(text, one, length, decay)
            elif needed:
                _side_by_side(text, beside, decay, states, carried, rows, totals)
                for lane in range(needed):
                    out[a, first + lane] = totals[lane]
        first += count


@numba.njit(cache=True, nogil=True)
def _size(starts, number):
    return starts[number + 1] - starts[number]


@numba.njit(cache=True, nogil=True)
def _fill_self(letters, starts, first, end, length, decay, out):
    for number in range(first, end):
        if _size(starts, number) < length:
            continue
        text = letters[starts[number] : starts[number + 1]]
        out[number] = _one_pair(text, text, length, decay)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _side_by_side(text, beside, decay, states, carried, rows, totals):
    """Compute the sums of one string with several others.

    states[i, k] is the sum over common subsequences of length i of the prefixes of j letters of
    the string and of k letters of the others, with the gaps up to the ends of both prefixes. It
    is K'_i of Lodhi et al., definition 2, over decay^(2 i), and carried their K''_i.
    """
    length, width, lanes = states.shape[0], beside.shape[0], beside.shape[1]
    for i in range(length):
        for k in range(width + 1):
            for lane in range(lanes):
                states[i, k, lane] = 0.0 if i else 1.0
    for lane in range(lanes):
        totals[lane] = 0.0
    for j in range(text.size):
        letter = text[j]
        for lane in range(lanes):
            rows[lane] = 0.0
        for k in range(width):
            here, before = beside[k], states[length - 1, k]
            for lane in range(lanes):
                rows[lane] += before[lane] if here[lane] == letter else 0.0
        for lane in range(lanes):
            totals[lane] += rows[lane]
        last, first = min(length - 1, j + 1), max(1, length - text.size + j + 1)
        for i in range(last, first - 1, -1):  # downwards: i - 1 must be of the shorter prefix
            for lane in range(lanes):
                carried[lane] = 0.0
            for k in range(width):
                here, before, after = beside[k], states[i - 1, k], states[i, k + 1]
                for lane in range(lanes):
                    new = before[lane] if here[lane] == letter else 0.0
                    value = decay * carried[lane] + new
                    value = value if value > LOST else 0.0
                    carried[lane] = value
                    value += decay * after[lane]
                    after[lane] = value if value > LOST else 0.0


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _one_pair(text, other, length, decay):
    """Compute the sum of one pair, to the same bits.

    The cells (j, k) of a diagonal j + k = d need those of the two diagonals before alone, so that
    many are computed at once. Place k + 1 of an array is of column k.
    """
    n, m = text.size, other.size
    flipped, rows = np.empty(n, np.int64), np.zeros(n)  # both from the last letter to the first
    for j in range(n):
        flipped[j] = text[n - 1 - j]
    states, carried = np.zeros((3, length, m + 1)), np.zeros((2, length, m + 1))
    for k in range(m + 1):
        for place in range(3):
            states[place, 0, k] = 1.0
    for d in range(n + m - 1):
        low, high = max(0, d - n + 1), min(d + 1, m)
        size, start = high - low, n - 1 - d + low
        now, last, before = d % 3, (d + 2) % 3, (d + 1) % 3
        letters, others = flipped[start : start + size], other[low:high]
        row, old = rows[start : start + size], states[before, length - 1, low:high]
        for k in range(size):
            row[k] += old[k] if others[k] == letters[k] else 0.0
        first, final = max(1, length - (n + m - 2 - d) // 2), min(length - 1, d // 2 + 1)
        for i in range(first, final + 1):
            old, above = states[before, i - 1, low:high], states[last, i, low + 1 : high + 1]
            left = carried[(d + 1) % 2, i, low:high]
            here, out = carried[d % 2, i, low + 1 : high + 1], states[now, i, low + 1 : high + 1]
            for k in range(size):
                value = decay * left[k] + (old[k] if others[k] == letters[k] else 0.0)
                value = value if value > LOST else 0.0
                here[k] = value
                value += decay * above[k]
                out[k] = value if value > LOST else 0.0
    total = 0.0
    for j in range(n):
        total += rows[n - 1 - j]
    return total
