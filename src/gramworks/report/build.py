"""What the workflow calls: tabulate one study, and build the page over all of them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from gramworks import __version__
from gramworks.report.answer_figures import answer_figures
from gramworks.report.answers import answers
from gramworks.report.benchmarks import stage_costs
from gramworks.report.cells import Table, tables
from gramworks.report.comparison import compare
from gramworks.report.escaping import file_name
from gramworks.report.figure_remarks import figure_remarks, write_remarks
from gramworks.report.figures import save_figure
from gramworks.report.grid_edges import edge_counts
from gramworks.report.looks import Looks
from gramworks.report.one_class import one_class_rows, write_one_class
from gramworks.report.page import render
from gramworks.report.published import read_published
from gramworks.report.ranks import rank_table
from gramworks.report.results import FIGURES, StudyResults, read_results
from gramworks.report.score_lines import score_lines
from gramworks.report.scores import draw_status, read_scores
from gramworks.report.status import status_rows_of
from gramworks.report.study_figures import figure_stem, study_figures
from gramworks.report.tables import write_csv, write_latex, write_markdown, write_tidy
from gramworks.studies.derived import with_derived
from gramworks.whole_files import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gramworks.studies.study_file import Study


def tabulate_study(
    study: Study,
    score_files: list[Path],
    absent: dict,
    folder: Path,
    provenance: dict,
    datasets: Mapping[str, Path] | None = None,
    looks: Looks | None = None,
) -> None:
    """Write the tables and figures of one study into ``{folder}/{study.name}/``.

    Parameters
    ----------
    study : Study
    score_files : list of path
        Merged score files of this study.
    absent : dict of str to (str, str)
        Data sets that the run could not include: a typed reason, and the reason in words.
    folder : Path
        The report's folder.
    provenance : dict
        JSON values, written beside the tables.
    datasets : mapping of str to Path, optional
        Normalised data sets by name, for figures that a study draws itself.
    looks : Looks, optional
        What else there is to show: numbers of points, times, kernels, single points.

    Notes
    -----
    ``answers.csv`` (which method is best), ``ranks.csv`` (over data sets), ``comparison.csv`` (all
    cells, tidy), ``problems.csv`` (draws that are not ok, with reasons), ``status.csv``,
    ``edges.csv``, ``one-class.csv`` (kept draws in which a method predicts one class alone),
    ``remarks.csv`` (what figures rest on), ``absent.csv``, ``provenance.json``; a data set each
    ``table-{dataset}.csv``, ``.md`` and ``.tex``; a metric each ``figures/figure-{metric}.svg``
    and ``.png``, and those of `gramworks.report.answer_figures`. Rows of single labels stand apart
    from their means, in tables and figures "by label" of their own. Tables and figures of an
    earlier run that this one does not make are removed.
    """
    home, looks = Path(folder) / study.name, looks or Looks()
    drawn = read_scores(score_files)
    scores = with_derived(study.name, drawn)
    lines = score_lines(study, scores)
    stands_for = {name: data.published_as or name for name, data in study.datasets.items()}
    ranks = rank_table(lines, stands_for)
    write_one_class(home / "one-class.csv", one_class_rows(study, looks.predictions, lines))
    write_tidy(home / "answers.csv", answers(lines, looks.sizes))
    write_tidy(home / "ranks.csv", ranks)
    comparison = compare(study, scores, read_published(), absent)
    draws = draw_status(drawn)  # derived rows are no draws of their own
    write_tidy(home / "problems.csv", draws[draws["status"] != "ok"])
    write_tidy(home / "status.csv", status_rows_of(draws))
    write_tidy(home / "edges.csv", edge_counts(study.name, scores))
    left_out = [(name, *absent[name]) for name in sorted(absent)]
    write_tidy(home / "absent.csv", pd.DataFrame(left_out, columns=["dataset", "reason", "text"]))
    text = json.dumps(provenance, indent=1, sort_keys=True, ensure_ascii=False)
    write_text(home / "provenance.json", text + "\n")
    made = _write_tables(study, tables(comparison, study.metrics), home)
    figures = home / FIGURES
    found = itertools.chain(
        study_figures(study, comparison, datasets or {}, scores),
        answer_figures(lines, ranks, looks),
    )
    made |= _write_figures(found, figures)
    for path in [*home.glob("table-*.*"), *home.glob("figure-*.*"), *figures.glob("figure-*.*")]:
        if str(path.relative_to(home)) not in made:
            path.unlink()
    write_remarks(home / "remarks.csv", figure_remarks(comparison, lines, looks))
    write_tidy(home / "comparison.csv", comparison)


def build_page(
    studies: list[Study],
    folder: Path,
    *,
    benchmarks: Path,
    provenance: dict,
    datasets: list[dict],
) -> Path:
    """Write ``{folder}/index.html`` from what `tabulate_study` wrote into `folder`.

    Parameters
    ----------
    studies : list of Study
        In the order of the page.
    folder : Path
        The report's folder.
    benchmarks : Path
        Snakemake's benchmark files, ``{stage}/**/*.tsv``; may be missing.
    provenance : dict
        Versions and inputs of the run, JSON values.
    datasets : list of dict
        Keys id, title, rows, columns, checksum, source, licence, caveats.

    Returns
    -------
    Path
        The page: one file that needs no other and no network.

    Raises
    ------
    FileDamaged
        A file of a study is missing or damaged; names it and the command that makes it.
    """
    folder = Path(folder)
    results: list[StudyResults] = [read_results(study, folder / study.name) for study in studies]
    page = folder / "index.html"
    write_text(page, render(results, stage_costs(Path(benchmarks)), provenance, datasets, folder))
    return page


def _write_tables(study: Study, found: list[Table], home: Path) -> set[str]:
    made = set()
    for table in found:
        stem = f"table-{file_name(table.name)}"
        title = f"{study.title}: {table.name}"
        write_csv(home / f"{stem}.csv", table)
        write_markdown(home / f"{stem}.md", table, title=title, version=__version__)
        write_latex(home / f"{stem}.tex", table, title=title, version=__version__)
        made |= {f"{stem}.{kind}" for kind in ("csv", "md", "tex")}
    return made


def _write_figures(found: Iterable[tuple[str, Figure]], folder: Path) -> set[str]:
    folder.mkdir(parents=True, exist_ok=True)
    made = set()
    for name, figure in found:
        stem = figure_stem(name)
        save_figure(figure, folder / stem, version=__version__)
        made |= {f"{folder.name}/{stem}.svg", f"{folder.name}/{stem}.png"}
    return made
