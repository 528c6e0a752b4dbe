# The run: configuration checked, turned into a plan that the rules ask for files and slices.
import os
import shlex
import sys

from snakemake.exceptions import WorkflowError

try:
    from gramworks.config import run_config
    from gramworks.errors import GramworksError
    from gramworks.fields import NAME_PATTERN
    from gramworks.kernels.identifiers import KERNEL_PATTERN
    from gramworks.plan import Plan
    from gramworks.plan_resources import SMALL_GROUP, PlanResources
except ModuleNotFoundError as error:
    raise WorkflowError(
        f"{error}. Install the project into this environment: pip install -e . "
        "(or let `make report` do all of it)."
    ) from None

try:
    plan = Plan(run_config(config, workflow.configfiles), workflow.basedir)
except GramworksError as error:
    raise WorkflowError(str(error)) from None


def small_jobs_share():
    """Whether a profile says how many data sets' small jobs go together."""
    return SMALL_GROUP in workflow.group_settings.group_components


# Memory in MB and minutes of each job. Not parameters: changing them reruns nothing.
needs = PlanResources(plan, grouped=small_jobs_share)

# Shell commands run the Python that scripts run in, whatever the search path has.
shell.prefix(f"PATH={shlex.quote(os.path.dirname(sys.executable))}:$PATH; ")

# Where bytes come from does not change what they are, so the mirror is no parameter of a rule.
if plan.config.mirror:
    os.environ.setdefault("GRAMWORKS_MIRROR", plan.config.mirror)


wildcard_constraints:
    study=NAME_PATTERN,
    dataset=NAME_PATTERN,
    recipe=NAME_PATTERN,
    kernel=KERNEL_PATTERN,
    method=NAME_PATTERN,
    part=NAME_PATTERN + r"(\+\d+\.[0-9a-f]+)?",
    rows=r"\d+-\d+",


localrules:
    all,
    fetch,
    merge,
    predict,
    tabulate,
    report,
