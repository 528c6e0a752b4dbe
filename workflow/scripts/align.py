"""Compare each two base kernels of a data set by their centred alignment."""

from gramworks.absent import read_absent
from gramworks.progress import progress_log
from gramworks.report.kernel_views import alignment_pairs
from gramworks.report.tables import write_tidy


def main(kernels, grams, log):
    found = {}
    for kernel, path in zip(kernels, grams, strict=True):
        if absent := read_absent(path):
            log(f"{kernel} is left out: {absent.reason}")
        else:
            found[kernel] = path
    return alignment_pairs(found)


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log:
        table = main(snakemake.params.kernels, snakemake.input.grams, log)
        write_tidy(snakemake.output.table, table)
