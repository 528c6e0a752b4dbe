import numpy as np

from gramworks.solvers.overlap import overlap


def test_points_on_a_line():
    x = np.arange(6.0) - 2.5
    K = np.outer(x, x)
    assert not overlap(K, np.sign(x - 0.7))  # the intercept counts
    assert overlap(K, np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]))
    assert overlap(1e-8 * K, np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0]))


def test_repeated_points_of_two_classes():
    K = np.kron(np.eye(3), np.ones((4, 4)))
    assert overlap(K, np.tile([1.0, -1.0], 6))
    assert not overlap(K, np.repeat([1.0, -1.0, 1.0], 4))


def test_full_rank_is_left_to_the_machine_and_zero_overlaps():
    assert not overlap(np.eye(4), np.array([1.0, -1.0, 1.0, -1.0]))
    assert overlap(np.zeros((4, 4)), np.array([1.0, -1.0, 1.0, -1.0]))
