# Gram matrices: one file a data set, recipe and kernel, over all points. Several BLAS threads.
# Large ones are computed by several jobs, each some of the rows, and joined.
from gramworks import plan_grams


rule gram:
    input:
        table="results/datasets/{dataset}/{recipe}.h5",
        blocks=lambda w: plan_grams.blocks(plan, w.dataset, w.recipe, w.kernel),
    output:
        gram="results/gram/{dataset}/{recipe}/{kernel}.h5",
    log:
        "results/logs/gram/{dataset}/{recipe}/{kernel}.log",
    benchmark:
        "results/benchmarks/gram/{dataset}/{recipe}/{kernel}.tsv"
    group:
        lambda w: needs.group(w.dataset, w.recipe)
    threads: lambda w: needs.gram_threads(w.dataset, w.recipe)
    resources:
        # Memory does not change the matrix, so it is a resource and no parameter.
        gram_memory_mb=plan.config.gram_memory_mb,
        mem_mb=lambda w, attempt: needs.gram(
            w.dataset, w.recipe, w.kernel, attempt
        ).mem_mb,
        runtime=lambda w, attempt: needs.gram(
            w.dataset, w.recipe, w.kernel, attempt
        ).minutes,
    params:
        precision=plan.config.gram_precision,
        code=lambda w: plan.kernel_code("gram.py", w.kernel),
        code_of_blocks=lambda w: plan.kernel_code("gram_rows.py", w.kernel),
    message:
        "Computing kernel {wildcards.kernel} on {wildcards.dataset}"
    script:
        "../scripts/gram.py"


rule gram_rows:
    input:
        table="results/datasets/{dataset}/{recipe}.h5",
        sums=lambda w: plan_grams.sums(plan, w.dataset, w.recipe, w.kernel),
    output:
        block="results/gram/{dataset}/{recipe}/{kernel}/{rows}.h5",
    log:
        "results/logs/gram/{dataset}/{recipe}/{kernel}/{rows}.log",
    benchmark:
        "results/benchmarks/gram/{dataset}/{recipe}/{kernel}/{rows}.tsv"
    threads: 2
    resources:
        gram_memory_mb=plan.config.gram_memory_mb,
        mem_mb=lambda w, attempt: needs.gram_rows(
            w.dataset, w.recipe, w.kernel, w.rows, attempt
        ).mem_mb,
        runtime=lambda w, attempt: needs.gram_rows(
            w.dataset, w.recipe, w.kernel, w.rows, attempt
        ).minutes,
    params:
        precision=plan.config.gram_precision,
        code=lambda w: plan.kernel_code("gram_rows.py", w.kernel),
    message:
        "Computing rows {wildcards.rows} of {wildcards.kernel} on {wildcards.dataset}"
    script:
        "../scripts/gram_rows.py"


rule gram_sums:
    input:
        table="results/datasets/{dataset}/{recipe}.h5",
    output:
        sums="results/gram/{dataset}/{recipe}/{kernel}/{rows}.sums.h5",
    log:
        "results/logs/gram/{dataset}/{recipe}/{kernel}/{rows}.sums.log",
    benchmark:
        "results/benchmarks/gram/{dataset}/{recipe}/{kernel}/{rows}.sums.tsv"
    threads: 2
    resources:
        gram_memory_mb=plan.config.gram_memory_mb,
        mem_mb=lambda w, attempt: needs.gram_rows(
            w.dataset, w.recipe, w.kernel, w.rows, attempt
        ).mem_mb,
        runtime=lambda w, attempt: needs.gram_rows(
            w.dataset, w.recipe, w.kernel, w.rows, attempt
        ).minutes,
    params:
        # Sums are not rounded, whatever is kept of the matrix; a key tells the two apart.
        precision=plan.config.gram_precision,
        code=lambda w: plan.kernel_code("gram_rows.py", w.kernel),
    message:
        "Summing rows {wildcards.rows} of {wildcards.kernel} on {wildcards.dataset}"
    script:
        "../scripts/gram_rows.py"
