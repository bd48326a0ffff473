"""Errors that a user can act on."""


class RoutebenchError(Exception):
    """One line that says what went wrong, where, and what to do about it."""


class CaseError(RoutebenchError):
    """A failure of one case, recorded with its results while the others go on."""
