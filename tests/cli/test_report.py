"""The page about a trained model: complete in itself, well formed, and safe."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from rosenblatt import mistake_bound
from rosenblatt.console import shortened
from rosenblatt.evaluation.metrics import Confusion, Residuals
from rosenblatt.geometry import Hyperplane
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.report import gather
from rosenblatt.report.charts import number, short, ticks
from rosenblatt.report.gather import command_of
from rosenblatt.report.model_facts import FeatureWeights, Points, Report
from rosenblatt.report.page import page, write_report
from rosenblatt.theory.bounds import MistakeBound, bound_of_plane
from rosenblatt.training.command_options import TrainOptions
from rosenblatt.training.online import train_online
from tests.conftest import first_quick

VOID = {"meta", "br", "wbr", "col", "link", "img", "hr"}
STYLE = (files("rosenblatt.report") / "style.css").read_text()
FREUND_SCHAPIRE = "freund-schapire"
BAD = '<script>alert("1")</script>\x00\x1b[2J\u202e&amp;'


class Checker(HTMLParser):
    """Collects tags and text; complains where tags do not match."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.texts, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> without a beginning"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.texts.append(data)


def checked(html):
    """Parse a page and its pictures; return what was found."""
    found = Checker()
    found.feed(html)
    found.close()
    assert not found.open
    for picture in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ElementTree.fromstring(picture)
    assert not {"script", "img", "link", "iframe", "object"} & set(found.tags)
    assert "src" not in dict(found.attributes)
    assert not re.search(r"""(href|src|url\()\s*=?\s*["']?(https?:)?//""", html)
    return found


def confusion(classes, matrix, unknown=()):
    """Make a confusion matrix with these counts."""
    counted = Confusion(np.array(classes, object))
    for label, row in zip([*classes, *unknown], np.asarray(matrix), strict=True):
        codes = np.repeat(np.arange(len(row)), row)
        counted.add(np.array([label] * len(codes), object), codes)
    return counted


def residuals():
    off = Residuals()
    off.add(np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 4.0]))
    return off


def bound(*numbers, theorem="novikoff", fit_intercept=True):
    return MistakeBound(*numbers, theorem, Hyperplane([0.6], 0.8), fit_intercept)


def full(**changes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X @ [1, 2] > 0, "spam", "ham").astype(object)
    report = Report(
        title="spam.model",
        learner="averaged perceptron",
        examples=40,
        features=2,
        classes=["ham", "spam"],
        command="rosenblatt train spam.csv -o spam.model",
        parameters={"passes": 5},
        files=[("spam.csv", 12_345), ("-", None)],
        counts=[18, 22],
        passes=[12, 4, 0],
        curve=[(20, 9), (40, 12), (60, 14), (80, 16), (120, 16)],
        validation=[0.2, 0.1, 0.125],
        test=confusion(["ham", "spam"], [[5, 1], [0, 4]]),
        weights=[FeatureWeights("spam", "ham", [("free_offer", 2.5), ("meeting", -1.25)])],
        points=Points(X, y, ("width", "height"), np.array([[1.0, 2.0]]), np.array([0.1]), 40),
        bound=bound(2.0, 0.4, 0.0, 25.0),
        converged=True,
        seconds=0.25,
        notes=["The file is sorted by label."],
        version="1.2.3",
    )
    return replace(report, **changes)


def test_everything_is_there():
    html = page(full())
    found = checked(html)
    text = "".join(found.texts)
    for expected in (
        "spam.model",
        "averaged perceptron · 40 examples · 2 features · 2 classes",
        "10.00%",
        "1 of 10 wrong; 95% interval 1.8–40.4%",
        "12 in the first pass (30.00%)",
        "bound (R/γ)² = 25",
        "the last without a mistake",
        "width",
        "−1.25",
        "at most 25 mistakes on these examples, in any order",
        "ham (18), spam (22)",
        "spam.csv (12.3 kB)",
        "The file is sorted by label.",
        "1.2.3",
    ):
        assert expected in text
    assert "rosenblatt train spam.csv -o spam.model" in " ".join(text.split())
    assert found.tags.count("svg") == 3 + 2  # three pictures and two bars
    assert html.count('role="img"') == html.count("<desc>") == 3


