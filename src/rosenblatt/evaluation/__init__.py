"""Models applied to files: predictors, metrics, intervals, and results as text."""
