"""Run the first draws of a method again and keep what is predicted for each point."""

import json

from threadpoolctl import threadpool_limits

from gramworks.absent import first_absent
from gramworks.datasets.splits import read_splits
from gramworks.datasets.store import read_dataset
from gramworks.gram import read_gram
from gramworks.label_tasks import group_against_rest
from gramworks.methods.registry import load_method
from gramworks.point_draws import predict_points
from gramworks.progress import progress_log
from gramworks.report.point_predictions import write_predictions
from gramworks.shared import read_shared


def main(study, method, repeats, inputs, slice_, log):
    absent = first_absent([inputs.table, inputs.splits, *inputs.grams, *inputs.shared])
    if absent:
        log(absent.reason)
        return []
    names = [name for name, _ in slice_["kernels"]]
    kernels = {name: read_gram(path) for name, path in zip(names, inputs.grams, strict=True)}
    for K in kernels.values():
        K.setflags(write=False)
    data, positive = read_dataset(inputs.table), slice_.get("positive")
    return predict_points(
        load_method(method),
        slice_["settings"],
        slice_["parameters"],
        group_against_rest(data, positive) if positive else data,
        read_splits(inputs.splits),
        kernels,
        study=study,
        repeats=repeats,
        shared=read_shared(inputs.shared[0]) if inputs.shared else None,
        output_kernel=slice_.get("output_kernel"),
        log=log,
    )


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(1):
        w = snakemake.wildcards
        slice_ = json.loads(snakemake.params.slice)
        rows = main(w.study, w.method, snakemake.params.repeats, snakemake.input, slice_, log)
        write_predictions(snakemake.output.predictions, rows)
