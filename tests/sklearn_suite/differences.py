"""What scikit-learn's tests expect and our estimators do otherwise, each with the reason."""

VERSION = "1.9."

# What takes seconds.
SLOW = ("test_ovo_consistent_binary_classification",)

# Reasons that several tests share.
_NO_SOLVER = "one method stands for all solvers, and what none of them lacks raises nothing"
_PRIORS = "priors that do not add up to 1 are refused instead of changed with a warning"
_ONE_CLASS = "fit refuses labels of one class, of which there is nothing to learn"
_ANY_CLASS = "a class may appear in any call of partial_fit, so none need be listed"
_NO_FORCE = "alpha is always used as it is, as with force_alpha=True: no warning, no lower bound"
_RENAMED = "set_params is answered with the name here, instead of doing it"
_CONSTANT = "features that do not vary have no part in distances; if all are such, ties remain"
_UNITS = (
    "scores are w·x + b with w = m₊ − m₋; theirs are twice that, in units of the variance within "
    "classes"
)
_NO_MEAN = "there is no mean of the weights; AveragedPerceptron has one"
_CHOSEN = "one exact solver stands for all of theirs, and has no limits of the others"
_ANY_LOSS = "any loss goes with any penalty, and whether by the dual is not asked"
_AT_LEAST_ONE = "max_iter is 1 or more: without a step nothing is learned"
_ONE_STRATEGY = "one number for each row; MultiOutputRegressor makes several models"
_POSITIVE = "weights of one sign are not asked for; the parameter is unknown here"
_SHAPE = "callbacks hear of fit and of each pass, without a task before or after them"
_GOES_ON = "a warm start goes on counting moves, so that steps do not become long again"
_SPARSE_INTERCEPT = "the intercept learns from sparse rows as from dense ones, not slower"
_HELD_OUT = "rows are held out by another rule than that of StratifiedShuffleSplit"
_SOME_LEFT = "at least one row of each class is left to learn from, however much is held out"
_ANY_POWER = "learning_rate may be any function, also one that grows"
_TIE = "the lowest loss, at w = (−1, −0.2), has the row in question exactly on the plane"
_NO_TUBE = "there is no loss with an insensitive tube; Huber's and a quantile's are for numbers"
_TOO_LONG = "a step that is longer than the penalty allows is refused, with one that is not"
_FREE = "the intercept is not penalised, so intercept_scaling has no use"


def cases(names, reason):
    """Return an entry for each of several names."""
    return dict.fromkeys(names.split(), reason)


