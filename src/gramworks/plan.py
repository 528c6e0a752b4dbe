"""From a run configuration to files: what the workflow's rules ask for their targets and slices.

Everything here is a pure function of the configuration, the study files and the registries;
nothing is written. A rule gets only its slice, as one line of canonical JSON, so that a reordered
or reformatted configuration reruns nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from gramworks.config import RunConfig
from gramworks.datasets.parsing import parser_module
from gramworks.datasets.registry import entry_digest, load_entry
from gramworks.datasets.splits import AnySpec, split_settings
from gramworks.errors import ConfigError, suggest
from gramworks.fingerprint import fingerprint
from gramworks.kernels.identifiers import kernel_module
from gramworks.label_tasks import all_settings
from gramworks.methods.registry import load_method, method_module
from gramworks.owndata.originals import check_originals
from gramworks.owndata.places import STUDIES as OWN_STUDIES
from gramworks.parts import Piece, part_files, parts
from gramworks.plan_grams import blocks
from gramworks.plan_memory import check_memory
from gramworks.plan_views import views
from gramworks.settings import format_setting, join_settings
from gramworks.studies.derived import derived_module
from gramworks.studies.study_checks import check_study
from gramworks.studies.study_file import Study, load_studies


def canonical(value: Any) -> str:
    """Write JSON with sorted keys and one form a number, so that 0.20 and 0.2 are equal."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


_PACKAGE = Path(__file__).parent


@cache
def _code(script: str | None, modules: tuple[str, ...]) -> str:
    return fingerprint(script, modules)


