"""Verification: every published number beside ours.

inputs   the result tables, pinned files of the archive, published values
outputs  verify.csv, verify.md, verified.txt
steps    verify (always writes), verified (fails if a comparable number differs)
"""


rule verify:
    """Writes a row for each published number: equal, different or not comparable."""
    input:
        **RESULT_TABLES,
        published=study.published_pins,
        verification=study.settings("verification"),
    output:
        verdicts=f"{RESULTS}/verify.csv",
        summary=report(
            f"{RESULTS}/verify.md",
            caption="../report/verify.rst",
            category="Published numbers",
        ),
    log:
        f"{RESULTS}/logs/verify.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/verify.py"


rule verified:
    """Fails if a published number differs; the verdicts stay."""
    input:
        f"{RESULTS}/verify.csv",
    output:
        f"{RESULTS}/verified.txt",
    log:
        f"{RESULTS}/logs/verified.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=500,
    script:
        "../../scripts/verified.py"
