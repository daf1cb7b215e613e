"""The estimators, in scikit-learn's interface: checks, labels and stopping."""
