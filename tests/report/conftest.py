import pandas as pd
import pytest

from gramworks.report.published import COLUMNS as PUBLISHED
from gramworks.report.published import read_published
from gramworks.report.scores import COLUMNS as SCORES
from gramworks.studies.study_file import Study

HOSTILE = "<script>alert(1)</script> $x_1$ | a_b & 50% \\LaTeX `c` \x07#~^{}[x](y)"


@pytest.fixture
def make_study():
    def make(**changes):
        values = {
            "name": "small",
            "title": "A small study",
            "datasets": {"sonar-rounded": {"published_as": "sonar"}, "iris": {}, "heart": {}},
            "kernels": ["linear"],
            "splits": {"kind": "random-fraction", "test": 0.2, "repeats": 4},
            "methods": {"svm": {}, "knn": {}, "majority": {}},
            "metrics": ["test-error-percent", "weight-1"],
        }
        return Study.model_validate(values | changes)

    return make


@pytest.fixture
def write_scores(tmp_path):
    """Write rows given as dicts, missing keys by default those of an ok row of study small."""

    def write(rows, name="scores.csv"):
        blank = dict.fromkeys(SCORES, "") | {"study": "small", "repeat": 0, "status": "ok"}
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        table = pd.DataFrame([blank | row for row in rows], columns=list(SCORES))
        table.to_csv(path, index=False, lineterminator="\n")
        return path

    return write


@pytest.fixture
def make_published(tmp_path):
    def make(rows):
        blank = dict.fromkeys(PUBLISHED, "") | {"study": "small", "paper": "some-paper"}
        path = tmp_path / "published.csv"
        table = pd.DataFrame([blank | row for row in rows], columns=list(PUBLISHED))
        table.to_csv(path, index=False)
        return read_published(path)

    return make


@pytest.fixture
def draws():
    """Rows of one cell, a value a repeat."""

    def make(dataset, method, values, metric="test-error-percent", setting="", **more):
        cell = {"dataset": dataset, "method": method, "setting": setting, "metric": metric}
        return [cell | {"repeat": i, "value": f"{v:.10g}"} | more for i, v in enumerate(values)]

    return make


@pytest.fixture
def hostile():
    return HOSTILE
