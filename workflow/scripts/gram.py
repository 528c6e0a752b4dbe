"""Compute one Gram matrix over all points of a data set and check it."""

from threadpoolctl import threadpool_limits

from gramworks.absent import Absent, read_absent, write_absent
from gramworks.datasets.store import read_dataset
from gramworks.errors import KernelError
from gramworks.gram import compute_gram
from gramworks.kernel_points import points_for
from gramworks.progress import progress_log
from gramworks.provenance import provenance


def main(dataset, recipe, kernel, table, gram, memory_mb, log):
    absent = read_absent(table)
    if absent:
        write_absent(gram, absent)
        return
    data = read_dataset(table)
    made = provenance("gram", dataset=dataset, recipe=recipe, kernel=kernel)
    try:
        compute_gram(
            gram,
            points_for(data, kernel),
            kernel,
            row_ids=data.row_ids,
            provenance=made,
            memory_mb=memory_mb,
            log=log,
        )
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
        )
