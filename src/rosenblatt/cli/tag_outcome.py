"""What came out of training a tagger, in words, as JSON, and in its file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rosenblatt.cli.output import (
    count,
    duration,
    percent,
    put_facts,
    say,
    several,
    size,
    visible,
)
from rosenblatt.cli.tag_columns import Reading
from rosenblatt.sequence.corpus import WORD, Corpus

_SHOWN_TAGS = 8
_WORTH_A_RATE = 10_000  # tokens


@dataclass
class TagOutcome:
    """What came out.

    Attributes
    ----------
    model : SequenceTagger
        The tagger.
    reading : Reading
        How its files are read.
    files : list of [str, int]
        Names and sizes of the files that it learned from.
    corpus : Corpus
        What was in them.
    metric : str or None
        What passes were judged by: F1 or accuracy.
    """

    model: Any
    reading: Reading
    files: list[list[Any]]
    corpus: Corpus
    metric: str | None = None
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def validation(self) -> list[float]:
        """The score of each pass."""
        return [] if self.metric is None else self.model.validation_curve_.tolist()

    @property
    def best(self) -> int | None:
        """The pass that was kept."""
        scores = self.validation
        return scores.index(max(scores)) + 1 if scores else None

    def facts(self) -> dict[str, Any]:
        """Return what the model file keeps: nothing that differs when the run is repeated."""
        return {
            "files": self.files,
            "sentences": len(self.corpus),
            "tokens": self.corpus.n_tokens,
            "passes": self.model.n_iter_,
            "mistakes": self.model.mistakes_.tolist(),
            "wrong_tokens": self.model.wrong_tokens_.tolist(),
            "converged": bool(self.model.converged_),
            "metric": self.metric,
            "validation": self.validation,
            "best_pass": self.best,
        }

    def as_json(self, saved: str | None) -> dict[str, Any]:
        """Return all there is to say."""
        return {
            **self.facts(),
            "tags": self.model.classes_.tolist(),
            "scheme": self.model.scheme_,
            "columns": list(self.reading.inputs),
            "tag_column": self.reading.tag,
            "templates": list(self.model.templates_),
            "features": self.model.n_features_,
            "seconds": round(self.seconds, 4),
            "tokens_per_second": round(self._rate),
            "model": saved,
            "model_bytes": None if saved is None else Path(saved).stat().st_size,
            "notes": self.notes,
        }

    @property
    def _rate(self) -> float:
        return float(self.corpus.n_tokens * self.model.n_iter_ / max(self.seconds, 1e-9))


def save_tagger(outcome: TagOutcome, path: str) -> None:
    """Save a tagger with how to read more files, and which words it met."""
    from rosenblatt.models.saving import save

    extra: dict[str, Any] = {"reading": outcome.reading.header(), "summary": outcome.facts()}
    words = outcome.corpus.columns.get(WORD)
    if words is not None:
        extra["words"] = {"letters": words.letters, "ends": words.ends}
    save(outcome.model, path, extra=extra)


def show(outcome: TagOutcome, saved: str | None, quiet: bool) -> None:
    """Print what came out of training: all of it, or the result alone."""
    lines = _lines(outcome, saved)
    if quiet:
        wanted = "mistakes" if outcome.metric is None else "dev"
        lines = [(name, text) for name, text in lines if name == wanted]
    put_facts(lines)
    for note in outcome.notes:
        say(f"note: {note}", quiet=quiet)


def _lines(outcome: TagOutcome, saved: str | None) -> list[tuple[str, str]]:
    model, corpus = outcome.model, outcome.corpus
    took = f"{count(model.n_iter_, 'pass', 'passes')} in {duration(outcome.seconds)}"
    if corpus.n_tokens > _WORTH_A_RATE:
        took += f", {outcome._rate:,.0f} tokens/s"
    lines = [
        ("tagger", took),
        ("sentences", f"{len(corpus):,}, with {count(corpus.n_tokens, 'token')}"),
        ("looks at", ", ".join(outcome.reading.inputs)),
        ("tags", tags_in_words(model.classes_.tolist(), model.scheme_, outcome.reading.tag)),
        ("features", f"{model.n_features_:,}, of {count(len(model.templates_), 'template')}"),
        ("mistakes", mistakes_in_words(outcome.facts())),
    ]
    if outcome.best is not None:
        best = max(outcome.validation)
        after = count(outcome.best, "pass", "passes")
        lines.append(("dev", f"{outcome.metric} {percent(best)} after {after}: kept"))
    if saved is None:
        lines.append(("saved", "nothing; -o FILE saves the model"))
    else:
        lines.append(("saved", f"{saved}, {size(Path(saved).stat().st_size)}"))
    return lines


def tags_in_words(tags: list[Any], scheme: str | None, column: str) -> str:
    """Write some of the tags, their scheme and their column."""
    shown = " ".join(visible(str(tag)) for tag in tags[:_SHOWN_TAGS])
    shown += " …" if len(tags) > _SHOWN_TAGS else ""
    kept = f"; they keep to {scheme}" if scheme else ""
    return f"{len(tags)} in column {column}: {shown}{kept}"


def mistakes_in_words(training: dict[str, Any]) -> str:
    """Write how many sentences were wrong in each pass."""
    mistakes, sentences = training["mistakes"], training.get("sentences")
    share = f" ({percent(mistakes[-1] / sentences)})" if sentences else ""
    where = "sentences in each pass" if len(mistakes) > 1 else "sentences"
    return several([f"{number:,}" for number in mistakes], where + share)
