"""How a rule's script runs: its log, and errors as one line."""

import errno
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from routebench.errors import RoutebenchError, error_line

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


@contextmanager
def logged(log: Sequence[str]) -> Iterator[None]:
    """Runs the block of a script; an error that a user can act on is one line.

    Args:
        log: the log files of the rule; the first gets the line, or the traceback of an
            error that was not expected.

    Raises:
        SystemExit: the block raised a RoutebenchError, or the disk is full.
    """
    path = Path(log[0])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")
        yield
    except RoutebenchError as error:
        _fail(path, str(error))
    except OSError as error:
        if error.errno not in FULL:
            path.write_text(traceback.format_exc(), encoding="utf-8")
            raise
        _fail(path, f"{error.strerror}: {error.filename or path.parent}; make room and run again")
    except Exception:
        path.write_text(traceback.format_exc(), encoding="utf-8")
        raise


def _fail(log: Path, reason: str) -> NoReturn:
    line = error_line(reason)
    print(line, file=sys.stderr)
    with suppress(OSError):
        log.write_text(line + "\n", encoding="utf-8")
    raise SystemExit(1) from None


def files_by_arm(paths: Iterable[str], arms: Sequence[str]) -> dict[str, list[Path]]:
    """Groups files that lie in a folder named after their arm, in the order of the arms."""
    groups: dict[str, list[Path]] = {arm: [] for arm in arms}
    for path in map(Path, paths):
        groups[path.parent.name].append(path)
    return groups


def file_by_arm(paths: Iterable[str]) -> dict[str, Path]:
    """Returns the file of each arm; each lies in a folder named after its arm."""
    return {path.parent.name: path for path in map(Path, paths)}
