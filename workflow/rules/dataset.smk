"""Dataset: the pinned file of issues, and the cohort that a study takes from it.

inputs   workflow/pins/files.yaml, or a file of your own
outputs  commits/, issues/ (no gold), cohort/ (gold), left_out.parquet
steps    download, cohort
"""


rule download:
    """Fetches a pinned file, resumed and verified; it is shared, so no study is its input."""
    output:
        # Not removed before the job: another study may be reading it.
        update(f"{CACHE}/pins/{{pin}}"),
    log:
        f"{CACHE}/logs/download/{{pin}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=500,
    script:
        "../../scripts/download.py"


checkpoint cohort:
    """Selects the cases and writes, per repository, their issues, gold and commits."""
    input:
        dataset=study.dataset_file,
        ledger=study.pin(study.config.cohort.ledger),
        settings=study.settings("cohort"),
    output:
        cohort=directory(f"{RESULTS}/cohort"),
        issues=directory(f"{RESULTS}/issues"),
        commits=directory(f"{RESULTS}/commits"),
        left_out=f"{RESULTS}/left_out.parquet",
    log:
        f"{RESULTS}/logs/cohort.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    script:
        "../../scripts/cohort.py"
