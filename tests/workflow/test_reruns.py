"""What reruns after which edit: executed, not only listed."""

import os

import pytest

pytestmark = pytest.mark.workflow

REPORT = {"results/report/index.html", "results/report/tiny/comparison.csv"}


def fitted(changed):
    """Methods of which at least one piece was fitted anew."""
    folder = "results/draws/tiny/iris-two/pieces/"
    return {c.removeprefix(folder).split(".")[0] for c in changed if c.startswith(folder)}


def grams_of(changed):
    return {name.rpartition("/")[2] for name in changed if name.startswith("results/gram/")}


def comments(project):
    project.edit("src/gramworks/methods/majority.py", '"""Control: ', '"""A control: ')
    project.edit("src/gramworks/draws.py", "import math\n", "import math  # for isfinite\n\n")
    project.edit("workflow/scripts/fit.py", "import json\n", "import json  # the slice\n")


def reformat(project):
    """Reorder keys, and write numbers and kernels in other forms."""
    path = project.folder / "config/studies/tiny.yaml"
    text = path.read_text()
    for old, new in (
        ("test: 0.2", "test: 0.20"),
        ("ridge: 0.1,", "ridge: 1.0e-1,"),
        ("{K1: linear, K2: gaussian-w1-unit}", "{K2: gaussian-w1.0-unit, K1: linear}"),
        ("{C: 1, kernel: K1}", '{kernel: K1, C: "1.0"}'),
    ):
        assert old in text
        text = text.replace(old, new)
    lines = text.strip().splitlines()
    path.write_text("\n".join(["# a comment", *lines[1:], lines[0]]) + "\n")
    project.write("config.yaml", "sources: embedded\nstudies:\n  - tiny\n")


def touch(project):
    for name in ("config.yaml", "config/studies/tiny.yaml", "workflow/scripts/fit.py", "Snakefile"):
        os.utime(project.folder / name)


def less_memory(project):
    project.write("config.yaml", "studies: [tiny]\ngram_memory_mb: 64\n")


def nothing(project):
    pass


def test_what_reruns_nothing(done):
    for change, keywords in (
        (nothing, {}),
        (nothing, {"PYTHONHASHSEED": "12345"}),
        (nothing, {"cores": 1}),
        (touch, {}),
        (comments, {}),
        (reformat, {}),
        (less_memory, {}),
    ):
        change(done)
        assert done.rerun(**keywords) == set(), f"{change.__name__} {keywords}"


def test_one_width_reruns_that_kernel_and_its_descendants(done):
    done.edit("config/studies/tiny.yaml", "gaussian-w1-unit", "gaussian-w2-unit")
    changed = done.rerun()
    assert grams_of(changed) == {"gaussian-w2-unit.h5"}
    assert fitted(changed) == {"svm"}
    assert changed >= REPORT


def test_one_line_of_a_method_reruns_that_method_alone(done):
    done.edit(
        "src/gramworks/methods/majority.py", "np.bincount(known).argmax()",
        "int(np.bincount(known).argmax())",
    )  # fmt: skip
    changed = done.rerun()
    assert fitted(changed) == {"majority"}
    assert grams_of(changed) == set()
    assert not any(name.startswith("results/splits/") for name in changed)


def test_one_line_of_a_kernel_reruns_its_grams_and_their_descendants(done):
    name = "src/gramworks/kernels/gaussian_kernel.py"
    text = (done.folder / name).read_text()
    done.write(name, text + "\n\n_EDITED = 1\n")
    changed = done.rerun()
    assert grams_of(changed) == {"gaussian-w1-unit.h5"}
    # The file is the same to the bit, so that pieces that read it are kept.
    assert fitted(changed) == set()
    done.write(
        name, text.replace("np.exp(values, out=values)", "np.exp(values - 1e-9, out=values)")
    )
    changed = done.rerun()
    assert grams_of(changed) == {"gaussian-w1-unit.h5"}
    assert fitted(changed) == {"svm"}


