"""Gram matrices by rows: jobs of their own, what they rerun for, and float32."""

import numpy as np
import pytest

from gramworks.gram import gram_info, read_gram

pytestmark = pytest.mark.workflow

ONE = "results/gram/iris-two/none/linear.h5"
ROWS = ("0-33", "34-67", "68-99")


@pytest.fixture(scope="module")
def by_rows(new_project, tmp_path_factory):
    """A finished run whose matrices are made by rows: tiles are small, so that there are some."""
    project = new_project(tmp_path_factory.mktemp("rows") / "project")
    project.edit("src/gramworks/kernels/tiles.py", "LARGEST_TILE = 512", "LARGEST_TILE = 40")
    project.edit("config/studies/tiny.yaml", "gaussian-w1-unit", "gaussian-w1-centred-unit")
    project.write("config.yaml", "studies: [tiny]\ngram_rows_a_job: 40\n")
    project.run()
    return project


def blocks(kernel="linear", end=".h5"):
    return {f"results/gram/iris-two/none/{kernel}/{rows}{end}" for rows in ROWS}


def test_scores_are_those_of_one_job(by_rows, tmp_path):
    assert blocks() | blocks("gaussian-w1-centred-unit") <= by_rows.stamps().keys()
    assert blocks("gaussian-w1-centred-unit", ".sums.h5") <= by_rows.stamps().keys()
    assert not blocks(end=".sums.h5") & by_rows.stamps().keys()
    assert gram_info(by_rows.folder / ONE)["blocks"] == [[0, 33], [34, 67], [68, 99]]
    one = by_rows.copy(tmp_path / "project")
    one.write("config.yaml", "studies: [tiny]\n")
    changed = one.rerun()
    for kernel in ("linear", "gaussian-w1-centred-unit"):
        path = f"results/gram/iris-two/none/{kernel}.h5"
        assert path in changed
        assert "blocks" not in gram_info(one.folder / path)
        assert np.array_equal(read_gram(one.folder / path), read_gram(by_rows.folder / path))
    for method in ("svm", "kernel-ridge"):
        assert one.scores(method) == by_rows.scores(method)


def test_what_reruns(by_rows, tmp_path):
    done = by_rows.copy(tmp_path / "project")
    assert done.rerun() == set()
    # A block that is gone is made again, and what it is a part of.
    block = done.folder / min(blocks())
    block.unlink()
    changed = done.rerun()
    assert {name for name in changed if name.startswith("results/gram/")} == {min(blocks()), ONE}
    # A line of one kernel's module.
    name = "src/gramworks/kernels/linear_kernel.py"
    done.write(name, (done.folder / name).read_text() + "\n\n_EDITED = 1\n")
    changed = done.rerun()
    assert {name for name in changed if name.startswith("results/gram/")} == {*blocks(), ONE}


def test_another_precision_makes_all_matrices_again(by_rows, tmp_path):
    done = by_rows.copy(tmp_path / "project")
    done.write("config.yaml", "studies: [tiny]\ngram_rows_a_job: 40\ngram_precision: float32\n")
    changed = done.rerun()
    assert {*blocks(), *blocks("gaussian-w1-centred-unit"), ONE} <= changed
    assert gram_info(done.folder / ONE)["check"]["precision"] == "float32"
    K = read_gram(by_rows.folder / ONE)
    assert np.array_equal(read_gram(done.folder / ONE), K.astype(np.float32))


def test_a_refused_block_is_rows_with_the_reason(by_rows, tmp_path):
    done = by_rows.copy(tmp_path / "project")
    # A degree at which the polynomial overflows.
    done.edit("config/studies/tiny.yaml", "gaussian-w1-centred-unit", "poly-d400-o1-centred")
    done.edit("config/studies/tiny.yaml", "{C: 1, kernel: K1}", "{C: 1, kernel: K2}")
    done.run()
    reasons = {row["reason"] for row in done.rows("svm")}
    assert len(reasons) == 1
    assert reasons.pop().startswith("gram-refused: poly-d400-o1-centred on iris-two")