class Plan:
    """The files and jobs of one run.

    Parameters
    ----------
    config : RunConfig
    root : path
        The project's folder, with config/studies and workflow/scripts.

    Raises
    ------
    ConfigError
        When a study, data set, method or parameter is not valid; names the valid ones.
    """

    def __init__(self, config: RunConfig, root: str | Path = ".") -> None:
        self.config = config
        self.root = Path(root)
        studies = load_studies(config.studies, self.root / "config" / "studies", OWN_STUDIES)
        for study in studies:
            check_study(study)
            for dataset in study.datasets:
                check_originals(load_entry(dataset))
        self._check_filters(studies)
        self.studies = {s.name: self._limited(s) for s in studies}
        self._parts: dict[tuple[str, str], dict[str, list[Piece]]] = {}
        # Anything that is wrong must be said here: an error in a rule's input function would make
        # the engine take the files of an earlier run.
        self.targets()
        for study, dataset, method in self.pairs:
            self.settings_slice(study, dataset, method)
        check_memory(self)

    def _check_filters(self, studies: list[Study]) -> None:
        for key in ("datasets", "methods"):
            offered = {name for study in studies for name in getattr(study, key)}
            for name in getattr(self.config, key) or ():
                if name not in offered:
                    raise ConfigError(
                        f"{key}: {name!r} is in none of the chosen studies; "
                        f"{suggest(name, offered)}."
                    )

    def _limited(self, study: Study) -> Study:
        """Cut the repeats to what the run admits; splits are seeded one by one, so it is a cut."""
        cap = self.config.repeats

        def cut(spec: AnySpec | None) -> AnySpec | None:
            if cap is None or spec is None or (spec.repeats or cap + 1) <= cap:
                return spec
            return spec.model_copy(update={"repeats": cap})

        datasets = {
            name: body.model_copy(update={"splits": cut(body.splits)})
            for name, body in study.datasets.items()
        }
        return study.model_copy(update={"splits": cut(study.splits), "datasets": datasets})

    # What runs

    def datasets(self, study: str) -> list[str]:
        """List the data sets of a study that this run includes."""
        return [d for d in self.studies[study].datasets if not self._left_out(d)]

    def methods(self, study: str) -> list[str]:
        """List the methods of a study that this run includes."""
        wanted = self.config.methods
        return [m for m in self.studies[study].methods if wanted is None or m in wanted]

    def _left_out(self, dataset: str) -> str:
        if self.config.datasets is not None and dataset not in self.config.datasets:
            return "dataset-not-in-run"
        if self.config.sources == "embedded" and not load_entry(dataset).embedded:
            return "source-not-embedded"
        return ""

    def methods_on(self, study: str, dataset: str) -> list[str]:
        """List the methods that this run includes on one data set of a study."""
        return [m for s, d, m in self.pairs if (s, d) == (study, dataset)]

    def left_out(self, study: str) -> dict[str, str]:
        """Map the data sets of a study that this run leaves out to a typed reason."""
        found = {d: self._left_out(d) for d in self.studies[study].datasets}
        return {dataset: reason for dataset, reason in found.items() if reason}

    @cached_property
    def pairs(self) -> list[tuple[str, str, str]]:
        """All (study, data set, method) of the run."""
        return [
            (study, dataset, method)
            for study in self.studies
            for dataset in self.datasets(study)
            for method in self.methods(study)
            if dataset in (self.studies[study].methods[method].datasets or [dataset])
        ]

    # Files

    def raw(self, dataset: str) -> str:
        """Manifest of the bytes of a data set."""
        return f"data/raw/{dataset}/manifest.json"

    def table(self, study: str, dataset: str) -> str:
        """Name the parsed and normalised data set."""
        return f"results/datasets/{dataset}/{self.studies[study].datasets[dataset].recipe}.h5"

    def splits(self, study: str, dataset: str) -> str:
        """Split file."""
        return f"results/splits/{study}/{dataset}.h5"

    def kernels(self, study: str, dataset: str, method: str) -> dict[str, str]:
        """Map K1, K2, ... to the base kernels of a method; empty where it takes none."""
        if "grams" not in load_method(method).needs:
            return {}
        return self.studies[study].base_kernels(dataset, method)

    def grams(self, study: str, dataset: str, method: str) -> list[str]:
        """Gram files a method reads, in the order K1, K2, ..."""
        recipe = self.studies[study].datasets[dataset].recipe
        kernels = self.kernels(study, dataset, method).values()
        return [f"results/gram/{dataset}/{recipe}/{kernel}.h5" for kernel in kernels]

    def gram_blocks(self, study: str, dataset: str, method: str) -> list[str]:
        """Files of the rows of those Gram matrices that several jobs compute."""
        recipe = self.studies[study].datasets[dataset].recipe
        kernels = self.kernels(study, dataset, method).values()
        return [path for k in kernels for path in blocks(self, dataset, recipe, k)]

    def shared(self, study: str, dataset: str, method: str) -> list[str]:
        """File of what all draws share, for methods that learn it."""
        learns = load_method(method).learns
        return [f"results/kernels/{study}/{dataset}/{method}.h5"] if learns else []

    def parts(self, study: str, dataset: str) -> dict[str, list[Piece]]:
        """Name the jobs that fit all methods on a data set, and what each fits."""
        if (study, dataset) not in self._parts:
            self._parts[study, dataset] = parts(self, study, dataset)
        return self._parts[study, dataset]

    def scores(self, study: str) -> list[str]:
        """List the merged score files of a study."""
        return [f"results/scores/{s}/{d}/{m}.csv" for s, d, m in self.pairs if s == study]

    def timings(self, study: str) -> list[str]:
        """List the merged files of times of a study."""
        return [_timing(path) for path in self.scores(study)]

    def all_splits(self, study: str) -> list[str]:
        """List the split files of a study."""
        return [self.splits(study, dataset) for dataset in self.datasets(study)]

    def tables(self, study: str) -> list[str]:
        """List the normalised data sets of a study."""
        return [self.table(study, dataset) for dataset in self.datasets(study)]

    def all_tables(self) -> list[str]:
        """List the normalised data sets of the run, each once."""
        return sorted({path for study in self.studies for path in self.tables(study)})

    def comparison(self, study: str) -> str:
        """Tidy comparison of a study with the published numbers."""
        return f"results/report/{study}/comparison.csv"

    def targets(self) -> list[str]:
        """List what `rule all` asks for: every file of the run.

        With the report alone as the target the engine would not miss an intermediate file that a
        failed or killed job took away, as long as an older report is there.
        """
        files: dict[str, None] = {}
        for study, dataset, method in self.pairs:
            files |= dict.fromkeys(
                [
                    self.raw(dataset),
                    self.table(study, dataset),
                    self.splits(study, dataset),
                    *self.gram_blocks(study, dataset, method),
                    *self.grams(study, dataset, method),
                    *self.shared(study, dataset, method),
                    *part_files(self, study, dataset, method),
                    f"results/scores/{study}/{dataset}/{method}.csv",
                ]
            )
        timings = [_timing(file) for file in files if file.startswith("results/scores/")]
        seen = [path for study in self.studies for path in views(self, study)]
        reports = [self.comparison(study) for study in self.studies]
        return [*files, *timings, *seen, *reports, "results/report/index.html"]

    # Repeats

    def split_settings(self, study: str, dataset: str | None = None) -> list[str]:
        """List the settings that splits distinguish, such as n_labelled=16.

        Those of a data set, or without one those that the study states for all.
        """
        found = self.studies[study]
        return list(split_settings(found.splits_of(dataset) if dataset else found.splits))

    def labels(self, study: str, dataset: str) -> list[str]:
        """List the labels told from the rest one by one; none where the data set's task is kept."""
        stated = self.studies[study].datasets[dataset].labels
        return load_entry(dataset).target.classes if stated == "all" else list(stated or ())

    def n_repeats(self, study: str, dataset: str) -> int:
        """Return the number of draws a setting; a k-fold counts every fold."""
        spec = self.studies[study].splits_of(dataset)
        if spec.kind != "given":
            return spec.repeats * spec.folds if spec.kind == "k-fold" else spec.repeats
        given = load_entry(dataset).facts.partitions
        for size in spec.sizes or ():
            if size not in given:
                raise ConfigError(
                    f"study {study}: data set {dataset!r} has no given partition with {size} "
                    f"labelled points; it has {_listed(given)}."
                )
        count = min(given[size] for size in spec.sizes) if spec.sizes else sum(given.values())
        if not count:
            raise ConfigError(f"study {study}: data set {dataset!r} has no given partitions.")
        if spec.labelled is None:
            return min(spec.repeats or count, count)
        smallest = min(spec.sizes or given)
        if spec.labelled > smallest:
            raise ConfigError(
                f"study {study}: splits: labelled: {spec.labelled} points are to be drawn, data "
                f"set {dataset!r} has a given training part of {smallest}."
            )
        return spec.repeats or count

    # Slices: what goes through `params:`, one line of JSON each

    def fetch_slice(self, dataset: str) -> str:
        """Registry entry, and the attempt, so that unreachable sources are tried on every run."""
        manifest = self.root / self.raw(dataset)
        attempt = 0
        try:
            before = json.loads(manifest.read_text(encoding="utf-8"))
            attempt = before["attempt"] + bool(before.get("absent"))
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return canonical({"entry": entry_digest(dataset), "attempt": attempt})

    def table_slice(self, dataset: str) -> str:
        """Registry entry of a data set."""
        return canonical({"entry": entry_digest(dataset)})

    def splits_slice(self, study: str, dataset: str) -> str:
        """Protocol of the splits of a data set in a study."""
        spec = self.studies[study].splits_of(dataset)
        if spec.kind == "given":  # a cap may be above what there is
            spec = spec.model_copy(update={"repeats": self.n_repeats(study, dataset)})
        return canonical(spec.model_dump())

    def fit_slice(self, study: str, dataset: str, method: str) -> str:
        """State settings, parameters and kernel names of a method; nothing else of the study."""
        spec = self.studies[study].methods[method]
        labels = self.labels(study, dataset)
        body = self.studies[study].datasets[dataset]
        positive, between = body.positive, body.output_kernel
        return canonical(
            {
                "settings": spec.combinations(),
                "parameters": spec.parameters,
                # Pairs, since the keys of a JSON object would be sorted K1, K10, K2.
                "kernels": list(self.kernels(study, dataset, method).items()),
                "split_settings": self.split_settings(study, dataset),
                **({"labels": labels} if labels else {}),
                **({"positive": positive} if positive else {}),
                **({"output_kernel": between} if between else {}),
            }
        )

    def part_slice(self, study: str, dataset: str, part: str) -> str:
        """State the pieces of a part: each with its repeats, its slice, its code and what to keep.

        A piece that was fitted before is known by this text again, in whatever part it comes.
        """
        return canonical([self._piece(study, dataset, p) for p in self.parts(study, dataset)[part]])

    def _piece(self, study: str, dataset: str, piece: Piece) -> dict[str, Any]:
        kept = 0 if self.labels(study, dataset) else self.studies[study].predictions
        return {
            **piece._asdict(),
            "slice": json.loads(self.fit_slice(study, dataset, piece.method)),
            "code": self.fit_code("fit.py", study, dataset, piece.method),
            "predictions": min(kept, self.n_repeats(study, dataset)),
        }

    def settings_slice(self, study: str, dataset: str, method: str) -> str:
        """State all settings of a method, those of splits and labels included."""
        own = [format_setting(row) for row in self.studies[study].methods[method].combinations()]
        outer = self.split_settings(study, dataset)
        try:
            joined = [join_settings(a, b) for a in outer for b in own]
            return canonical(all_settings(joined, self.labels(study, dataset)))
        except ValueError as error:
            raise ConfigError(f"study {study}: method {method}: {error}.") from None

    def study_slice(self, study: str) -> str:
        """State what the tables show of a study."""
        shown = self.studies[study].model_dump(exclude={"chunk"})
        for method, body in shown["methods"].items():
            body.pop("chunk")
            body["settings"] = self.studies[study].methods[method].combinations()
        return canonical({"study": shown, "left_out": self.left_out(study)})

    # Code

    def code(self, script: str, modules: Iterable[str] = ()) -> str:
        """Fingerprint of a script and the modules it reaches."""
        return _code(str(self.root / "workflow" / "scripts" / script), tuple(sorted(modules)))

    def module_code(self, module: str) -> str:
        """Fingerprint of a module that is run as a program."""
        return _code(None, (module,))

    def parser_code(self, script: str, dataset: str) -> str:
        """Fingerprint with the data set's parser or generator."""
        return self.code(script, [parser_module(load_entry(dataset))])

    def kernel_code(self, script: str, kernel: str) -> str:
        """Fingerprint with the kernel's own module."""
        return self.code(script, [kernel_module(kernel)])

    def method_code(self, script: str, method: str) -> str:
        """Fingerprint with the method's own module."""
        return self.code(script, [method_module(method)])

    def fit_code(self, script: str, study: str, dataset: str, method: str) -> str:
        """Fingerprint with the method's own module, and that of the kernel between outputs."""
        between = self.studies[study].datasets[dataset].output_kernel
        modules = [kernel_module(between)] if between else []
        return self.code(script, [method_module(method), *modules])

    def study_code(self, script: str, study: str) -> str:
        """Fingerprint of tabulating a study, with the study's own module if there is one."""
        own = derived_module(study)
        return self.code(script, ["gramworks.report.build", *([own] if own else [])])

    def resource_digest(self, pattern: str) -> str:
        """Hash of package data that a stage reads, such as published.csv or templates."""
        base = "" if pattern.startswith("report/") else "resources/"
        digest = hashlib.sha256()
        for path in sorted(_PACKAGE.glob(base + pattern)):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()[:16]


def _timing(score_file: str) -> str:
    return score_file.replace("results/scores/", "results/timings/", 1)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(str(number) for number in sorted(numbers)) or "none at all"
