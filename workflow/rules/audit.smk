"""Audit: which gold is where the dataset says, and which cases stay (D6, D7).

inputs   cohort/<repo>.parquet, snapshots/<repo>/, blobs/<repo>.parquet
outputs  spans/<repo>.parquet, cases.parquet, gold.parquet, exclusions.parquet
steps    audit, cases
"""


rule audit:
    """Compares every gold span of one repository with the source."""
    input:
        cohort=f"{RESULTS}/cohort/{{repo}}.parquet",
        mirror=f"{RESULTS}/mirrors/{{repo}}.json",
        snapshots=f"{RESULTS}/snapshots/{{repo}}",
        blobs=f"{RESULTS}/blobs/{{repo}}.parquet",
        settings=study.settings("audit"),
    output:
        f"{RESULTS}/spans/{{repo}}.parquet",
    log:
        f"{RESULTS}/logs/audit/{{repo}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    script:
        "../../scripts/audit.py"


if study.is_archive:

    rule cases:
        """Takes cases, gold, audits and exclusions from the published archive."""
        input:
            ledger=study.dataset_file,
            gold_audit=study.pin(study.config.dataset.gold_audit),
            annotation_audit=study.pin(study.config.dataset.annotation_audit),
            settings=study.settings("cases"),
        output:
            cases=f"{RESULTS}/cases.parquet",
            gold=f"{RESULTS}/gold.parquet",
            spans=f"{RESULTS}/spans.parquet",
            exclusions=f"{RESULTS}/exclusions.parquet",
        log:
            f"{RESULTS}/logs/cases.log",
        conda:
            ENVIRONMENT
        resources:
            mem_mb=1000,
        script:
            "../../scripts/archived_cases.py"

else:

    rule cases:
        """Keeps the cases whose spans all hold, and the reasons of the others."""
        input:
            cohort=inputs.each(f"{RESULTS}/cohort/{{repo}}.parquet"),
            spans=inputs.each(f"{RESULTS}/spans/{{repo}}.parquet"),
            left_out=f"{RESULTS}/left_out.parquet",
            gold_audit=study.pin(study.config.dataset.gold_audit),
            settings=study.settings("cases"),
        output:
            cases=f"{RESULTS}/cases.parquet",
            gold=f"{RESULTS}/gold.parquet",
            exclusions=f"{RESULTS}/exclusions.parquet",
        log:
            f"{RESULTS}/logs/cases.log",
        conda:
            ENVIRONMENT
        resources:
            mem_mb=1000,
        script:
            "../../scripts/cases.py"
