"""Report: one page over all results, to be opened from disk.

inputs   the result tables, contexts/, traces/, commits/, figures/, queries, verify.csv
outputs  report/index.html; of a large study report/cases/ too, its side files
steps    report

The page shows times: two runs of a study differ in them and in nothing else.
"""


rule report:
    """Writes the page, and beside it the cases of a study too large for one file."""
    input:
        **RESULT_TABLES,
        contexts=inputs.all_arms("contexts") if study.config.context.budgets else [],
        traces=inputs.of_asking_arms("traces"),
        commits=inputs.each(f"{RESULTS}/commits/{{repo}}.json"),
        queries=study.table_queries,
        figures=study.figure_files,
        verdicts=study.verdicts,
        report=study.settings("report"),
    output:
        page=report(
            f"{RESULTS}/report/index.html",
            caption="../report/page.rst",
            category="Cases",
        ),
    log:
        f"{RESULTS}/logs/report.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=4000,
    script:
        "../../scripts/report.py"
