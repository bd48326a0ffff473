from pathlib import Path

from routebench.corpus.mirror import MirrorRecord, mirror_path
from routebench.corpus.snapshots import build_corpus
from routebench.datasets.cohort_files import read_commits
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    wanted = read_commits(Path(snakemake.input.commits))
    settings = read_settings(snakemake.input.settings)
    build_corpus(
        mirror_path(Path(read_settings(snakemake.input.access)["mirrors"]), wanted.repo),
        wanted.commits,
        snapshots=Path(snakemake.output.snapshots),
        blobs=Path(snakemake.output.blobs),
        max_file_bytes=settings["max_file_bytes"],
        rule=settings["rule"],
        whole=MirrorRecord.read(Path(snakemake.input.mirror)).commits,
    )
