from pathlib import Path

from routebench.datasets.download import obtain
from routebench.datasets.pins import find_pin
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    mirror = read_settings(snakemake.input.access)["pins"]
    obtain(
        find_pin(snakemake.wildcards.pin),
        Path(snakemake.output[0]),
        mirror=Path(mirror) if mirror else None,
    )
