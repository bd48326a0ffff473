"""Tracks working time on the command line."""
