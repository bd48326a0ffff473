"""``routebench``: finds the command, and ends it as a program should."""

import argparse
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Protocol, TextIO

from routebench.command_line import ask, compare
from routebench.errors import RoutebenchError

INTERRUPTED = 130
CLOSED = 141
STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


class Command(Protocol):
    """What a module of a command has."""

    SUMMARY: str
    DESCRIPTION: str
    EPILOG: str
    FAILED: int

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Adds the options."""

    def run(self, given: argparse.Namespace) -> int:
        """Returns the exit status; ``FAILED`` is that of an error."""


COMMANDS: dict[str, Command] = {"ask": ask, "compare": compare}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns its exit status, or what the command gives for an error."""
    parser = argparse.ArgumentParser(
        prog="routebench",
        description="Measures file discovery for coding agents. Studies are run by make study.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        module.add_arguments(
            commands.add_parser(
                name,
                help=module.SUMMARY,
                description=module.DESCRIPTION,
                epilog=module.EPILOG,
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )
    _mend_streams()
    given = parser.parse_args(arguments)
    command = COMMANDS[given.command]
    try:
        return _run(command, given)
    except BrokenPipeError:
        _forget(sys.stdout)
        return CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except RoutebenchError as error:
        _complain(f"routebench: {one_line(error)}")
    except OSError as error:
        # Such as a full disk under standard output.
        _forget(sys.stdout)
        _complain(f"routebench: {one_line(error).removeprefix(f'[Errno {error.errno}] ')}")
    except Exception:
        # Python's own status 1 says "worse" in a comparison.
        _complain(traceback.format_exc())
    return command.FAILED


def _run(command: Command, given: argparse.Namespace) -> int:
    _check_folder()
    status = command.run(given)
    sys.stdout.flush()
    return status


def _check_folder() -> None:
    try:
        os.getcwd()
    except OSError as error:
        raise RoutebenchError("the current folder is gone; go to another and ask again") from error


def _mend_streams() -> None:
    # Python has None in place of a stream that the caller closed; a file opened later would
    # take its number.
    for name, mode in STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    # Not every terminal has every letter of a path.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _complain(text: str) -> None:
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        # Nobody can be told when standard error is full.
        _forget(sys.stderr)


def one_line(error: BaseException) -> str:
    """Returns an error as one line that a terminal can show."""
    from routebench.command_line.terminal import visible

    return visible(" ".join(str(error).split()))


def _forget(stream: TextIO) -> None:
    # Python flushes both at its end, and a failure there would be its exit status.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
