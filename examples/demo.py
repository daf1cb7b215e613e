"""Compare the perceptrons on data that scikit-learn ships, and draw a decision boundary."""

import warnings
from pathlib import Path
from time import perf_counter

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from rosenblatt import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron
from rosenblatt.plot import plot_boundary

MODELS = (Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron)
PICTURE = Path("out/boundary.png")


def compare(name, data, console):
    X, X_test, y, y_test = train_test_split(data.data, data.target, test_size=0.3, random_state=0)
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    title = f"{name}: {len(X)} rows to learn from, {len(X_test)} to test, {X.shape[1]} features"
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("learner", no_wrap=True)
    for column in ("accuracy", "passes", "mistakes", "converged", "time"):
        table.add_column(column, justify="right", no_wrap=True)
    for model in MODELS:
        model().fit(X, y)  # the first fit loads the compiled loop, or compiles it
        start = perf_counter()
        fitted = model().fit(X, y)
        took = perf_counter() - start
        table.add_row(
            model.__name__,
            f"{fitted.score(X_test, y_test):.1%}",
            str(fitted.n_iter_),
            f"{fitted.n_mistakes_:,}",
            "yes" if fitted.converged_ else "no",
            f"{1000 * took:.1f} ms",
        )
    console.print(table)
    console.print()


def draw(data, features=("mean concave points", "worst perimeter")):
    columns = [list(data.feature_names).index(name) for name in features]
    X = StandardScaler().fit_transform(data.data[:, columns])
    labels = data.target_names[data.target]
    model = AveragedPerceptron().fit(X, labels)
    figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
    plot_boundary(model, X, labels, ax=ax)
    ax.set(
        xlabel=f"{features[0]} (standardised)",
        ylabel=f"{features[1]} (standardised)",
        title=f"Averaged perceptron: {model.score(X, labels):.1%} of {len(X)} tumours told apart",
    )
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=150)


def main():
    warnings.simplefilter("ignore", ConvergenceWarning)  # the table says whether they converged
    console = Console()
    cancer = load_breast_cancer()
    with console.status("Learning; the first run also compiles the loops, about ten seconds ..."):
        compare("Breast cancer", cancer, console)
        compare("Digits", load_digits(), console)
    draw(cancer)
    console.print(f"The decision boundary on two features is drawn in {PICTURE}")


if __name__ == "__main__":
    main()
