"""Compute some rows of a large Gram matrix, or their sums, which centring all rows needs."""

from threadpoolctl import threadpool_limits

from gramworks.absent import Absent, first_absent, write_absent
from gramworks.datasets.store import read_dataset
from gramworks.errors import KernelError
from gramworks.gram_blocks import compute_rows, compute_sums, matrix_key
from gramworks.gram_files import rows_of
from gramworks.kernel_points import points_for
from gramworks.progress import progress_log
from gramworks.provenance import provenance


def main(dataset, recipe, kernel, table, output, precision, code, memory_mb, log, sums=None):
    """Compute rows, given the files of sums of all rows, or sums where there are none (None)."""
    absent = first_absent([table, *(sums or ())])
    if absent:
        write_absent(output, absent)
        return
    points = points_for(read_dataset(table), kernel)
    how = {
        "key": matrix_key(points, kernel, precision, code),
        "memory_mb": memory_mb,
        "log": log,
    }
    try:
        if sums is None:
            compute_sums(output, points, kernel, rows_of(output), **how)
        else:
            made = provenance("gram_rows", dataset=dataset, recipe=recipe, kernel=kernel)
            more = {"sums": sums, "precision": precision, "provenance": made}
            compute_rows(output, points, kernel, rows_of(output), **how, **more)
    except KernelError as error:
        log(error)
        reason = f"{kernel} on {dataset}: {' '.join(str(error).split())}"
        write_absent(output, Absent("failed", "gram-refused", reason))


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(snakemake.threads):
        main(
            snakemake.wildcards.dataset,
            snakemake.wildcards.recipe,
            snakemake.wildcards.kernel,
            snakemake.input.table,
            snakemake.output[0],
            snakemake.params.precision,
            snakemake.params.code,
            snakemake.resources.gram_memory_mb,
            log,
            snakemake.input.sums if snakemake.rule == "gram_rows" else None,
        )
