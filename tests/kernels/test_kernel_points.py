import numpy as np
import pytest
import scipy.sparse as sp

from gramworks.datasets.dataset import Dataset
from gramworks.datasets.registry import load_entry
from gramworks.errors import KernelError
from gramworks.kernel_points import check_points, points_for

GRAPH = sp.csr_array(np.ones((3, 3)))
BLOCK = np.arange(6.0).reshape(3, 2)
COUNTS = sp.csr_array(np.ones((3, 2)))


def dataset(X, **views):
    return Dataset("d", X, np.array([0, 1, 0]), ["a", "b"], [], views=views)


def test_a_kernel_gets_its_view():
    data = dataset(["MKV", "MKL", "MK"], graph=GRAPH, block=BLOCK, counts=COUNTS)
    assert points_for(data, "diffusion-b1-unit@graph") is GRAPH
    assert points_for(data, "gaussian-median@block") is BLOCK
    assert points_for(data, "linear@counts") is COUNTS
    assert points_for(data, "correlation-t0.8-b1@block") is BLOCK
    assert points_for(data, "smith-waterman-mapped") is data.X
    assert points_for(dataset(BLOCK), "linear") is not None


@pytest.mark.parametrize(
    ("X", "kernel", "said"),
    [
        (BLOCK, "linear@grap", "data set 'd' has no view 'grap'; did you mean 'graph'"),
        (BLOCK, "linear@graph", "view 'graph' .* is a graph, .* take diffusion-b1 there"),
        (BLOCK, "correlation-t0.8-b1@graph", "is a graph, and correlation compares vectors"),
        (BLOCK, "diffusion-b1", "X of data set 'd' is vectors.*name a view with @: graph"),
        (BLOCK, "diffusion-b1", "diffusion compares nodes of a graph; .*correlation-t0.8-b1"),
        (BLOCK, "smith-waterman-mapped", "is vectors of features, and .* compares strings"),
        (["a", "b", "c"], "linear", "is strings, and linear compares vectors of features"),
    ],
)
def test_points_that_do_not_fit_are_refused(X, kernel, said):
    with pytest.raises(KernelError, match=said):
        points_for(dataset(X, graph=GRAPH), kernel)


def test_a_data_set_without_views_says_so():
    with pytest.raises(KernelError, match="has no view 'v'; it has none: leave out @"):
        points_for(dataset(BLOCK), "linear@v")


@pytest.mark.parametrize(
    ("name", "kernel", "said"),
    [
        ("yeast-networks", "diffusion-b1@krogan", "no view 'krogan'"),
        ("yeast-networks", "diffusion-b1", "X .* is strings.*name a view with @: costanzo-2016"),
        ("yeast-networks", "linear@krogan-2006", "is a graph"),
        ("yeast-multilabel", "diffusion-b1@expression", "is vectors"),
        ("brown-selected", "linear@brown", "no view 'brown'"),
        ("iris", "linear@brown", "it has none"),
    ],
)
def test_the_registry_tells_it_before_there_are_data(name, kernel, said):
    with pytest.raises(KernelError, match=said):
        check_points(load_entry(name).facts, kernel, name)


def test_what_fits_passes():
    check_points(load_entry("yeast-networks").facts, "diffusion-b1-unit@krogan-2006", "d")
    check_points(load_entry("yeast-multilabel").facts, "gaussian-median@expression", "d")
    check_points(load_entry("iris").facts, "linear", "d")