def test_the_default_profile_is_really_used(done):
    # With the engine's own triggers a newer script reruns its jobs; the profile takes that away.
    os.utime(done.folder / "workflow/scripts/fit.py")
    assert "Nothing to be done" in done.run("--dry-run")
    without = done.run("--dry-run", "--workflow-profile", "none")
    assert "fit" in without
    assert "Nothing to be done" not in without


def test_a_job_that_failed_in_a_rerun_is_tried_again(done):
    # The engine takes the output of a failed job away; the report of the run before is still there.
    before = done.scores("svm")
    name = "src/gramworks/kernels/linear_kernel.py"
    text = (done.folder / name).read_text()
    done.write(name, text + "\n\nraise RuntimeError('a fault')\n")
    done.run(check=False)
    assert "Nothing to be done" not in done.run(check=False)
    done.write(name, text)
    done.run()
    assert done.scores("svm") == before
    assert done.rerun() == set()


def test_a_file_that_is_gone_is_made_again(done):
    [part] = (done.folder / "results/draws/tiny/iris-two").glob("*.json")
    for name in (
        "results/gram/iris-two/none/linear.h5",
        str(part.relative_to(done.folder)),
        "results/scores/tiny/iris-two/svm.csv",
    ):
        (done.folder / name).unlink()
        done.run()
        assert (done.folder / name).is_file()


def test_kill_in_a_rerun_then_the_documented_resume(done):
    before = {method: done.scores(method) for method in ("svm", "majority", "kernel-ridge")}
    done.edit(
        "src/gramworks/draws.py", "last = time.monotonic()\n", "last = time.monotonic() + 0\n"
    )
    stamps = done.stamps()
    done.kill_when(lambda: any(
        stamps.get(name) != stamp for name, stamp in done.stamps().items() if "/svm." in name
    ))  # fmt: skip
    done.run("--unlock")
    done.run()
    changed = {name for name, stamp in done.stamps().items() if stamps.get(name) != stamp}
    assert fitted(changed) == set(before)
    assert {method: done.scores(method) for method in before} == before
    assert stamps.keys() <= done.stamps().keys()
    assert done.rerun() == set()


def test_a_job_that_was_killed_fits_only_what_is_not_kept(done):
    before = done.scores("svm")
    done.edit("src/gramworks/methods/svm.py", "NAME =", "_EDITED = 1\nNAME =")
    pieces = done.folder / "results/draws/tiny/iris-two/pieces"
    (pieces / "svm.2-2.json").unlink()
    (pieces / "majority.0-1.json").write_text("cut")
    changed = done.rerun()
    assert {name.rpartition("/")[2] for name in changed if "/pieces/" in name} == {
        "svm.0-1.json", "svm.2-2.json", "majority.0-1.json",
    }  # fmt: skip
    assert done.scores("svm") == before
    [log] = (done.folder / "results/logs/fit/tiny/iris-two").glob("*.log")
    assert "majority, repeats 2 to 2: kept from an earlier job" in log.read_text()


def test_the_cut_does_not_change_scores(done):
    before = {method: done.scores(method) for method in ("svm", "majority", "kernel-ridge")}
    done.edit("config/studies/tiny.yaml", "chunk: 2", "chunk: 1")
    changed = done.rerun(cores=1)
    assert fitted(changed) == set(before)
    assert {method: done.scores(method) for method in before} == before
    done.write("config.yaml", "studies: [tiny]\nminutes_a_job: 1e-6\n")
    done.run()
    parts = {path.stem for path in (done.folder / "results/draws/tiny/iris-two").glob("*.json")}
    assert {f"svm.{repeat}-{repeat}" for repeat in range(3)} <= parts
    assert {method: done.scores(method) for method in before} == before


def test_fewer_repeats_are_the_first_of_the_many(done):
    before = done.scores("svm").splitlines()
    done.write("config.yaml", "studies: [tiny]\nrepeats: 2\n")
    done.run()
    after = done.scores("svm").splitlines()
    assert after == [line for line in before if ",2,test" not in line]
    assert len(after) < len(before)
