"""What the jobs of a plan ask for: the sizes of their data, looked up before anything is made.

Sizes come from the facts of the registry. A recipe that keeps a part of the rows is followed where
the facts say how many that are, and is taken to keep all of them elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from gramworks import job_resources
from gramworks.datasets.recipe_rows import most_rows
from gramworks.datasets.registry import load_entry
from gramworks.job_resources import Request, Size
from gramworks.kernels.identifiers import parse_kernel, takes
from gramworks.methods.registry import load_method
from gramworks.parts import part_methods, part_seconds
from gramworks.plan_holdings import gram_use, held_numbers, kernels_held
from gramworks.plan_views import view_grams

if TYPE_CHECKING:
    from gramworks.plan import Plan

SMALL_GROUP = "tables"
"""Name of the group of small jobs, as in profiles/slurm."""


class PlanResources:
    """Requests of the jobs of a plan, by the rules' wildcards.

    Parameters
    ----------
    plan : Plan
    grouped : callable, optional
        Says whether small jobs are to share jobs of a cluster. It is asked when jobs are made,
        which the engine does after it has read the workflow.
    """

    def __init__(self, plan: Plan, grouped: Callable[[], bool] = lambda: True) -> None:
        self.plan = plan
        self.grouped = grouped
        self._sizes: dict[tuple[str, str], Size] = {}
        self._views: dict[tuple[str, str], Size] = {}
        self._methods: dict[tuple[str, str, str, str], Size] = {}

    def size(self, dataset: str, recipe: str) -> Size:
        """Return the size of a normalised data set."""
        key = dataset, recipe
        if key not in self._sizes:
            entry = load_entry(dataset)
            columns = entry.facts.columns if entry.facts else None
            self._sizes[key] = Size(most_rows(entry, recipe), columns)
        return self._sizes[key]

    def study_size(self, study: str, dataset: str, grams: int = 0) -> Size:
        """Return the size of a data set of a study, with a number of Gram files."""
        recipe = self.plan.studies[study].datasets[dataset].recipe
        return replace(self.size(dataset, recipe), grams=grams)

    # Rules of data sets and kernels

    def normalise(self, dataset: str, recipe: str, attempt: int) -> Request:
        """Request of a job that parses; a recipe that drops rows has read them all."""
        return job_resources.normalise(self.size(dataset, "none"), attempt)

    def split(self, study: str, dataset: str, attempt: int) -> Request:
        """Request of a job that splits."""
        size = replace(self.study_size(study, dataset), draws=self._draws(study, dataset))
        return job_resources.split(size, attempt)

    def gram(
        self, dataset: str, recipe: str, kernel: str, attempt: int, share: float = 1.0
    ) -> Request:
        """Request of a job that computes a Gram matrix, or a share of its rows."""
        parsed = parse_kernel(kernel)
        size = self.size(dataset, recipe)
        if parsed.view is not None:
            size = replace(size, columns=load_entry(dataset).facts.views[parsed.view].columns)
        bound = self.plan.config.gram_memory_mb
        return job_resources.gram(
            size, attempt, bound_mb=bound, share=share, takes=takes(parsed.family)
        )

    def gram_threads(self, dataset: str, recipe: str) -> int:
        """Give a small Gram matrix one thread: it takes a second, and two cores are seldom free."""
        return 1 if self.size(dataset, recipe).rows <= job_resources.SMALL_ROWS else 2

    def gram_rows(self, dataset: str, recipe: str, kernel: str, rows: str, attempt: int) -> Request:
        """Request of a job that computes some rows of a Gram matrix, as 0-4999."""
        first, last = map(int, rows.split("-"))
        share = (last - first + 1) / self.size(dataset, recipe).rows
        return self.gram(dataset, recipe, kernel, attempt, min(share, 1.0))

    def align(self, study: str, dataset: str, attempt: int) -> Request:
        """Request of a job that compares kernels."""
        return job_resources.align(self._view_size(study, dataset), attempt)

    def map_points(self, study: str, dataset: str, attempt: int) -> Request:
        """Request of a job that maps points."""
        return job_resources.map_points(self._view_size(study, dataset), attempt)

    # Rules of methods

    def learn(self, study: str, dataset: str, method: str, attempt: int) -> Request:
        """Request of a job that learns."""
        return job_resources.learn(self.method_size(study, dataset, method, "learn"), attempt)

    def fit(
        self,
        study: str,
        dataset: str,
        part: str,
        attempt: int,
    ) -> Request:
        """Request of a part of the draws: one method after the other, each Gram file read once."""
        minutes = part_seconds(self.plan, study, dataset, part) / 60
        whole: dict[str, Size] = {}
        sizes = []
        for method in part_methods(self.plan, study, dataset, part):
            size = self.method_size(study, dataset, method)
            use = gram_use(self.plan, study, method, size.rows)
            if size.held is not None or use == "eigenpairs":
                sizes.append(size)
            else:
                whole[method] = size
        if whole:
            files = {path for method in whole for path in self.plan.grams(study, dataset, method)}
            functionals = max(size.functionals for size in whole.values())
            one = next(iter(whole.values()))
            sizes.append(replace(one, grams=len(files), functionals=functionals))
        requests = [job_resources.fit(size, attempt, minutes=minutes) for size in sizes]
        return max(requests, key=lambda request: request.mem_mb)

    def method_size(self, study: str, dataset: str, method: str, stage: str = "fit") -> Size:
        """Return the size of what a method works with, when it fits draws or learns."""
        key = study, dataset, method, stage
        if key not in self._methods:
            size = self.study_size(study, dataset)
            where = self.plan, study, dataset, method, size.rows, stage
            self._methods[key] = replace(
                size,
                grams=kernels_held(*where),
                functionals=self._functionals(study, method, size),
                held=held_numbers(*where),
                growth=load_method(method).growth("learn"),
                draws=self._draws(study, dataset),
            )
        return self._methods[key]

    def _draws(self, study: str, dataset: str) -> int:
        """Count the draws of a data set of a study, over all sizes of its splits."""
        settings = self.plan.split_settings(study, dataset)
        return self.plan.n_repeats(study, dataset) * len(settings)

    def _functionals(self, study: str, method: str, size: Size) -> int:
        """Count the derivatives that `invariance` learns from; one a point and feature."""
        if method != "invariance" or size.columns is None:
            return 0
        body = self.plan.studies[study].methods[method]
        rows = [{**body.parameters, **setting} for setting in body.combinations()]
        all_points = any(row.get("at", "all") == "all" for row in rows)
        return size.rows * size.columns if all_points else 0

    # Groups

    def group(self, dataset: str, recipe: str) -> str | None:
        """Name the group of the jobs on a table; None where they are long enough by themselves."""
        small = self.grouped() and self.size(dataset, recipe).rows <= job_resources.SMALL_ROWS
        return SMALL_GROUP if small else None

    def study_group(self, study: str, dataset: str) -> str | None:
        """Name the group of the jobs on a data set of a study."""
        return self.group(dataset, self.plan.studies[study].datasets[dataset].recipe)

    def _view_size(self, study: str, dataset: str) -> Size:
        key = study, dataset
        if key not in self._views:
            grams = len(view_grams(self.plan, study, dataset))
            self._views[key] = self.study_size(study, dataset, grams)
        return self._views[key]
