"""Write the report: one self-contained page from what `tabulate` wrote."""

import json
from pathlib import Path

from gramworks.datasets.description import describe_table
from gramworks.progress import progress_log
from gramworks.provenance import provenance
from gramworks.report.build import build_page
from gramworks.studies.study_file import Study


def main(slices, tables, page, log):
    studies = [Study.model_validate(json.loads(text)["study"]) for text in slices]
    build_page(
        studies,
        Path(page).parent,
        benchmarks=Path("results/benchmarks"),
        provenance=provenance("report", studies=[study.name for study in studies]),
        datasets=[describe_table(table) for table in tables],
    )
    log(f"report: {page}")


if __name__ == "__main__":
    with progress_log(snakemake.log[0]) as log:
        main(snakemake.params.slices, snakemake.input.tables, snakemake.output.page, log)
