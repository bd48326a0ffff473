"""Corpus: source at the commits of the cohort, read from git objects.

inputs   commits/<repo>.json
outputs  mirrors/<repo>.json, snapshots/<repo>/<commit>.parquet, blobs/<repo>.parquet,
         files/<repo>/ (only where an arm runs a program on files)
steps    mirror, snapshot, files
"""


rule mirror:
    """Fetches the commits of one repository into a bare mirror, or records why not."""
    input:
        commits=f"{RESULTS}/commits/{{repo}}.json",
        settings=study.settings("mirror"),
        access=ancient(study.settings("access")),
    output:
        f"{RESULTS}/mirrors/{{repo}}.json",
    log:
        f"{RESULTS}/logs/mirror/{{repo}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    script:
        "../../scripts/mirror.py"


rule snapshot:
    """Lists every commit's files, and decodes each eligible blob of the repository once."""
    input:
        commits=f"{RESULTS}/commits/{{repo}}.json",
        mirror=f"{RESULTS}/mirrors/{{repo}}.json",
        settings=study.settings("corpus"),
        access=ancient(study.settings("access")),
    output:
        snapshots=directory(f"{RESULTS}/snapshots/{{repo}}"),
        blobs=f"{RESULTS}/blobs/{{repo}}.parquet",
    log:
        f"{RESULTS}/logs/snapshot/{{repo}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=2000,
    script:
        "../../scripts/snapshot.py"


rule files:
    """Writes each eligible blob as a file named by its id, for programs to search."""
    input:
        mirror=f"{RESULTS}/mirrors/{{repo}}.json",
        blobs=f"{RESULTS}/blobs/{{repo}}.parquet",
        settings=study.settings("files"),
        access=ancient(study.settings("access")),
    output:
        directory(f"{RESULTS}/files/{{repo}}"),
    log:
        f"{RESULTS}/logs/files/{{repo}}.log",
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1000,
    script:
        "../../scripts/files.py"
