"""Run `snakemake --lint` and fail on its findings, but for one wish that does not apply.

Snakemake asks for a conda environment in every rule. All rules here run in the environment that
runs Snakemake itself, pinned in requirements.lock, so that one finding is passed over. (The JSON
form of the output is empty in the pinned version, so the text is read.)
"""

import re
import subprocess
import sys

PASSED_OVER = "Specify a conda environment or container for each rule."


def main() -> int:
    run = subprocess.run(
        [sys.executable, "-m", "snakemake", "--lint"], capture_output=True, text=True, check=False
    )
    text = run.stdout + run.stderr
    findings, where, read = [], "", False
    for line in text.splitlines():
        if re.match(r"Lints for ", line):
            where, read = line.removeprefix("Lints for ").rstrip(":"), True
            continue
        found = re.match(r"    \* (.+?):?$", line)
        if found and found[1] != PASSED_OVER:
            findings.append(f"{where}: {found[1]}")
    if not read and "Congratulations" not in text:
        print(text, file=sys.stderr)
        print("snakemake --lint did not read the workflow.", file=sys.stderr)
        return 1
    print("\n".join(findings) or "snakemake --lint: no findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
