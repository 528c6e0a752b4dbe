"""Gramworks: base Gram matrices once, kernels learned from them, tables beside published ones.

Run `snakemake --cores 16` for config.yaml, or add `--configfile config/papers.yaml`.
"""

if not workflow.overwrite_configfiles:

    configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/gram.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/views.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        plan.targets(),
