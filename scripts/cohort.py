from pathlib import Path

from routebench.datasets.study import build_cohort
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    build_cohort(
        file=Path(snakemake.input.dataset),
        dataset=settings["dataset"],
        rule=settings["cohort"],
        cohort=Path(snakemake.output.cohort),
        issues=Path(snakemake.output.issues),
        commits=Path(snakemake.output.commits),
        left_out=Path(snakemake.output.left_out),
        ledger=next((Path(path) for path in snakemake.input.ledger), None),
    )
