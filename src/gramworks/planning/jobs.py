"""The jobs of a run and what each waits for, as the workflow's rules make them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gramworks import plan_grams, plan_views
from gramworks.parts import part_files, part_grams, part_shared

if TYPE_CHECKING:
    from gramworks.plan import Plan


@dataclass(frozen=True)
class Job:
    """One job.

    Attributes
    ----------
    rule : str
    output : str
        Its first file, which names the job.
    inputs : tuple of str
        First files of the jobs it waits for.
    wildcards : dict of str
    """

    rule: str
    output: str
    inputs: tuple[str, ...] = ()
    wildcards: dict[str, str] = field(default_factory=dict)

    @property
    def benchmark(self) -> str:
        """Where the engine notes what the job took, the folder of benchmarks left out."""
        folder = "gram" if self.rule.startswith("gram") else self.rule
        kind = ".sums.tsv" if self.rule == "gram_sums" else ".tsv"
        return "/".join([folder, *self.wildcards.values()]) + kind


def jobs_of(plan: Plan) -> list[Job]:
    """List all jobs of a run from nothing, each behind those that it waits for."""
    made: dict[str, Job] = {}

    def add(rule: str, output: str, inputs: list[str], **wildcards: str) -> str:
        made.setdefault(output, Job(rule, output, tuple(inputs), wildcards))
        return output

    reports = []
    for study in plan.studies:
        shown: list[str] = []
        for dataset in plan.datasets(study):
            shown += _of_data_set(plan, study, dataset, add)
        comparison = add("tabulate", plan.comparison(study), shown, study=study)
        reports.append(comparison)
    add("report", "results/report/index.html", [*reports, *plan.all_tables()])
    return list(made.values())


def _of_data_set(plan: Plan, study: str, dataset: str, add) -> list[str]:
    """Add the jobs of a data set in a study; give the files that its tables wait for."""
    raw = add("fetch", plan.raw(dataset), [], dataset=dataset)
    table = plan.table(study, dataset)
    recipe = plan.studies[study].datasets[dataset].recipe
    add("normalise", table, [raw], dataset=dataset, recipe=recipe)
    splits = add("split", plan.splits(study, dataset), [table], study=study, dataset=dataset)
    methods = plan.methods_on(study, dataset)
    for method in methods:
        grams = plan.grams(study, dataset, method)
        for path in grams:
            kernel = path.rpartition("/")[2].removesuffix(".h5")
            of_kernel = {"dataset": dataset, "recipe": recipe, "kernel": kernel}
            sums = [
                add("gram_sums", file, [table], **of_kernel, rows=_rows(file))
                for file in plan_grams.sums(plan, dataset, recipe, kernel)
            ]
            blocks = [
                add("gram_rows", file, [table, *sums], **of_kernel, rows=_rows(file))
                for file in plan_grams.blocks(plan, dataset, recipe, kernel)
            ]
            add("gram", path, [table, *blocks], **of_kernel)
        for path in plan.shared(study, dataset, method):
            add("learn", path, [table, *grams], study=study, dataset=dataset, method=method)
    for file, part in zip(
        part_files(plan, study, dataset), plan.parts(study, dataset), strict=True
    ):
        inputs = [
            table, splits,
            *part_grams(plan, study, dataset, part), *part_shared(plan, study, dataset, part),
        ]  # fmt: skip
        add("fit", file, inputs, study=study, dataset=dataset, part=part)
    shown = [table, splits]
    for method in methods:
        own = part_files(plan, study, dataset, method)
        merged = f"results/scores/{study}/{dataset}/{method}.csv"
        shown.append(add("merge", merged, own, study=study, dataset=dataset, method=method))
    grams = list(plan_views.view_grams(plan, study, dataset).values())
    for path in plan_views.views(plan, study):
        kind, _, *rest = path.removeprefix("results/").removesuffix(".csv").split("/")
        if rest[0] != dataset:
            continue
        where = {"study": study, "dataset": dataset}
        if kind == "predictions":
            own = part_files(plan, study, dataset, rest[1])
            shown.append(add("predict", path, own, method=rest[1], **where))
        else:
            rule = {"alignments": "align", "maps": "map"}[kind]
            shown.append(add(rule, path, [table, *grams], **where))
    return shown


def _rows(path: str) -> str:
    """Read which rows off the name of a block, such as 0-1999.h5 or 0-1999.sums.h5."""
    return path.rpartition("/")[2].partition(".")[0]
