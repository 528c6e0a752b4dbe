"""Digits of 28 x 28 made 16 x 16, against repetition and block means."""

import numpy as np

from gramworks.datasets.digits import shrink_digits


def test_equals_block_means_of_repeated_pixels():
    images = np.random.default_rng(0).integers(0, 256, (20, 784))
    inner = images.reshape(20, 28, 28)[:, 4:24, 4:24]
    fine = inner.repeat(4, axis=1).repeat(4, axis=2)  # 80 = 16 * 5
    expected = fine.reshape(20, 16, 5, 16, 5).mean(axis=(2, 4)) / 127.5 - 1
    np.testing.assert_allclose(shrink_digits(images).reshape(20, 16, 16), expected, atol=1e-14)


def test_range_border_and_mass():
    blank, full = shrink_digits(np.array([[0] * 784, [255] * 784]))
    assert (blank == -1).all()
    assert (full == 1).all()
    border = np.ones((28, 28), dtype=np.int64)
    border[4:24, 4:24] = 0
    assert (shrink_digits(255 * border.reshape(1, 784)) == -1).all()
    one = np.zeros((28, 28))
    one[10, 13] = 255
    (small,) = shrink_digits(one.reshape(1, 784)) + 1
    np.testing.assert_allclose(small.sum(), 2 / 1.25**2)
