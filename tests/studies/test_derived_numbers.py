import types

import pandas as pd
import pytest

from gramworks.errors import DataError
from gramworks.score_files import COLUMNS
from gramworks.studies import derived

ROW = dict.fromkeys(COLUMNS, "") | {
    "study": "a-study", "dataset": "d", "method": "m", "repeat": 0, "metric": "x", "value": 1.0,
    "status": "ok",
}  # fmt: skip
SCORES = pd.DataFrame(
    [ROW, ROW | {"repeat": 1, "value": 2.0}, ROW | {"repeat": 2, "metric": "", "value": None}]
).astype({"repeat": "Int64", "value": float})


@pytest.fixture
def module(monkeypatch):
    """Give every study a module that sums the values."""

    def derive(rows):
        assert [row["repeat"] for row in rows] == [0, 1, 2]
        assert rows[2]["value"] is None
        total = sum(row["value"] for row in rows if row["metric"] == "x")
        return [rows[0] | {"metric": "total", "value": total}]

    made = types.SimpleNamespace(METRICS=("total",), derive=derive)
    monkeypatch.setattr(derived, "derived_module", lambda study: "its.module")
    monkeypatch.setattr(derived.importlib, "import_module", lambda name: made)
    return made


@pytest.mark.parametrize("study", ["smoke", "study-file", "derived", "a.b", "--init--", "1"])
def test_studies_without_a_module(study):
    assert derived.derived_module(study) is None
    assert derived.derives(study) == set()
    assert derived.with_derived(study, SCORES) is SCORES


def test_derived_rows_stand_below_the_scores(module):
    found = derived.with_derived("a-study", SCORES)
    pd.testing.assert_frame_equal(found.iloc[:3], SCORES)
    assert found.iloc[3].to_dict() == ROW | {"metric": "total", "value": 3.0}
    assert found.dtypes.equals(SCORES.dtypes)
    assert derived.derives("a-study") == {"total"}


def test_no_derived_rows(module):
    module.derive = lambda rows: []
    assert derived.with_derived("a-study", SCORES) is SCORES


@pytest.mark.parametrize("row", [{"value": 1}, ROW | {"metric": "totl"}, ROW | {"more": 1}])
def test_unusable_derived_rows_are_refused(module, row):
    module.derive = lambda rows: [row]
    with pytest.raises(DataError, match=r"its\.module\.derive returned .* metrics total"):
        derived.with_derived("a-study", SCORES)
