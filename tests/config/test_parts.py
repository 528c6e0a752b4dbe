"""How draws are cut into jobs, and where the rates come from."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramworks import parts as module
from gramworks.config import load_config
from gramworks.errors import ConfigError
from gramworks.plan import Plan
from gramworks.rates import SHIPPED, estimate, guess, read_rates, write_rates

STUDY = """
name: tiny
title: A tiny study
datasets: {iris-two: {}}
splits: {kind: labelled, sizes: [4, 8], repeats: REPEATS, scheme: balanced}
kernels: {K1: linear}
methods:
  cluster-kernel: {settings: {rank: 2}}
  majority: {}
  svm: {settings: {C: 1, kernel: K1}, CHUNK}
  kernel-ridge: {settings: {ridge: 0.1, kernel: K1}}
metrics: [test-accuracy-percent]
"""


def plan(folder, repeats=20, chunk="", **values):
    (folder / "config" / "studies").mkdir(parents=True, exist_ok=True)
    text = STUDY.replace("REPEATS", str(repeats)).replace(", CHUNK", chunk)
    (folder / "config" / "studies" / "tiny.yaml").write_text(text)
    return Plan(load_config({"studies": ["tiny"], **values}), folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("plan")


@given(
    repeats=st.integers(1, 40),
    seconds=st.lists(st.floats(0, 100), min_size=4, max_size=4),
    minutes=st.floats(0.01, 5),
    chunk=st.sampled_from(["", ", chunk: 1", ", chunk: 7"]),
)
@settings(max_examples=40, deadline=None)
def test_every_repeat_is_fitted_once_and_no_job_is_long(folder, repeats, seconds, minutes, chunk):
    rates = dict(zip(("cluster-kernel", "majority", "svm", "kernel-ridge"), seconds, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "seconds_of", lambda plan, study, dataset, method: rates[method])
        made = plan(folder, repeats, chunk, minutes_a_job=minutes)
        parts = made.parts("tiny", "iris-two")
    fitted = sorted(
        (piece.method, repeat)
        for content in parts.values()
        for piece in content
        for repeat in range(piece.first, piece.last + 1)
    )
    assert fitted == sorted((method, repeat) for method in rates for repeat in range(repeats))
    for content in parts.values():
        lengths = [rates[p.method] * (p.last - p.first + 1) for p in content]
        assert sum(lengths) <= 60 * minutes * 1.000001 or (
            len(content) == 1 and content[0].first == content[0].last
        )
        # what learns first is kept apart from what need not wait
        assert len({piece.method == "cluster-kernel" for piece in content}) == 1
        if chunk:
            cap = int(chunk[-1])
            assert all(p.last - p.first < cap for p in content if p.method == "svm")


def test_parts_are_named_by_what_they_hold(folder):
    made = plan(folder, 20, minutes_a_job=1000)
    together, alone = made.parts("tiny", "iris-two")
    assert re.fullmatch(r"majority\.0-19\+2\.[0-9a-f]{6}", together)
    assert alone == "cluster-kernel.0-19"
    assert module.part_files(made, "tiny", "iris-two", "svm") == [
        f"results/draws/tiny/iris-two/{together}.json"
    ]
    # other methods behind the first one, or other repeats, are another file
    fewer = plan(folder, 20, minutes_a_job=1000, methods=["majority", "svm", "cluster-kernel"])
    other = plan(folder, 19, minutes_a_job=1000)
    names = {name for made in (fewer, other) for name in made.parts("tiny", "iris-two")}
    assert not names & {together}
    made = plan(folder, 4, minutes_a_job=1e-6)
    assert "svm.2-2" in made.parts("tiny", "iris-two")
    assert len(made.parts("tiny", "iris-two")) == 16
    assert module.part_grams(made, "tiny", "iris-two", "svm.2-2") == [
        "results/gram/iris-two/none/linear.h5"
    ]
    assert module.part_shared(made, "tiny", "iris-two", "cluster-kernel.2-2") == [
        "results/kernels/tiny/iris-two/cluster-kernel.h5"
    ]


def test_own_rates_stand_above_the_shipped_ones(folder):
    own = {("tiny", "iris-two", "svm"): 30.0}
    try:
        write_rates(folder / "results" / "rates.csv", fit=own)
        module._rates.cache_clear()
        made = plan(folder, 4)
        assert module.seconds_of(made, "tiny", "iris-two", "svm") == 30
        assert "svm.3-3" in made.parts("tiny", "iris-two")
    finally:
        (folder / "results" / "rates.csv").unlink()
        module._rates.cache_clear()


def test_rates_of_other_data_are_scaled_and_unknown_methods_have_one():
    rates = [{}, {("a", "iris", "x"): 2.0, ("b", "wisconsin", "x"): 50.0, ("c", "gone", "x"): 9.0}]
    assert estimate(rates, "a", "iris", "x", 150, 2) == 2
    # iris has 150 rows and wisconsin 683: the median of both, each scaled to 300
    assert estimate(rates, "n", "new", "x", 300, 2) == pytest.approx(
        (2 * 4 + 50 * (300 / 683) ** 2) / 2
    )
    assert estimate(rates, "n", "new", "x", 300, 1) == pytest.approx((4 + 50 * 300 / 683) / 2)
    # the second in which a job starts does not grow
    assert estimate(rates, "n", "new", "x", 300, 2, 1.0) == pytest.approx(
        (1 + 1 * 4 + 1 + 49 * (300 / 683) ** 2) / 2
    )
    assert estimate(rates, "n", "new", "y", 600, 2) is None
    assert guess(600, 5, 2) == pytest.approx(2)
    assert guess(600, 5, 3) == pytest.approx(4)


def test_shipped_rates_are_of_methods_and_data_that_exist():
    from gramworks.datasets.registry import dataset_ids
    from gramworks.methods.registry import load_method

    rates = read_rates(SHIPPED)
    for method in {method for _, _, method in rates}:
        assert load_method(method).name == method
    assert {dataset for _, dataset, _ in rates} <= set(dataset_ids())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("study,method,seconds\n", "expected stage, study, dataset, method, seconds"),
        ("stage,study,dataset,method,seconds\nfit,a,b,c,-1\n", "line 2: found 'fit,a,b,c,-1'"),
        ("stage,study,dataset,method,seconds\nfit,a,b,c,nan\n", "line 2"),
        ("stage,study,dataset,method,seconds\nfit,a,b,c,1e308\n", "from 0 to 1e+08"),
        ("stage,study,dataset,method,seconds\nfit,a,b,c,1,2\n", "line 2"),
        ("\xff\xfe\x00b", "is no table of rates"),
        ("", "found the columns (none), expected stage"),
        ("stage,study,dataset,method,seconds\nfit,a,b,c\n", "line 2: found 'fit,a,b,c'"),
    ],
)
def test_wrong_files_of_rates_are_told(tmp_path, text, said):
    (tmp_path / "rates.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match="remove it; .*--save-rates") as caught:
        read_rates(tmp_path / "rates.csv")
    assert said in str(caught.value)


def test_rates_are_read_back(tmp_path):
    rates = {("s", "d", "m"): 0.123456, ("a", "d", "m"): 12.0}
    write_rates(tmp_path / "rates.csv", fit=rates, learn={("s", "d", "m"): 7.0})
    assert read_rates(tmp_path / "rates.csv", "learn") == {("s", "d", "m"): 7}
    assert read_rates(tmp_path / "rates.csv") == {("a", "d", "m"): 12, ("s", "d", "m"): 0.123}
    assert read_rates(tmp_path / "none.csv") == {}
