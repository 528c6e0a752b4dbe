"""Every parser meets hostile files: some hundred mutations of its sample, read in a child process.

A sample is a folder of ``samples`` with an ``entry.yaml`` and the files of its first source. Each
parser needs one; nothing else is to be written for a new parser.
"""

import gzip
import json
import multiprocessing
import random
import resource
import time
import traceback
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from gramworks.datasets.archive import read_member
from gramworks.datasets.checksums import checksum
from gramworks.datasets.dataset import kind_of
from gramworks.datasets.entry import DatasetEntry
from gramworks.datasets.facts import facts_of
from gramworks.datasets.parsing import parse_source
from gramworks.datasets.store import read_dataset, write_dataset
from gramworks.errors import GramworksError
from gramworks.fields import validated
from gramworks.strict_yaml import load_yaml

SAMPLES = Path(__file__).parent / "samples"
NAMES = sorted(path.parent.name for path in SAMPLES.glob("*/entry.yaml"))
PARSERS = Path(__file__).parents[2] / "src" / "gramworks" / "datasets" / "parsers"
WITHOUT_FILES = {"sklearn_bunch"}
MUTATIONS = 250
SECONDS = 2.0
"""Of one reading."""
MEMORY = 1 << 30
"""Bytes of address space that all readings of a sample may add."""

TOKENS = [
    b"\0", b"\n", b"\r", b"\x1c", b"\xff", b"\xef\xbb\xbf", b" ", b"\t", b",", b";", b"'", b'"',
    b"%", b"@", b"{", b"}", b"<", b">", b"&", b"&#0;", b"&lt;", b"?", b"-", b"-1", b"0", b"nan",
    b"inf", b"1e999", b"9" * 30, b"9" * 5000, b"A" * 20000, b"_", b"1_0", b"#", b":", b"/", b"../",
    b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\x80\0\0\0", b"\0" * 64,
    b"<!ENTITY a 'aa'>", b"@attribute", b"@data", "\u0663\u00b2".encode(),
]  # fmt: skip


def load_sample(name):
    path = SAMPLES / name / "entry.yaml"
    return validated(DatasetEntry, load_yaml(path), str(path))


