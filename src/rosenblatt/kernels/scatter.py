"""The products of rows about a shift, added up: what a covariance is made of."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit


@jit
def add_products(X: Any, codes: Any, weights: Any, shift: Any, sums: Any, products: Any) -> None:
    """Add each row's distance c from its class's shift to ``sums``, and c cᵀ to ``products``.

    Of the products the lower triangle counts; what else is written means nothing. The matrix is of
    even size, one more than an odd number of features. Eight rows and two columns are worked on
    together, so that the matrix is read and written an eighth as often.
    """
    n, d = X.shape
    B = np.zeros((8, products.shape[1]))
    for i in range(0, n, 8):
        for r in range(8):
            if i + r < n:
                k = codes[i + r]
                _centre(X[i + r], shift[k], sums[k], weights, i + r, B[r])
            else:
                B[r] = 0
        for j in range(0, d, 2):
            _add_two(B, j, products[j], products[j + 1])


@jit
def _centre(x: Any, origin: Any, total: Any, weights: Any, i: int, out: Any) -> None:
    if weights is None:
        for j in range(x.shape[0]):
            c = x[j] - origin[j]
            total[j] += c
            out[j] = c
    else:
        w, root = weights[i], np.sqrt(weights[i])
        for j in range(x.shape[0]):
            c = x[j] - origin[j]
            total[j] += w * c
            out[j] = root * c


@jit
def _add_two(B: Any, j: int, one: Any, two: Any) -> None:
    """Add the products of columns j and j + 1 with those up to them, over eight rows."""
    k = j + 1
    x0, x1, x2, x3, x4, x5, x6, x7 = B[0], B[1], B[2], B[3], B[4], B[5], B[6], B[7]
    a0, a1, a2, a3, a4, a5, a6, a7 = x0[j], x1[j], x2[j], x3[j], x4[j], x5[j], x6[j], x7[j]
    b0, b1, b2, b3, b4, b5, b6, b7 = x0[k], x1[k], x2[k], x3[k], x4[k], x5[k], x6[k], x7[k]
    for m in range(k + 1):
        y0, y1, y2, y3, y4, y5, y6, y7 = x0[m], x1[m], x2[m], x3[m], x4[m], x5[m], x6[m], x7[m]
        one[m] += (a0 * y0 + a1 * y1 + a2 * y2 + a3 * y3) + (a4 * y4 + a5 * y5 + a6 * y6 + a7 * y7)
        two[m] += (b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3) + (b4 * y4 + b5 * y5 + b6 * y6 + b7 * y7)
