"""``routebench``: finds the command, and ends it as a program should."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from routebench.command_line import ask, compare
from routebench.errors import RoutebenchError

INTERRUPTED = 130
CLOSED = 141


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
    given = parser.parse_args(arguments)
    command = COMMANDS[given.command]
    try:
        status = command.run(given)
        sys.stdout.flush()
    except RoutebenchError as error:
        print(f"routebench: {one_line(error)}", file=sys.stderr)
        return command.FAILED
    except BrokenPipeError:
        _forget_output()
        return CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def one_line(error: BaseException) -> str:
    """Returns an error as one line that a terminal can show."""
    from routebench.command_line.terminal import visible

    return visible(" ".join(str(error).split()))


def _forget_output() -> None:
    # Python flushes standard output at its end and would complain again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
