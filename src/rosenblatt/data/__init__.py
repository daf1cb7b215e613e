"""Rows and labels: what a learner sees of the data."""
