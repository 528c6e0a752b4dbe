"""The files that `gramworks new` writes, as people would write them: with comments."""

from __future__ import annotations

import re
from typing import Any

import yaml

from gramworks.fitting.task_metrics import METRICS_OF_TASK
from gramworks.methods.registry import load_method
from gramworks.owndata.findings import Findings
from gramworks.owndata.kernel_choice import KernelChoice
from gramworks.owndata.method_choice import MethodChoice
from gramworks.owndata.places import STUDIES
from gramworks.owndata.split_choice import SplitChoice


def study_values(
    name: str, title: str, task: str, choice: KernelChoice, splits: SplitChoice, methods: dict
) -> dict[str, Any]:
    """State a study as values."""
    return {
        "name": name,
        "title": title,
        "datasets": {name: {"recipe": choice.recipe}},
        "splits": splits.spec,
        "kernels": choice.kernels,
        "methods": methods,
        "metrics": _metrics(task, list(methods), len(choice.kernels)),
        "predictions": 3,
    }


def _metrics(task: str, methods: list[str], kernels: int) -> list[str]:
    metrics = [m for m in METRICS_OF_TASK[task] if m != "test-error-percent"]
    patterns = [p for name in methods for p in load_method(name).metrics]
    weights = [f"weight-{i}" for i in range(1, kernels + 1)]
    return metrics + [w for w in weights if any(re.fullmatch(p, w) for p in patterns)]


def write_study(
    values: dict[str, Any], choice: KernelChoice, splits: SplitChoice, methods: MethodChoice
) -> str:
    """Write a study file with comments; it reads back to the values."""
    name = values["name"]
    lines = [
        "# Made by `gramworks new`, and yours to change: every key is explained in",
        "# docs/study-files.md, `gramworks check` says what is wrong before anything runs.",
        f"name: {name}",
        f"title: {inline(values['title'])}",
        "",
        "datasets:",
        f"  {inline(name)}: {inline(values['datasets'][name])}"
        f"  # {_RECIPES.get(choice.recipe, choice.recipe)}",
        "",
        f"# {splits.comment}",
        f"splits: {inline(values['splits'])}",
        "",
        *(_WIDTHS if choice.gaussian else ()),
        "kernels:",
        *_table({key: inline(kernel) for key, kernel in choice.kernels.items()}, choice.comments),
        "",
        "# All registered methods that suit the data. Grids are smaller than the methods' own, so",
        "# that the first report is quick; take `parameters` away for the full ones.",
        "methods:",
        *_table(
            {key: inline(body) for key, body in methods.bodies.items()}, methods.summaries
        ),
    ]  # fmt: skip
    if methods.left_out:
        lines += ["# Left out:"]
        lines += [f"#   {key}: {_comment(why)}" for key, why in methods.left_out.items()]
    lines += ["", f"metrics: {inline(values['metrics'])}"]
    lines += [
        "predictions: 3  # draws with predictions kept, for curves and a map; 0 is quicker",
        "",
    ]
    return "\n".join(lines)


_WIDTHS = (
    "# Gaussian widths are chosen around the median distance of two points, after",
    "# normalisation and without labels. More kernels cost time, and rarely accuracy.",
)
_RECIPES = {
    "standardise": "each feature to mean 0 and standard deviation 1, over all rows",
    "unit-rows": "each row to length 1",
    "none": "as it is",
}


def write_config(name: str) -> str:
    """Write the configuration of an own study."""
    return "\n".join(
        [
            f"# Run with: snakemake --cores all --configfile own/{name}.yaml",
            f"studies: [{inline(name)}]  # {STUDIES}/{name}.yaml",
            "sources: any",
            "",
        ]
    )


def write_entry(values: dict[str, Any], findings: Findings) -> str:
    """Write the registry entry of an own data set."""
    said = [f"# {_comment(text)}" for text in (*findings.said, *findings.warnings)]
    body = yaml.safe_dump(values, sort_keys=False, allow_unicode=True, width=100)
    return "\n".join(["# Made by `gramworks new`, which understood:", *said, "", body])


def inline(value: Any) -> str:
    """Write a value on one line of YAML."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=10**9, allow_unicode=True, sort_keys=False
    )
    return text.removesuffix("\n").removesuffix("...").strip()


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))


def _table(values: dict[str, str], comments: dict[str, str]) -> list[str]:
    width = min(60, max(len(key) + len(text) for key, text in values.items()) + 4)
    return [
        f"  {key}: {text}".ljust(width) + f"  # {_comment(comments[key])}"
        for key, text in values.items()
    ]