# By file, and by the name of the test, alone or with its parameters: each must fail.
DIFFERENCES: dict[str, dict[str, str]] = {
    "perceptron": {
        "test_perceptron_l1_ratio": "the perceptron has no penalty: only mistakes move weights",
    },
    "discriminant_analysis": {
        "test_lda_predict": _NO_SOLVER,
        "test_lda_transform": _NO_SOLVER,
        "test_lda_priors": _PRIORS,
        "test_lda_store_covariance": "covariance_ is there always, and computed when asked for",
        "test_lda_dtype_match[float32-float32]": "all sums and weights are in float64",
        "test_raises_value_error_on_same_number_of_classes_and_samples": (
            "with as many rows as classes the priors decide, which is no error"
        ),
        "test_get_feature_names_out": "names of columns begin with the name of the class here",
    },
    "multiclass": {
        "test_multiclass_estimator_attribute_error": "LogisticRegression has partial_fit here",
    },
    "naive_bayes": {
        "test_gnb_sample_weight": _ONE_CLASS,
        "test_gnb_check_update_with_no_data": "of a private method",
        "test_NB_partial_fit_no_first_classes[BernoulliNB]": _ANY_CLASS,
        "test_NB_partial_fit_no_first_classes[ComplementNB]": _ANY_CLASS,
        "test_NB_partial_fit_no_first_classes[MultinomialNB]": _ANY_CLASS,
        "test_NB_partial_fit_no_first_classes[GaussianNB]": _ANY_CLASS,
        "test_discretenb_uniform_prior[BernoulliNB]": _RENAMED,
        "test_discretenb_uniform_prior[ComplementNB]": _RENAMED,
        "test_discretenb_uniform_prior[MultinomialNB]": _RENAMED,
        "test_discretenb_provide_prior[BernoulliNB]": _ANY_CLASS,
        "test_discretenb_provide_prior[ComplementNB]": _ANY_CLASS,
        "test_discretenb_provide_prior[MultinomialNB]": _ANY_CLASS,
        "test_discretenb_degenerate_one_class_case[True-False-BernoulliNB]": _ONE_CLASS,
        "test_discretenb_degenerate_one_class_case[True-False-ComplementNB]": _ONE_CLASS,
        "test_discretenb_degenerate_one_class_case[True-False-MultinomialNB]": _ONE_CLASS,
        "test_cnb": "there is no feature_all_, which is feature_count_.sum(axis=0); the weights "
        "are compared in tests/estimators/test_naive_bayes_zeros.py",
        "test_alpha": _NO_FORCE,
        "test_alpha_vector": "of a private method, after the checks of what it says",
        "test_check_alpha": "of a private method",
        "test_check_accuracy_on_digits": "classes share their variances, so that it is linear: "
        "with var_smoothing=0.1 88% of the digits are right, where 89% are asked for",
    },
    "passive_aggressive": {
        **{
            f"test_classifier_accuracy[{rows}-{intercept}-True]": _NO_MEAN
            for rows in ("None", "csr_matrix", "csr_array")
            for intercept in (True, False)
        },
        **{
            f"test_classifier_partial_fit[{rows}-True]": _NO_MEAN
            for rows in ("None", "csr_matrix", "csr_array")
        },
        "test_classifier_correctness": "the intercept's 1 is part of a row's length, as in the "
        "paper, where a bias is one more feature",
        "test_passive_aggressive_classifier_vs_sgd": "of SGDClassifier, whose rows are measured "
        "without that 1",
        "test_equal_class_weight": "a pass without a mistake ends it, before the margins of 1 "
        "that rows of half the weight would reach later",
    },
    "nearest_centroid": {
        "test_classification_toy": _UNITS,
        "test_iris_shrinkage": "shrunken centroids are of Euclidean distance, as in the paper",
        "test_features_zero_var": _CONSTANT,
        "test_error_zero_variances": _CONSTANT,
        "test_warn_non_normalized_priors": _PRIORS,
        "test_method_not_available_with_manhattan[decision_function]": (
            "decision_function has the distances, whatever the metric"
        ),
    },
    "base": {
        "test_linear_regression_multiple_outcome": _ONE_STRATEGY,
        "test_linear_regression_sparse_multiple_outcome": _ONE_STRATEGY,
        "test_linear_regression_positive": _POSITIVE,
        "test_linear_regression_positive_multiple_outcome": _POSITIVE,
        "test_linear_regression_positive_vs_nonpositive": _POSITIVE,
        "test_linear_regression_positive_vs_nonpositive_when_positive": _POSITIVE,
    },
    "logistic": {
        "test_check_solver_option[LogisticRegression]": _CHOSEN,
        "test_liblinear_multiclass_raises[LogisticRegression]": _CHOSEN,
        "test_liblinear_with_large_values": _CHOSEN,
        **cases(
            "test_large_sparse_matrix[csr_matrix-liblinear] "
            "test_large_sparse_matrix[csr_matrix-sag] test_large_sparse_matrix[csr_matrix-saga] "
            "test_large_sparse_matrix[csr_array-liblinear] "
            "test_large_sparse_matrix[csr_array-sag] test_large_sparse_matrix[csr_array-saga]",
            _CHOSEN,
        ),
        "test_newton_cholesky_fallback_to_lbfgs": _CHOSEN,
        "test_liblinear_dual_random_state": "nothing in the exact solver is random",
        "test_multinomial_logistic_regression_string_inputs": (
            "a class weight of 0 is refused; leave its rows out, or give them a weight of 0"
        ),
        "test_liblinear_decision_function_zero": (
            "a score of 0 is the second class's, as w·x + b ≥ 0 is in the lectures"
        ),
        "test_logreg_predict_proba_multinomial": "of a private method",
        "test_warm_start_newton_solver": (
            "directions are as exact as a step deserves, and within a run they use what earlier "
            "steps found, so two runs of one step are not one of two"
        ),
        **cases(
            "test_dtype_match[csr_matrix-False-liblinear] "
            "test_dtype_match[csr_matrix-True-liblinear] "
            "test_dtype_match[csr_array-False-liblinear] "
            "test_dtype_match[csr_array-True-liblinear]",
            "weights are float32 for rows of float32, where that solver has float64",
        ),
        "test_zero_max_iter": _AT_LEAST_ONE,
        "test_logistic_regression_callback_support": _SHAPE,
        "test_logistic_regression_callback_support_warning": (
            "there is no solver whose passes callbacks do not hear of"
        ),
    },
    "sgd": {
        "test_warm_start": _GOES_ON,
        "test_warm_start_multiclass": _GOES_ON,
        **cases(
            "test_late_onset_averaging_reached[SparseSGDClassifier] "
            "test_late_onset_averaging_reached[SparseSGDRegressor] "
            "test_average_binary_computed_correctly[SparseSGDClassifier] "
            "test_sgd_multiclass_average[SparseSGDClassifier] "
            "test_sgd_averaged_computed_correctly[SparseSGDRegressor] "
            "test_sgd_averaged_partial_fit[SparseSGDRegressor] "
            "test_average_sparse[SparseSGDRegressor]",
            _SPARSE_INTERCEPT,
        ),
        "test_validation_set_not_used_for_training": _HELD_OUT,
        "test_not_enough_sample_for_early_stopping": _SOME_LEFT,
        "test_power_t_limits": _ANY_POWER,
        "test_sgd_predict_proba_method_access": "GradientDescent has no probabilities: "
        "LogisticRegression has them, and for other losses CalibratedClassifierCV",
        "test_sgd_proba": "modified Huber's has no probabilities here; CalibratedClassifierCV "
        "makes them",
        "test_sgd_l1[SparseSGDClassifier]": "of a class of that file, which cannot be pickled "
        "when the file is run from here",
        "test_class_weights": _TIE,
        "test_sample_weights": _TIE,
        "test_balanced_weight": "it finds the rare classes without weights as well: F1 is 0.98",
        "test_partial_fit_exception": _ANY_CLASS,
        "test_regression_losses": _NO_TUBE,
        "test_sgd_epsilon_insensitive": _NO_TUBE,
        "test_l1_ratio": "learning_rate='optimal' is of the L2 penalty alone, so that an elastic "
        "net takes other steps, however small its L1 part",
        "test_large_regularization[l2]": _TOO_LONG,
        "test_large_regularization[elasticnet]": _TOO_LONG,
        "test_multi_thread_multi_class_and_early_stopping": "pass 39 has the lowest loss on rows "
        "held out, so that it waits until pass 139, not 120",
        "test_sgd_random_state[SGDClassifier]": "steps are short enough that another order of the "
        "rows makes less of a difference than 1",
    },
    "svm": {
        "test_linearsvc_parameters[True-l1-hinge]": _ANY_LOSS,
        "test_linearsvc_parameters[True-l1-squared_hinge]": _ANY_LOSS,
        "test_linearsvc_parameters[False-l1-hinge]": _ANY_LOSS,
        "test_linearsvc_parameters[False-l2-hinge]": _ANY_LOSS,
        "test_dense_liblinear_intercept_handling": _FREE,
        "test_linear_svm_convergence_warnings": "two steps of Newton's method are enough there",
    },
}
