"""Gradient descent over a surface: problems, settings, paths, and what is said of them."""
