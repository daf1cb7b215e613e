"""What forgetting brings to streams that drift, and costs those that do not: progressive errors.

    python benchmarks/forgetting.py

Each example is predicted by the model made with no option but ``forget``, a half-life in examples,
and then learned from. The streams are those of quality.py, and some that are longer or change
faster. It takes a few minutes; ADR 0041 has the table.
"""

from quality_streams import catalogue, drawn, hyperplane, left_out, one_by_one, sea

from rosenblatt import OnlineClassifier

HALF_LIVES = (None, 100_000, 30_000, 10_000, 3_000, 1_000)


def fast(n=60_000):
    """Hyperplane, turning ten times as fast."""
    from river.datasets import synth

    turning = {"n_features": 10, "n_drift_features": 10, "mag_change": 0.01}
    return drawn(synth.Hyperplane(seed=0, noise_percentage=0.05, **turning).take(n))


def main():
    """Print a row of errors for each stream."""
    print("| stream | examples |", " | ".join(map(str, HALF_LIVES)), "|")
    streams = catalogue() | {
        "sea, ten times as long": lambda: sea(600_000),
        "hyperplane, ten times as long": lambda: hyperplane(600_000),
        "hyperplane, ten times as fast": fast,
    }
    for name, make in streams.items():
        rows, labels = make()
        errors = [one_by_one(OnlineClassifier(forget=h), rows, labels) for h in HALF_LIVES]
        best = min(errors)
        cells = [f"**{e:.2%}**" if e == best else f"{e:.2%}" for e in errors]
        print(f"| {name} | {len(labels):,} |", " | ".join(cells), "|", flush=True)
    for line in left_out():
        print(line)


if __name__ == "__main__":
    main()
