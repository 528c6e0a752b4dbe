"""Make one Gram matrix over all points of a data set and check it: compute it, or join its rows."""

from threadpoolctl import threadpool_limits

from gramworks.absent import Absent, first_absent, write_absent
from gramworks.datasets.store import read_dataset
from gramworks.errors import KernelError
from gramworks.gram import compute_gram
from gramworks.gram_blocks import join_rows, matrix_key
from gramworks.gram_files import rows_of
from gramworks.kernel_points import points_for
from gramworks.progress import progress_log
from gramworks.provenance import provenance


def main(
    dataset, recipe, kernel, table, gram, memory_mb, log, precision="float64", blocks=(), code=""
):
    absent = first_absent([table, *blocks])
    if absent:
        write_absent(gram, absent)
        return
    data = read_dataset(table)
    points = points_for(data, kernel)
    kept = {
        "row_ids": data.row_ids,
        "provenance": provenance("gram", dataset=dataset, recipe=recipe, kernel=kernel),
        "precision": precision,
        "log": log,
    }
    try:
        if blocks:
            key = matrix_key(points, kernel, precision, code)
            join_rows(gram, [rows_of(path) for path in blocks], kernel, key=key, **kept)
        else:
            compute_gram(gram, points, kernel, memory_mb=memory_mb, **kept)
    except KernelError as error:
        log(error)
        reason = f"{kernel} on {dataset}: {' '.join(str(error).split())}"
        write_absent(gram, Absent("failed", "gram-refused", reason))


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(snakemake.threads):
        main(
            snakemake.wildcards.dataset,
            snakemake.wildcards.recipe,
            snakemake.wildcards.kernel,
            snakemake.input.table,
            snakemake.output.gram,
            snakemake.resources.gram_memory_mb,
            log,
            snakemake.params.precision,
            snakemake.input.blocks,
            snakemake.params.code_of_blocks,
        )
