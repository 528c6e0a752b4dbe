"""`gramworks new` from the command line: what it writes can be checked, run again, and is safe."""

import contextlib
import hashlib
import io
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from gramworks.cli import main
from gramworks.config import read_config
from gramworks.datasets.catalogue import catalogue
from gramworks.datasets.parsing import parse
from gramworks.datasets.registry import dataset_ids, load_entry, own_ids
from gramworks.datasets.sources import fetch
from gramworks.errors import ConfigError
from gramworks.methods.registry import load_method, method_names
from gramworks.owndata.findings import Findings
from gramworks.owndata.kernel_choice import KernelChoice, choose_kernels
from gramworks.owndata.method_choice import choose_methods
from gramworks.plan import Plan
from gramworks.strict_yaml import load_yaml

ROOT = Path(__file__).parents[2]


def make_table():
    """Forty rows of two numbers and two classes."""
    rows = (f"{(i * 37) % 101}.5,{(i * i) % 89},{'ab'[i % 2]}\n" for i in range(40))
    return "x,y,label\n" + "".join(rows)


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """One own study, made once."""
    folder = tmp_path_factory.mktemp("once")
    out = io.StringIO()
    (folder / "my table.csv").write_text(make_table())
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        assert main(["new", "my table.csv", "--target", "label"]) == 0
    return folder, out.getvalue()


@pytest.fixture
def made(folder, once):
    """A copy of it to work on; gives what the command said."""
    shutil.copytree(once[0], folder, dirs_exist_ok=True)
    entry = folder / "own/datasets/my-table.yaml"
    entry.write_text(entry.read_text().replace(str(once[0]), str(folder)))
    return once[1]


def test_the_study_can_be_checked_and_says_its_command(made, command):
    assert "snakemake --cores all --configfile own/my-table.yaml" in made
    assert "'a' 20, 'b' 20" in made
    assert "2 columns of numbers: 'x', 'y'" in made
    status, out, err = command("check", "own/my-table.yaml", "--root", ROOT)
    assert status == 0, err
    assert "1 data sets" in out


def test_every_registered_method_is_in_it_or_has_a_reason(made):
    text = Path("own/studies/my-table.yaml").read_text()
    stated = set(load_yaml("own/studies/my-table.yaml")["methods"])
    left_out = set(re.findall(r"^#   ([\w-]+)(?: on K\d+)?: .{10}", text, re.MULTILINE))
    assert stated | left_out == set(method_names())
    for name in method_names():
        if "binary" not in load_method(name).tasks:
            assert name in left_out
    assert "oracle" in left_out
    assert {"svm", "majority", "kernel-ridge"} <= stated


def test_a_method_that_takes_no_kernel_of_the_study_says_so(made):
    lines = Path("own/studies/my-table.yaml").read_text().splitlines()
    said = [line.split(":")[0].strip() for line in lines if "not on the kernels above" in line]
    assert said == ["invariance"]


def test_what_gives_no_result_in_the_trial_is_left_out(made):
    text = Path("own/studies/my-table.yaml").read_text()
    body = load_yaml("own/studies/my-table.yaml")
    assert body["kernels"]["K1"] == "linear-unit"
    assert body["kernels"]["K3"] == "gaussian-median"
    assert body["methods"]["laplacian-svm"]["settings"]["kernel"] == ["K3"]
    assert "#   laplacian-svm on K1: K has negative entries" in text


def test_methods_on_graphs_get_the_narrow_gaussians(made):
    body = load_yaml("own/studies/my-table.yaml")
    assert [body["kernels"][k] for k in ("K3", "K4", "K5", "K6")] == [
        "gaussian-median", "gaussian-w0.45", "gaussian-w0.899", "gaussian-w3.6",
    ]  # fmt: skip
    for name in ("label-propagation", "label-spreading", "random-walk"):
        assert body["methods"][name]["settings"]["kernel"] == ["K4", "K5"]


def test_narrow_gaussians_are_known_by_their_width():
    choice = KernelChoice("none")
    choice.add("gaussian-median", "", 1.0)
    choice.add("gaussian-w1", "", 0.5)
    choice.add("linear-unit", "")
    choice.add("gaussian-w4", "", 2.0)
    choice.add("gaussian-w0.5", "", 0.25)
    assert choice.narrow() == ["K5", "K2"]


