from pathlib import Path

from routebench.corpus.provide import provide_repository
from routebench.datasets.cohort_files import read_commits
from routebench.files import write_text
from routebench.planning.jobs import logged

with logged(snakemake.log):
    given, wanted = snakemake.params, read_commits(Path(snakemake.input.commits))
    record = provide_repository(
        wanted.repo,
        wanted.commits,
        url_template=wanted.origin or given.url,
        folder=Path(given.folder),
        releases=Path(given.releases) if given.releases else None,
        downloads=Path(given.downloads),
        pins=Path(given.pins) if given.pins else None,
    )
    write_text(Path(snakemake.output[0]), record.to_json())
