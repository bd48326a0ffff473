from pathlib import Path

from routebench.planning.jobs import files_by_arm, logged
from routebench.planning.settings import read_settings
from routebench.statistics.overlap import measure_overlaps

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    measure_overlaps(
        gold=Path(snakemake.input.gold),
        rankings=files_by_arm(snakemake.input.rankings, settings["arms"]),
        comparisons=[(arm, others) for arm, others in settings["overlaps"]],
        ks=settings["k"],
        output=Path(snakemake.output[0]),
    )
