"""Context: what an agent would be shown of the nominated files (S1, S2).

inputs   rankings/<arm>/<repo>.parquet, issues/<repo>.parquet, the corpus
outputs  contexts/<arm>/<repo>.parquet
steps    context (one job per repository: a file that several arms nominate is read, cut
         and counted once)
"""


rule context:
    """Selects lines and packs them into each budget, for each number of candidates."""
    input:
        issues=f"{RESULTS}/issues/{{repo}}.parquet",
        rankings=study.of_arms("rankings"),
        snapshots=f"{RESULTS}/snapshots/{{repo}}",
        blobs=f"{RESULTS}/blobs/{{repo}}.parquet",
        settings=study.settings("context"),
    output:
        study.of_arms("contexts"),
    log:
        f"{RESULTS}/logs/context/{{repo}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/context.py"
