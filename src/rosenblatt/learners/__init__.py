"""The learners: each is `init`, `update`, `scores` and, where it has a meaning, `merge`.

They work on a state, a named tuple of arrays and numbers. `update` takes the state over: it changes
the arrays in place and returns a state with the new counts, so copy a state you want to keep
(`rosenblatt.learners.online.copy`). Labels are −1 and +1, or 0…K−1 for more than two classes.
"""
