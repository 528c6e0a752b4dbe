# Gram matrices: one file a data set, recipe and kernel, over all points. Several BLAS threads.


rule gram:
    input:
        table="results/datasets/{dataset}/{recipe}.h5",
    output:
        gram="results/gram/{dataset}/{recipe}/{kernel}.h5",
    log:
        "results/logs/gram/{dataset}/{recipe}/{kernel}.log",
    benchmark:
        "results/benchmarks/gram/{dataset}/{recipe}/{kernel}.tsv"
    group:
        lambda w: needs.group(w.dataset, w.recipe)
    threads: 2
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
        code=lambda w: plan.kernel_code("gram.py", w.kernel),
    message:
        "Computing kernel {wildcards.kernel} on {wildcards.dataset}"
    script:
        "../scripts/gram.py"
