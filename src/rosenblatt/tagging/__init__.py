"""Tagging sequences of tokens: parts of speech, phrases, names.

- `estimator`: `SequenceTagger`; `fitting` trains it, with the structured perceptron of `learner`
- `sequences`, `corpus`: what users have, as columns of tokens
- `templates`, `values`, `features`: columns as features
- `spans`, `schemes`: tags such as B-NP
- `conll`, `columns`: CoNLL files and their columns; `tokenize` splits plain text
"""
