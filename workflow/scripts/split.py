"""Divide the points of one data set into labelled, unlabelled and test, for every repeat."""

import json

from pydantic import TypeAdapter

from gramworks.absent import Absent, read_absent, write_absent
from gramworks.datasets.dataset import OUTPUT_TASKS
from gramworks.datasets.splits import SplitSpec, make_splits, write_splits
from gramworks.datasets.store import read_dataset
from gramworks.errors import DataError
from gramworks.progress import progress_log
from gramworks.provenance import provenance


def main(study, dataset, table, splits, spec, log):
    absent = read_absent(table)
    if absent:
        write_absent(splits, absent)
        return
    data = read_dataset(table)
    try:
        made = make_splits(
            spec,
            data.strata,
            study=study,
            dataset=dataset,
            partitions=data.partitions,
            classes=data.classes,
            unlabelled=data.unlabelled,
            behind=data.task in OUTPUT_TASKS,
        )
    except DataError as error:
        log(error)
        write_absent(splits, Absent("failed", "split-refused", " ".join(str(error).split())))
        return
    write_splits(splits, made, provenance("split", study=study, dataset=dataset))


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log:
        spec = TypeAdapter(SplitSpec).validate_python(json.loads(snakemake.params.slice))
        main(
            snakemake.wildcards.study,
            snakemake.wildcards.dataset,
            snakemake.input.table,
            snakemake.output.splits,
            spec,
            log,
        )
