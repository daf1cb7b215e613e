"""Models that learn from a stream.

`classifier` has `OnlineClassifier`, for dicts and threads; `model` is what it does with rows, and
`rules` has the learners. `growing` adds features and classes to a state, `one_example` is the fast
path, `encoding` turns a model into a header and arrays. `frames` are learned row by row, and
`river` makes the models River's own. `metrics` and `drift` watch a stream.
"""
