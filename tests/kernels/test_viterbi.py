"""The best path and what it is ahead of others by: all sequences of labels, one by one, agree."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.kernels.simd.lanes import LANES
from rosenblatt.kernels.viterbi import best_path, path_gaps, score_tokens
from rosenblatt.reference import viterbi
from tests.conftest import first_quick

orders = pytest.mark.parametrize("second_order", [False, True], ids=["order 1", "order 2"])


def problem(rng, K, n, second_order, forbid=0.0, spread=2):
    """Return small whole numbers, so that there are ties, as E, bigrams, last and trigrams."""
    E = rng.integers(-spread, spread + 1, (n, K)).astype(float)
    bigrams = rng.integers(-spread, spread + 1, (K + 1, K)).astype(float)
    trigrams = rng.integers(-spread, spread + 1, (K + 1, K + 1, K)).astype(float)
    bigrams[rng.random(bigrams.shape) < forbid] = -np.inf
    last = np.where(rng.random(K) < forbid, -np.inf, 0.0)
    return E, bigrams, last, trigrams if second_order else None


def padded(problem, rank):
    """Return the same with the labels in lanes, which are float32 and end with −∞."""
    E, bigrams, last, trigrams = problem
    n, K = E.shape
    width, ahead = -(-K // LANES) * LANES, np.append(rank, K)

    def lanes(table, at, fill):
        made = np.full((*table.shape[:-1], width), fill, np.float32)
        made[np.ix_(*at)] = table
        return made

    return (
        lanes(E, (range(n), rank), 0.0),
        n,
        lanes(bigrams, (ahead, rank), -np.inf),
        None if trigrams is None else lanes(trigrams, (ahead, ahead, rank), 0.0),
        lanes(last, (rank,), -np.inf),
    )


def compiled(problem, rank):
    """Return the path, its score, and the gaps of its tokens."""
    E, n, bigrams, trigrams, last = tables = padded(problem, rank)
    width, pairs = E.shape[1], 1 if trigrams is None else len(rank)
    scores = np.full((2, pairs, width), np.nan, np.float32)
    back, path = np.full((n, pairs, width), -1, np.int16), np.full(n, -1, np.int32)
    top = best_path(*tables, rank.astype(np.int32), scores, back, path)
    gaps = np.empty(n, np.float32)
    path_gaps(E, n, bigrams, trigrams, last, path.astype(np.int64), gaps)
    return np.argsort(rank)[path].tolist(), float(top), gaps.tolist()


def all_paths(problem):
    """Return every path and its score."""
    E, bigrams, last, trigrams = problem
    n, K = E.shape
    paths = np.array(list(product(range(K), repeat=n)))
    start = np.full((len(paths), 2), K)
    before = np.hstack([start, paths])
    scores = last[paths[:, -1]]
    for t in range(n):
        far, near, label = before[:, t], before[:, t + 1], before[:, t + 2]
        scores = scores + E[t, label] + bigrams[near, label]
        if trigrams is not None:
            scores = scores + trigrams[far, near, label]
    return paths, scores


def brute_force(problem):
    """Return the best path and score, the gaps of tokens, and that to the second best path."""
    paths, scores = all_paths(problem)
    top = scores.max()
    if top == -np.inf:
        return None, top, None, None
    best = min(paths[scores == top].tolist(), key=lambda path: path[::-1])
    others = [scores[paths[:, t] != label].max(initial=-np.inf) for t, label in enumerate(best)]
    second = scores[(paths != best).any(axis=1)].max(initial=-np.inf)
    return best, top, [top - other for other in others], top - second


def check(problem, rank):
    """Compare all three; return whether there is an allowed path, and whether there is a tie."""
    best, top, gaps, second = brute_force(problem)
    path, score, found = compiled(problem, rank)
    by_reference, its_score = viterbi(*problem)
    assert score == its_score == top
    if best is None:
        return False, False
    assert path == by_reference == best
    assert found == gaps
    assert min(found) == second
    return True, second == 0


@orders
@pytest.mark.parametrize("forbid", first_quick([0.0, 0.25, 0.6], 2))
@pytest.mark.parametrize("K", [1, 2, 3, 4, 5])
def test_the_best_of_all_paths(K, forbid, second_order):
    rng = np.random.default_rng([K, int(100 * forbid), second_order])
    possible = tied = count = 0
    for case in range(250):
        n = 1 + case % (6 if K < 5 else 5)
        made = problem(rng, K, n, second_order, forbid, spread=1 + case % 3)
        allowed, tie = check(made, rng.permutation(K))
        possible, tied, count = possible + allowed, tied + tie, count + 1
    assert possible == count if forbid == 0 else possible > 20
    assert tied > count // 20 or K == 1 or forbid > 0.5


@orders
@pytest.mark.parametrize("K", [15, 16, 17, 20])
def test_more_labels_than_lanes_in_a_block(K, second_order):
    rng = np.random.default_rng([K, second_order])
    for case in range(60):
        made = problem(rng, K, 1 + case % 3, second_order, 0.3 * (case % 2), spread=1 + case % 4)
        check(made, rng.permutation(K))


@orders
@pytest.mark.parametrize("K", [31, 33, 48, 70])
def test_many_labels_and_tokens_are_as_in_the_reference(K, second_order):
    rng = np.random.default_rng([K, second_order])
    for n in (1, 2, 3, 40, 41):
        made = problem(rng, K, n, second_order, 0.2)
        rank = rng.permutation(K)
        path, score, gaps = compiled(made, rank)
        assert (path, score) == viterbi(*made)
        assert min(gaps) >= 0


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 5), st.booleans(), st.floats(0, 1)
)
def test_any_problem(seed, K, n, second_order, forbid):
    rng = np.random.default_rng(seed)
    check(problem(rng, K, n, second_order, forbid, spread=4), rng.permutation(K))


@orders
def test_without_weights_the_first_label_wins_everywhere(second_order):
    for K in (1, 3, 18):
        zeros = problem(np.random.default_rng(0), K, 4, second_order, spread=0)
        rank = np.random.default_rng(1).permutation(K)
        path, score, gaps = compiled(zeros, rank)
        assert (path, score) == ([0] * 4, 0.0)
        assert gaps == [np.inf if K == 1 else 0.0] * 4


@orders
def test_of_equal_paths_the_end_decides(second_order):
    # 0 1 and 1 0 are equal, and so are all others, which are worse.
    bigrams = np.array([[-5.0, 0], [0, -5], [0, 0]])
    made = np.zeros((2, 2)), bigrams, np.zeros(2), np.zeros((3, 3, 2)) if second_order else None
    assert compiled(made, np.array([0, 1])) == ([1, 0], 0.0, [0.0, 0.0])
    assert compiled(made, np.array([1, 0])) == ([1, 0], 0.0, [0.0, 0.0])


@orders
def test_a_gap_is_infinite_where_there_is_no_choice(second_order):
    E = np.zeros((3, 3))
    first = np.array([0, -np.inf, -np.inf])
    bigrams = np.vstack([np.zeros((3, 3)), first])
    trigrams = np.zeros((4, 4, 3)) if second_order else None
    last = np.array([-np.inf, 0, -np.inf])
    path, score, gaps = compiled((E, bigrams, last, trigrams), np.array([2, 0, 1]))
    assert (path, score, gaps) == ([0, 0, 1], 0.0, [np.inf, 0.0, np.inf])


@orders
def test_gaps_of_weights_that_round(second_order):
    rng = np.random.default_rng(5)
    for _ in range(200):
        made = [None if part is None else part + rng.normal(size=part.shape).astype(np.float32)
                for part in problem(rng, 3, 4, second_order, 0.1)]  # fmt: skip
        made[2][np.isfinite(made[2])] = 0.0
        best, top, gaps, _ = brute_force(made)
        path, score, found = compiled(made, rng.permutation(3))
        assert path == best
        assert score == pytest.approx(top, abs=1e-5)
        np.testing.assert_allclose(found, gaps, atol=1e-5)


@orders
def test_long_chains_keep_their_digits(second_order):
    # Eighths are exact here, but not in a sum over all tokens: that needs more than 24 bits.
    rng = np.random.default_rng(0)
    K, n = 3, 60_000
    E, bigrams, last, trigrams = problem(rng, K, n, second_order, spread=40)
    made = 60 + E / 8, bigrams / 8, last, None if trigrams is None else trigrams / 8
    path, score, gaps = compiled(made, rng.permutation(K))
    expected, total = viterbi(*made)
    assert total > 2**21
    assert path == expected
    assert score == total
    # Far from the ends a gap depends on the tokens near it alone.
    for middle in (100, 30_000, n - 100):
        near = slice(middle - 60, middle + 60)
        nearby = made[0][near], bigrams / 8, last, made[3]
        assert compiled(nearby, np.arange(K))[2][50:70] == gaps[near][50:70]


@pytest.mark.parametrize("second_order", [False, True])
def test_large_weights_keep_their_digits(second_order):
    # Thirty features of weight 50,000 are exact, for five tokens and a thousand.
    rng = np.random.default_rng(1)
    K, n = 4, 1_000
    E, bigrams, last, trigrams = problem(rng, K, n, second_order, spread=3)
    made = 1_500_000 + rng.integers(0, 3, E.shape) + E, bigrams, last, trigrams
    path, _, _ = compiled(made, rng.permutation(K))
    assert path == viterbi(*made)[0]


@pytest.mark.parametrize("per_feature", [1, 2, 3])
def test_scores_of_tokens_are_sums_of_blocks(per_feature):
    rng = np.random.default_rng(per_feature)
    n, templates, features, rows = 30, 7, 50, 40
    places = rng.integers(0, rows, (features + 1, per_feature)).astype(np.int32)
    places[0] = 0
    blocks = rng.integers(-9, 10, (rows, LANES)).astype(np.float32)
    blocks[0] = 0
    matrix = rng.integers(0, features + 1, (n, templates)).astype(np.int32)
    out = np.full((n, per_feature * LANES), np.nan, np.float32)
    score_tokens(matrix, 4, 20, places, blocks, out)
    expected = blocks[places[matrix]].sum(axis=1).reshape(n, -1)
    np.testing.assert_array_equal(out[:20], expected[4:24])
    assert np.isnan(out[20:]).all()
