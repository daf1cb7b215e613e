"""The compiled products are those of NumPy."""

import numpy as np
import pytest

from rosenblatt.data.rows import weights_or_empty
from rosenblatt.kernels.moments import add_products


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (7, 2), (8, 5), (61, 30), (100, 33)])
def test_products_about_a_shift(n, d, weighted, dtype):
    rng = np.random.default_rng(n * d)
    X = rng.standard_normal((n, d)).astype(dtype)
    codes, shift = rng.integers(3, size=n), rng.standard_normal((3, d))
    w = rng.integers(1, 5, n).astype(float) if weighted else None
    sums, products = np.zeros((3, d)), np.zeros((d + d % 2, d + d % 2))
    add_products(X, codes, weights_or_empty(w), shift, sums, products)
    C = X - shift[codes]
    weights = np.ones(n) if w is None else w
    wanted = [(weights * (codes == k)) @ C for k in range(3)]
    np.testing.assert_allclose(sums, wanted, rtol=1e-9, atol=1e-9)
    lower = np.tril(products[:d, :d])
    np.testing.assert_allclose(lower, np.tril((C.T * weights) @ C), rtol=1e-9, atol=1e-9)
