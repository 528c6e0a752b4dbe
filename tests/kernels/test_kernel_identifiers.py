import ast
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramworks.errors import KernelError
from gramworks.kernels import identifiers
from gramworks.kernels.identifiers import families, family_module, kernel_module, parse_kernel
from gramworks.kernels.tiles import fill

positive = st.floats(1e-100, 1e100)
transforms = st.lists(st.sampled_from(["mapped", "centred", "unit"]), unique=True)
cores = st.one_of(
    st.just(("linear", {})),
    st.just(("gaussian", {"width": "median"})),
    st.builds(lambda w: ("gaussian", {"width": w}), positive),
    st.builds(
        lambda d, o: ("poly", {"degree": d, "offset": o}),
        st.integers(1, 1000),
        st.one_of(st.just(0.0), positive),
    ),
)
EXAMPLES = {
    "concepts": "concepts-r50",
    "correlation": "correlation-t0.8-b1",
    "diffusion": "diffusion-b1",
    "gaussian": "gaussian-median",
    "gaussian-clusters": "gaussian-clusters-k30",
    "linear": "linear",
    "poly": "poly-d2-o1",
    "precomputed": "precomputed",
    "smith-waterman": "smith-waterman-mapped",
    "spectrum": "spectrum-l3",
    "subsequence": "subsequence-l3-d0.5",
}
views = st.none() | st.from_regex("[A-Za-z0-9_-][A-Za-z0-9_.-]{0,8}", fullmatch=True)


@given(cores, transforms, views)
def test_round_trip(core, suffixes, view):
    family, parameters = core
    kernel = identifiers.KernelId(family, parameters, tuple(suffixes), view)
    parsed = parse_kernel(kernel.id)
    assert parsed == kernel
    assert parsed.id == kernel.id
    number = (
        kernel.id.partition("@")[0]
        .replace("gaussian-median", "")
        .replace("unit", "")
        .replace("centred", "")
    )
    assert "e" not in number.replace("linear", "").replace("mapped", "")


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("linear", "linear"),
        ("gaussian-w0.20", "gaussian-w0.2"),
        ("gaussian-w007.00-unit", "gaussian-w7-unit"),
        ("gaussian-w0.0000100", "gaussian-w0.00001"),
        ("gaussian-w1" + "0" * 22, "gaussian-w1" + "0" * 22),
        ("poly-d02-o1.0-unit-centred", "poly-d2-o1-unit-centred"),
        ("poly-d2.0-o0-centred-unit", "poly-d2-o0-centred-unit"),
        ("gaussian-median-centred", "gaussian-median-centred"),
        ("gaussian-w0.50-unit@cold.shock", "gaussian-w0.5-unit@cold.shock"),
        ("diffusion-b1.0-unit@krogan-2006", "diffusion-b1-unit@krogan-2006"),
        ("correlation-t0.80-b01@unit", "correlation-t0.8-b1@unit"),
        ("smith-waterman-mapped-unit", "smith-waterman-o11-e1-mapped-unit"),
        ("smith-waterman-o10.0-e02-unit-mapped@s", "smith-waterman-o10-e2-unit-mapped@s"),
        ("subsequence-l03-d0.010", "subsequence-l3-d0.01"),
        ("subsequence-l3.0-d1.0-raw-centred-unit@s", "subsequence-l3-d1-raw-centred-unit@s"),
        ("spectrum-l05-unit", "spectrum-l5-unit"),
        ("spectrum-l1-raw", "spectrum-l1-raw"),
    ],
)
def test_canonical_form(written, canonical):
    assert parse_kernel(written).id == canonical


def test_transforms_keep_their_order():
    assert parse_kernel("linear-unit-centred").transforms == ("unit", "centred")
    assert parse_kernel("linear-centred-unit").transforms == ("centred", "unit")


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("gausian-w1", "did you mean 'gaussian'"),
        ("Linear", "no family 'Linear'"),
        ("", "no family ''"),
        ("linear-x", "'x' after 'linear'"),
        ("linear-unit-unit", "may stand once"),
        ("linear-unit-centred-unit", "may stand once"),
        ("unit-linear", "no family 'unit'"),
        ("gaussian", "wants a width or 'median'"),
        ("gaussian-unit", "wants a width or 'median'"),
        ("gaussian-w", "plain decimals"),
        ("gaussian-w0", "above 0"),
        ("gaussian-w-1", "wants a width"),
        ("gaussian-w1e3", "plain decimals"),
        ("gaussian-w1e-3", "wants a width"),
        ("gaussian-w.5", "plain decimals"),
        ("gaussian-w1_0", "plain decimals"),
        ("gaussian-w\u0661", "plain decimals"),
        ("gaussian-w" + "9" * 400, "too large"),
        ("gaussian-mean", "plain decimals"),
        ("linear@", "after @ comes a view"),
        ("linear@a@b", "after @ comes a view"),
        ("linear@..", "dots alone"),
        ("linear@a/b", "after @ comes a view"),
        ("@linear", "no family ''"),
        ("linear-mapped-mapped", "may stand once"),
        ("diffusion", "wants a beta"),
        ("diffusion-1", "plain decimals"),
        ("diffusion-b1-b2", "wants a beta"),
        ("correlation-t0.8", "a threshold and a beta"),
        ("correlation-t1-b1", "below 1"),
        ("smith-waterman", "take them under .*: smith-waterman-o11-e1-mapped[.]"),
        ("smith-waterman-unit@s", "smith-waterman-o11-e1-mapped-unit@s"),
        ("smith-waterman-o11-mapped", "the costs of a gap"),
        ("smith-waterman-o1.5-e1-mapped", "an integer"),
        ("smith-waterman-o1-e2-mapped", "gap_extend <= gap_open"),
        ("smith", "no family 'smith'; "),
        ("subsequence-l3", "a length and a decay"),
        ("subsequence-d0.5-l3", "plain decimals"),
        ("subsequence-l3-d0.5-raw-raw", "a length and a decay"),
        ("subsequence-l3-d0.5-unit-raw", "a length and a decay"),
        ("subsequence-l0-d0.5", "whole number from 1"),
        ("subsequence-l1.5-d0.5", "whole number from 1"),
        ("subsequence-l3-d0", "above 0 and up to 1"),
        ("subsequence-l3-d1.5", "above 0 and up to 1"),
        ("subsequence-l80-d0.0001-raw", "below 1e-300"),
        ("spectrum", "wants a length"),
        ("spectrum-l3-d1", "wants a length"),
        ("spectrum-l0", "whole number from 1"),
        ("poly-d2", "a degree and an offset"),
        ("poly-o1-d2", "plain decimals"),
        ("poly-d0-o1", "at least 1"),
        ("poly-d1.5-o1", "at least 1"),
        (" linear", "no family ' linear'"),
        ("linear\n", "no family"),
        (3, "is text"),
        (None, "is text"),
    ],
)
def test_refused(written, message):
    with pytest.raises(KernelError, match=message) as caught:
        parse_kernel(written)
    assert repr(written) in str(caught.value)