def chosen(dataset, few=False):
    choice = choose_kernels(dataset, Findings())
    return choose_methods(dataset, choice, lambda _: None, few)


def test_without_narrow_gaussians_graphs_have_the_median_one(read, table):
    second = "w,v\n" + "".join(f"{i / 4},{i * i}\n" for i in range(40))
    found = chosen(read({"one.csv": table(), "two.csv": second})[0])
    assert found.bodies["random-walk"]["settings"]["kernel"] == ["K1", "K2"]  # all together
    few = chosen(read(table())[0], few=True)
    assert few.bodies["random-walk"]["settings"]["kernel"] == ["K4"]
    assert few.bodies["kernel-ridge"]["settings"]["kernel"] == ["K3"]


def test_the_plain_machine_takes_each_kernel_by_itself(read, table):
    second = "w,v\n" + "".join(f"{i / 4},{i * i}\n" for i in range(40))
    for sources in (table(), {"one.csv": table(), "two.csv": second}):
        dataset = read(sources)[0]
        names = list(choose_kernels(dataset, Findings()).kernels)
        found = chosen(dataset)
        assert found.bodies["svm"]["settings"]["kernel"] == names
        assert found.bodies["self-training"]["settings"]["kernel"] != names
    assert chosen(dataset, few=True).bodies["svm"]["settings"]["kernel"] == ["K1"]


def test_a_method_that_computes_its_kernel_gets_an_identifier(made, read, table):
    body = load_yaml("own/studies/my-table.yaml")["methods"]
    assert body["nystroem-ridge"] == {"settings": {"kernel": ["gaussian-median"]}}
    strings = "seq,label\n" + "".join(f"{'ACGT' * 3}{i:05b}T,{'ab'[i % 2]}\n" for i in range(24))
    assert "it needs features" in chosen(read(strings)[0]).left_out["nystroem-ridge"]
    equal = "x,y,label\n" + "".join(f"{i // 30},{i // 30},{'ab'[i % 2]}\n" for i in range(40))
    found = chosen(read(equal)[0]).bodies["nystroem-ridge"]
    assert found == {"settings": {"kernel": ["gaussian-w2"]}}  # the median distance is 0


def test_what_is_left_out_is_told_with_the_reason(made, command):
    assert "  left out: oracle: a control that sees the test labels\n" in made
    text = Path("own/studies/my-table.yaml").read_text()
    names = re.findall(r"^#   (.+?): ", text, re.MULTILINE)
    told = re.findall(r"^  left out: (.+?): ", made, re.MULTILINE)
    assert sorted(names) == sorted(name for line in told for name in line.split(", "))
    assert all(len(line) < 160 for line in made.split("\n") if line.startswith("  left out"))
    assert "left out" not in command("new", "--update", "my-table")[1]


def test_grids_of_C_begin_low(made):
    body = load_yaml("own/studies/my-table.yaml")["methods"]
    assert body["svm"]["parameters"]["C_grid"] == [0.03125, 0.5, 8, 128]


def test_widths_are_multiples_of_the_median_distance(read, table):
    data, _ = read(table())
    kernels = choose_kernels(data, Findings()).kernels.values()
    Z = (data.X - data.X.mean(0)) / data.X.std(0)
    distances = [np.linalg.norm(Z[i] - Z[j]) for i in range(40) for j in range(i)]
    widths = [float(k.removeprefix("gaussian-w")) for k in kernels if k.startswith("gaussian-w")]
    np.testing.assert_allclose(widths, np.multiply([0.25, 0.5, 2], np.median(distances)), rtol=5e-3)


def test_the_table_is_fetched_and_parsed_as_any_other(made, folder):
    entry = load_entry("my-table")
    fetch(entry, folder / "data/raw/my-table", offline=True, log=lambda _: None)
    data = parse(entry, folder / "data/raw/my-table")
    assert data.X[1].tolist() == [37.5, 1.0]
    assert data.classes == ["a", "b"]
    assert not entry.embedded
    assert own_ids() == ["my-table"]


