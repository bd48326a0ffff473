"""Measures which files, and which gold lines, a method of file discovery delivers."""

__version__ = "0.1.0"
