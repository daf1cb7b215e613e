"""Models applied to files.

`predictors` opens model files and gives all models one interface, `metrics` counts what is right,
`files` and `tagger` evaluate a model on files, `predictions` and `tagged_text` write results.
"""