def test_little_is_enough():
    found = checked(page(Report("m.model", "perceptron", 3, 2, ["a", "b"])))
    assert "svg" not in found.tags
    assert "Details" in found.texts


def test_what_comes_from_files_is_escaped():
    points = full().points
    html = page(
        full(
            title=BAD,
            learner=BAD,
            classes=[BAD, BAD + "2"],
            command=BAD,
            parameters={BAD: BAD},
            files=[(BAD, 1)],
            test=confusion([BAD, "b"], np.eye(3, 2, dtype=int)[[0, 1, 0]], [BAD + "3"]),
            weights=[FeatureWeights(BAD, BAD, [(BAD, 1.0), ("<i>_=^.", -1.0)])],
            points=replace(points, names=(BAD, BAD), y=np.full(40, BAD, object)),
            notes=[BAD],
            version=BAD,
        )
    )
    found = checked(html)
    assert any("<script>alert" in text for text in found.texts)  # as text, that is
    assert "<script" not in html
    assert "\x00" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_the_same_report_is_the_same_file(tmp_path):
    for name in ("a.html", "b.html"):
        write_report(tmp_path / name, full())
    first = (tmp_path / "a.html").read_bytes()
    assert first == (tmp_path / "b.html").read_bytes()
    assert first.decode().startswith("<!DOCTYPE html>\n<html lang=")


@pytest.mark.parametrize("n", [1, 2, 3, 8, 16, 40])
def test_any_number_of_classes(n):
    rng = np.random.default_rng(n)
    labels = [f"class {k}" for k in range(n)]
    W = rng.normal(size=(1 if n == 2 else n, 2))
    points = Points(
        rng.normal(size=(60, 2)) * [1, 1000],
        rng.choice(np.array(labels, object), 60),
        ("u", "v"),
        W,
        rng.normal(size=len(W)),
        1000,
    )
    html = page(
        full(
            classes=labels,
            counts=[1] * n,
            points=points,
            test=confusion(labels, rng.integers(0, 9, (n + 1, n)), ["new"]),
            weights=[FeatureWeights(label, None, [("u", 1.0), ("v", -2.0)]) for label in labels],
        )
    )
    text = " ".join(checked(html).texts)
    assert "60 of 1,000 examples" in text
    assert ("predicted" in html) or n > 16


