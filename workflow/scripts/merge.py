"""Merge the chunks of one method on one data set, in one fixed row order."""

import json

from gramworks.progress import progress_log
from gramworks.score_files import merge_rows

if __name__ == "__main__":
    with progress_log(snakemake.log[0]):
        settings = json.loads(snakemake.params.settings)
        merge_rows(snakemake.input.scores, snakemake.output.scores, settings)
        merge_rows(snakemake.input.timings, snakemake.output.timings, settings)