def test_module_of_a_kernel():
    assert kernel_module("poly-d2-o1-unit") == "gramworks.kernels.polynomial_kernel"
    assert kernel_module("gaussian-w0.5") == "gramworks.kernels.gaussian_kernel"
    assert kernel_module("linear-centred") == "gramworks.kernels.linear_kernel"
    with pytest.raises(KernelError, match="no kernel family 'string'"):
        family_module("string")


@pytest.mark.parametrize("prefix", families())
def test_family_conforms(prefix):
    module = families()[prefix]
    assert prefix == module.PREFIX
    assert module.GRAMMAR.startswith(prefix)
    assert parse_kernel(EXAMPLES[prefix]).family == prefix
    assert not set(prefix.split("-")) & set(identifiers.TRANSFORMS)
    for function in (module.parse, module.format, module.prepare):
        assert function.__doc__


POINTS = {
    "vectors": np.abs(np.random.default_rng(3).standard_normal((12, 5))) + 1.0,
    "strings": ["abcab", "bca", "aab", "cabba", "bbbcab", "acca", "bab", "cc", "abccba", "bcbc"],
}


@pytest.mark.parametrize("prefix", [name for name in families() if identifiers.of_pairs(name)])
def test_kernels_of_pairs_see_no_other_points(prefix):
    module, kernel = families()[prefix], parse_kernel(EXAMPLES[prefix].replace("k30", "k3"))
    points = POINTS[identifiers.takes(prefix)]
    parameters = kernel.parameters
    if hasattr(module, "resolve"):
        parameters = module.resolve(points, **parameters)
    whole, part = (fill(module.prepare(rows, **parameters)) for rows in (points, points[2:7]))
    np.testing.assert_allclose(part, whole[2:7, 2:7], rtol=1e-12)


def test_a_family_is_no_kernel_of_pairs_unless_it_says_so():
    pairs = {name for name in families() if identifiers.of_pairs(name)}
    assert pairs == {
        "gaussian", "gaussian-clusters", "linear", "poly", "spectrum", "subsequence"
    }  # fmt: skip


def test_a_new_family_is_found_by_its_file_name(tmp_path, monkeypatch):
    (tmp_path / "parity_kernel.py").write_text(
        "PREFIX, GRAMMAR = 'parity', 'parity-b<base>'\n"
        "def parse(words): return {'base': int(words[0][1:])}\n"
        "def format(parameters): return [f\"b{parameters['base']}\"]\n"
    )
    import gramworks.kernels

    families.cache_clear()
    monkeypatch.setattr(identifiers, "__file__", str(tmp_path / "identifiers.py"))
    monkeypatch.setattr(gramworks.kernels, "__path__", [str(tmp_path)])
    try:
        assert parse_kernel("parity-b02-unit").id == "parity-b2-unit"
        assert kernel_module("parity-b2") == "gramworks.kernels.parity_kernel"
    finally:
        families.cache_clear()
        sys.modules.pop("gramworks.kernels.parity_kernel", None)


def test_families_are_not_imported_by_name():
    """An import of one family by another module would rerun jobs that do not use it."""
    folder = Path(identifiers.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                assert not node.module.endswith("_kernel"), path.name


def test_package_is_lazy_and_complete():
    import gramworks.kernels

    for name in gramworks.kernels.__all__:
        assert callable(getattr(gramworks.kernels, name))
    assert "gaussian" in dir(gramworks.kernels)
    with pytest.raises(AttributeError, match="gausian"):
        gramworks.kernels.gausian  # noqa: B018
    assert np.array_equal(gramworks.kernels.linear([[2.0]]), [[4.0]])
