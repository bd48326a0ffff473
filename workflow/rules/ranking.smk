"""Ranking: which files each arm nominates. No input holds gold.

inputs   issues/<repo>.parquet, snapshots/<repo>/, blobs/<repo>.parquet
outputs  rankings/<arm>/<repo>.parquet, operations/<arm>/<repo>.parquet
steps    rank (one job per arm and repository; a fusion reads the rankings of its sources)
"""


rule rank:
    """Asks one arm about every issue of one repository."""
    input:
        issues=f"{RESULTS}/issues/{{repo}}.parquet",
        snapshots=inputs.snapshots,
        blobs=inputs.blobs,
        files=inputs.files,
        sources=inputs.sources,
        pins=inputs.pins,
        settings=study.arm_settings("{arm}"),
    output:
        rankings=f"{RESULTS}/rankings/{{arm}}/{{repo}}.parquet",
        operations=f"{RESULTS}/operations/{{arm}}/{{repo}}.parquet",
    log:
        f"{RESULTS}/logs/rank/{{arm}}/{{repo}}.log",
    resources:
        mem_mb=2000,
    script:
        "../../scripts/rank.py"
