# Methods: what all draws share, then the draws in chunks of repeats. One BLAS thread each, so
# that scores do not depend on cores.


rule learn:
    input:
        table=lambda w: plan.table(w.study, w.dataset),
        grams=lambda w: plan.grams(w.study, w.dataset, w.method),
    output:
        shared="results/kernels/{study}/{dataset}/{method}.h5",
    log:
        "results/logs/learn/{study}/{dataset}/{method}.log",
    benchmark:
        "results/benchmarks/learn/{study}/{dataset}/{method}.tsv"
    params:
        slice=lambda w: plan.fit_slice(w.study, w.dataset, w.method),
        code=lambda w: plan.method_code("learn.py", w.method),
    message:
        "Learning what all draws of {wildcards.method} share on {wildcards.dataset}"
    script:
        "../scripts/learn.py"


rule fit:
    input:
        table=lambda w: plan.table(w.study, w.dataset),
        splits="results/splits/{study}/{dataset}.h5",
        grams=lambda w: plan.grams(w.study, w.dataset, w.method),
        shared=lambda w: plan.shared(w.study, w.dataset, w.method),
    output:
        scores="results/scores/{study}/{dataset}/{method}/{chunk}.csv",
        timings="results/timings/{study}/{dataset}/{method}/{chunk}.csv",
    log:
        "results/logs/fit/{study}/{dataset}/{method}/{chunk}.log",
    benchmark:
        "results/benchmarks/fit/{study}/{dataset}/{method}/{chunk}.tsv"
    params:
        slice=lambda w: plan.fit_slice(w.study, w.dataset, w.method),
        code=lambda w: plan.fit_code("fit.py", w.study, w.dataset, w.method),
    message:
        "Fitting {wildcards.method} on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/fit.py"


rule merge:
    input:
        scores=lambda w: plan.chunks(w.study, w.dataset, w.method),
        timings=lambda w: plan.timing_chunks(w.study, w.dataset, w.method),
    output:
        scores="results/scores/{study}/{dataset}/{method}.csv",
        timings="results/timings/{study}/{dataset}/{method}.csv",
    log:
        "results/logs/merge/{study}/{dataset}/{method}.log",
    params:
        settings=lambda w: plan.settings_slice(w.study, w.dataset, w.method),
        code=lambda w: plan.code("merge.py"),
    message:
        "Merging scores of {wildcards.method} on {wildcards.dataset}"
    script:
        "../scripts/merge.py"
