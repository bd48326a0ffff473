"""Ranking: which files each arm nominates. No input holds gold.

inputs   issues/<repo>.parquet, snapshots/<repo>/, blobs/<repo>.parquet
outputs  rankings/<arm>/<repo>.parquet, operations/<arm>/<repo>.parquet; of arms that ask a
         model also traces/<arm>/<repo>.parquet, answers/<arm>/<repo>.parquet
steps    rank, ask (one job per arm and repository; a fusion reads its sources' rankings)
"""

RANKING_INPUTS = {
    "issues": f"{RESULTS}/issues/{{repo}}.parquet",
    "snapshots": inputs.snapshots,
    "blobs": inputs.blobs,
    "files": inputs.files,
    "sources": inputs.sources,
    "costs": inputs.costs,
    "pins": inputs.pins,
    "settings": study.arm_settings("{arm}"),
    "access": ancient(study.settings("access")),
}


rule rank:
    """Ranks the files of one repository for each of its issues with one arm."""
    input:
        **RANKING_INPUTS,
    output:
        rankings=f"{RESULTS}/rankings/{{arm}}/{{repo}}.parquet",
        operations=f"{RESULTS}/operations/{{arm}}/{{repo}}.parquet",
    log:
        f"{RESULTS}/logs/rank/{{arm}}/{{repo}}.log",
    wildcard_constraints:
        arm=study.plain_arms,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/rank.py"


rule ask:
    """The same for an arm that asks a choice model; keeps its answers and its traces."""
    input:
        **RANKING_INPUTS,
    output:
        rankings=f"{RESULTS}/rankings/{{arm}}/{{repo}}.parquet",
        operations=f"{RESULTS}/operations/{{arm}}/{{repo}}.parquet",
        traces=f"{RESULTS}/traces/{{arm}}/{{repo}}.parquet",
        answers=f"{RESULTS}/answers/{{arm}}/{{repo}}.parquet",
    log:
        f"{RESULTS}/logs/ask/{{arm}}/{{repo}}.log",
    wildcard_constraints:
        arm=study.asking_arms,
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/rank.py"
