"""All methods that suit a task, with the registry's word on what each needs and takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gramworks.datasets.dataset import kind_of
from gramworks.errors import ConfigError
from gramworks.methods._chosen_kernel import ByFolds
from gramworks.methods.registry import Method, load_method, method_names
from gramworks.owndata.kernel_choice import KernelChoice

LIGHT = {
    "C_grid": [0.03125, 0.5, 8, 128],
    "width_factors": [0.25, 0.5, 1, 2],
    "partitions": 3,
}
"""Smaller grids than methods have by themselves, so that a first report is quick."""
ON_GRAPHS = ("label-propagation", "label-spreading", "random-walk")
"""Methods whose Gram matrix is the weights of a graph on all points: at the median width each point
is tied to every other, and they say the same of all."""
PLAIN = {"kernel", "C", *ByFolds.model_fields}
"""Parameters of a plain machine, which takes each kernel by itself: what combinations are held
against, and which source says most."""

_OWN_KERNEL = "; on a Gaussian of its own (`width`) of the features, not on the kernels above"
"""Behind the summary of a method that takes none of the study's kernels."""
_OF_TASK = {("majority", "regression"): "Control: the mean of the labelled points"}
"""Summaries of methods that do something else for one task."""


@dataclass
class MethodChoice:
    """Methods of a study with their bodies, and those left out with the reason."""

    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    summaries: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def choose_methods(
    dataset, choice: KernelChoice, check: Callable[[dict], None], few: bool = False
) -> MethodChoice:
    """Choose the methods for a data set.

    Parameters
    ----------
    dataset : Dataset
    choice : KernelChoice
    check : callable
        Gets ``{name: body}`` and raises ConfigError when such a study could not run.
    few : bool
        Large data: methods that take one kernel get one, not two.

    Returns
    -------
    MethodChoice
        Registered methods alone, in alphabetical order.
    """
    found = MethodChoice()
    for name in method_names():
        method = load_method(name)
        reason = _unfit(method, dataset, choice)
        if not reason:
            body = _body(method, dataset, choice, few)
            try:
                check({name: body})
            except ConfigError as error:
                reason = str(error).splitlines()[0]
        if reason:
            found.left_out[name] = reason
        else:
            found.bodies[name] = body
            summary = _OF_TASK.get((name, dataset.task), method.module.SUMMARY)
            found.summaries[name] = summary + (_OWN_KERNEL if _makes_its_own(method) else "")
    return found


def _makes_its_own(method: Method) -> bool:
    return "grams" not in method.needs and "width" in method.module.Params.model_fields


def _unfit(method: Method, dataset, choice: KernelChoice) -> str:
    if dataset.task not in method.tasks:
        return f"it is made for {', '.join(method.tasks)}"
    if method.index is not None:
        return (
            "one of a numbered family, the first of which takes K1; svm with that kernel is like it"
        )
    there = {"grams"}
    if kind_of(dataset.X) == "strings":
        there |= set() if dataset.views else {"strings"}
    else:
        there.add("features")
    lacking = set(method.needs) - there
    if lacking:
        return f"it needs {', '.join(sorted(lacking))}, which these data have not"
    fields = method.module.Params.model_fields
    required = [key for key, value in fields.items() if value.is_required()]
    if required:
        return f"it has no value of its own for {', '.join(required)}; state one"
    params = method.parameters({}, "gramworks new")
    if method.sees_test_labels(params):
        return "a control that sees the test labels"
    if _takes_identifier(method) and not _identifiers(method, choice):
        return "none of the kernels here is of two points on all features, without more"
    if "width_factors" in fields and choice.gaussian is None:
        return "it varies the width of a Gaussian kernel, and there is none here"
    return ""


def _body(method: Method, dataset, choice: KernelChoice, few: bool) -> dict[str, Any]:
    """Write the settings of a method, by the parameters it has."""
    fields = method.module.Params.model_fields
    body: dict[str, Any] = {}
    setting: dict[str, Any] = {}
    if _takes_identifier(method):
        setting["kernel"] = _identifiers(method, choice)[:1]
    elif "kernel" in fields:
        setting["kernel"] = _names_of_kernels(method, choice, few)
    if "criterion" in fields and "C" in fields:
        setting |= {"criterion": "l1", "C": 1}
    parameters = {key: value for key, value in LIGHT.items() if key in fields}
    if "covariance" in fields and dataset.X.shape[1] > dataset.rows / 10:
        parameters["covariance"] = "diag"  # full ones would have more entries than there are rows
    if "width_factors" in fields:
        body["kernels"] = [choice.gaussian]
    if setting:
        body["settings"] = setting
    if parameters:
        body["parameters"] = parameters
    return body


def _names_of_kernels(method: Method, choice: KernelChoice, few: bool) -> list[str]:
    if not few and {"C"} < set(method.module.Params.model_fields) <= PLAIN:
        return list(choice.kernels)
    names = choice.narrow() if method.name in ON_GRAPHS else []
    return (names or choice.typical())[: 1 if few else 2]


def _takes_identifier(method: Method) -> bool:
    """Whether `kernel` is an identifier: the method computes it itself, from the features."""
    return "kernel" in method.module.Params.model_fields and "grams" not in method.needs


def _identifiers(method: Method, choice: KernelChoice) -> list[str]:
    """Give the kernels of the study that the method takes, one of the median width first."""
    found = []
    for identifier in dict.fromkeys([choice.gaussian, *choice.kernels.values()]):
        if identifier is not None:
            try:
                method.parameters({"kernel": identifier}, "gramworks new")
            except ConfigError:
                continue
            found.append(identifier)
    return found
