"""What of scikit-learn's test files is about something else than our estimators."""

# Of the same files, but about estimators that have no counterpart here.
_QUADRATIC = "of the quadratic discriminant, which is no hyperplane"
_CATEGORIES = "of CategoricalNB; prepare encodes categories for NaiveBayes('bernoulli')"
_KERNELS = "of kernels and of regression with an insensitive tube, which are not here"
_PRIVATE = "of private parts of scikit-learn"
_ONE = "of the SVM of one class, which has no counterpart here"
_CV = "of the search for C inside the estimator; select and GridSearchCV do that"
_ARRAYS = "of arrays that are not NumPy's"
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
    "linear_model/tests/test_sgd.py": {
        **dict.fromkeys(
            (
                "test_warm_start_oneclass",
                "test_clone_oneclass",
                "test_partial_fit_oneclass",
                "test_partial_fit_equal_fit_oneclass",
                "test_late_onset_averaging_reached_oneclass",
                "test_sgd_averaged_computed_correctly_oneclass",
                "test_sgd_averaged_partial_fit_oneclass",
                "test_average_sparse_oneclass",
                "test_ocsvm_vs_sgdocsvm",
                "test_sgd_oneclass_convergence",
                "test_sgd_oneclass_vs_linear_oneclass",
                "test_sgd_oneclass_vs_linear_oneclass_offsets_match",
                "test_sgd_one_class_svm_estimator_type",
                "test_sgd_one_class_svm_formulation_with_scipy_minimize",
            ),
            _ONE,
        ),
        **dict.fromkeys(
            (
                "test_plain_has_no_average_attr",
                "test_loss_function_epsilon",
                "test_loss_hinge",
                "test_gradient_squared_hinge",
                "test_loss_modified_huber",
                "test_loss_epsilon_insensitive",
                "test_loss_squared_epsilon_insensitive",
                "test_validation_mask_correctly_subsets",
            ),
            _PRIVATE,
        ),
        "test_multi_core_gridsearch_and_early_stopping": (
            "of processes, which cannot import adapters"
        ),
        "test_SGDClassifier_fit_for_all_backends": (
            "of a job for each class, where more than two are one model"
        ),
    },
    "linear_model/tests/test_logistic.py": {
        **dict.fromkeys(
            (
                "test_logistic_cv",
                "test_logistic_cv_refit_false_non_elasticnet",
                "test_logistic_cv_mock_scorer",
                "test_logistic_cv_multinomial_score",
                "test_multinomial_cv_iris",
                "test_logistic_cv_folds_with_classes_missing",
                "test_logistic_cv_sparse",
                "test_logistic_regressioncv_class_weights",
                "test_logistic_regression_cv_refit",
                "test_LogisticRegressionCV_GridSearchCV_elastic_net",
                "test_LogisticRegressionCV_no_refit",
                "test_LogisticRegressionCV_elasticnet_attribute_shapes",
                "test_LogisticRegressionCV_on_folds",
                "test_lr_cv_scores_differ_when_sample_weight_is_requested",
                "test_lr_cv_scores_without_enabling_metadata_routing",
                "test_logisticregressioncv_warns_with_use_legacy_attributes",
            ),
            _CV,
        ),
        **dict.fromkeys(
            (
                "test_logistic_regression_array_api_compliance",
                "test_logistic_regression_array_api_warm_start",
            ),
            _ARRAYS,
        ),
        **dict.fromkeys(
            (
                "test_penalty_deprecated",
                "test_l1_ratio_None_deprecated",
                "test_l1_ratio_non_elasticnet",
                "test_logisticregression_warns_with_n_jobs",
                "test_lr_penalty_l1ratio_incompatible",
            ),
            "of warnings about parameters that theirs lose",
        ),
        **dict.fromkeys(
            (
                "test_logistic_regression_path_convergence_fail",
                "test_logistic_regression_path_coefs_multinomial",
                "test_logistic_regression_path_init_coefs",
            ),
            _PRIVATE,
        ),
    },
    "svm/tests/test_svm.py": {
        **dict.fromkeys(
            (
                "test_libsvm_parameters",
                "test_libsvm_iris",
                "test_precomputed",
                "test_svr",
                "test_linearsvr",
                "test_linearsvr_fit_sampleweight",
                "test_svr_errors",
                "test_oneclass",
                "test_oneclass_decision_function",
                "test_oneclass_score_samples",
                "test_tweak_params",
                "test_probability",
                "test_decision_function",
                "test_decision_function_shape",
                "test_svr_predict",
                "test_svm_classifier_sided_sample_weight",
                "test_svm_regressor_sided_sample_weight",
                "test_svm_equivalence_sample_weight_C",
                "test_negative_sample_weights_mask_all_samples",
                "test_negative_weights_svc_leave_just_one_label",
                "test_negative_weights_svc_leave_two_labels",
                "test_negative_weight_equal_coeffs",
                "test_svc_nonfinite_params",
                "test_sparse_precomputed",
                "test_sparse_fit_support_vectors_empty",
                "test_immutable_coef_property",
                "test_svc_clone_with_callable_kernel",
                "test_svc_bad_kernel",
                "test_libsvm_convergence_warnings",
                "test_unfitted",
                "test_consistent_decision_function",
                "test_svr_coef_sign",
                "test_hasattr_predict_proba",
                "test_decision_function_shape_two_class",
                "test_ovr_decision_function",
                "test_svc_invalid_break_ties_param",
                "test_svc_ovr_tie_breaking",
                "test_gamma_scale",
                "test_n_support",
                "test_custom_kernel_not_array_input",
                "test_svc_raises_error_internal_representation",
                "test_n_iter_libsvm",
                "test_dual_auto",
                "test_dual_auto_edge_cases",
                "test_svm_with_infinite_C",
                "test_probability_raises_futurewarning",
                "test_svc_nusvc_probA_probB_deprecated",
            ),
            _KERNELS,
        ),
    },
    "linear_model/tests/test_base.py": {
        **dict.fromkeys(
            (
                "test_inplace_data_preprocessing",
                "test_preprocess_data",
                "test_preprocess_data_multioutput",
                "test_preprocess_data_weighted",
                "test_sparse_preprocess_data_offsets",
                "test_csr_preprocess_data",
                "test_preprocess_copy_data_no_checks",
                "test_dtype_preprocess_data",
                "test_preprocess_data_integer_array_api_on_float32_only_device",
                "test_rescale_data",
                "test_fused_types_make_dataset",
                "test_array_api_move_estimator_to",
                "test_predict_proba_lr_large_values",
            ),
            _PRIVATE,
        ),
    },
}

# The same, of cases: parts of what a case is called.
CASES = ("OneClass", "LogisticRegressionCV", "LinearSVR", "-cv]")
