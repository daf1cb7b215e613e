"""Write `learners.md`, the tables of learners, from the registry: ``python docs/learners.py``."""

from pathlib import Path

from rosenblatt.learner_registry import LEARNERS, Learner

PAGE = Path(__file__).with_suffix(".md")
_OPENING = """# The learners

Each learner is one row of [`learner_registry.py`](../src/rosenblatt/learner_registry.py), and
this page is made from these rows by `python docs/learners.py`. The names are those of `--learner`
and of `OnlineClassifier`; the estimators are imported from `rosenblatt`.
"""
_WAYS = {
    "online": "one example at a time",
    "closed form": "block by block",
    "in memory": "all rows in memory",
    "regression": "one example at a time",
    None: "–",
}
_COMPARED = {"by default": "yes", "if named": "if named", None: "–"}


def page() -> str:
    """Return the page."""
    rows = list(LEARNERS.values())
    use = [
        [
            f"`{row.name}`",
            f"`{row.estimator}`",
            _WAYS[row.trains],
            _COMPARED[row.compared],
            ", ".join(row.grid or ()) or "–",
            {"perceptrons": "yes", None: "–"}.get(row.traced, "in Python"),
            ", ".join(map(row.title_of, row.lab)) or "–",
        ]
        for row in rows
    ]
    facts = [[f"`{row.name}`", *row.facts, _again(row)] for row in rows if row.facts is not None]
    options = [
        [f"`{row.name}`", str(row.passes) if "passes" in row.options else "–", _options(row)]
        for row in rows
        if row.trains is not None
    ]
    parts = [
        _OPENING,
        "## Where each can be used\n",
        _table(
            ["name", "estimator", "`train`", "`compare`", "`tune` tries", "`trace`", "the lab"], use
        ),
        "## What each does\n",
        _table(["name", "problem", "model", "error", "optimisation", "another order"], facts),
        "## The options of `train`\n",
        "Besides those of all learners:\n",
        _table(["name", "passes", "options"], options),
    ]
    return "\n".join(parts)


def _again(row: Learner) -> str:
    return "the same result" if row.deterministic else "can differ"


def _options(row: Learner) -> str:
    return ", ".join(f"`--{name.replace('_', '-')}`" for name in row.options)


def _table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