def test_registered_data_sets_and_docs_know_nothing_of_it(made):
    assert "my-table" not in dataset_ids()
    assert "my-table" not in catalogue()


def test_a_changed_file_is_noticed(made, folder, command):
    config = read_config("own/my-table.yaml")
    Plan(config, ROOT)
    path = folder / "my table.csv"
    before = path.read_text()
    path.write_text(before.replace("37.5", "37.25"))
    with pytest.raises(ConfigError, match="my table.csv has changed.*new --update my-table"):
        Plan(config, ROOT)
    study = Path("own/studies/my-table.yaml")
    study.write_text(study.read_text() + "# mine\n")
    status, out, err = command("new", "--update", "my-table")
    assert status == 0, err
    Plan(config, ROOT)
    assert study.read_text().endswith("# mine\n")
    assert "stays as it is" in out
    stated = load_entry("my-table").sources[0].originals[0].sha256
    assert stated == hashlib.sha256(path.read_bytes()).hexdigest()
    path.unlink()  # the table is kept
    Plan(config, ROOT)


def test_nothing_is_overwritten(made, folder, command):
    status, _, err = command("new", "my table.csv", "--target", "label")
    assert status == 1
    assert "is there already" in err
    assert "--update my-table" in err


def test_names_that_are_taken(folder, command, table):
    (folder / "heart.csv").write_text(table())
    status, out, _ = command("new", "heart.csv", "--target", "label")
    assert status == 0
    assert "own/studies/my-heart.yaml" in out
    assert "called my-heart, since heart is a registered one" in out
    status, _, err = command("new", "heart.csv", "--target", "label", "--name", "sonar")
    assert status == 1
    assert "registered data set" in err
    status, _, err = command("new", "heart.csv", "--target", "label", "--name", "a/b")
    assert status == 1
    assert "'a-b'" in err


def test_an_error_leaves_no_files(folder, command, table):
    (folder / "t.csv").write_text(table(n=4))
    status, _, err = command("new", "t.csv", "--target", "label")
    assert status == 1
    assert "too few" in err
    assert not list(folder.glob("own/**/*.*"))


def test_options_are_kept_for_the_update(folder, command, table):
    (folder / "t.csv").write_text(table(extra="z", cell=lambda i: "x" if i == 2 else f"{i}.5"))
    arguments = ["--na", "x", "--missing", "median", "--ignore", "y", "--no-header"]
    assert command("new", "t.csv", "--target", "label", *arguments[:-1])[0] == 0
    before = load_entry("t")
    assert command("new", "--update", "t")[0] == 0
    assert load_entry("t").facts == before.facts
    assert before.facts.columns == 2


def test_hostile_text_stays_data(folder, command):
    evil = "<script>alert(1)</script>"
    rows = "".join(f'{i * 37 % 101}.5,{i},"{["#: }{", evil][i % 2]}"\n' for i in range(24))
    (folder / "x: {y} #.csv").write_text(f'"a\nb","{evil}","- [t"\n' + rows.replace(",", ",", 1))
    status, out, err = command("new", "x: {y} #.csv", "--target", "- [t")
    assert status == 0, err
    entry = load_entry("x-y")
    assert entry.target.classes == ["#: }{", evil]
    assert entry.target.name == "- [t"
    assert load_yaml("own/studies/x-y.yaml")["title"] == "x: {y} #.csv: - [t"


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], "name a file"),
        (["nothing.csv", "--target", "y"], "no such file"),
        (["--update", "nothing"], "no such own data set"),
        (["t.csv"], "State it with --target; the columns are: 'x', 'y', 'label'"),
        (["t.csv", "--target", "label", "--ignore", "xx"], "no column 'xx'.*did you mean 'x'"),
        (["t.csv", "--target", "label", "--rows", "3"], "10 are the least"),
        (["t.csv", ".", "--target", "label"], "stands alone"),
    ],
)
def test_wrong_commands(folder, command, table, arguments, wanted):
    (folder / "t.csv").write_text(table())
    status, _, err = command("new", *arguments)
    assert status == 1
    assert re.search(wanted, err)


