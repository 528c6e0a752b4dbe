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


@pytest.mark.parametrize("runs", [{}, {"free": []}])
def test_nothing_to_draw_is_refused(runs):
    with pytest.raises(ValueError, match="one triple of bounds"):
        convergence_plot(runs)
