from pathlib import Path

from routebench.corpus.provide import provide_repository
from routebench.datasets.cohort_files import read_commits
from routebench.files import write_text
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    wanted = read_commits(Path(snakemake.input.commits))
    access = read_settings(snakemake.input.access)
    record = provide_repository(
        wanted.repo,
        wanted.commits,
        url_template=access["url"],
        folder=Path(access["mirrors"]),
        origin=wanted.origin,
        releases=Path(access["releases"]) if access["releases"] else None,
        downloads=Path(access["downloads"]),
        pins=Path(access["pins"]) if access["pins"] else None,
        rule=read_settings(snakemake.input.settings)["rule"],
    )
    write_text(Path(snakemake.output[0]), record.to_json())
