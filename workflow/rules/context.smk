"""Context: what an agent would be shown of the nominated files (S1, S2).

inputs   rankings/<arm>/<repo>.parquet, issues/<repo>.parquet, the corpus
outputs  contexts/<arm>/<repo>.parquet
steps    context
"""


rule context:
    """Selects lines and packs them into each budget, for each number of candidates."""
    input:
        issues=f"{RESULTS}/issues/{{repo}}.parquet",
        rankings=f"{RESULTS}/rankings/{{arm}}/{{repo}}.parquet",
        snapshots=f"{RESULTS}/snapshots/{{repo}}",
        blobs=f"{RESULTS}/blobs/{{repo}}.parquet",
        settings=study.settings("context"),
    output:
        f"{RESULTS}/contexts/{{arm}}/{{repo}}.parquet",
    log:
        f"{RESULTS}/logs/context/{{arm}}/{{repo}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    script:
        "../../scripts/context.py"
