from os import environ
from pathlib import Path

from routebench.datasets.download import obtain
from routebench.datasets.pins import find_pin
from routebench.planning.jobs import logged

with logged(snakemake.log):
    mirror = environ.get("ROUTEBENCH_MIRROR")
    obtain(
        find_pin(snakemake.wildcards.pin),
        Path(snakemake.output[0]),
        mirror=Path(mirror) if mirror else None,
    )
