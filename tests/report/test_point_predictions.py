"""What is kept of single points is what was scored."""

import numpy as np
import pytest

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.splits import Splits
from gramworks.draws import run_draws
from gramworks.errors import FileDamaged
from gramworks.merging import write_predictions
from gramworks.methods.registry import load_method
from gramworks.point_draws import point_keeper
from gramworks.report.point_predictions import read_predictions

HOSTILE = '=cmd|" /C calc"!A0, <script>alert(1)</script>'


@pytest.fixture
def task():
    rng = np.random.default_rng(0)
    y = np.arange(20) % 2
    X = rng.normal(size=(20, 2)) + y[:, None]
    dataset = Dataset("own", X, y, ["no", HOSTILE], ["a", "b"])
    order = np.stack([rng.permutation(20) for _ in range(3)])
    # points 0.. of the last columns are left out, so that rows of a draw are not rows of the data
    splits = Splits(order[:, :10], np.zeros((3, 0), dtype=int), np.sort(order[:, 10:16]))
    return dataset, {"": splits}, {"K1": X @ X.T}


def kept(method, settings, parameters, dataset, *more, repeats):
    """Run all draws and keep the points of the first ones."""
    rows = []
    run_draws(
        method, settings, parameters, dataset, *more, study="own", repeats=range(3),
        keep=point_keeper(dataset, repeats, rows), log=lambda text: None,
    )  # fmt: skip
    return rows


def test_predictions_give_the_scores_again(task, tmp_path):
    dataset, splits, kernels = task
    method = load_method("svm")
    given = (method, [{"C": 1}], {}, dataset, splits, kernels)
    rows = kept(*given, repeats=2)
    write_predictions(tmp_path / "svm.csv", rows)
    assert ",=cmd" not in (tmp_path / "svm.csv").read_text().replace('"', "")
    table = read_predictions({"svm": tmp_path / "svm.csv"})
    assert sorted(set(table["repeat"])) == [0, 1]
    assert set(table["truth"]) == {"no", HOSTILE}
    scores, _ = run_draws(*given, study="own", repeats=range(3), log=lambda text: None)
    for repeat, own in table.groupby("repeat"):
        assert own["point"].tolist() == splits[""].test[repeat].tolist()
        assert own["truth"].tolist() == [dataset.classes[dataset.y[p]] for p in own["point"]]
        error = 100 * (own["truth"] != own["prediction"]).mean()
        [scored] = [
            float(row["value"])
            for row in scores
            if row["metric"] == "test-error-percent" and row["repeat"] == repeat
        ]
        assert error == pytest.approx(scored)
        assert ((own["decision"] > 0) == (own["prediction"] == HOSTILE)).all()
        assert set(own["positive"]) == {HOSTILE}


def test_what_a_method_does_not_do_leaves_no_rows(task, tmp_path):
    dataset, splits, kernels = task
    numbers = Dataset("own", dataset.X, dataset.y.astype(float), [], ["a", "b"])
    assert not kept(load_method("svm"), [{"C": 1}], {}, numbers, splits, kernels, repeats=1)
    assert not kept(load_method("svm"), [{"C": 1}], {}, dataset, splits, kernels, repeats=0)
    write_predictions(tmp_path / "svm.csv", [])
    assert read_predictions({"svm": tmp_path / "svm.csv"}).empty
    assert read_predictions({}).empty
    rows = [("", 0, 3, "no", "no", "", ""), ("", 0, 4, HOSTILE, "no", "0.5", HOSTILE)]
    write_predictions(tmp_path / "svm.csv", rows)
    decision = read_predictions({"svm": tmp_path / "svm.csv"})["decision"]
    assert np.isnan(decision[0])
    assert decision[1] == 0.5
    write_predictions(tmp_path / "svm.csv", [("", 0, 3, "no", "no", "much", "no")])
    with pytest.raises(FileDamaged, match=r"svm.csv.*no number"):
        read_predictions({"svm": tmp_path / "svm.csv"})
    (tmp_path / "svm.csv").write_text("cut")
    with pytest.raises(FileDamaged, match="svm.csv"):
        read_predictions({"svm": tmp_path / "svm.csv"})
