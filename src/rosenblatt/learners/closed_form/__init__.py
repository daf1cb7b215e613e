"""Learners with a closed form: centroids, naive Bayes, the linear discriminant."""
