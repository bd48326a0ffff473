import sys
from os import environ, pathsep
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")

PACKAGE = str(Path(workflow.basedir, "workflow"))
sys.path.insert(0, PACKAGE)
environ["PYTHONPATH"] = pathsep.join([PACKAGE, environ.get("PYTHONPATH", "")])

from routebench.planning.study import Inputs, open_study

study = open_study(config, Path(workflow.basedir))
inputs = Inputs(study, checkpoints)
RESULTS = study.folder
CACHE = study.cache
# Without, matplotlib makes a folder in the home of the user.
environ.setdefault("MPLCONFIGDIR", str(Path(CACHE, "matplotlib").absolute()))
ENVIRONMENT = str(Path(workflow.basedir, "envs", "environment.yaml"))


report: "workflow/report/study.rst"


wildcard_constraints:
    repo=r"[A-Za-z0-9._-]+",


include: "workflow/rules/dataset.smk"
include: "workflow/rules/corpus.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/ranking.smk"
include: "workflow/rules/context.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/reporting.smk"
include: "workflow/rules/verification.smk"
include: "workflow/rules/report.smk"


localrules:
    all,
    corpus,


rule all:
    """Makes every table and figure of the study, and the summary."""
    default_target: True
    input:
        study.targets,
        # Nothing reads them; so nobody else would miss them after a kill.
        inputs.of_asking_arms("answers"),


rule corpus:
    """Makes the snapshots of every repository, which an estimate is read from."""
    input:
        inputs.each(f"{RESULTS}/snapshots/{{repo}}"),
