"""Compiled loops of the exact solvers, which look at all rows for each step."""