def read_sample(entry, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse_source(entry, entry.sources[0], folder)


def check(dataset):
    """What any data set keeps, however odd the file that it was read from."""
    n = dataset.rows
    assert n > 0
    for points in (dataset.X, *dataset.views.values()):
        if kind_of(points) == "strings":
            assert all(isinstance(text, str) for text in points)
            continue
        values = points if kind_of(points) == "dense" else points.data
        assert points.shape[0] == n
        assert points.dtype == np.float64
        assert np.isfinite(values).all()
    assert len(dataset.y) == n
    if dataset.task in ("binary", "multiclass"):
        assert dataset.y.dtype == np.int64
        assert 0 <= dataset.y.min() <= dataset.y.max() < len(dataset.classes)
    elif dataset.task == "multilabel":
        assert dataset.y.shape == (n, len(dataset.classes))
        assert np.isin(dataset.y, (0, 1)).all()
    elif dataset.task == "regression":
        assert np.isfinite(dataset.y).all()
    for part in (part for pair in dataset.partitions or () for part in pair):
        assert len(part) > 0
        assert 0 <= part.min() <= part.max() < n
    assert dataset.row_ids is None or len(dataset.row_ids) == n
    if dataset.kind != "strings":
        assert len(dataset.feature_names) == dataset.X.shape[1]
    facts_of(dataset)


def mutate(data, rng):
    """Change bytes once to three times, of the packed or of the unpacked content."""
    if data[:2] == b"\x1f\x8b" and rng.random() < 0.7:
        return gzip.compress(mutate(gzip.decompress(data), rng), compresslevel=1, mtime=0)
    for _ in range(rng.randint(1, 3)):
        size = len(data)
        at = rng.randrange(size + 1)
        end = min(size, at + rng.choice((1, 1, 2, 4, 8, 16, 64, size)))
        match rng.randrange(8):
            case 0:  # flip a bit
                data = (
                    data[:at]
                    + bytes(b ^ 1 << rng.randrange(8) for b in data[at : at + 1])
                    + data[at + 1 :]
                )
            case 1:  # other bytes
                data = data[:at] + rng.randbytes(end - at) + data[end:]
            case 2:  # lost
                data = data[:at] + data[end:]
            case 3:  # twice
                data = data[:end] + data[at:end] + data[end:]
            case 4:  # cut off
                data = data[:at]
            case 5 | 6:  # something that means something
                token = rng.choice(TOKENS)
                data = data[:at] + token + data[at + rng.choice((0, 1, len(token))) :]
            case 7:  # a number of four or eight bytes that is huge, zero or negative
                width = rng.choice((4, 8))
                at -= at % 4
                value = rng.choice((0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62)) % 256**width
                number = value.to_bytes(width, rng.choice(("little", "big")))
                data = data[:at] + number + data[at + width :]
    return data


def _read_mutations(name, originals, read, folder, answer):
    """Run in the child: mutate one file at a time, and write the faults as JSON."""
    for file, data in originals.items():
        (folder / file).write_bytes(data)
    read(folder)  # so that imports are not counted
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    except OSError:
        pass  # no such file system here: memory is not limited
    faults, good = [], 0
    for number in range(MUTATIONS):
        rng = random.Random(f"{name}-{number}")
        chosen = rng.choice(list(originals))
        (folder / chosen).write_bytes(mutate(originals[chosen], rng))
        where = f"mutation {number} of {chosen}"
        start = time.process_time()
        try:
            read(folder)
            good += 1
        except GramworksError as error:
            if not 10 < len(str(error)) < 5000:
                faults.append(f"{where}: {len(str(error))} letters of message")
        except BaseException:
            faults.append(f"{where}: {traceback.format_exc()[-1500:]}")
        seconds = time.process_time() - start
        if seconds > SECONDS:
            faults.append(f"{where}: took {seconds:.1f} s")
        (folder / chosen).write_bytes(originals[chosen])
    answer.write_text(json.dumps({"faults": faults, "good": good}))


def read_in_child(name, originals, read, tmp_path):
    """Read mutations in a child, so that a crash of a library is a failure and not the end."""
    context = multiprocessing.get_context("fork")
    answer = tmp_path / "answer.json"
    (tmp_path / "files").mkdir()
    child = context.Process(
        target=_read_mutations, args=(name, originals, read, tmp_path / "files", answer)
    )
    child.start()
    child.join(120)
    if child.is_alive():
        child.kill()
        pytest.fail(f"{name}: a mutation is read without end")
    assert child.exitcode == 0, f"{name}: the reader died (exit code {child.exitcode})"
    found = json.loads(answer.read_text())
    assert not found["faults"], "\n".join([f"{len(found['faults'])} faults", *found["faults"][:5]])
    assert found["good"] < MUTATIONS, "no mutation was noticed"
    return found["good"]


def test_every_parser_has_a_sample():
    stems = {path.stem for path in PARSERS.glob("*.py") if not path.stem.startswith("_")}
    formats = {load_sample(name).sources[0].format.replace("-", "_") for name in NAMES}
    assert stems - WITHOUT_FILES <= formats, (
        "add a folder with entry.yaml and a small file to tests/datasets/samples for "
        f"{sorted(stems - WITHOUT_FILES - formats)}"
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_read(name):
    dataset = read_sample(load_sample(name), SAMPLES / name)
    check(dataset)
    assert dataset.rows <= 50


@pytest.mark.parametrize("name", NAMES)
def test_mutations_end_in_named_errors(name, tmp_path):
    entry = load_sample(name)
    files = {file.name: (SAMPLES / name / file.name).read_bytes()
             for file in entry.sources[0].files}  # fmt: skip
    read_in_child(name, files, lambda folder: check(read_sample(entry, folder)), tmp_path)


def test_mutated_archives(tmp_path):
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in ("a/one.txt", "a/two.txt", "b.txt"):
            archive.writestr(zipfile.ZipInfo(member), member * 9)

    def read(folder):
        assert len(read_member(folder / "a.whl", "a/two.txt", largest=1000)) <= 1000

    read_in_child("archive", {"a.whl": path.read_bytes()}, read, tmp_path)


def test_mutated_files_of_our_own(tmp_path):
    """What is read back is what was written, or the file is called damaged."""
    dataset = read_sample(load_sample("gene-networks"), SAMPLES / "gene-networks")
    write_dataset(tmp_path / "a.h5", dataset, recipe="none", provenance={"seed": 1})
    expected = checksum(dataset)

    def read(folder):
        found = read_dataset(folder / "a.h5")
        assert checksum(found) == expected
        assert found.notes == dataset.notes

    read_in_child("store", {"a.h5": (tmp_path / "a.h5").read_bytes()}, read, tmp_path)
