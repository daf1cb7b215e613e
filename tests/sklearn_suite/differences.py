"""What scikit-learn's tests expect and our estimators do otherwise, each with the reason."""

VERSION = "1.9."

# Of the same files, but about estimators that have no counterpart here.
_QUADRATIC = "of the quadratic discriminant, which is no hyperplane"
_CATEGORIES = "of CategoricalNB; prepare encodes categories for NaiveBayes('bernoulli')"
NOT_OURS: dict[str, dict[str, str]] = {
    "tests/test_discriminant_analysis.py": dict.fromkeys(
        (
            "test_qda",
            "test_qda_coefs",
            "test_qda_covariance_estimator",
            "test_qda_ledoitwolf",
            "test_qda_prior_copy",
            "test_qda_prior_type",
            "test_qda_priors",
            "test_qda_regularization",
            "test_qda_shrinkage_performance",
            "test_qda_solver_agreement",
            "test_qda_store_covariance",
            "test_raises_value_error_on_one_sample_per_class",
        ),
        _QUADRATIC,
    ),
    "linear_model/tests/test_passive_aggressive.py": dict.fromkeys(
        (
            "test_regressor_correctness",
            "test_regressor_mse",
            "test_regressor_partial_fit",
            "test_regressor_undefined_methods",
            "test_passive_aggressive_regressor_vs_sgd",
            "test_class_deprecation",
        ),
        "of the regressor, which has no counterpart here, and of a warning that theirs goes",
    ),
    "tests/test_naive_bayes.py": {
        "test_categorical_input_tag": _CATEGORIES,
        "test_categoricalnb": _CATEGORIES,
        "test_categoricalnb_min_categories_errors": _CATEGORIES,
        "test_categoricalnb_with_min_categories": _CATEGORIES,
        "test_gnb_array_api_compliance": "of arrays that are not NumPy's",
    },
}

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
_C = "C is answered with its name here, alpha"

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
        "test_ovr_fit_predict": "more than two classes compete in one model, so that each against "
        "the rest is another one",
        "test_ovr_gridsearch": _C,
        "test_ovo_gridsearch": _C,
        "test_ecoc_gridsearch": _C,
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
}
