from pathlib import Path

from routebench.planning.jobs import logged
from routebench.planning.reporting import figure_settings, parse_reporting, result_files
from routebench.planning.settings import read_settings
from routebench.reporting.figures import write_figure_files

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    write_figure_files(
        query=Path(snakemake.input.query),
        files=result_files(snakemake.input, settings),
        study=parse_reporting(settings),
        output=Path(snakemake.output[0]).with_suffix(""),
        settings=figure_settings(snakemake.wildcards.figure, settings),
    )
