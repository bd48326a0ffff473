from pathlib import Path

from routebench.corpus.mirror import MirrorRecord
from routebench.evaluation.audit import audit_repository
from routebench.planning.jobs import logged

with logged(snakemake.log):
    record = MirrorRecord.read(Path(snakemake.input.mirror))
    audit_repository(
        cohort=Path(snakemake.input.cohort),
        repo=record.repo,
        missing=record.missing,
        snapshots=Path(snakemake.input.snapshots),
        blobs=Path(snakemake.input.blobs),
        output=Path(snakemake.output[0]),
    )
