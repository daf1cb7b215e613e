"""How good models are on files: `metrics` counts what is right, `files` and `tagger` evaluate."""
