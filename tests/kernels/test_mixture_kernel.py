"""The marginalised kernel of a mixture: equation (1) written out, and the estimator on it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from gramworks.errors import FitError, KernelError
from gramworks.kernels.mixtures import marginalised_mixture
from gramworks.learning import MixtureKernel


def points(n=60):
    rng = np.random.default_rng(2)
    return rng.normal(size=(n, 3)) * [0.5, 1, 2] + 4.0 * (np.arange(n) % 2)[:, None]


@pytest.mark.parametrize("covariance", ["full", "tied", "diag", "spherical"])
def test_it_is_equation_1(covariance):
    X = points()
    model = MixtureKernel(2, covariance).fit(X)
    mixture = model.mixture_
    inverses = {
        "full": lambda k: np.linalg.inv(mixture.covariances_[k]),
        "tied": lambda k: np.linalg.inv(mixture.covariances_),
        "diag": lambda k: np.diag(1 / mixture.covariances_[k]),
        "spherical": lambda k: np.eye(3) / mixture.covariances_[k],
    }[covariance]
    density = np.column_stack(
        [
            mixture.weights_[k]
            * multivariate_normal(mixture.means_[k], np.linalg.inv(inverses(k))).pdf(X)
            for k in range(2)
        ]
    )
    share = density / density.sum(axis=1, keepdims=True)  # Bayes' rule
    assert_allclose(model.shares_, share, atol=1e-9)
    expected = sum(np.outer(share[:, k], share[:, k]) * (X @ inverses(k) @ X.T) for k in range(2))
    assert_allclose(model.kernel_, expected, rtol=1e-8, atol=1e-8)
    assert np.linalg.eigvalsh(model.kernel_)[0] > -1e-8 * np.trace(expected)
    assert_allclose(model.extend(X[:5]), model.kernel_[:5], rtol=1e-9, atol=1e-9)


def test_points_of_different_components_are_hardly_alike():
    X = points()
    own = np.arange(60) % 2
    K = MixtureKernel(2).fit(X).kernel_
    unit = K / np.sqrt(np.outer(np.diag(K), np.diag(K)))
    assert np.abs(unit[own[:, None] != own]).max() < 0.01


def test_what_cannot_be_fitted_is_said():
    with pytest.raises(FitError, match="components=5 with 3 points"):
        MixtureKernel(5).fit(points(3))
    with pytest.raises(FitError, match="covariance='fill'"):
        MixtureKernel(2, "fill").fit(points())
    with pytest.raises(FitError, match="X_new has 2 columns, the fit had 3"):
        MixtureKernel(2).fit(points()).extend(points()[:, :2])
    with pytest.raises(KernelError, match="wanted is"):
        marginalised_mixture(points(), np.ones((60, 3)), [1.0, 1.0])


def test_the_fit_before_stays_where_the_next_one_fails_or_is_not_made():
    X = points()
    model = MixtureKernel(2, random_state=0).fit(X)
    before = model.extend(X[:5])
    with pytest.raises(FitError):
        model.set_params(random_state="x").fit(X)
    assert_allclose(model.set_params(covariance="tied").extend(X[:5]), before)
