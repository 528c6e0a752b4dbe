"""Fetch the bytes of one data set, or record why no source of it could be reached."""

import json
from pathlib import Path

from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.errors import DataError
from gramworks.progress import progress_log
from gramworks.whole_files import write_text


def main(dataset, manifest, attempt, log):
    entry = load_entry(dataset)
    try:
        made = fetch(entry, Path(manifest).parent, mirror=None, log=log)
    except DataError as error:
        log(error)
        made = {
            "absent": {
                "status": "skipped",
                "kind": "source-unreachable",
                "reason": " ".join(str(error).split()),
            }
        }
    # The next run counts on from here, so that an unreachable source is tried again.
    made = {**made, "attempt": attempt}
    write_text(manifest, json.dumps(made, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log:
        attempt = json.loads(snakemake.params.slice)["attempt"]
        main(snakemake.wildcards.dataset, snakemake.output.manifest, attempt, log)
