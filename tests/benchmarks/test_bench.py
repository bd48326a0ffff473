"""The benchmarks are programs: each starts, and reads its study as the workflow does."""

import argparse
from pathlib import Path

import bench
import commits
import pytest
import sizing
import yaml

from routebench.errors import RoutebenchError


def test_each_program_tells_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    for program in (bench, commits):
        with pytest.raises(SystemExit):
            program.main(["--help"])
        assert "usage: make bench" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="measure STUDY"):
        sizing.main([])


def test_a_study_is_measured_in_a_folder_of_its_own(tmp_path: Path) -> None:
    given = argparse.Namespace(study="demo", dataset="")
    file, config = bench.prepare(tmp_path, given, bench.LEXICAL)
    assert config.results == str(tmp_path / "results")
    assert list(config.arms) == list(yaml.safe_load(file.read_text())["arms"])
    assert list(config.arms) == ["rg", "fts5", "fts5-full", "path-fts5", "rg-feedback", "basename"]
    with pytest.raises(RoutebenchError, match="no such study"):
        bench.prepare(tmp_path, argparse.Namespace(study="nope", dataset=""), {})
