"""Parse one data set, check its facts and normalise it."""

from pathlib import Path

from gramworks.absent import Absent, write_absent
from gramworks.datasets.normalisation import normalise_dataset
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import read_manifest
from gramworks.datasets.store import write_dataset
from gramworks.errors import DataError
from gramworks.progress import progress_log
from gramworks.provenance import provenance


def main(dataset, recipe, manifest, table, log):
    fetched = read_manifest(manifest)
    if "absent" in fetched:
        write_absent(table, Absent(**fetched["absent"]))
        return
    try:
        data = normalise_dataset(parse(load_entry(dataset), Path(manifest).parent), recipe)
    except DataError as error:
        log(error)
        write_absent(table, Absent("failed", "data-refused", " ".join(str(error).split())))
        return
    for note in data.notes:
        log(f"{dataset}: {note}")
    source = fetched["source"]["name"]
    made = provenance("normalise", dataset=dataset, recipe=recipe, source=source)
    write_dataset(table, data, recipe=recipe, provenance=made)


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log:
        main(
            snakemake.wildcards.dataset,
            snakemake.wildcards.recipe,
            snakemake.input.manifest,
            snakemake.output.table,
            log,
        )
