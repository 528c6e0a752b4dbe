"""The report's page: one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import math
from pathlib import Path

import jinja2
import markupsafe

from gramworks import __version__
from gramworks.report.answer_figures import FIRST
from gramworks.report.answer_section import answer_section
from gramworks.report.answers import FINDINGS
from gramworks.report.benchmarks import StageCost
from gramworks.report.cells import ASSUMED, INCOMPLETE, MARKS
from gramworks.report.data_notes import data_notes
from gramworks.report.escaping import printable
from gramworks.report.page_text import breakable, duration, flat
from gramworks.report.papers import OWN, PAPERS, TITLES
from gramworks.report.raw_files import RawFiles
from gramworks.report.results import StudyResults
from gramworks.report.scores import STATUSES
from gramworks.report.study_section import study_section
from gramworks.report.tables import READING
from gramworks.report.verdict_grid import count_verdicts
from gramworks.report.verdicts import REASONS, VERDICTS

MOST_EMBEDDED = 7_000_000
"""Letters of figures in the page, which is to stay below 10 MB."""


def render(
    results: list[StudyResults],
    costs: list[StageCost],
    provenance: dict,
    datasets: list[dict],
    folder: Path,
) -> str:
    """Render the page.

    Parameters
    ----------
    results : list of StudyResults
    costs : list of StageCost
    provenance : dict
    datasets : list of dict
        See `gramworks.report.build.build_page` for both.
    folder : Path
        Where the page will lie: raw files that links lead to are looked for from there.

    Returns
    -------
    str
        HTML without any reference that a browser would fetch. All text is escaped by the
        templates; equal input gives equal text. Its one script is named by its hash in the
        page's content security policy, so that no other one runs.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gramworks.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters["duration"] = duration
    environment.filters["breakable"] = breakable
    script = environment.loader.get_source(environment, "tables.js")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    raw = RawFiles(folder)
    studies = [study_section(found, raw) for found in results]
    embed(studies)
    totals = {status: sum(r.status.get(status, 0) for r in results) for status in STATUSES}
    return environment.get_template("index.html.j2").render(
        version=__version__,
        studies=studies,
        papers=_papers(studies, raw),
        answers=[
            answer_section(found, raw) | {"data": data_notes(found.study, datasets)}
            for found in _own_first(results)
        ],
        findings=FINDINGS,
        first_figures=FIRST,
        script=markupsafe.Markup(script),
        script_hash=digest,
        totals=totals,
        total=sum(totals.values()),
        statuses=STATUSES,
        verdicts=VERDICTS,
        marks=MARKS,
        reasons=REASONS,
        incomplete=INCOMPLETE,
        assumed=ASSUMED,
        reading=READING,
        costs=costs,
        cost_total=math.fsum(cost.seconds for cost in costs),
        memory_most=max((c.memory_mb for c in costs if c.memory_mb == c.memory_mb), default=None),
        datasets=datasets,
        provenance=list(flat(provenance)),
    )


def embed(studies: list[dict], most: int = MOST_EMBEDDED) -> None:
    """Take figures out of the page until the rest fits, the largest folded away first.

    They stay beside the page, which links to them.
    """
    figures = [figure for study in studies for figure in study["figures"]]
    total = sum(len(figure["source"]) for figure in figures)
    for figure in sorted(figures, key=lambda f: (f["first"], -len(f["source"]))):
        if total <= most:
            return
        total -= len(figure["source"])
        figure["source"] = ""


def _own_first(results: list[StudyResults]) -> list[StudyResults]:
    return sorted(results, key=lambda found: bool(found.study.paper))


def _papers(studies: list[dict], raw: RawFiles) -> list[dict]:
    """Group studies by their papers, those of none first."""
    found: dict[str, list[dict]] = {}
    for study in sorted(studies, key=lambda study: bool(study["paper"])):
        found.setdefault(study["paper"], []).append(study)
    return [
        {
            "name": paper,
            "title": TITLES.get(paper, paper) if paper else OWN,
            "cited": PAPERS.get(paper, ""),
            "notes": raw.notes(paper) if paper else "",
            "studies": own,
            "counts": count_verdicts([line for study in own for line in study["grid"]]),
        }
        for paper, own in found.items()
    ]
