"""Compare all classifiers on data that scikit-learn ships; draw OR, AND, XOR and a boundary."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from rosenblatt import AveragedPerceptron, compare
from rosenblatt.model_selection import corners
from rosenblatt.plot import plot_boundary, plot_comparison

OUT = Path("out")


def tables(cancer):
    for name, data in (("Breast cancer", cancer), ("Digits", load_digits())):
        table = compare(data.data, data.target)
        print(f"{name.upper()}\n{table}\n", flush=True)
    print(f"THE CLASSIFIERS\n{table.describe()}\n", flush=True)


def draw_logic(path):
    """Draw the nearest centroid, the perceptron and the others, as in the lecture."""
    clouds = {name: corners(name, copies=30, spread=0.13) for name in ("or", "and", "xor")}
    figure = plot_comparison(
        {name.upper(): compare(X, y, test=None) for name, (X, y) in clouds.items()}
    )
    figure.savefig(path, dpi=150)


def draw_boundary(data, path, features=("mean concave points", "worst perimeter")):
    columns = [list(data.feature_names).index(name) for name in features]
    X = StandardScaler().fit_transform(data.data[:, columns])
    labels = data.target_names[data.target]
    model = AveragedPerceptron().fit(X, labels)
    figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
    plot_boundary(model, X, labels, ax=ax)
    ax.set(
        xlabel=f"{features[0]} (standardised)",
        ylabel=f"{features[1]} (standardised)",
        title=f"Averaged perceptron: {model.score(X, labels):.1%} accuracy on {len(X)} tumours",
    )
    figure.savefig(path, dpi=150)


def main():
    cancer = load_breast_cancer()
    print("Training ...\n", flush=True)
    tables(cancer)
    OUT.mkdir(exist_ok=True)
    draw_logic(OUT / "comparison.png")
    draw_boundary(cancer, OUT / "boundary.png")
    print(f"The decision regions on OR, AND and XOR are in {OUT / 'comparison.png'},")
    print(f"and a decision boundary on two features is in {OUT / 'boundary.png'}.")


if __name__ == "__main__":
    sys.exit(main())
