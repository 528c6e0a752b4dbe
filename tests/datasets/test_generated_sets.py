"""Generators: what they draw is what their descriptions say."""

from collections import Counter

import numpy as np
import pytest

from gramworks.datasets.generators import transition_strings, two_gaussians, two_moons
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import load_entry
from gramworks.datasets.sources import fetch
from gramworks.errors import DataError

N = 6000


@pytest.fixture(scope="module")
def strings():
    entry = load_entry("transition-strings")
    return transition_strings.generate(entry, transition_strings.Parameters(size=N), 5)


def test_inputs_walk_as_their_class_says(strings):
    assert {len(text) for text in strings.X} == set(range(10, 16))
    for code, (letters, repeat) in enumerate([("abcd", 0.25), ("abcd", 0.7), ("cd", 0.7)]):
        texts = [x for x, g in zip(strings.X, strings.groups, strict=True) if g == code]
        assert abs(len(texts) / N - 1 / 3) < 6 * np.sqrt(2 / 9 / N)
        assert set("".join(texts)) == set(letters)
        start = Counter(text[0] for text in texts)
        for letter in letters:
            p = 1 / len(letters)
            assert abs(start[letter] / len(texts) - p) < 6 * np.sqrt(p * (1 - p) / len(texts))
        steps = Counter(pair for text in texts for pair in zip(text, text[1:], strict=False))
        total = Counter(first for first, _ in steps.elements())
        for a in letters:
            for b in letters:
                p = repeat if a == b else (1 - repeat) / (len(letters) - 1)
                error = 6 * np.sqrt(p * (1 - p) / total[a])
                assert abs(steps[a, b] / total[a] - p) < error


def test_outputs_are_answers_with_insertions_and_deletions(strings):
    lengths = Counter(map(len, strings.y))
    # Insertions and deletions are independent, each 0, 1, 2 with probability 0.55, 0.3, 0.15.
    p = np.convolve([0.55, 0.3, 0.15], [0.15, 0.3, 0.55])
    for change, share in zip(range(-2, 3), p, strict=True):
        assert abs(lengths[4 + change] / N - share) < 6 * np.sqrt(share * (1 - share) / N)
    assert set(lengths) <= set(range(2, 7))
    answers = ("abad", "dbbd", "aabc")
    clean = [y == answers[g] for y, g in zip(strings.y, strings.groups, strict=True)]
    # Untouched, or a change that is taken back: 0.3025 and a little more.
    assert 0.3025 - 0.04 < np.mean(clean) < 0.40
    assert set("".join(strings.y)) <= set("abcd")


def test_strings_are_structured_with_classes(strings):
    assert strings.task == "structured"
    np.testing.assert_array_equal(strings.strata, strings.groups)
    with pytest.raises(DataError, match="structured outputs of 3 classes"):
        transition_strings.generate(
            load_entry("two-moons"), transition_strings.Parameters(size=9), 1
        )


def test_moons_are_half_circles():
    parameters = two_moons.Parameters(sizes=[3000, 2000], noise=0.0)
    dataset = two_moons.generate(load_entry("two-moons"), parameters, 3)
    assert np.bincount(dataset.y).tolist() == [3000, 2000]
    upper, lower = dataset.X[dataset.y == 0], dataset.X[dataset.y == 1]
    np.testing.assert_allclose(np.hypot(*upper.T), 1, atol=1e-9)
    np.testing.assert_allclose(np.hypot(*(lower - [1, 0.5]).T), 1, atol=1e-9)
    assert upper[:, 1].min() >= 0
    assert lower[:, 1].max() <= 0.5
    noisy = two_moons.Parameters(sizes=[3000, 2000], noise=0.1)
    radius = np.hypot(*two_moons.generate(load_entry("two-moons"), noisy, 3).X.T)
    assert 0.09 < radius[dataset.y == 0].std() < 0.11


def test_gaussians_have_their_means_and_covariances():
    entry = load_entry("two-gaussians")
    values = entry.sources[0].parameters
    parameters = two_gaussians.Parameters.model_validate(
        {"clusters": [{**cluster, "size": N} for cluster in values["clusters"]]}
    )
    dataset = two_gaussians.generate(entry, parameters, 2)
    for code, cluster in enumerate(parameters.clusters):
        points = dataset.X[dataset.y == code]
        s, t = cluster.deviations
        covariance = np.array([[s * s, cluster.correlation * s * t],
                               [cluster.correlation * s * t, t * t]])  # fmt: skip
        np.testing.assert_allclose(points.mean(axis=0), cluster.mean, atol=6 * t / np.sqrt(N))
        np.testing.assert_allclose(np.cov(points.T), covariance, atol=9 * t * t / np.sqrt(N))


@pytest.mark.parametrize("name", ["two-moons", "two-gaussians", "transition-strings"])
def test_seeds_make_the_draw(name, tmp_path):
    entry = load_entry(name)
    fetch(entry, tmp_path, log=lambda line: None)
    assert list(parse(entry, tmp_path).y) == list(parse(entry, tmp_path).y)
    source = entry.sources[0].model_copy(update={"seed": 2})
    with pytest.raises(DataError, match="checksum"):
        parse(entry.model_copy(update={"sources": [source]}), tmp_path)
