"""The compiled loops. Only this package imports Numba."""
