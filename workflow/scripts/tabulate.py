"""Compare one study with the published numbers: tidy table, tables for people, figures."""

import json
from pathlib import Path

from gramworks.absent import read_absent
from gramworks.progress import progress_log
from gramworks.provenance import provenance
from gramworks.report.build import tabulate_study
from gramworks.report.looks import read_looks
from gramworks.studies.study_file import Study

LEFT_OUT = {
    "dataset-not-in-run": "not among the data sets of this run",
    "source-not-embedded": "this run takes embedded data only; `sources: any` would include it",
}


def main(slice_, inputs, comparison):
    study = Study.model_validate(slice_["study"])
    absent = {d: (reason, LEFT_OUT[reason]) for d, reason in slice_["left_out"].items()}
    datasets = {}
    for table in map(Path, inputs.tables):
        found = read_absent(table)
        if found:
            absent[table.parent.name] = (found.kind, found.reason)
        else:
            datasets[table.parent.name] = table
    folder = Path(comparison).parent.parent
    made = provenance("tabulate", study=study.name)
    scores = [Path(path) for path in inputs.scores]
    looks = read_looks(inputs.splits, inputs.timings, inputs.views)
    tabulate_study(study, scores, absent, folder, made, datasets, looks)


if __name__ == "__main__":
    with progress_log(snakemake.log[0]):
        slice_ = json.loads(snakemake.params.slice)
        main(slice_, snakemake.input, snakemake.output.comparison)
