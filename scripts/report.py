from pathlib import Path

from routebench.planning.jobs import logged
from routebench.planning.report import parse_report, report_files
from routebench.planning.settings import read_settings
from routebench.reporting.site.build import write_site

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    write_site(
        files=report_files(snakemake.input, settings),
        study=parse_report(settings, read_settings(snakemake.input.report)),
        page=Path(snakemake.output.page),
        cases=Path(snakemake.output.page).with_name("cases"),
    )
