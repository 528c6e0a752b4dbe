"""What jobs ask for: above what was measured, and following the sizes that the registry states."""

from dataclasses import replace

import pytest

from gramworks import job_resources
from gramworks.config import load_config
from gramworks.datasets.recipe_rows import most_rows
from gramworks.datasets.registry import load_entry
from gramworks.job_resources import ENGINE_MB, Size
from gramworks.parts import part_seconds
from gramworks.plan import Plan
from gramworks.plan_resources import PlanResources

BOUND_MB = 1024

# Highest resident memory of the script in MB, as the engine's benchmarks have it, and the size.
MEASURED = [
    ("normalise", Size(12902, 13135), 203),
    ("normalise", Size(5000, 784), 200),
    ("normalise", Size(351, 34), 67),
    ("split", Size(10000, 784), 126),
    ("split", Size(1946, 7511), 93),
    ("split", Size(200_000, 1, draws=100), 381),
    ("gram", Size(9100, 14183), 746),
    ("gram", Size(5000, 256), 330),
    ("gram", Size(4443, None), 409),
    ("gram", Size(2201, 3), 138),
    ("gram", Size(683, 9), 106),
    ("align", Size(303, 22, 4), 118),
    ("map_points", Size(303, 22, 4), 124),
    ("learn", Size(1500, 241, 0, 1500 * 241), 6576),
    ("learn", Size(690, 14, 0, 690 * 14), 1704),
    ("learn", Size(5000, 256, 1), 1182),
    ("learn", Size(400, 117, 0, 400 * 117), 1058),
    ("learn", Size(683, 9, 0, 683 * 9), 856),
    ("learn", Size(4007, 256, 1), 831),
    ("learn", Size(1946, 7511), 554),
    ("learn", Size(2201, 3, 2), 429),
    ("learn", Size(351, 34, 0, 351 * 34), 448),
    ("fit", Size(12902, 13135, 2), 3323),
    ("fit", Size(4443, None, 7), 2116),
    ("fit", Size(9100, 14183, 2), 1884),
    ("fit", Size(5000, 256, 1), 1185),
    ("fit", Size(10000, 784), 1017),
    ("fit", Size(4007, 256, 1), 915),
    ("fit", Size(2417, 103, 4), 561),
    ("fit", Size(1929, 6464, 1), 370),
    ("fit", Size(208, 60, 1), 369),
]


def ask(rule, size, attempt=1):
    more = {"bound_mb": BOUND_MB} if rule == "gram" else {}
    return getattr(job_resources, rule)(size, attempt, **more)


@pytest.mark.parametrize(("rule", "size", "measured"), MEASURED)
def test_memory_is_above_what_was_measured_and_not_far_above_for_large_jobs(rule, size, measured):
    asked = ask(rule, size).mem_mb - ENGINE_MB
    assert asked >= 1.05 * measured
    if measured > 500:
        assert asked <= 8 * measured


@pytest.mark.parametrize("rule", sorted({rule for rule, *_ in MEASURED}))
def test_each_attempt_doubles_and_larger_data_ask_for_more(rule):
    size = Size(1000, 20, 3)
    first, second = ask(rule, size), ask(rule, size, 2)
    assert first.mem_mb > ENGINE_MB
    assert 2 * first.mem_mb - 100 <= second.mem_mb <= 2 * first.mem_mb
    assert 2 * first.minutes - 1 <= second.minutes <= 2 * first.minutes
    assert ask(rule, size, 3).mem_mb > second.mem_mb
    larger = ask(rule, replace(size, rows=30_000))
    assert larger.mem_mb >= first.mem_mb
    assert larger.minutes >= first.minutes
    assert all(isinstance(value, int) for value in (first.mem_mb, first.minutes))


def test_a_fit_holds_every_gram_file_and_some_matrices_more():
    one, five = (job_resources.fit(Size(4096, 10, m)).mem_mb for m in (1, 5))
    assert abs((five - one) - 4 * 8 * 4096**2 / 2**20) <= 100  # rounded up to 100 MB
    assert job_resources.fit(Size(100, 4, 1), minutes=40).minutes == 15 + 3 * 40


def test_a_gram_job_stays_within_its_bound_whatever_the_size():
    asked = [job_resources.gram(Size(n, 100), bound_mb=BOUND_MB) for n in (500, 5000, 30_000)]
    assert asked[0].mem_mb < asked[1].mem_mb
    limit = ENGINE_MB + 250 + BOUND_MB
    for n, request in zip((500, 5000, 30_000), asked, strict=True):
        assert request.mem_mb <= limit + 2 * 8 * n * 100 / 2**20 + 100
    whole, block = (
        job_resources.gram(Size(100_000, 100), bound_mb=BOUND_MB, share=s) for s in (1, 0.1)
    )
    assert block.minutes < whole.minutes / 5
    strings = job_resources.gram(Size(3000, None), bound_mb=BOUND_MB, takes="strings")
    assert strings.minutes > 100


@pytest.mark.parametrize(
    ("dataset", "recipe", "rows"),
    [
        ("iris", "standardise", 150),
        ("iris", "first-40-a-class", 120),
        ("iris", "first-40-rows-then-standardise", 40),
        ("usps", "training-2000", 4007),
        ("usps", "first-100-a-class-then-signed", 1000),
        ("mnist5k", "none", 5000),
    ],
)
def test_recipes_that_keep_a_part_of_the_rows(dataset, recipe, rows):
    assert most_rows(load_entry(dataset), recipe) == rows


def test_an_entry_without_facts_has_a_size():
    assert most_rows(load_entry("iris").model_copy(update={"facts": None})) > 0


@pytest.fixture(scope="module")
def needs():
    studies = ["margin-tables", "invariance-table", "invariance-pairs", "margin-reuters"]
    return PlanResources(Plan(load_config({"studies": studies, "sources": "any"})))


def test_requests_of_a_plan(needs):
    assert needs.group("heart", "standardise") == "tables"
    assert needs.gram_threads("heart", "standardise") == 1
    assert needs.gram_threads("reuters-modapte", "none") == 2
    assert needs.group("reuters-modapte", "none") is None
    assert needs.study_group("margin-reuters", "reuters-modapte") is None
    assert PlanResources(needs.plan, grouped=lambda: False).group("heart", "standardise") is None
    # All derivatives at all points, or at a few of them in each draw.
    whole = needs.method_size("invariance-table", "g241c", "invariance")
    assert whole.functionals == 1500 * 241
    assert needs.method_size("invariance-pairs", "mnist-test", "invariance").functionals == 0
    assert needs.method_size("margin-tables", "heart", "margin-nonnegative").grams == 3
    assert needs.learn("invariance-table", "g241c", "invariance", 1).mem_mb > 6576
    assert needs.align("margin-tables", "heart", 2).minutes == 3
    # Each Gram file is read once for all methods of a part.
    where = "margin-reuters", "reuters-modapte"
    parts = needs.plan.parts(*where)
    reads_all = next(p for p in parts if {"uniform"} == {q.method for q in parts[p]})
    fit = needs.fit(*where, reads_all, 1)
    minutes = part_seconds(needs.plan, *where, reads_all) / 60
    assert minutes > 0
    assert fit == job_resources.fit(needs.method_size(*where, "uniform"), minutes=minutes)
    assert fit.mem_mb > 3323
    again = needs.fit(*where, reads_all, 2)
    assert again.mem_mb > 1.9 * fit.mem_mb
    bounded = needs.gram("reuters-modapte", "none", "linear-centred-unit", 1)
    assert bounded.mem_mb < 3000
