# Further looks at kernels and data, for figures: none of them changes a score.
from gramworks import plan_views


rule align:
    input:
        grams=lambda w: list(plan_views.view_grams(plan, w.study, w.dataset).values()),
    output:
        table="results/alignments/{study}/{dataset}.csv",
    log:
        "results/logs/align/{study}/{dataset}.log",
    benchmark:
        "results/benchmarks/align/{study}/{dataset}.tsv"
    group:
        lambda w: needs.study_group(w.study, w.dataset)
    resources:
        mem_mb=lambda w, attempt: needs.align(w.study, w.dataset, attempt).mem_mb,
        runtime=lambda w, attempt: needs.align(w.study, w.dataset, attempt).minutes,
    params:
        # A list, since kernels are named in the order of the files.
        kernels=lambda w: list(plan_views.view_grams(plan, w.study, w.dataset)),
        code=lambda w: plan.code("align.py"),
    message:
        "Comparing the kernels on {wildcards.dataset}"
    script:
        "../scripts/align.py"


rule map:
    input:
        table=lambda w: plan.table(w.study, w.dataset),
        grams=lambda w: list(plan_views.view_grams(plan, w.study, w.dataset).values()),
    output:
        table="results/maps/{study}/{dataset}.csv",
    log:
        "results/logs/map/{study}/{dataset}.log",
    benchmark:
        "results/benchmarks/map/{study}/{dataset}.tsv"
    group:
        lambda w: needs.study_group(w.study, w.dataset)
    resources:
        mem_mb=lambda w, attempt: needs.map_points(w.study, w.dataset, attempt).mem_mb,
        runtime=lambda w, attempt: needs.map_points(w.study, w.dataset, attempt).minutes,
    params:
        positive=lambda w: plan.studies[w.study].datasets[w.dataset].positive or [],
        code=lambda w: plan.code("map.py"),
    message:
        "Mapping the points of {wildcards.dataset}"
    script:
        "../scripts/map.py"


rule predict:
    input:
        parts=lambda w: plan_parts.part_files(plan, w.study, w.dataset, w.method),
    output:
        predictions="results/predictions/{study}/{dataset}/{method}.csv",
    log:
        "results/logs/predict/{study}/{dataset}/{method}.log",
    params:
        repeats=lambda w: plan.n_repeats(w.study, w.dataset),
        code=lambda w: plan.module_code("gramworks.merging"),
    message:
        "Merging predictions of {wildcards.method} on {wildcards.dataset}"
    shell:
        "python3 -m gramworks.merging --method {wildcards.method}"
        " --repeats {params.repeats} --predictions {output.predictions:q} {input.parts:q} 2> {log:q}"
