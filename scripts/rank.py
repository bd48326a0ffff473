from pathlib import Path

from routebench.arms.registry import parse_parameters
from routebench.arms.resources import load_resources
from routebench.arms.run import rank_repository
from routebench.planning.jobs import logged
from routebench.planning.settings import read_settings

with logged(snakemake.log):
    settings, given = read_settings(snakemake.input.settings), snakemake.input
    parameters = parse_parameters(settings["kind"], settings["parameters"])
    rank_repository(
        kind=settings["kind"],
        parameters=parameters,
        issues=Path(given.issues),
        rankings=Path(snakemake.output.rankings),
        operations=Path(snakemake.output.operations),
        k=settings["k"],
        resources=load_resources(parameters, sources=given.sources, pins=given.pins),
        snapshots=next((Path(path) for path in given.snapshots), None),
        blobs=next((Path(path) for path in given.blobs), None),
        files=next((Path(path) for path in given.files), None),
    )
