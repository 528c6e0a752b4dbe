"""Fit the pieces of one part: some repeats of some methods; failures become rows."""

import json
from pathlib import Path

from threadpoolctl import threadpool_limits

from gramworks.absent import first_absent
from gramworks.draw_inputs import DrawInputs
from gramworks.draws import failed_rows, run_draws
from gramworks.kept_pieces import KeptPieces, piece_key
from gramworks.methods.registry import load_method
from gramworks.part_files import write_pieces
from gramworks.point_draws import point_keeper
from gramworks.progress import progress_log
from gramworks.score_files import text_rows


def fit_piece(study, dataset, piece, inputs, log):
    """Run the draws of one piece; give rows of scores, of times and of predictions."""
    method, slice_ = piece["method"], piece["slice"]
    repeats = range(piece["first"], piece["last"] + 1)
    labels = slice_.get("labels", ())
    absent = first_absent(inputs.paths(method, slice_))
    if absent:
        log(f"{method}: {absent.reason}")
        rows = failed_rows(
            method,
            slice_["settings"],
            slice_["split_settings"],
            study=study,
            dataset=dataset,
            repeats=repeats,
            status=absent.status,
            reason=f"{absent.kind}: {absent.reason}",
            labels=labels,
        )
        return rows, rows, []
    given = inputs.read(method, slice_)
    points = []
    scores, timings = run_draws(
        load_method(method),
        study=study,
        repeats=repeats,
        labels=labels,
        keep=point_keeper(given["dataset"], piece["predictions"], points),
        log=log,
        **given,
    )
    return scores, timings, points


def main(study, dataset, pieces, inputs, kept, log):
    done = []
    for piece in pieces:
        method, first, last = piece["method"], piece["first"], piece["last"]
        name = f"{method}.{first}-{last}"
        slice_ = json.dumps(piece, sort_keys=True)
        key = piece_key(slice_, inputs.paths(method, piece["slice"]))
        found = kept.get(name, key)
        if found:
            log(f"{method}, repeats {first} to {last}: kept from an earlier job")
        else:
            scores, timings, points = fit_piece(study, dataset, piece, inputs, log)
            found = {
                "method": method,
                "first": first,
                "last": last,
                "scores": text_rows(scores),
                "timings": text_rows(timings),
                "predictions": points,
            }
            kept.keep(name, key, found)
        done.append(found)
    return done


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log, threadpool_limits(1):
        w, output = snakemake.wildcards, Path(snakemake.output.pieces)
        pieces = json.loads(snakemake.params.slice)
        kept = KeptPieces(output.parent / "pieces")
        inputs = DrawInputs(snakemake.input)
        write_pieces(output, main(w.study, w.dataset, pieces, inputs, kept, log))
