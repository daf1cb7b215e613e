"""Learners watched step by step."""
