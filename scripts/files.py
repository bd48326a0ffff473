from pathlib import Path

from routebench.corpus.materialize import write_blob_files
from routebench.planning.jobs import logged

with logged(snakemake.log):
    write_blob_files(
        Path(snakemake.params.folder, f"{snakemake.wildcards.repo}.git"),
        Path(snakemake.input.blobs),
        Path(snakemake.output[0]),
    )