def test_regression_and_strings(folder, command):
    (folder / "r.csv").write_text(
        "x,y\n" + "".join(f"{i * 7 % 41}.5,{i * 7 % 41}.{i % 10}\n" for i in range(40))
    )
    assert command("new", "r.csv", "--target", "y")[0] == 0
    methods = load_yaml("own/studies/r.yaml")["methods"]
    assert {"kernel-ridge", "majority", "optimal-target"} <= set(methods)
    assert "svm" not in methods
    text = (folder / "own/studies/r.yaml").read_text()
    assert "# Control: the mean of the labelled points\n" in text
    (folder / "s.csv").write_text(
        "seq,y\n"
        + "".join(f"{'ACGT' * 2}{i:05b}{'GA' * (i % 2)}T,{'ab'[i % 2]}\n" for i in range(24))
    )
    assert command("new", "s.csv", "--target", "y")[0] == 0
    study = load_yaml("own/studies/s.yaml")
    assert set(study["kernels"].values()) == {"subsequence-l3-d0.5", "spectrum-l3"}
    assert study["datasets"]["s"] == {"recipe": "none"}


def test_sources_of_every_kind_have_kernels(read, table):
    head = table(extra="seq", cell=lambda i: "ACGT" * 3 + f"{i:06b}T")
    kernels = choose_kernels(read(head)[0], Findings()).kernels.values()
    assert {"linear-unit", "gaussian-median", "subsequence-l3-d0.5@seq"} <= set(kernels)
    second = "w,v\n" + "".join(f"{i / 4},{i * i}\n" for i in range(40))
    choice = choose_kernels(read({"one.csv": head, "two.csv": second})[0], Findings())
    kernels = set(choice.kernels.values())
    assert {"gaussian-median", "linear-unit@two", "gaussian-median@one"} <= kernels
    assert choice.gaussian == "gaussian-median"


def test_long_strings_have_the_quick_kernel_alone(read):
    text = "seq,label\n" + "".join(f"{'ACGT' * 5000}{i:05b}T,{'ab'[i % 2]}\n" for i in range(24))
    findings = Findings()
    choice = choose_kernels(read(text)[0], findings)
    assert list(choice.kernels.values()) == ["spectrum-l3"]
    assert "480144 letters" in findings.warnings[0]


def test_zero_rows_and_equal_points(read):
    text = "x,y,label\n" + "".join(f"{i // 10},{i // 10},{'ab'[i % 2]}\n" for i in range(40))
    text = text.replace("1,1,", "0,0,").replace("2,2,", "0,0,").replace("3,3,", "0,0,")
    text += "3,-3,a\n-3,3,b\n"
    findings = Findings()
    kernels = choose_kernels(read(text)[0], findings).kernels.values()
    assert "linear" in kernels
    assert "gaussian-w2" in kernels
    assert "linear-unit" not in kernels
    assert "40 rows of 42 are zero" in findings.warnings[0]
    assert "median distance is 0" in findings.warnings[1]


def test_a_place_that_cannot_be_written(folder, command, table):
    (folder / "t.csv").write_text(table())
    (folder / "own").write_text("")
    status, _, err = command("new", "t.csv", "--target", "label")
    assert status == 1
    assert "own/datasets/ cannot be written" in err


def test_what_an_ended_command_left_is_no_obstacle(made, folder, command):
    for path in ("own/studies/my-table.yaml", "own/my-table.yaml"):
        Path(path).unlink()
    status, out, err = command("new", "my table.csv", "--target", "label")
    assert status == 0, err
    assert "own/studies/my-table.yaml" in out


def test_an_interrupt_leaves_no_files(folder, command, table, monkeypatch):
    from gramworks.owndata import new

    def interrupted(*arguments, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(new, "try_methods", interrupted)
    (folder / "t.csv").write_text(table())
    with pytest.raises(KeyboardInterrupt):
        command("new", "t.csv", "--target", "label")
    assert not list(folder.glob("own/**/*.*"))


def test_an_update_that_writes_the_study_does_not_say_otherwise(made, folder, command):
    Path("own/studies/my-table.yaml").unlink()
    status, out, err = command("new", "--update", "my-table")
    assert status == 0, err
    assert "own/studies/my-table.yaml" in out
    assert "stays as it is" not in out
