"""Run the first draws of a method again and keep what is predicted for each point."""

import json

from threadpoolctl import threadpool_limits

from gramworks.absent import first_absent
from gramworks.draw_inputs import read_draws
from gramworks.methods.registry import load_method
from gramworks.point_draws import predict_points
from gramworks.progress import progress_log
from gramworks.report.point_predictions import write_predictions


def main(study, method, repeats, inputs, slice_, log):
    absent = first_absent([inputs.table, inputs.splits, *inputs.grams, *inputs.shared])
    if absent:
        log(absent.reason)
        return []
    return predict_points(
        load_method(method),
        study=study,
        repeats=repeats,
        log=log,
        **read_draws(inputs, slice_),
    )


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(1):
        w = snakemake.wildcards
        slice_ = json.loads(snakemake.params.slice)
        rows = main(w.study, w.method, snakemake.params.repeats, snakemake.input, slice_, log)
        write_predictions(snakemake.output.predictions, rows)
