"""Predicted schedules, against bounds that hold for any order and small cases worked by hand."""

import argparse
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramworks.errors import ConfigError
from gramworks.planning import command
from gramworks.planning.command import add_parser, disk_line
from gramworks.planning.costs import measured
from gramworks.planning.jobs import Job
from gramworks.planning.schedule import Cost, critical_path, schedule


@st.composite
def graphs(draw):
    jobs, costs = [], {}
    for i in range(draw(st.integers(1, 12))):
        inputs = draw(st.sets(st.integers(0, i - 1), max_size=3)) if i else set()
        jobs.append(Job("fit", f"f{i}", tuple(f"f{k}" for k in sorted(inputs))))
        costs[f"f{i}"] = Cost(draw(st.integers(0, 9)), threads=draw(st.sampled_from([1, 1, 2])))
    return jobs, costs


def longest_chain(jobs, costs):
    """Try every chain."""
    by_name = {job.output: job for job in jobs}

    def ending(name):
        before = [ending(given) for given in by_name[name].inputs]
        return costs[name].seconds + max(before, default=0)

    return max(ending(job.output) for job in jobs)


@given(graphs(), st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_schedules_keep_to_their_bounds(graph, cores):
    jobs, costs = graph
    found = schedule(jobs, costs, cores)
    work = sum(cost.seconds * cost.threads for cost in costs.values())
    chain = longest_chain(jobs, costs)
    assert found.busy == work
    assert found.seconds >= max(work / cores, chain) - 1e-9
    if cores == 1:
        assert found.seconds == work
    if all(cost.threads == 1 for cost in costs.values()):
        # Graham's bound of list scheduling
        assert found.seconds <= work / cores + (1 - 1 / cores) * chain + 1e-9
    many = schedule(jobs, costs, 1000)
    assert many.seconds == chain
    path = critical_path(jobs, costs)
    assert sum(costs[job.output].seconds for job in path) == chain
    for job, later in zip(path, path[1:], strict=False):
        assert job.output in later.inputs


def test_a_small_run_worked_by_hand():
    jobs = [Job("gram", "a"), Job("gram", "b"), Job("gram", "c"), Job("fit", "d", ("a", "b"))]
    costs = {
        "a": Cost(3, memory_mb=10), "b": Cost(1, memory_mb=20),
        "c": Cost(4, memory_mb=40), "d": Cost(2, memory_mb=5),
    }  # fmt: skip
    # longest chains first: a 0-3, c 0-4; then b 3-4 and d 4-6
    found = schedule(jobs, costs, 2)
    assert found.seconds == 6
    assert found.memory_mb == 60
    assert schedule(jobs, costs, 1).seconds == 10
    assert schedule(jobs, costs, 3).seconds == 5
    assert [job.output for job in critical_path(jobs, costs)] == ["a", "d"]


def test_a_job_of_more_threads_than_cores_takes_longer():
    jobs = [Job("gram", "a")]
    assert schedule(jobs, {"a": Cost(3, threads=4)}, 4).seconds == 3
    assert schedule(jobs, {"a": Cost(3, threads=4)}, 2).seconds == 6


def test_benchmark_files(tmp_path):
    path = tmp_path / "a.tsv"
    assert measured(path) == (None, 0)
    path.write_text("s\th:m:s\tmax_rss\n1.5\t0:00:01\t88.36\n")
    assert measured(path) == (1.5, 88.36)
    path.write_text("s\th:m:s\tmax_rss\n0.1\t0:00:00\t-\n")
    assert measured(path) == (0.1, 0)
    path.write_text("cut")
    assert measured(path) == (None, 0)


@pytest.mark.parametrize(
    "seconds", ["nan", "inf", "1e400", "-5", "x" * 200_000, '"' + "y" * 200_000]
)
def test_a_benchmark_file_that_tells_no_time_counts_as_none(tmp_path, seconds):
    path = tmp_path / "a.tsv"
    path.write_text(f"s\tmax_rss\n{seconds}\t88\n")
    assert measured(path) == (None, 0)


def refusal(capsys, *options):
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args(["plan", *options])
    return capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "1.5", "²", "9" * 400])
def test_numbers_of_cores_are_checked(wrong, capsys):
    assert "is not a whole number from 1" in refusal(capsys, "--cores", wrong)


@pytest.mark.parametrize("wrong", ["speed", "speed.pdf", "/dev/full", "."])
def test_only_pictures_are_drawn(wrong, capsys):
    assert "does not end in .svg or .png" in refusal(capsys, "--plot", wrong)


def test_a_picture_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ConfigError, match=r"file/speed\.svg: cannot be written"):
        command._write(tmp_path / "file" / "speed.svg", b"")
    command._write(tmp_path / "new" / "speed.svg", b"whole")
    assert (tmp_path / "new" / "speed.svg").read_bytes() == b"whole"


def test_too_little_disk_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(command.shutil, "disk_usage", lambda _: SimpleNamespace(free=3 * 2**20))
    folder = tmp_path / "results"
    assert disk_line(2, folder) == "disk: 2 MB in results/"
    assert "TOO LITTLE ROOM: 3 MB are free" in disk_line(4, folder)
    (folder / "gram").mkdir(parents=True)
    (folder / "gram" / "K.h5").write_bytes(bytes(2 * 2**20))  # of an earlier run, made again
    assert disk_line(4, folder) == "disk: 4 MB in results/"
