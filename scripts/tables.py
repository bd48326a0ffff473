from pathlib import Path

from routebench.planning.jobs import logged
from routebench.planning.reporting import parse_reporting, result_files
from routebench.planning.settings import read_settings
from routebench.reporting.tables import write_tables

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    write_tables(
        queries=[Path(path) for path in snakemake.input.queries],
        files=result_files(snakemake.input, settings),
        study=parse_reporting(settings),
        folder=Path(snakemake.output[0]).parent,
    )
