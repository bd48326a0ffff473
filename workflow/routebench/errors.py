"""Errors that a user can act on."""


class RoutebenchError(Exception):
    """One line that says what went wrong, where, and what to do about it."""


LONGEST_LINE = 1000


def error_line(error: object) -> str:
    r"""Returns a message as users see it: one line that leaves their terminal alone.

    Control characters appear as ``\xNN``; what is over ``LONGEST_LINE`` characters is cut.
    """
    text = " ".join(str(error).split())
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"routebench: {shown if len(shown) <= LONGEST_LINE else shown[:LONGEST_LINE] + '…'}"


class CaseError(RoutebenchError):
    """A failure of one case, recorded with its results while the others go on."""
