"""Learn what all draws of one method share, such as a decomposition or a deformed kernel."""

import json
from pathlib import Path

from threadpoolctl import threadpool_limits

from gramworks.absent import Absent, first_absent, write_absent
from gramworks.datasets.store import read_dataset
from gramworks.errors import FileDamaged
from gramworks.finished_steps import FinishedSteps
from gramworks.methods.registry import load_method
from gramworks.progress import progress_log
from gramworks.provenance import provenance
from gramworks.shared import write_shared
from gramworks.stored_grams import StoredGrams


def main(study, dataset, method, inputs, shared, slice_, code, log):
    absent = first_absent([inputs.table, *inputs.grams])
    if absent:
        write_absent(shared, absent)
        return
    names = [name for name, _ in slice_["kernels"]]
    kernels = StoredGrams(dict(zip(names, inputs.grams, strict=True)))
    found, X = load_method(method), read_dataset(inputs.table).X
    # Steps that nothing keeps need no identity, for which each matrix would be read.
    identity = (X, list(kernels.items()), code) if found.resumes else ()
    steps = FinishedSteps(Path(shared).with_suffix(".steps"), identity)
    keeping = {"steps": steps} if found.resumes else {}
    try:
        arrays = found.module.learn(
            kernels, X, slice_["settings"], slice_["parameters"], log, **keeping
        )
    except FileDamaged:
        raise  # a matrix, read when the method asked for it: no property of the data
    except Exception as error:
        log(error)
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        write_absent(shared, Absent("failed", "learn-failed", reason))
        steps.remove()
        return
    made = provenance("learn", study=study, dataset=dataset, method=method)
    write_shared(shared, arrays, made)
    steps.remove()


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(1):
        w = snakemake.wildcards
        slice_ = json.loads(snakemake.params.slice)
        main(
            w.study,
            w.dataset,
            w.method,
            snakemake.input,
            snakemake.output.shared,
            slice_,
            snakemake.params.code,
            log,
        )
