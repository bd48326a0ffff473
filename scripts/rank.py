from routebench.planning.jobs import logged
from routebench.planning.ranking import rank_arm
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    rank_arm(
        snakemake.wildcards.arm,
        settings=read_settings(snakemake.input.settings),
        access=read_settings(snakemake.input.access),
        inputs=snakemake.input,
        outputs=snakemake.output,
    )
