from pathlib import Path

from routebench.context.build import pack_repository
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    pack_repository(
        issues=Path(snakemake.input.issues),
        rankings=Path(snakemake.input.rankings),
        snapshots=Path(snakemake.input.snapshots),
        blobs=Path(snakemake.input.blobs),
        output=Path(snakemake.output[0]),
        ks=settings["k"],
        budgets=settings["budgets"],
        best_lines=settings["best_lines"],
        margin=settings["margin"],
    )
