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
    threads: 2
    resources:
        # Memory does not change the matrix, so it is a resource and no parameter.
        gram_memory_mb=plan.config.gram_memory_mb,
        mem_mb=plan.config.gram_memory_mb + 512,
    params:
        code=lambda w: plan.kernel_code("gram.py", w.kernel),
    message:
        "Computing kernel {wildcards.kernel} on {wildcards.dataset}"
    script:
        "../scripts/gram.py"
