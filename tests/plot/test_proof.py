"""Pictures of the proof."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from rosenblatt import BatchPerceptron, Hyperplane, Perceptron
from rosenblatt.plot import plot_proof
from rosenblatt.theory.separate import separate

X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
AND, XOR = np.array([0, 0, 0, 1]), np.array([0, 1, 1, 0])


def novikoff(rows, y):
    """Return R, γ and u of the rows (x, 1)."""
    longer = np.c_[rows, np.ones(len(rows))]
    answer = separate(longer, y, fit_intercept=False)
    *normal, offset = answer.hyperplane.normal
    radius = np.linalg.norm(longer, axis=1).max()
    return stand_in(radius, answer.margin, 0.0, Hyperplane(np.array(normal), offset))


def freund_schapire(rows, y, u, gamma):
    longer, sign = np.c_[rows, np.ones(len(rows))], np.where(y == max(y), 1, -1)
    u = np.array(u) / np.linalg.norm(u)
    deviation = np.linalg.norm(np.maximum(0, gamma - sign * (longer @ u)))
    radius = np.linalg.norm(longer, axis=1).max()
    return stand_in(radius, gamma, deviation, Hyperplane(u[:-1], u[-1]))


def stand_in(radius, margin, deviation, hyperplane, fit_intercept=True):
    return SimpleNamespace(
        radius=radius,
        margin=margin,
        deviation=deviation,
        hyperplane=hyperplane,
        fit_intercept=fit_intercept,
    )


def curves(ax):
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def learn(y=AND, rows=X, **options):
    return Perceptron(shuffle=False, record=True, **options).fit(rows, y).ledger_


def squeezed(ax, low):
    found = curves(ax)
    k, norms = found["‖(w, b)‖"].T
    progress = found["(w, b)·(u, c)"][:, 1]
    below, above = (np.interp(k, *found[name].T) for name in (low, "R√k"))
    room = 1e-3 * above  # the curves are drawn with corners
    return np.all((below <= progress + room) & (progress <= norms + 1e-9) & (norms <= above + room))


def test_the_squeeze():
    ledger, bound = learn(), novikoff(X, AND)
    _, ax = plt.subplots()
    assert plot_proof(ledger, X, bound, ax=ax) is ax
    found = curves(ax)
    k = np.arange(1, len(ledger) + 1)
    np.testing.assert_array_equal(found["‖(w, b)‖"], np.c_[k, ledger.norms(X)])
    plane = bound.hyperplane
    progress = ledger.progress(X, plane.normal, plane.offset)
    np.testing.assert_array_equal(found["(w, b)·(u, c)"], np.c_[k, progress])
    grid, line = found["kγ"].T
    np.testing.assert_allclose(line, grid * bound.margin)
    grid, curve = found["R√k"].T
    np.testing.assert_allclose(curve, bound.radius * np.sqrt(grid))
    assert squeezed(ax, "kγ")


def test_the_curves_cross_at_the_bound():
    bound = novikoff(X, AND)
    ax = plot_proof(learn(), X, bound)
    (star,) = [c for c in ax.collections if "(R/γ)²" in str(c.get_label())]
    ((k, height),) = star.get_offsets()
    assert np.isclose(k, (bound.radius / bound.margin) ** 2)
    assert np.isclose(height, k * bound.margin)
    assert star.get_label() == f"(R/γ)² = {k:.1f}".removesuffix(".0")
    assert ax.get_xlim()[1] > k


def test_the_step_size_is_divided_out():
    one, two = (
        curves(plot_proof(learn(eta0=eta), X, novikoff(X, AND)))["‖(w, b)‖"] for eta in (1.0, 4.0)
    )
    np.testing.assert_array_equal(one, two)


def test_a_bound_far_off_makes_the_scales_logarithmic():
    bound = novikoff(X, AND)
    bound.margin /= 30
    ax = plot_proof(learn(), X, bound)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert squeezed(ax, "kγ")


def test_rows_that_no_plane_separates():
    ledger = learn(XOR, max_iter=5, tol=None)
    bound = freund_schapire(X, XOR, [0.1, 0.1, 1.0], 0.5)
    ax = plot_proof(ledger, X, bound)
    k = curves(ax)["‖(w, b)‖"][:, 0]
    rows = ledger.index[: len(k)].tolist()
    assert len(set(rows)) == len(rows) < len(ledger)  # no row twice
    assert ledger.index[len(k)] in rows
    assert squeezed(ax, "kγ − D√k")
    (star,) = [c for c in ax.collections if "((R + D)/γ)²" in str(c.get_label())]
    last = ((bound.radius + bound.deviation) / bound.margin) ** 2
    assert np.isclose(star.get_offsets()[0, 0], last)
    bound = freund_schapire(X, XOR, [0.1, 0.1, 1.0], 1e-3)
    ax = plot_proof(ledger, X, bound)
    ax.figure.canvas.draw()
    assert ax.get_xscale() == "log"


def test_nothing_learned_and_a_lot():
    nothing = Perceptron(record=True, fit_intercept=False, ties="positive")
    ledger = nothing.partial_fit([[1.0, 0]], [1], classes=[-1, 1]).ledger_
    bound = stand_in(1.0, 1.0, 0.0, Hyperplane([1.0, 0.0], 0.0), False)
    assert len(curves(plot_proof(ledger, [[1.0, 0]], bound))["‖w‖"]) == 0
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2)) + 20
    y = (rows @ [1, -1] > 0).astype(int)
    keep = np.abs(rows @ [1, -1]) > 0.1
    ledger = learn(y[keep], rows[keep], max_iter=10_000, tol=None)
    ax = plot_proof(ledger, rows[keep], novikoff(rows[keep], y[keep]))
    assert len(curves(ax)["‖(w, b)‖"]) == len(ledger) > 40


def test_what_the_proof_does_not_speak_of():
    bound = novikoff(X, AND)
    with pytest.raises(ValueError, match="moves for many at once"):
        plot_proof(BatchPerceptron(record=True).fit(X, AND).ledger_, X, bound)
    started = Perceptron(record=True).fit(X, AND, coef_init=[[1.0, 1.0]]).ledger_
    with pytest.raises(ValueError, match="starts from zero weights"):
        plot_proof(started, X, bound)
    with pytest.raises(ValueError, match="one step size"):
        plot_proof(learn(learning_rate="inverse"), X, bound)
    with pytest.raises(ValueError, match="give mistake_bound fit_intercept=False"):
        plot_proof(learn(XOR, fit_intercept=False, max_iter=3, tol=None), X, bound)
    with pytest.raises(ValueError, match="fit with intercept_scaling=1"):
        plot_proof(learn(intercept_scaling=0.5), X, bound)
    with pytest.raises(ValueError, match="two classes, and this ledger has more"):
        plot_proof(learn([0, 1, 2, 2], max_iter=3, tol=None), X, bound)
    assert plt.get_fignums() == []
