"""The learners by the names that commands give them."""

ONLINE = ("averaged", "perceptron", "voted", "logistic", "svm")
CLOSED_FORMS = ("naive-bayes", "centroid", "discriminant")
LEARNERS = (*ONLINE, *CLOSED_FORMS, "batch", "regression")
