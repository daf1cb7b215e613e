"""Tagging sequences of tokens: parts of speech, phrases, names.

- `estimator`: `SequenceTagger`; `fitting` trains it, with the structured perceptron of `learner`
- `input`, `corpus`: what users have, as columns of tokens
- `templates`, `word_attributes`, `features`: columns as features
- `spans`, `schemes`: tags such as B-NP
- `conll`, `file_layout`: CoNLL files and their columns; `tokenize` splits plain text
"""
