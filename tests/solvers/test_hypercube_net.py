import numpy as np
import pytest
from scipy.linalg import expm

from gramworks.errors import FitError
from gramworks.solvers.hypercube_net import store_memories


def corners(m, d, seed=0):
    return np.random.default_rng(seed).choice([-1.0, 1.0], (m, d))


def test_memories_are_recalled_from_a_damaged_half():
    memories = corners(4, 64)
    net = store_memories(memories)
    assert net.rank == 3
    damaged = memories.copy()
    damaged[:, 32:] = 0.0
    result = net.equilibria(damaged)
    assert result.converged.all()
    np.testing.assert_allclose(result.states, memories, atol=1e-9)


def test_equilibria_rest():
    memories = corners(5, 20)
    net = store_memories(memories)
    at_rest = net.equilibria(memories)
    np.testing.assert_allclose(at_rest.states, memories, atol=1e-12)
    assert at_rest.n_iter <= 2
    starts = np.random.default_rng(1).uniform(-1, 1, (50, 20))
    result = net.equilibria(starts)
    assert result.converged.all()
    moved = np.clip(result.states @ net.weights.T + net.bias, -1, 1)
    np.testing.assert_allclose(moved, result.states, atol=1e-8)
    one = net.equilibria(starts[3:4])
    np.testing.assert_allclose(one.states[0], result.states[3], atol=1e-12)


@pytest.mark.parametrize("m", [1, 2, 6])
def test_a_step_solves_the_differential_equation(m):
    """x(step) of x' = T x + I, from the exponential of the augmented matrix."""
    d, tau, step = 7, 4.0, 0.2
    memories = corners(m, d, seed=m)
    net = store_memories(memories, tau=tau, step=step)
    P = np.zeros((d, d))
    if m > 1:
        S = (memories[:-1] - memories[-1]).T
        P = S @ np.linalg.pinv(S)
    T = P - tau * (np.eye(d) - P)
    bias = memories[-1] - T @ memories[-1]
    np.testing.assert_allclose(T @ memories.T + bias[:, None], memories.T, atol=1e-12)
    augmented = np.zeros((d + 1, d + 1))
    augmented[:d, :d], augmented[:d, d] = T * step, bias * step
    exact = expm(augmented)
    np.testing.assert_allclose(net.weights, exact[:d, :d], atol=1e-12)
    np.testing.assert_allclose(net.bias, exact[:d, d], atol=1e-12)


def test_one_memory_attracts_everything():
    memory = corners(1, 9)
    result = store_memories(memory).equilibria(corners(20, 9, seed=3))
    assert result.converged.all()
    np.testing.assert_allclose(result.states, np.repeat(memory, 20, axis=0), atol=1e-8)
    again = store_memories(np.repeat(memory, 3, axis=0))
    assert again.rank == 0


def test_states_that_do_not_come_to_rest_are_said():
    net = store_memories(corners(5, 20))
    result = net.equilibria(np.random.default_rng(1).uniform(-0.01, 0.01, (6, 20)), max_iter=2)
    assert not result.converged.any()
    assert result.n_iter == 2


def test_unusable_memories_and_states_are_refused():
    net = store_memories(corners(3, 5))
    for call, said in [
        (lambda: store_memories([[0.0, 1.5]]), "1.5 at row 0, column 1; states are within"),
        (lambda: store_memories([[np.nan]]), "nan at row 0"),
        (lambda: store_memories([]), "shape"),
        (lambda: store_memories([["a"]]), "not numbers"),
        (lambda: store_memories([[1.0]], tau=0.0), "tau=0.0"),
        (lambda: store_memories([[1.0]], step=np.inf), "step=inf"),
        (lambda: net.equilibria(np.zeros((2, 4))), "the net has 5"),
        (lambda: net.equilibria(np.full((2, 5), 2.0)), "states has 2"),
    ]:
        with pytest.raises(FitError, match=said):
            call()
