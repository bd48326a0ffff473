from pathlib import Path

from routebench.context.build import pack_repository
from routebench.planning.jobs import file_by_arm, logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    rankings, outputs = map(file_by_arm, (snakemake.input.rankings, snakemake.output))
    pack_repository(
        issues=Path(snakemake.input.issues),
        rankings=rankings,
        snapshots=Path(snakemake.input.snapshots),
        blobs=Path(snakemake.input.blobs),
        outputs=outputs,
        ks=settings["k"],
        budgets=settings["budgets"],
        best_lines=settings["best_lines"],
        margin=settings["margin"],
    )
