"""Ranking methods, one module per kind (METHODS Q, R)."""
