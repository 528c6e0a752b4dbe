"""Merge the chunks of one method on one data set, in one fixed row order."""

from gramworks.progress import progress_log
from gramworks.score_files import merge_rows

if __name__ == "__main__":
    with progress_log(snakemake.log[0]):
        scores = list(snakemake.input.scores)
        merge_rows(scores, snakemake.output.scores)
        timings = [path.replace("results/scores/", "results/timings/", 1) for path in scores]
        merge_rows(timings, snakemake.output.timings)
