"""Exact solvers: what they return is the lowest loss on the rows, to a tolerance."""
