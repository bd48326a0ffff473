from pathlib import Path

from routebench.files import write_text
from routebench.planning.jobs import logged
from routebench.planning.reporting import parse_reporting, places, result_files
from routebench.planning.settings import read_settings
from routebench.reporting.summary import study_text
from routebench.reporting.versions import versions_text

with logged(snakemake.log):
    settings = read_settings(snakemake.input.settings)
    output = Path(snakemake.output.summary)
    text = study_text(
        name=settings["study"],
        query=Path(snakemake.input.query),
        files=result_files(snakemake.input, settings),
        study=parse_reporting(settings),
        places=places(output.parent),
        stand_ins=settings["stand_ins"],
    )
    write_text(output, text)
    write_text(Path(snakemake.output.versions), versions_text())
