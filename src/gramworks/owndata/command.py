"""The subcommands `gramworks new` and `gramworks predict`."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  gramworks new patients.csv --target outcome
  gramworks new expression.csv sequences.csv --target class --id gene
  gramworks new grams/ --labels labels.csv --target class
  gramworks new --update patients
"""


def add_parsers(commands) -> None:
    """Add both subcommands to the command line."""
    new = commands.add_parser(
        "new",
        help="make a study of your own data",
        description="Read your own files, say what was understood, and write a study of all "
        "methods that suit them into own/.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_arguments(new)
    new.add_argument("--update", metavar="ID", help="read the files of an own data set again")
    predict = commands.add_parser(
        "predict",
        help="predict the rows of your own data that have no target",
        description="Learn from all rows that have a target, and predict the others, with every "
        "method and setting of the study; after a run.",
    )
    predict.add_argument("name", help="the own data set's name")
    predict.add_argument("--methods", nargs="+", metavar="METHOD", help="only these")
    predict.add_argument("--output", type=Path, help="default: own/NAME-predictions.csv")


def _add_arguments(new: argparse.ArgumentParser) -> None:
    new.add_argument(
        "files", nargs="*", type=Path, metavar="FILE",
        help="CSV, TSV, ARFF, MATLAB, HDF5, npz or LIBSVM; several are several sources of the same "
        "rows; or a folder of Gram matrices",
    )  # fmt: skip
    new.add_argument("--target", metavar="COLUMN", help="what is to be predicted")
    new.add_argument("--name", help="of data set and study; default: the first file's name")
    new.add_argument("--id", metavar="COLUMN", help="names the rows, in every file")
    new.add_argument("--labels", type=Path, metavar="FILE", help="has the target of the rows")
    new.add_argument("--task", choices=("classification", "regression"))
    new.add_argument(
        "--missing", choices=("drop", "median", "refuse"), default="drop",
        help="rows with missing values: drop (default); fill by the median; or refuse",
    )  # fmt: skip
    new.add_argument("--na", action="append", default=[], metavar="TEXT", help="a missing value")
    for word, text in (
        ("ignore", "leave a column out"),
        ("nominal", "a column of categories"),
        ("numeric", "a column of numbers, even if it looks like names of rows"),
        ("text", "a column of strings"),
    ):
        new.add_argument(f"--{word}", action="append", default=[], metavar="COLUMN", help=text)
    new.add_argument(
        "--common-rows", action="store_true", help="take the rows that all files have, by --id"
    )
    new.add_argument("--rows", type=int, metavar="N", help="take N rows at random")
    new.add_argument("--delimiter", help="what parts cells; default: found out")
    new.add_argument("--decimal", choices=(".", ","), help="decimal mark; default: found out")
    new.add_argument(
        "--thousands", choices=(".", ",", "'", " "), help="what parts thousands, as in 47.142"
    )
    new.add_argument("--encoding", help="default: found out")
    new.add_argument("--no-header", action="store_true", help="no names above the columns")


def run_new(options: argparse.Namespace) -> int:
    """Run `gramworks new`."""
    from gramworks.errors import ConfigError
    from gramworks.owndata.new import new_study
    from gramworks.owndata.places import config_of

    update = options.update
    if update:
        if options.files:
            raise ConfigError(
                "--update reads the files that the data set states; leave FILE out, or make a new "
                "data set without --update."
            )
        options = _stated(update)
    if not options.files:
        raise ConfigError("name a file: `gramworks new FILE --target COLUMN` (see --help).")
    if options.rows is not None and options.rows < 10:
        raise ConfigError(f"--rows {options.rows}: 10 are the least.")
    print(" + ".join(str(path) for path in options.files))
    made = new_study(
        request_of(options), name=update or options.name, command=as_arguments(options),
        update=bool(update),
    )  # fmt: skip
    _print_left_out(made)
    data = made.understood.dataset
    print(f"\n{data.rows} rows, {made.kernels} kernels, {made.methods} methods. Written:")
    for path in made.written:
        print(f"  {path}")
    if update and not any(path.parent.name == "studies" for path in made.written):
        print(
            f"The study stays as it is; look at own/studies/{update}.yaml if the columns changed."
        )
    print(f"\nRun it with:\n  snakemake --cores all --configfile {config_of(made.name)}")
    print("The report is then results/report/index.html (of the last run, whatever it was of).")
    if data.unlabelled is not None:
        print(f"Predict the rows without a target afterwards:\n  gramworks predict {made.name}")
    return 0


def _print_left_out(made) -> None:
    """Print the methods that the study has not, those of one reason together."""
    of_reason: dict[str, list[str]] = {}
    for name, reason in made.left_out.items():
        of_reason.setdefault(reason, []).append(name)
    print()
    for reason, names in of_reason.items():
        short = reason if len(reason) <= 100 else f"{reason[:97].rstrip(' .')}..."
        print(f"  left out: {', '.join(names)}: {short}")


def request_of(options: argparse.Namespace):
    """Turn the command line into a request."""
    from gramworks.owndata.columns import Wishes
    from gramworks.owndata.raw_table import ReadOptions
    from gramworks.owndata.understanding import Request

    return Request(
        tuple(options.files), options.target, options.labels, options.id, options.task,
        options.missing, options.common_rows, options.rows,
        Wishes(tuple(options.nominal), tuple(options.text), tuple(options.ignore),
               tuple(options.numeric)),
        ReadOptions(
            delimiter=options.delimiter, decimal=options.decimal, encoding=options.encoding,
            thousands=options.thousands, header=not options.no_header,
            missing_marks=tuple(options.na),
        ),
    )  # fmt: skip


def as_arguments(options: argparse.Namespace) -> list[str]:
    """Write the command line down, with whole paths, so that it can be run again."""
    found = [str(path.resolve()) for path in options.files]
    parser = argparse.ArgumentParser()
    _add_arguments(parser)
    for action in parser._actions:
        value = getattr(options, action.dest, None)
        if action.dest in ("files", "help", "name") or value == action.default:
            continue
        word = action.option_strings[0]
        values = value if isinstance(value, list) else [value]
        for one in values:
            shown = str(one.resolve()) if isinstance(one, Path) else str(one)
            found.append(word if value is True else f"{word}={shown}")
    return found


def _stated(name: str) -> argparse.Namespace:
    from gramworks.datasets.registry import load_entry, own_ids
    from gramworks.errors import ConfigError, suggest

    if name not in own_ids():
        raise ConfigError(f"--update {name}: no such own data set; {suggest(name, own_ids())}.")
    parser = argparse.ArgumentParser()
    _add_arguments(parser)
    return parser.parse_args(load_entry(name).sources[0].command)


def run_predict(options: argparse.Namespace) -> int:
    """Run `gramworks predict`."""
    from gramworks.errors import ConfigError
    from gramworks.owndata.findings import counted
    from gramworks.owndata.predicting import predict

    try:
        made = predict(
            options.name, methods=options.methods, output=options.output, log=lambda _: None
        )
    except OSError as error:
        raise ConfigError(f"the predictions cannot be read or written ({error}).") from None
    for column, reason in made.failed.items():
        print(f"! no predictions by {column}: {reason}")
    print(f"{counted(made.rows, 'row')} predicted: {made.path}")
    best = made.best
    unit = " %" if best.metric.endswith("percent") else ""
    size = f" at {best.size}" if best.size else ""
    print(
        f"Column `prediction` is by {best.column}, the best of the run in its tests "
        f"(mean {best.metric.removesuffix('-percent')} {best.score:.4g}{unit}{size}, a little too "
        "good for having been chosen by it)."
    )
    return 0
