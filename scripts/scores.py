from pathlib import Path

from routebench.evaluation.scores import score_study
from routebench.planning.jobs import files_by_arm, logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    score_study(
        cases=Path(snakemake.input.cases),
        gold=Path(snakemake.input.gold),
        rankings=files_by_arm(snakemake.input.rankings, settings["arms"]),
        contexts=files_by_arm(snakemake.input.contexts, settings["arms"]),
        ks=settings["k"],
        budgets=settings["budgets"],
        output=Path(snakemake.output[0]),
    )
