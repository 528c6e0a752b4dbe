import numpy as np
import pytest
from numpy.testing import assert_allclose

from gramworks.errors import KernelError
from gramworks.gram import compute_gram, gram_info, read_gram
from gramworks.kernels.alignment_measure import alignment
from gramworks.kernels.gaussian_clusters_kernel import cluster_width
from gramworks.kernels.identifiers import parse_kernel


@pytest.fixture
def clouds():
    rng = np.random.default_rng(2)
    return rng.standard_normal((60, 3)) + 12.0 * np.eye(3)[np.arange(60) % 3]


def test_the_width_has_the_largest_alignment(clouds):
    squares = ((clouds[:, None] - clouds[None]) ** 2).sum(-1)
    target = (np.arange(60)[:, None] % 3 == np.arange(60) % 3).astype(float)
    widths = np.geomspace(0.1, 50, 4001)
    found = [alignment(np.exp(-squares / (2 * w**2)), target) for w in widths]
    assert cluster_width(clouds, 3) == pytest.approx(widths[np.argmax(found)], rel=2e-3)


def test_the_width_goes_with_the_scale(clouds):
    assert cluster_width(7 * clouds, 3) == pytest.approx(7 * cluster_width(clouds, 3), rel=1e-6)


def test_identifier_and_gram_file(clouds, tmp_path):
    kernel = parse_kernel("gaussian-clusters-k3")
    assert (kernel.family, kernel.parameters) == ("gaussian-clusters", {"clusters": 3})
    assert kernel.id == "gaussian-clusters-k3"
    compute_gram(tmp_path / "K.h5", clouds, kernel.id)
    width = gram_info(tmp_path / "K.h5")["parameters"]["width"]
    assert width == cluster_width(clouds, 3)
    squares = ((clouds[:, None] - clouds[None]) ** 2).sum(-1)
    assert_allclose(read_gram(tmp_path / "K.h5"), np.exp(-squares / (2 * width**2)), rtol=1e-10)


@pytest.mark.parametrize("bad", ["k1", "k2.5", "w3", "k3-k4"])
def test_bad_identifiers(bad):
    with pytest.raises(KernelError, match="clusters"):
        parse_kernel(f"gaussian-clusters-{bad}")


def test_too_few_points(clouds):
    with pytest.raises(KernelError, match="60 points; wanted are 2 clusters or more"):
        cluster_width(clouds, 60)
    with pytest.raises(KernelError, match="half of the pairs of points coincide"):
        cluster_width(np.ones((10, 2)), 2)
