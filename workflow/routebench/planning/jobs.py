"""How a rule's script runs: its log, and errors as one line."""

import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from routebench.errors import RoutebenchError


@contextmanager
def logged(log: Sequence[str]) -> Iterator[None]:
    """Runs the block of a script; an error that a user can act on is one line.

    Args:
        log: the log files of the rule; the first gets the line, or the traceback of an
            error that was not expected.

    Raises:
        SystemExit: the block raised a RoutebenchError.
    """
    path = Path(log[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")
    try:
        yield
    except RoutebenchError as error:
        line = f"routebench: {' '.join(str(error).split())}"
        path.write_text(line + "\n", encoding="utf-8")
        print(line, file=sys.stderr)
        raise SystemExit(1) from None
    except Exception:
        path.write_text(traceback.format_exc(), encoding="utf-8")
        raise


def files_by_arm(paths: Iterable[str], arms: Sequence[str]) -> dict[str, list[Path]]:
    """Groups files that lie in a folder named after their arm, in the order of the arms."""
    groups: dict[str, list[Path]] = {arm: [] for arm in arms}
    for path in map(Path, paths):
        groups[path.parent.name].append(path)
    return groups
