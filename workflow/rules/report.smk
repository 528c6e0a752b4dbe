# Tables beside the published numbers, and the report.


rule tabulate:
    input:
        scores=lambda w: plan.scores(w.study),
        tables=lambda w: plan.tables(w.study),
        splits=lambda w: plan.all_splits(w.study),
        timings=lambda w: plan.timings(w.study),
        views=lambda w: plan_views.views(plan, w.study),
    output:
        answers="results/report/{study}/answers.csv",
        ranks="results/report/{study}/ranks.csv",
        figures=directory("results/report/{study}/figures"),
        comparison="results/report/{study}/comparison.csv",
        problems="results/report/{study}/problems.csv",
        status="results/report/{study}/status.csv",
        edges="results/report/{study}/edges.csv",
        absent="results/report/{study}/absent.csv",
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
        tables=plan.all_tables(),
    output:
        page="results/report/index.html",
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
