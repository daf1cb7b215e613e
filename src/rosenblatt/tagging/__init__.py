"""Sequences of tokens: their columns, features by templates, tag schemes, spans."""
