"""Fit one method on a chunk of repeats of one data set; failures become rows."""

import json

from threadpoolctl import threadpool_limits

from gramworks.absent import first_absent
from gramworks.datasets.splits import read_splits
from gramworks.datasets.store import read_dataset
from gramworks.draws import failed_rows, run_draws
from gramworks.gram import read_gram
from gramworks.label_tasks import group_against_rest
from gramworks.methods.registry import load_method
from gramworks.progress import progress_log
from gramworks.score_files import write_rows
from gramworks.shared import read_shared


def main(study, dataset, method, repeats, inputs, slice_, log):
    settings = slice_["settings"]
    absent = first_absent([inputs.table, inputs.splits, *inputs.grams, *inputs.shared])
    if absent:
        log(absent.reason)
        rows = failed_rows(
            method,
            settings,
            slice_["split_settings"],
            study=study,
            dataset=dataset,
            repeats=repeats,
            status=absent.status,
            reason=f"{absent.kind}: {absent.reason}",
            labels=slice_.get("labels", ()),
        )
        return rows, rows
    names = [name for name, _ in slice_["kernels"]]
    kernels = {name: read_gram(path) for name, path in zip(names, inputs.grams, strict=True)}
    for K in kernels.values():
        K.setflags(write=False)
    data, positive = read_dataset(inputs.table), slice_.get("positive")
    return run_draws(
        load_method(method),
        settings,
        slice_["parameters"],
        group_against_rest(data, positive) if positive else data,
        read_splits(inputs.splits),
        kernels,
        study=study,
        repeats=repeats,
        labels=slice_.get("labels", ()),
        output_kernel=slice_.get("output_kernel"),
        shared=read_shared(inputs.shared[0]) if inputs.shared else None,
        log=log,
    )


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(1):
        w = snakemake.wildcards
        first, last = map(int, w.chunk.split("-"))
        scores, timings = main(
            w.study,
            w.dataset,
            w.method,
            range(first, last + 1),
            snakemake.input,
            json.loads(snakemake.params.slice),
            log,
        )
        write_rows(snakemake.output.scores, scores)
        write_rows(snakemake.output.timings, timings)
