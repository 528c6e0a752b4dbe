"""What the project says of itself is true."""

import re
import statistics
import subprocess
from pathlib import Path

import pytest
import yaml

import gramworks

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "gramworks"


def tracked():
    made = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in made.stdout.splitlines() if (ROOT / name).is_file()]


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == gramworks.__version__
    assert len(citation["references"]) == 5
    assert f"## {gramworks.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) < 150
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_snakefile_is_a_page():
    assert len((ROOT / "Snakefile").read_text().splitlines()) < 40
    for rules in (ROOT / "workflow" / "rules").glob("*.smk"):
        assert "\n    run:" not in rules.read_text(), f"{rules.name} has a run: block"


def test_modules_are_short():
    lengths = [len(path.read_text().splitlines()) for path in SOURCE.rglob("*.py")]
    assert statistics.median(lengths) < 200
    assert max(lengths) < 500
    assert not {"utils", "common", "helpers"} & {path.stem for path in SOURCE.rglob("*.py")}


def test_nothing_of_this_machine_and_no_data_in_the_repository():
    patterns = [r"/work/", r"/root/", r"/home/", r"files\.pythonhosted\.org", r"pypi\.org/simple"]
    own = Path(__file__)
    for path in tracked():
        assert path.stat().st_size < 2_000_000, f"{path} is large"
        if path == own or path.suffix in {".png"}:
            continue
        text = path.read_text(errors="replace")
        for pattern in patterns:
            assert not re.search(pattern, text), f"{path} has {pattern}"


def test_public_names_are_there():
    import gramworks.fitting
    import gramworks.gram
    import gramworks.kernels
    import gramworks.learning

    for package, names in {
        gramworks.kernels: "linear polynomial gaussian subsequence diffusion centre normalise "
        "alignment",
        gramworks.gram: "write_gram read_gram",
        gramworks.learning: "AlignmentKernel ClusterKernel KernelDependency MarginKernel "
        "OptimalTarget",
        gramworks.fitting: "cross_validate",
    }.items():
        for name in names.split():
            assert callable(getattr(package, name)), f"{package.__name__}.{name}"
