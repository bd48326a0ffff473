"""Paired cluster intervals and tests (METHODS Intervals)."""
