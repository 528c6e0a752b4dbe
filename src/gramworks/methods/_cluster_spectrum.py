"""The decomposition of an affinity, made once for all draws, transfer functions and cuts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from gramworks.errors import FitError
from gramworks.fields import Count
from gramworks.methods._left_to_draws import left_to_draws
from gramworks.methods._one_kernel import OneKernel, chosen_kernel
from gramworks.problem import Problem
from gramworks.solvers.affinity import normalised_affinity
from gramworks.solvers.cluster_spectrum import ClusterSpectrum, cluster_spectrum
from gramworks.solvers.transfer import Transfer

_LABELLED = re.compile(r"labelled\+(\d+)")


class AffinityParams(OneKernel):
    """Settings of methods that decompose an affinity."""

    neighbours: Count | None = Field(default=None, ge=1)
    """Affinity between so many nearest neighbours alone, either of the other; null: all points."""
    largest_rank: Count = Field(default=150, ge=1)
    """How many eigenvectors are kept for ranks that depend on the number of labelled points."""


@dataclass(frozen=True)
class Wanted:
    """What a row of the tables wants of the decomposition of one affinity."""

    kernel: str | None
    neighbours: int | None
    transfers: tuple[Transfer, ...]
    rank: int
    zero_diagonal: bool = False

    @property
    def suffix(self) -> str:
        """Tell affinities of one kernel apart."""
        near = "" if self.neighbours is None else f"-near{self.neighbours}"
        return near + "-zero" * self.zero_diagonal


def parse_rank(value: int | str, words: Iterable[str] = ()) -> int | str:
    """Check a rank: a whole number, `labelled+10` or the like, or one of some words."""
    text = str(value)
    if isinstance(value, bool) or not (
        re.fullmatch(r"[1-9]\d{0,8}", text) or _LABELLED.fullmatch(text) or text in words
    ):
        known = ", ".join(["a whole number from 1", "labelled+10 (any number)", *words])
        raise ValueError(f"rank is {value!r}; allowed: {known}")
    return int(text) if text.isdigit() else text


def rank_of(rank: int | str, n_labelled: int) -> int:
    """Give the rank of one draw."""
    rule = _LABELLED.fullmatch(str(rank))
    return n_labelled + int(rule[1]) if rule else int(rank)


def kept_rank(rank: int | str, largest: int) -> int:
    """Give how many eigenvectors a rank wants at most, before the labelled points are known."""
    return largest if isinstance(rank, str) else rank


def learn_spectra(
    kernels: dict[str, np.ndarray], wanted: Iterable[Wanted], log: Callable[[str], None]
) -> dict:
    """Decompose each affinity that is wanted, once."""
    grouped: dict[tuple[str, str], list[Wanted]] = {}
    for one in wanted:
        name = one.kernel or next(iter(kernels))
        if name in kernels:  # a draw that wants another one says so
            grouped.setdefault((name, one.suffix), []).append(one)
    arrays = {}
    for (name, suffix), rows in grouped.items():
        key = name + suffix
        with left_to_draws(f"kernel {key}", log):
            found = _decompose(
                kernels[name], rows[0], [t for row in rows for t in row.transfers],
                max(row.rank for row in rows),
            )  # fmt: skip
            arrays |= {f"{key}-values": found.values, f"{key}-vectors": found.vectors}
            arrays |= {f"{key}-power-{e!r}": tail for e, tail in found.tails.items()}
    return arrays


def spectrum_for(problem: Problem, params: AffinityParams, wanted: Wanted) -> ClusterSpectrum:
    """Give the decomposition: what `learn` made, or for a part of the points one for this job."""
    K = chosen_kernel(problem, params)
    key = (params.kernel or next(iter(problem.kernels))) + wanted.suffix
    vectors = problem.shared.get(f"{key}-vectors")
    if vectors is not None and len(vectors) == len(K):
        start = f"{key}-power-"
        tails = {
            float(name.removeprefix(start)): tail
            for name, tail in problem.shared.items()
            if name.startswith(start)
        }
        return ClusterSpectrum(problem.shared[f"{key}-values"], vectors, tails)
    return _kept(K, wanted)


_LAST: dict[str, object] = {}
_KEPT: dict[str, ClusterSpectrum] = {}
_MOST_KEPT = 2
_LEAST_RANK = 32


def _kept(K, wanted: Wanted) -> ClusterSpectrum:
    """Decompose a part of the points, which all draws of a job may have in common.

    For more ranks than the row asks for, so that rows that cut elsewhere find it too; how many
    depends on the row alone, so that no score depends on the order of rows or on the job.
    """
    digest = _digest(K)
    exponents = sorted({t.exponent for t in wanted.transfers if t.exponent is not None})
    rank = max(_LEAST_RANK, 1 << (wanted.rank - 1).bit_length())
    key = repr((digest, wanted.suffix, exponents, rank))
    if key not in _KEPT:
        while len(_KEPT) >= _MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)))
        _KEPT[key] = _decompose(K, wanted, wanted.transfers, rank)
    return _KEPT[key]


def _digest(K) -> str:
    """Hash a matrix; the last one that cannot have changed is known by its memory."""
    owner = K if K.base is None else K.base
    if _LAST.get("owner") is owner and _LAST["shape"] == K.shape:
        return _LAST["digest"]
    digest = hashlib.blake2b(np.ascontiguousarray(K)).hexdigest()
    _LAST.clear()
    if isinstance(owner, np.ndarray) and not owner.flags.writeable and owner.shape == K.shape:
        _LAST.update(owner=owner, shape=K.shape, digest=digest)
    return digest


def _decompose(K, wanted: Wanted, transfers, rank) -> ClusterSpectrum:
    affinity = normalised_affinity(K, wanted.neighbours, wanted.zero_diagonal)
    return cluster_spectrum(affinity, transfers, min(rank, len(K)))


def check_kept(spectrum: ClusterSpectrum, rank: int, params: AffinityParams) -> None:
    """Refuse a rank beyond the eigenvectors that were kept."""
    if rank > len(spectrum.values) < spectrum.n:
        raise FitError(
            f"rank {rank} is more than the {len(spectrum.values)} eigenvectors kept; raise "
            f"largest_rank ({params.largest_rank}) in the study's parameters"
        )
