from pathlib import Path

from routebench.evaluation.ledger import cases_from_ledger
from routebench.planning.jobs import logged

with logged(snakemake.log):
    cases_from_ledger(
        ledger=Path(snakemake.input.ledger),
        gold_audit=Path(snakemake.input.gold_audit[0]),
        annotation_audit=Path(snakemake.input.annotation_audit[0]),
        cases=Path(snakemake.output.cases),
        gold=Path(snakemake.output.gold),
        spans=Path(snakemake.output.spans),
        exclusions=Path(snakemake.output.exclusions),
    )
