"""What sets cases apart before anything is ranked: the subgroups of METHODS E."""

from collections.abc import Collection
from pathlib import PurePosixPath

SHORTEST_FILE_NAME = 5


def names_gold_path(query: str, gold_files: Collection[str]) -> bool:
    """Tells whether the issue contains a gold path, in any letter case."""
    issue = query.casefold()
    return any(path.casefold() in issue for path in gold_files)


def names_gold_file(query: str, gold_files: Collection[str]) -> bool:
    """Tells whether the issue contains a gold file name of five or more characters."""
    issue = query.casefold()
    names = (PurePosixPath(path).name for path in gold_files)
    return any(len(name) >= SHORTEST_FILE_NAME and name.casefold() in issue for name in names)


def in_several_directories(gold_files: Collection[str]) -> bool:
    """Tells whether gold lies directly in more than one directory."""
    return len({PurePosixPath(path).parent for path in gold_files}) > 1
