"""Run `snakemake --lint` and fail on its findings, but for one wish that does not apply.

Snakemake asks for a conda environment in every rule. All rules here run in the environment that
runs Snakemake itself, pinned in requirements.lock, so that one finding is passed over.
"""

import json
import subprocess
import sys

PASSED_OVER = "Specify a conda environment or container for each rule."


def main() -> int:
    run = subprocess.run(
        ["snakemake", "--lint", "json"], capture_output=True, text=True, check=False
    )
    start = run.stdout.find("{")
    if start < 0:
        print(run.stdout + run.stderr, file=sys.stderr)
        print("snakemake --lint gave no JSON; the workflow could not be read.", file=sys.stderr)
        return 1
    report = json.loads(run.stdout[start:])
    findings = [
        f"{part.get('rule') or part.get('snakefile')}: {lint['title']} {lint.get('body', '')}"
        for group in ("rules", "snakefiles")
        for part in report.get(group) or []
        for lint in part.get("lints") or []
        if lint["title"] != PASSED_OVER
    ]
    print("\n".join(findings) or "snakemake --lint: no findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
