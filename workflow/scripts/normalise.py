"""Parse one data set, check its facts and normalise it."""

import json
from pathlib import Path

from gramworks.absent import Absent, write_absent
from gramworks.datasets.normalisation import normalise
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.store import write_dataset
from gramworks.errors import DataError
from gramworks.progress import progress_log
from gramworks.provenance import provenance


def main(dataset, recipe, manifest, table, log):
    absent = json.loads(Path(manifest).read_text(encoding="utf-8")).get("absent")
    if absent:
        write_absent(table, Absent(**absent))
        return
    try:
        data = parse(load_entry(dataset), Path(manifest).parent)
        data.X = normalise(data.X, recipe)
    except DataError as error:
        log(error)
        write_absent(table, Absent("failed", "data-refused", " ".join(str(error).split())))
        return
    for note in data.notes:
        log(f"{dataset}: {note}")
    made = provenance("normalise", dataset=dataset, recipe=recipe)
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
