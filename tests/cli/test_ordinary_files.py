"""Tables as people have them: what `train` makes of their columns, and says."""

import random
from pathlib import Path


def codes(n, chance, digits=False):
    """Return rows with a code of a class each, of digits only if asked for."""
    rows = []
    while len(rows) < n:
        label = chance.choice(["yes", "no"])
        code = chance.choice(["12", "47", "A3"] if label == "yes" else ["13", "46", "B3"])
        if not digits or code.isdigit():
            rows.append(f"{code},{chance.random():.3f},{label}\n")
    return rows


def test_a_code_means_the_same_whatever_else_is_in_a_file(ros):
    chance = random.Random(0)
    Path("t.csv").write_text("code,x,kind\n" + "".join(codes(200, chance)))
    Path("digits.csv").write_text("code,x,kind\n" + "".join(codes(100, chance, digits=True)))
    for options in ((), ("--learner", "centroid")):
        ros("train", "t.csv", "-o", "t.model", "-q", *options)
        assert ros("evaluate", "t.model", "digits.csv", "--json").json["mistakes"] == 0
        tested = ros("train", "t.csv", "--test", "digits.csv", "--json", *options).json["test"]
        assert tested["mistakes"] == 0
    ros("tune", "t.csv", "-o", "u.model", "-q", "--learner", "perceptron")
    assert ros("evaluate", "u.model", "digits.csv", "--json").json["mistakes"] == 0
    found = ros("compare", "t.csv", "--test", "digits.csv", "--learners", "averaged", "--json").json
    assert found["learners"][0]["error"] <= 0.05
