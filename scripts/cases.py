from pathlib import Path

from routebench.evaluation.cases import gather_cases
from routebench.planning.jobs import logged

with logged(snakemake.log):
    gather_cases(
        cohort=[Path(path) for path in snakemake.input.cohort],
        spans=[Path(path) for path in snakemake.input.spans],
        exclusions_in=Path(snakemake.input.left_out),
        cases=Path(snakemake.output.cases),
        gold=Path(snakemake.output.gold),
        exclusions=Path(snakemake.output.exclusions),
        published_audit=next((Path(path) for path in snakemake.input.gold_audit), None),
    )
