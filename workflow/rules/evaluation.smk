"""Evaluation: scores of every case, and paired differences between arms (E, Intervals).

inputs   cases.parquet, gold.parquet, rankings/, contexts/
outputs  scores.parquet, statistics.parquet, overlaps.parquet
steps    scores, statistics, overlaps
"""


rule scores:
    """Scores every case, arm, number of candidates and budget."""
    input:
        cases=f"{RESULTS}/cases.parquet",
        gold=f"{RESULTS}/gold.parquet",
        rankings=inputs.all_arms("rankings"),
        contexts=inputs.all_arms("contexts") if study.config.context.budgets else [],
        settings=study.settings("scores"),
    output:
        f"{RESULTS}/scores.parquet",
    log:
        f"{RESULTS}/logs/scores.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/scores.py"


rule statistics:
    """Compares arms by the cluster bootstrap over repositories."""
    input:
        cases=f"{RESULTS}/cases.parquet",
        scores=f"{RESULTS}/scores.parquet",
        settings=study.settings("statistics"),
    output:
        f"{RESULTS}/statistics.parquet",
    log:
        f"{RESULTS}/logs/statistics.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/statistics.py"


rule overlaps:
    """Counts the gold files that one arm finds and others do not."""
    input:
        gold=f"{RESULTS}/gold.parquet",
        rankings=inputs.all_arms("rankings"),
        settings=study.settings("overlaps"),
    output:
        f"{RESULTS}/overlaps.parquet",
    log:
        f"{RESULTS}/logs/overlaps.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    script:
        "../../scripts/overlaps.py"
