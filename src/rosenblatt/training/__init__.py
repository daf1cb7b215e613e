"""Training from files: passes, checkpoints, a cache of rows, progress, and a summary."""
