import numpy as np
import pytest

from gramworks.learning.margin import MarginKernel
from gramworks.report.convergence import convergence_plot


def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, "a", "b")
    kernels = [np.exp(-((X[:, None] - X) ** 2).sum(-1) / w) for w in (0.3, 1.0, 5.0)]
    return MarginKernel(weights="free").fit(kernels, y)


def test_the_bounds_of_a_fit_enclose_its_objective_and_are_drawn():
    model = fitted()
    seconds, lower, upper = np.array(model.bounds_).T
    assert np.all(np.diff(seconds) > 0)
    assert np.all(np.diff(upper) <= 0)
    assert lower.max() <= model.objective_ == upper[-1]
    figure = convergence_plot({"free": model.bounds_})
    drawn = figure.axes[0].lines[1].get_xydata()  # the markers of the upper bound
    np.testing.assert_allclose(drawn, np.column_stack([1e3 * seconds, upper]))
    assert figure.axes[1].get_yscale() == "log"


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({}, "needs a run"),
        ({"free": []}, "run 'free': bounds are a list"),
        ({"own": [[(0, 1, 2), (1, 1, 2)], [(0, 1, 2)]]}, "such a list a class"),
        ([(0, 1, 2)], "maps names to bounds"),
    ],
)
def test_what_cannot_be_drawn_is_refused(runs, message):
    with pytest.raises(ValueError, match=message):
        convergence_plot(runs)
