"""Models applied to files.

`model_files` opens them and gives all models one interface; `output` and `tagger_output` write what
they predict.
"""
