"""Sums over the common subsequences of many pairs of strings, by dynamic programming.

With the factor decay^(2 r) taken out, the kernel of Lodhi et al. (2002) is

    V(s, t) = sum over common subsequences u of length r, at i in s and at j in t,
              of decay^(gaps(i) + gaps(j)),      gaps(i) = i_r - i_1 + 1 - r,

which is at least 1 for a string of r letters or more with itself, however small decay is. One pair
takes O(r |s| |t|) steps and O(r min(|s|, |t|)) memory. Many shorter strings go side by side with a
longer one, so that the processor works on several at once. A sum does not depend, to the bit, on
what goes beside it, on the order of the two strings or on the number of threads. All that is
compiled stands in this one file, since the compiler's cache looks at no other.
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
_MOST_BESIDE, _LEAST_BESIDE = 64, 16
_STATES, _MOST_STATES = 1 << 15, 1 << 20  # numbers held for short strings, and for long ones
_NO_LETTER = -1
_STEPS_A_TASK = 2e8
_STEPS_ALONE = 1e6  # not worth a thread
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
    sums = np.zeros((rows.size, columns.size))
    sizes = np.diff(starts).astype(float)
    jobs = []
    # of each pair the longer string is the one that the shorter ones go beside
    halves = [(rows, columns, sums, equal), (columns, rows, sums.T, False)]
    mirrored = np.array_equal(rows, columns)
    for longer, shorter, out, same in halves[: 1 if mirrored else 2]:
        side = "right" if same else "left"
        cumulated = np.concatenate([[0.0], np.cumsum(sizes[shorter])])
        steps = length * sizes[longer] * cumulated[np.searchsorted(shorter, longer, side)]

        def job(part, longer=longer, shorter=shorter, out=out, same=same):
            _fill(letters, starts, longer[part], shorter, length, decay, same, out[part])

        jobs += [(steps[part].sum(), job, part) for part in _parts(steps, threads)]
    _run(jobs, threads, log)
    if mirrored:
        sums += np.tril(sums, -1).T
    return sums


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
    steps = length * np.diff(starts).astype(float) ** 2

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


@numba.njit(cache=True, nogil=True)
def _fill(letters, starts, longer, shorter, length, decay, equal, out):
    """Fill out[a, b] for shorter[b] < longer[a], or <= with `equal`."""
    first = 0
    while first < shorter.size and shorter[first] <= longer[-1]:
        count = min(_MOST_BESIDE, shorter.size - first)
        # the lowest strings are the shortest, so that the last of a group is its longest
        while count > 1:
            last = shorter[first + count - 1]
            held = count * length * (starts[last + 1] - starts[last] + 1)
            if held <= (_STATES if count > _LEAST_BESIDE else _MOST_STATES):
                break
            count -= 1
        last = shorter[first + count - 1]
        width = starts[last + 1] - starts[last]
        beside = np.full((width, count), _NO_LETTER, np.int64)
        for lane in range(count):
            start = starts[shorter[first + lane]]
            for k in range(starts[shorter[first + lane] + 1] - start):
                beside[k, lane] = letters[start + k]
        states = np.empty((length, width + 1, count))
        carried, totals = np.empty(count), np.empty(count)
        for a in range(longer.size):
            needed = 0
            while needed < count and (
                shorter[first + needed] < longer[a]
                or (equal and shorter[first + needed] == longer[a])
            ):
                needed += 1
            text = letters[starts[longer[a]] : starts[longer[a] + 1]]
            if needed == 1:
                other = shorter[first]
                one = letters[starts[other] : starts[other + 1]]
                out[a, first] = _one_pair(text, one, length, decay)
            elif needed:
                _side_by_side(text, beside, decay, states, carried, totals)
                out[a, first : first + needed] = totals[:needed]
        first += count


@numba.njit(cache=True, nogil=True)
def _fill_self(letters, starts, first, end, length, decay, out):
    for number in range(first, end):
        text = letters[starts[number] : starts[number + 1]]
        out[number] = _one_pair(text, text, length, decay)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _side_by_side(text, beside, decay, states, carried, totals):
    """Compute the sums of one string with several others.

    states[i, k] is the sum over common subsequences of length i of the prefixes of j letters of
    the string and of k letters of the others, with the gaps up to the ends of both prefixes. It
    is K'_i of Lodhi et al., definition 2, over decay^(2 i), and carried their K''_i.
    """
    length, width, lanes = states.shape[0], beside.shape[0], beside.shape[1]
    states[0] = 1.0
    states[1:] = 0.0
    totals[:] = 0.0
    for j in range(text.size):
        letter = text[j]
        for k in range(width):
            here, before = beside[k], states[length - 1, k]
            for lane in range(lanes):
                totals[lane] += before[lane] if here[lane] == letter else 0.0
        for i in range(length - 1, 0, -1):  # downwards: i - 1 must be of the shorter prefix
            carried[:] = 0.0
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
    """Compute the sum of one pair, to the same bits."""
    states = np.zeros((length, other.size + 1))
    states[0] = 1.0
    total = 0.0
    for j in range(text.size):
        letter = text[j]
        for k in range(other.size):
            if other[k] == letter:
                total += states[length - 1, k]
        for i in range(length - 1, 0, -1):
            carried = 0.0
            for k in range(other.size):
                new = states[i - 1, k] if other[k] == letter else 0.0
                carried = decay * carried + new
                carried = carried if carried > LOST else 0.0
                value = carried + decay * states[i, k + 1]
                states[i, k + 1] = value if value > LOST else 0.0
    return total
