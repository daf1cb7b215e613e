"""Compiled loops over text: numbers, names, words and the lines of formats."""
