# Tables beside the published numbers, and the report.


rule tabulate:
    input:
        scores=lambda w: plan.scores(w.study),
        tables=lambda w: plan.tables(w.study),
        splits=lambda w: plan.all_splits(w.study),
        timings=lambda w: plan.timings(w.study),
        views=lambda w: plan_views.views(plan, w.study),
    output:
        answers=report(
            "results/report/{study}/answers.csv",
            caption="../report/answers.rst",
            category="Studies",
            subcategory="{study}",
            labels={"content": "best methods"},
        ),
        ranks=report(
            "results/report/{study}/ranks.csv",
            caption="../report/ranks.rst",
            category="Studies",
            subcategory="{study}",
            labels={"content": "ranks over data sets"},
        ),
        comparison=report(
            "results/report/{study}/comparison.csv",
            caption="../report/comparison.rst",
            category="Studies",
            subcategory="{study}",
            labels={"content": "all cells, measured and published"},
        ),
        figures=report(
            directory("results/report/{study}/figures"),
            patterns=["figure-{figure}.svg"],
            caption="../report/figures.rst",
            category="Figures",
            subcategory="{study}",
            labels={"figure": "{figure}"},
        ),
        problems="results/report/{study}/problems.csv",
        status="results/report/{study}/status.csv",
        edges="results/report/{study}/edges.csv",
        absent="results/report/{study}/absent.csv",
        one_class="results/report/{study}/one-class.csv",
        remarks="results/report/{study}/remarks.csv",
        provenance="results/report/{study}/provenance.json",
    log:
        "results/logs/tabulate/{study}.log",
    benchmark:
        "results/benchmarks/tabulate/{study}.tsv"
    params:
        slice=lambda w: plan.study_slice(w.study),
        code=lambda w: plan.study_code("tabulate.py", w.study),
        resources=lambda w: plan.resource_digest("published.csv"),
    message:
        "Comparing {wildcards.study} with the published numbers"
    script:
        "../scripts/tabulate.py"


rule report:
    input:
        comparisons=[plan.comparison(study) for study in plan.studies],
        answers=expand(
            "results/report/{study}/{table}.csv",
            study=plan.studies,
            table=["answers", "ranks"],
        ),
        tables=plan.all_tables(),
    output:
        page=report(
            "results/report/index.html",
            caption="../report/page.rst",
            category="Report",
            labels={"content": "the whole report"},
        ),
    log:
        "results/logs/report.log",
    params:
        # A function, since text of a study may hold braces, which the engine would read.
        slices=lambda w: [plan.study_slice(study) for study in plan.studies],
        code=lambda w: plan.code("report.py", ["gramworks.report.build"]),
        resources=lambda w: plan.resource_digest("report/templates/*"),
    message:
        "Writing the report"
    script:
        "../scripts/report.py"
