# Data sets: bytes as published, parsed and normalised arrays, splits.


rule fetch:
    output:
        manifest="data/raw/{dataset}/manifest.json",
    log:
        "results/logs/fetch/{dataset}.log",
    benchmark:
        "results/benchmarks/fetch/{dataset}.tsv"
    params:
        slice=lambda w: plan.fetch_slice(w.dataset),
        code=lambda w: plan.code("fetch.py"),
    message:
        "Fetching data set {wildcards.dataset}"
    script:
        "../scripts/fetch.py"


rule normalise:
    input:
        manifest="data/raw/{dataset}/manifest.json",
    output:
        table="results/datasets/{dataset}/{recipe}.h5",
    log:
        "results/logs/normalise/{dataset}/{recipe}.log",
    benchmark:
        "results/benchmarks/normalise/{dataset}/{recipe}.tsv"
    group:
        lambda w: needs.group(w.dataset, w.recipe)
    resources:
        mem_mb=lambda w, attempt: needs.normalise(w.dataset, w.recipe, attempt).mem_mb,
        runtime=lambda w, attempt: needs.normalise(w.dataset, w.recipe, attempt).minutes,
    params:
        slice=lambda w: plan.table_slice(w.dataset),
        code=lambda w: plan.parser_code("normalise.py", w.dataset),
    message:
        "Parsing and checking {wildcards.dataset}, recipe {wildcards.recipe}"
    script:
        "../scripts/normalise.py"


rule split:
    input:
        table=lambda w: plan.table(w.study, w.dataset),
    output:
        splits="results/splits/{study}/{dataset}.h5",
    log:
        "results/logs/split/{study}/{dataset}.log",
    benchmark:
        "results/benchmarks/split/{study}/{dataset}.tsv"
    group:
        lambda w: needs.study_group(w.study, w.dataset)
    resources:
        mem_mb=lambda w, attempt: needs.split(w.study, w.dataset, attempt).mem_mb,
        runtime=lambda w, attempt: needs.split(w.study, w.dataset, attempt).minutes,
    params:
        slice=lambda w: plan.splits_slice(w.study, w.dataset),
        code=lambda w: plan.code("split.py"),
    message:
        "Splitting {wildcards.dataset} for {wildcards.study}"
    script:
        "../scripts/split.py"
