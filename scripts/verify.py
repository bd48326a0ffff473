from pathlib import Path

from routebench.planning.jobs import logged
from routebench.planning.reporting import result_files
from routebench.planning.settings import read_settings
from routebench.verification.verify import verify_study

with logged(snakemake.log):
    settings = read_settings(snakemake.input.verification)
    verify_study(
        study=settings["study"],
        results=result_files(snakemake.input, settings),
        arms=dict(settings["arms"]),
        published=Path(settings["published"]),
        pins={Path(path).name: Path(path) for path in snakemake.input.published},
        output=Path(snakemake.output.verdicts),
        summary=Path(snakemake.output.summary),
    )
