# Methods: what all draws share, then the draws in parts: several methods of a data set, or some
# repeats of one. One BLAS thread each, so that scores do not depend on cores.
from gramworks import parts as plan_parts


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
    resources:
        mem_mb=lambda w, attempt: needs.learn(
            w.study, w.dataset, w.method, attempt
        ).mem_mb,
        runtime=lambda w, attempt: needs.learn(
            w.study, w.dataset, w.method, attempt
        ).minutes,
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
        grams=lambda w: plan_parts.part_grams(plan, w.study, w.dataset, w.part),
        shared=lambda w: plan_parts.part_shared(plan, w.study, w.dataset, w.part),
    output:
        pieces="results/draws/{study}/{dataset}/{part}.json",
    log:
        "results/logs/fit/{study}/{dataset}/{part}.log",
    benchmark:
        "results/benchmarks/fit/{study}/{dataset}/{part}.tsv"
    resources:
        mem_mb=lambda w, attempt: needs.fit(w.study, w.dataset, w.part, attempt).mem_mb,
        runtime=lambda w, attempt: needs.fit(
            w.study, w.dataset, w.part, attempt
        ).minutes,
    params:
        # The code of each piece is in the slice.
        slice=lambda w: plan.part_slice(w.study, w.dataset, w.part),
        code=lambda w: plan.code("fit.py"),
    message:
        "Fitting {wildcards.part} on {wildcards.dataset}"
    script:
        "../scripts/fit.py"


# A shell command of Python without numerical libraries: there are many of these jobs.
rule merge:
    input:
        parts=lambda w: plan_parts.part_files(plan, w.study, w.dataset, w.method),
    output:
        scores="results/scores/{study}/{dataset}/{method}.csv",
        timings="results/timings/{study}/{dataset}/{method}.csv",
    log:
        "results/logs/merge/{study}/{dataset}/{method}.log",
    params:
        repeats=lambda w: plan.n_repeats(w.study, w.dataset),
        code=lambda w: plan.module_code("gramworks.merging"),
    message:
        "Merging scores of {wildcards.method} on {wildcards.dataset}"
    shell:
        "python3 -m gramworks.merging --method {wildcards.method}"
        " --repeats {params.repeats} --scores {output.scores:q} --timings {output.timings:q} {input.parts:q} 2> {log:q}"
