"""Reporting: tables and figures by SQL over the result files, and the summary.

inputs   cases, gold, exclusions, scores, statistics, spans/, rankings/, operations/
outputs  tables/<name>.{csv,md,tex}, figures/<name>.{svg,png,csv}, summary.txt, versions.json
steps    tables, figure, summary
"""

RESULT_TABLES = {
    "cases": f"{RESULTS}/cases.parquet",
    "gold": f"{RESULTS}/gold.parquet",
    "exclusions": f"{RESULTS}/exclusions.parquet",
    "scores": f"{RESULTS}/scores.parquet",
    "statistics": f"{RESULTS}/statistics.parquet",
    "spans": inputs.spans,
    "overlaps": f"{RESULTS}/overlaps.parquet",
    "rankings": inputs.all_arms("rankings"),
    "operations": inputs.all_arms("operations"),
    "settings": study.settings("reporting"),
}


rule tables:
    """Runs every table's query and writes it in each format."""
    input:
        **RESULT_TABLES,
        queries=study.table_queries,
    output:
        report(
            study.tables_as("csv"),
            caption="../report/table.rst",
            category="Tables",
        ),
        study.tables_as("md", "tex"),
    log:
        f"{RESULTS}/logs/tables.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/tables.py"


rule figure:
    """Draws one figure from its query."""
    input:
        **RESULT_TABLES,
        query="workflow/queries/figure-{figure}.sql",
    output:
        report(
            f"{RESULTS}/figures/{{figure}}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        multiext(f"{RESULTS}/figures/{{figure}}", ".png", ".csv"),
    log:
        f"{RESULTS}/logs/figure/{{figure}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/figure.py"


rule summary:
    """Writes what the end of a run says, and the versions of what ran."""
    input:
        **RESULT_TABLES,
        query="workflow/queries/arms.sql",
    output:
        summary=report(
            f"{RESULTS}/summary.txt",
            caption="../report/summary.rst",
            category="Summary",
        ),
        versions=f"{RESULTS}/versions.json",
    log:
        f"{RESULTS}/logs/summary.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/summary.py"
