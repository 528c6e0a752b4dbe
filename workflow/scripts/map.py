"""Map the points of a data set by the first two kernel principal components."""

from gramworks.absent import read_absent
from gramworks.datasets.store import read_dataset
from gramworks.label_tasks import group_against_rest
from gramworks.progress import progress_log
from gramworks.report.escaping import inert
from gramworks.report.kernel_views import empty_map, map_points
from gramworks.report.tables import write_tidy


def main(table, grams, positive, log):
    present = [path for path in grams if not read_absent(path)]
    if read_absent(table) or not present:
        log("there are no points, or no kernels, to map")
        return empty_map()
    data = read_dataset(table)
    return map_points(present, group_against_rest(data, positive) if positive else data)


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log:
        found = main(snakemake.input.table, snakemake.input.grams, snakemake.params.positive, log)
        write_tidy(snakemake.output.table, found.assign(label=found["label"].map(inert)))
