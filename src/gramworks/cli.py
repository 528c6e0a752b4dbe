"""The `gramworks` command: what is registered, what a configuration means, how a run ended."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gramworks import __version__
from gramworks.errors import GramworksError
from gramworks.owndata.command import add_parsers
from gramworks.planning.command import add_parser, run_plan


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit status.

    0: fine. 1: an error, with its message on standard error. 2: wrong usage. 3: `status` found
    failed rows.
    """
    parser = argparse.ArgumentParser(
        prog="gramworks", description="Kernel learning: see what is there, check, and look back."
    )
    parser.add_argument("--version", action="version", version=f"gramworks {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    status = commands.add_parser("status", help="count score rows by status; 3 if any failed")
    status.add_argument(
        "--config", type=Path, default=Path("config.yaml"), help="the run's configuration"
    )

    datasets = commands.add_parser("datasets", help="list the registered data sets, or verify them")
    datasets.add_argument("--mirror", help="a folder or base address, as in the configuration")
    datasets.add_argument("--raw", type=Path, default=Path("data/raw"), help="folder of kept files")
    datasets.add_argument(
        "--verify",
        nargs="*",
        metavar="ID",
        help="fetch and check these data sets, or all; exits with 1 if any is wrong, 0 if some "
        "only cannot be had here",
    )
    datasets.add_argument("--offline", action="store_true", help="verify without the network")
    datasets.add_argument(
        "--write-docs", type=Path, nargs="?", const=Path("docs/datasets.md"), metavar="FILE",
        help="write the table of all data sets (docs/datasets.md)",
    )  # fmt: skip

    commands.add_parser("methods", help="list the registered methods")

    check = commands.add_parser("check", help="validate a configuration and its study files")
    check.add_argument("config", nargs="?", type=Path, default=Path("config.yaml"))
    check.add_argument("--root", type=Path, default=Path(), help="folder with config/studies")

    schema = commands.add_parser("schema", help="print or write the generated schemas")
    schema.add_argument("--write", action="store_true", help="write workflow/schemas/")
    schema.add_argument("--folder", type=Path, default=Path("workflow/schemas"))

    add_parser(commands)
    add_parsers(commands)

    options = parser.parse_args(arguments)
    try:
        return globals()[f"_{options.command}"](options)
    except GramworksError as error:
        print(f"gramworks: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0


def _status(options: argparse.Namespace) -> int:
    from gramworks.config import read_config
    from gramworks.plan import Plan
    from gramworks.report.status import format_status, status_rows

    # Only the files of this run: results/ may hold those of other configurations as well.
    plan = Plan(read_config(options.config))
    wanted = [Path(path) for study in plan.studies for path in plan.scores(study)]
    found = [path for path in wanted if path.is_file()]
    print(f"{options.config}: {len(found)} of {len(wanted)} score files are there")
    if not found:
        print(
            f"gramworks: nothing to count; run `snakemake --cores all --configfile "
            f"{options.config}` in this folder first.",
            file=sys.stderr,
        )
        return 1
    counts = status_rows(found)
    print(format_status(counts))
    page = Path("results/report/index.html")
    if page.is_file():
        print(f"report: {page.resolve()}")
    return 3 if (counts["status"] == "failed").any() else 0


def _datasets(options: argparse.Namespace) -> int:
    if options.verify is not None:
        from gramworks.datasets.verification import verify

        verdicts = verify(
            options.verify, options.raw, mirror=options.mirror, offline=options.offline
        )
        return 1 if "wrong" in verdicts.values() else 0
    if options.write_docs:
        from gramworks.datasets.catalogue import catalogue

        options.write_docs.write_text(catalogue(), encoding="utf-8")
        print(options.write_docs)
        return 0
    from gramworks.datasets.listing import format_listing, list_datasets

    print(format_listing(list_datasets(options.raw, mirror=options.mirror)))
    return 0


def _methods(options: argparse.Namespace) -> int:
    from gramworks.methods.registry import load_method, method_names

    found = [load_method(name) for name in method_names()]
    width = max(len(method.name) for method in found)
    for method in found:
        tasks = ", ".join(method.tasks)
        print(f"{method.name:{width}}  {method.module.SUMMARY}  [{tasks}]")
    return 0


def _check(options: argparse.Namespace) -> int:
    from gramworks.config import read_config
    from gramworks.plan import Plan

    plan = Plan(read_config(options.config), options.root)
    for study in plan.studies:
        print(
            f"{study}: {len(plan.datasets(study))} data sets, {len(plan.methods(study))} methods, "
            f"{len(plan.scores(study))} score files"
        )
        for dataset, reason in plan.left_out(study).items():
            print(f"  left out: {dataset} ({_LEFT_OUT[reason]})")
    return 0


_LEFT_OUT = {
    "dataset-not-in-run": "not among `datasets` of the configuration",
    "source-not-embedded": "has to be fetched; `sources: any` in the configuration includes it",
}


def _plan(options: argparse.Namespace) -> int:
    return run_plan(options)


def _new(options: argparse.Namespace) -> int:
    from gramworks.owndata.command import run_new

    return run_new(options)


def _predict(options: argparse.Namespace) -> int:
    from gramworks.owndata.command import run_predict

    return run_predict(options)


def _schema(options: argparse.Namespace) -> int:
    from gramworks.schemas import generated_files, write_schemas

    if options.write:
        for path in write_schemas(options.folder):
            print(path)
    else:
        print(generated_files()["config.schema.json"], end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
