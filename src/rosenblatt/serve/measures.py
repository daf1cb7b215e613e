"""What Prometheus is told: requests, latency, errors, examples, the log."""

from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from rosenblatt.serve.model import ReadOnly, Served
from rosenblatt.serve.writer import Writer

_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0)
_CALLS = frozenset(("predict", "learn", "explain"))


class Measures:
    """Counts requests, and reads the rest from the models when it is asked."""

    def __init__(self, models: Mapping[str, Served | ReadOnly], writer: Writer) -> None:
        self.models, self.writer = models, writer
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "rosenblatt_requests",
            "Requests, by what they ask for and the status of the answer.",
            ("model", "call", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "rosenblatt_request_seconds",
            "How long requests take.",
            ("model", "call"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._known: dict[tuple[str, int], tuple[Any, Any]] = {}
        self.registry.register(self)

    def observe(self, scope: MutableMapping[str, Any], status: int, seconds: float) -> None:
        """Count a request."""
        key = scope["path"], status
        found = self._known.get(key)
        if found is None:
            model, call = self._name(scope["path"])
            found = (
                self.requests.labels(model, call, str(status)),
                self.seconds.labels(model, call),
            )
            if call in _CALLS:  # other paths are as many as anybody likes
                self._known[key] = found
        found[0].inc()
        found[1].observe(seconds)

    def _name(self, path: str) -> tuple[str, str]:
        """Return the model and the call of a path; of few values, whatever is asked for."""
        name, _, call = path.removeprefix("/v1/models/").partition(":")
        if name in self.models and call in _CALLS:
            return name, call
        return "", "metrics" if path == "/metrics" else "other"

    def collect(self) -> Iterable[Metric]:
        """Yield what is known of the models now."""
        kinds = {
            "examples": (CounterMetricFamily, "Examples learned from."),
            "errors": (CounterMetricFamily, "Errors of predictions before learning."),
            "error_ratio": (GaugeMetricFamily, "The mean of these errors over all time."),
            "window_error_ratio": (GaugeMetricFamily, "The mean of them over the last examples."),
            "drift_alert": (GaugeMetricFamily, "Whether the window's error is out of its band."),
            "drift_alerts": (CounterMetricFamily, "How often that began."),
            "drifts": (CounterMetricFamily, "Changes of the error that ADWIN found."),
            "features": (GaugeMetricFamily, "Features that have been seen."),
            "snapshot_position": (GaugeMetricFamily, "The position of the newest snapshot."),
            "position": (GaugeMetricFamily, "The last position in the log."),
        }
        made = {
            name: family(f"rosenblatt_{name}", text, labels=("model",))
            for name, (family, text) in kinds.items()
        }
        for name, model in self.models.items():
            if not isinstance(model, Served):
                continue
            progress = model.progress
            values = {
                "examples": progress.examples,
                "errors": progress.errors,
                "error_ratio": progress.error,
                "window_error_ratio": progress.window_error,
                "drift_alert": float(progress.alert),
                "drift_alerts": progress.alerts,
                "drifts": progress.drifts,
                "features": model.front.n_features_,
                "snapshot_position": model.saved_at,
                "position": model.position,
            }
            for key, value in values.items():
                made[key].add_metric((name,), float(value))
        yield from made.values()
        writer = self.writer
        yield GaugeMetricFamily("rosenblatt_log_bytes", "Size of the log.", writer.log.size())
        yield GaugeMetricFamily(
            "rosenblatt_waiting", "Requests that wait to be learned.", writer.waiting.qsize()
        )
        yield CounterMetricFamily(
            "rosenblatt_commits", "Transactions, each with one sync.", writer.n_commits
        )
        yield GaugeMetricFamily(
            "rosenblatt_log_writable",
            "Whether the last transaction succeeded.",
            float(writer.problem is None),
        )

    def text(self) -> bytes:
        """Return all of it in Prometheus' format."""
        return generate_latest(self.registry)
