"""Compiled loops of the online learners, and what standardises rows before they see them."""
