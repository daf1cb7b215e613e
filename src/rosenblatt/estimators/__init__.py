"""The scikit-learn faces of the learners: they validate, label and stop; nothing else."""
