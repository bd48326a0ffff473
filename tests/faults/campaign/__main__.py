"""Prints the summary of the processes of ``make test-faults``, given their files."""

import sys
from pathlib import Path

from campaign.summary import show

if __name__ == "__main__":
    raise SystemExit(show(map(Path, sys.argv[1:])))
