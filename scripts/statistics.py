from pathlib import Path

from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings
from routebench.statistics.compare import compare_arms

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    compare_arms(
        scores=Path(snakemake.input.scores),
        cases=Path(snakemake.input.cases),
        comparisons=[tuple(pair) for pair in settings["comparisons"]],
        families=settings["families"],
        seed=settings["seed"],
        resamples=settings["resamples"],
        instances=settings["instances"],
        output=Path(snakemake.output[0]),
    )