@pytest.mark.parametrize(
    "changes",
    [
        {"passes": [7], "validation": [], "curve": [(10, 3), (40, 7)]},
        {"passes": [7], "validation": [], "curve": [(40, 7)]},
        {"passes": [0], "validation": [], "curve": [(40, 0)], "converged": True},
        {"passes": [3] * 50, "curve": [(40 * k, 3 * k) for k in range(1, 51)], "validation": []},
        {"passes": [3], "curve": [(k, k // 7) for k in range(1, 3000)], "validation": [0.5, 0.2]},
        {"bound": bound(2.0, 1e-9, 0.0, 4e18)},
        {"bound": bound(2.0, 0.0, 0.0, np.inf)},
        {"bound": bound(2.0, 0.5, 1.0, 30.5, theorem=FREUND_SCHAPIRE), "bound_is_best": False},
        {"bound": bound(2.0, 0.5, 1.0, 13.5, theorem=FREUND_SCHAPIRE, fit_intercept=False)},
        {"seconds": 4000.0},
        {"test": confusion(["ham", "spam"], np.zeros((2, 2), int))},
        {"classes": [], "passes": [], "curve": [], "losses": [2.0, 1.0], "points": None},
        {"classes": [], "passes": [], "curve": [], "losses": [2.0], "points": None},
        {"test": residuals()},
        {"test": Residuals()},
        {"weights": [FeatureWeights(None, None, [("u", 1.0)])]},
        {"weights": [FeatureWeights("spam", "ham", [("u", 0.0)])]},
    ],
)
def test_odd_reports_are_well_formed(changes):
    html = page(full(**changes))
    checked(html)
    assert "nan" not in re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL).lower()


def test_one_point_and_equal_points():
    for X in (np.zeros((1, 2)), np.ones((5, 2)), np.array([[0.0, 0], [0, 1e9]])):
        y = np.full(len(X), "ham", object)
        points = Points(X, y, ("u", "v"), np.array([[0.0, 0.0]]), np.array([1.0]), len(X))
        checked(page(full(points=points)))


def test_a_bound_of_the_first_pass_is_drawn_as_far_as_it_holds():
    html = page(
        full(bound=bound(2.0, 0.5, 1.0, 14.0, theorem=FREUND_SCHAPIRE), bound_is_best=False)
    )
    assert "first pass: bound ((R + D)/γ)² = 14" in html
    assert "those of the hyperplane that was learned" in html
    far = page(full(bound=bound(2.0, 0.5, 0.0, 14e6)))
    assert "↑ bound (R/γ)² = 14,000,000, far above" in far


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("theme", [0, 1])
def test_texts_can_be_read(theme):
    block = re.findall(r"--paper.*?}", STYLE, re.DOTALL)[theme]
    colours = dict(re.findall(r"--([a-z]+\d?):(#[0-9a-f]{3,6})\b", block))
    full_colours = {
        name: c if len(c) == 7 else "#" + "".join(2 * x for x in c[1:])
        for name, c in colours.items()
    }
    paper = luminance(full_colours["paper"])
    for name in ("ink", "soft", "blue", "orange", "red"):
        other = luminance(full_colours[name])
        ratio = (max(paper, other) + 0.05) / (min(paper, other) + 0.05)
        assert ratio >= 4.5, (name, ratio)


def test_numbers_and_names():
    assert [number(v) for v in (0, 5.0, 1234.5, 0.05, -2e-9)] == [
        "0",
        "5",
        "1,234",
        "0.05",
        "−2e−9",
    ]
    assert short(12_000) == "12k"
    assert ticks(3, 3) == [3]
    assert ticks(-1, 1) == [-1, -0.5, 0, 0.5, 1]
    assert number(float("inf")) == "∞"
    assert shortened("x" * 100, 10) == "x" * 9 + "…"


def test_the_bound_of_one_plane(deck_b):
    X, y = deck_b
    u = np.array([3.0, 1.0]) / 10**0.5
    margins = y * (X @ u)
    made = bound_of_plane(Hyperplane(u, 0.0), margins, 5**0.5, False)
    margin, lack, bound = made.margin, made.deviation, made.bound
    assert bound == pytest.approx(((5**0.5 + lack) / margin) ** 2)
    assert bound >= 3
    best = mistake_bound(X, y, fit_intercept=False, theorem="freund-schapire").bound
    assert bound >= best * (1 - 1e-9)
    spread = np.linspace(0.001, 50, 4000)
    lacks = np.sqrt((np.maximum(spread[:, None] - margins, 0) ** 2).sum(axis=1))
    assert bound <= (((5**0.5 + lacks) / spread) ** 2).min() * 1.001


def test_the_command():
    job = TrainOptions(
        ["a.csv"], passes=3, no_intercept=True, test=["t 1.csv"], json=True, eta0=0.5
    )
    expected = "rosenblatt train a.csv --passes 3 --no-intercept --eta0 0.5 --test 't 1.csv'"
    assert command_of(job) == expected


def test_train_writes_it(ros, folder):
    args = ("train.svm", "--test", "test.svm", "-o", "new.model", "--report", "r.html", "-q")
    ros("train", *args, "--learner", "averaged", "--scale", "none")
    html = (folder / "r.html").read_text()
    text = " ".join(checked(html).texts)
    assert "new.model" in text
    assert "averaged perceptron · 300 examples · 5 features · 2 classes" in text
    assert "feature 1" in text
    command = "rosenblatt train train.svm -o new.model --learner averaged --scale none"
    assert f"{command} --test test.svm --report r.html" in " ".join(text.split())
    assert "Mistake bound" in text


@pytest.mark.parametrize("most", [gather.MOST_CELLS, 0])
def test_the_bound_is_that_of_the_rows_in_float64(ros, tmp_path, monkeypatch, most):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gather, "MOST_CELLS", most)
    rng = np.random.default_rng(0)
    X = np.column_stack([1 + rng.integers(-9, 10, 40) / 1e6, rng.normal(size=40).round(3)])
    y = np.where(X[:, 0] >= 1, 1, -1)
    text = "".join(f"{c} 1:{a!r} 2:{b!r}\n" for c, (a, b) in zip(y, X.tolist(), strict=True))
    Path("near.svm").write_text(text)
    ros(
        "train",
        "near.svm",
        "--learner",
        "perceptron",
        "--scale",
        "none",
        "--report",
        "r.html",
        "-q",
    )
    shown = " ".join(checked(Path("r.html").read_text()).texts)
    exact, rounded = (mistake_bound(X.astype(dtype), y) for dtype in ("float64", "float32"))
    assert exact.bound != pytest.approx(rounded.bound, rel=0.01)
    if most:
        assert f"at most {int(exact.bound):,} mistakes" in shown
        assert f"the bound {number(exact.bound, 6)}" in " ".join(shown.split())
    else:
        assert "those of the hyperplane that was learned" in shown
    assert f"{number(exact.radius, 6)} of (x, 1)" in shown


def test_every_value_is_escaped():
    for name in ("page.html", "chart.svg"):
        template = (files("rosenblatt.report") / name).read_text()
        assert "{{&" not in template
        assert "{{{" not in template
    html = page(full(title='"&<\x07'))
    assert "<h1>&quot;&amp;&lt;\\x07</h1>" in html


def test_train_writes_deck_b(ros, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ("-1 1:-1 2:2", "1 1:1", "1 1:1 2:1", "-1 1:-1", "-1 1:-1 2:-2", "1 1:1 2:-1")
    (tmp_path / "b.svm").write_text("\n".join(lines) + "\n")
    told = ("--learner", "perceptron", "--no-intercept", "--classes=-1,1", "--report", "r.html")
    ros("train", "b.svm", *told, "--no-shuffle", "--scale", "none", "-q")
    html = (tmp_path / "r.html").read_text()
    text = " ".join(checked(html).texts)
    assert "3 mistakes" in text
    assert "bound (R/γ)² = 5" in text
    assert "2.23607" in text
    assert "Decision boundary" in text
    assert 'class="normal"' in html


@pytest.mark.parametrize(
    "learner", ["perceptron", "voted", "logistic", "svm", "naive-bayes", "centroid", "batch"]
)
def test_every_learner_has_a_report(ros, folder, learner):
    args = ("train.csv", "--learner", learner, "--report", "r.html", "--test", "test.csv", "-q")
    ros("train", *args)
    text = " ".join(checked((folder / "r.html").read_text()).texts)
    assert "Test error" in text
    assert "Mistake bound" not in text  # which is about the numbers that a learner sees
    if learner in ("perceptron", "voted"):
        ros("train", *args, "--scale", "none")
        assert "Mistake bound" in " ".join(checked((folder / "r.html").read_text()).texts)


def test_numbers_have_a_report(ros, folder):
    args = ("houses.csv", "--learner", "regression", "--test", "houses.csv", "--report", "r.html")
    ros("train", *args, "-q")
    text = " ".join(checked((folder / "r.html").read_text()).texts)
    assert "R²" in text
    assert "Root mean squared error" in text


@pytest.mark.slow
def test_validation_texts_and_standard_input(ros, shell, folder):
    args = ("train.svm", "--validation", "valid.svm", "--retrain", "--report", "r.html", "-q")
    ros("train", *args)
    text = " ".join(checked((folder / "r.html").read_text()).texts)
    assert "validation error after each" in text
    ros("train", "mails.txt", "--bits", "12", "--report", "r.html", "-q")
    assert "#" in (folder / "r.html").read_text()
    for given in ("cat train.svm | rosenblatt train -", "rosenblatt train <(cat train.svm)"):
        done = shell(f"{given} --report r.html -q", folder)
        assert done.code == 0, done
    text = " ".join(checked((folder / "r.html").read_text()).texts)
    assert "The input cannot be read again" in text
    assert "Mistake bound" not in text


def curve_of(html):
    """Return the points of the curve of mistakes."""
    path = re.search(r'<path d="M([^"]*)" class="curve"', html).group(1)
    return np.array([[float(number) for number in point.split()] for point in path.split("L")])


@pytest.mark.parametrize("learner", first_quick(trainable(ONLINE), 1))
def test_the_curve_of_a_large_file_is_smooth(ros, tmp_path, monkeypatch, learner):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 3)).round(2)
    y = np.where(X.sum(axis=1) + rng.normal(size=len(X)) > 0, 1, -1)
    lines = [f"{c} 1:{a} 2:{b} 3:{d}\n" for c, (a, b, d) in zip(y, X, strict=True)]
    Path("big.svm").write_text("".join(lines))
    args = ("train", "big.svm", "--learner", learner, "--passes", "3", "-q")
    ros(*args, "-o", "with.model", "--report", "r.html")
    points = curve_of(Path("r.html").read_text())
    assert len(points) > 150
    width = np.ptp(points[:, 0])
    assert np.diff(points[:, 0]).max() < width / 50
    assert (np.diff(points[:, 1]) <= 0).all()
    ros(*args, "-o", "without.model")
    assert Path("with.model").read_bytes() == Path("without.model").read_bytes()


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("file", ["train.svm", "train.csv", "train.npy"])
def test_the_curve_goes_over_all_passes(folder, learner, file):
    labels = "train-labels.npy" if file.endswith("npy") else None
    job = TrainOptions(
        [file], learner=learner, passes=4, labels=labels, report="r.html", quiet=True
    )
    outcome = train_online(job)
    curve = outcome.curve
    assert curve[-1] == (outcome.examples * len(outcome.mistakes), sum(outcome.mistakes))
    ends = np.cumsum(outcome.mistakes).tolist()
    points = dict(curve)
    assert [points[300 * k] for k in range(1, len(ends) + 1)] == ends
    assert len(curve) >= 10 * len(ends)
    assert curve == sorted(curve)


def test_the_curve_is_thinned(folder, monkeypatch):
    monkeypatch.setattr("rosenblatt.training.online._MOST_POINTS", 32)
    job = TrainOptions(["train.svm"], passes=50, learner="svm", report="r.html", quiet=True)
    outcome = train_online(job)
    assert len(outcome.mistakes) == 50
    assert 16 <= len(outcome.curve) <= 32
    assert outcome.curve[-1] == (300 * 50, sum(outcome.mistakes))
    gaps = np.diff([seen for seen, _ in outcome.curve])
    assert gaps.min() > 0
    assert gaps.max() <= 15_000 / 8


def test_the_tiles_show_log_loss_and_auc_of_the_test_file(ros, folder):
    found = ros("train", "train.svm", "--test", "test.svm", "--report", "r.html", "--json").json
    text = Path("r.html").read_text(encoding="utf-8")
    assert "Test log loss" in text
    assert f"{found['test']['auc']:.4f}" in text[text.index("Test AUC") :][:400]
