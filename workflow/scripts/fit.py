"""Fit one method on a chunk of repeats of one data set; failures become rows."""

import json

from threadpoolctl import threadpool_limits

from gramworks.absent import first_absent
from gramworks.draw_inputs import read_draws
from gramworks.draws import failed_rows, run_draws
from gramworks.methods.registry import load_method
from gramworks.progress import progress_log
from gramworks.score_files import write_rows


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
    return run_draws(
        load_method(method),
        study=study,
        repeats=repeats,
        labels=slice_.get("labels", ()),
        log=log,
        **read_draws(inputs, slice_),
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
