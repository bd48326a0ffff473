"""Audits and scores of files and lines (METHODS D6, D7, E)."""
