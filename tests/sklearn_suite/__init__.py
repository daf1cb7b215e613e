"""scikit-learn's own tests of its estimators, run with ours in their place.

The files are read from the installed scikit-learn. `adapters.py` translates parameters,
`differences.py` lists each test that does not pass, with the reason, and `left_out.py` the tests of
other estimators.
"""
