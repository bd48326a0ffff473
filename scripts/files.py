from pathlib import Path

from routebench.corpus.materialize import write_blob_files
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    write_blob_files(
        Path(read_settings(snakemake.input.access)["mirrors"], f"{snakemake.wildcards.repo}.git"),
        Path(snakemake.input.blobs),
        Path(snakemake.output[0]),
    )
