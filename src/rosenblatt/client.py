"""A client of ``rosenblatt serve``, on the standard library alone."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

__all__ = ["Client", "ServiceError"]

_TRIES = 5
_BUSY = (502, 503, 504)


class ServiceError(Exception):
    """What the service refused, with its status and its advice.

    Parameters
    ----------
    status : int
        The HTTP status.
    error, advice : str
        What is wrong, and what to do about it.

    Examples
    --------
    >>> from rosenblatt.client import ServiceError
    >>> print(ServiceError(404, "there is no model 'ham'", "the models are: spam"))
    there is no model 'ham' (the models are: spam)
    """

    def __init__(self, status: int, error: str, advice: str) -> None:
        super().__init__(f"{error} ({advice})" if advice else error)
        self.status, self.error, self.advice = status, error, advice


class Client:
    """Predicts and learns with the models of a service.

    One that lost its connection, or that the service was too busy for, sends a request again:
    examples are learned once all the same, as each request has a key of its own.

    Parameters
    ----------
    url : str
        The address that ``rosenblatt serve`` printed.
    token : str, optional
        The token, if it wants one.
    timeout : float, default=30.0
        Seconds to wait for an answer.

    Examples
    --------
    >>> from rosenblatt.client import Client
    >>> client = Client("http://127.0.0.1:8957")
    >>> client.url
    'http://127.0.0.1:8957'
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 30.0) -> None:
        self._idle: list[HTTPConnection] = []  # threads take one each
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as http://127.0.0.1:8957")
        self.url, self.timeout = url.rstrip("/"), timeout
        self._parts, self._token = parts, None if token is None else token.strip()

    def predict(self, model: str, x: Mapping[str, Any]) -> Any:
        """Return the class, number or tags predicted for one instance."""
        return self.predict_many(model, [x], details=False)["predictions"][0]

    def predict_many(
        self, model: str, instances: Sequence[Any], details: bool = True, keep: bool = False
    ) -> dict[str, list[Any]]:
        """Return predictions, scores and probabilities of instances.

        With ``keep`` the service keeps their features; the answer has ``ids`` for `learn_later`.
        """
        body = {"instances": list(instances), "parameters": {"details": details, "keep": keep}}
        found: dict[str, list[Any]] = self._ask("POST", self._of(model, ":predict"), body)
        return found

    def learn(self, model: str, x: Mapping[str, Any], y: Any, weight: float = 1.0) -> int:
        """Learn from one example; return its position in the log once it is on disk."""
        return int(self.learn_many(model, [x], [y], [weight])["position"])

    def learn_many(
        self,
        model: str,
        instances: Sequence[Mapping[str, Any]],
        labels: Sequence[Any],
        weights: Sequence[float] | None = None,
        key: str | None = None,
    ) -> dict[str, Any]:
        """Learn from examples; ``key`` is that of a request which may have been sent before."""
        body: dict[str, Any] = {"instances": list(instances), "labels": list(labels)}
        if weights is not None:
            body["weights"] = list(weights)
        return self._learn(model, body, key)

    def learn_later(self, model: str, ids: Iterable[str], labels: Iterable[Any]) -> dict[str, Any]:
        """Learn the labels of earlier predictions, whose features the service kept."""
        return self._learn(model, {"ids": list(ids), "labels": list(labels)}, None)

    def explain(self, model: str, x: Mapping[str, Any], label: Any = None) -> dict[str, float]:
        """Return what each feature contributes to the score, the largest first."""
        body: dict[str, Any] = {"instances": [x]}
        if label is not None:
            body["parameters"] = {"label": label}
        found: dict[str, float] = self._ask("POST", self._of(model, ":explain"), body)[
            "explanations"
        ][0]
        return found

    def info(self, model: str) -> dict[str, Any]:
        """Return what is known of a model, such as its progressive error."""
        found: dict[str, Any] = self._ask("GET", self._of(model, ""), None)
        return found

    def models(self) -> list[str]:
        """Return the names of the models."""
        return [str(name) for name in self._ask("GET", "/v1/models", None)["models"]]

    def replace(self, model: str, incoming: str) -> int:
        """Put a model that `rosenblatt serve replace` left for the service in place of another.

        This is sent once: twice, it would undo what was learned in between.
        """
        self.close()  # the service may have ended a connection on which nothing was asked
        body = {"incoming": incoming}
        return int(self._ask("PUT", self._of(model, ""), body, tries=1)["position"])

    def close(self) -> None:
        """Close the connections; the next request opens another."""
        while self._idle:
            self._idle.pop().close()

    def __enter__(self) -> "Client":
        """Return the client, to be closed at the end of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def __del__(self) -> None:
        """Close what nobody has closed."""
        self.close()

    def _of(self, model: str, call: str) -> str:
        return f"/v1/models/{quote(model, safe='')}{call}"

    def _learn(self, model: str, body: dict[str, Any], key: str | None) -> dict[str, Any]:
        headers = {"Idempotency-Key": key or str(uuid4())}
        found: dict[str, Any] = self._ask("POST", self._of(model, ":learn"), body, headers)
        return found

    def _ask(
        self,
        method: str,
        path: str,
        body: Any,
        headers: Mapping[str, str] | None = None,
        tries: int = _TRIES,
    ) -> Any:
        data = None if body is None else _as_json(body)
        sent = {"content-type": "application/json", **(headers or {})}
        if self._token is not None:
            sent["authorization"] = f"Bearer {self._token}"
        for tried in range(1, tries + 1):
            try:
                status, answer = self._send(method, path, data, sent)
            except (OSError, HTTPException) as error:
                self.close()  # those that are idle may be as dead
                if tried == tries or isinstance(error, TimeoutError):
                    raise ConnectionError(
                        f"{self.url} does not answer ({error}); is rosenblatt serve running?"
                    ) from error
            else:
                if status < 400:
                    return json.loads(answer)
                if status not in _BUSY or tried == tries:
                    raise _error(status, answer)
            time.sleep(0.05 * 2**tried)
        raise AssertionError("the last try returns or raises")

    def _send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        try:
            connection = self._idle.pop()
        except IndexError:
            kind = HTTPSConnection if self._parts.scheme == "https" else HTTPConnection
            host = self._parts.hostname or ""
            connection = kind(host, self._parts.port, timeout=self.timeout)
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, data, headers)
            answer: HTTPResponse = connection.getresponse()
            found = answer.status, answer.read()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return found


def _as_json(body: Any) -> bytes:
    """Return JSON, with values of NumPy as those of Python."""
    try:
        return json.dumps(body, allow_nan=False, default=_plain).encode()
    except (ValueError, TypeError) as error:
        raise type(error)(
            f"the request cannot be written as JSON ({error}); give strings, finite numbers, lists "
            "and dicts, and leave out what is missing"
        ) from None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r:.60} is of type {type(value).__name__}")


def _error(status: int, answer: bytes) -> ServiceError:
    try:
        found = json.loads(answer)
        return ServiceError(status, str(found["error"]), str(found.get("advice", "")))
    except (ValueError, KeyError, TypeError):
        return ServiceError(status, answer[:200].decode("utf-8", "replace"), "")
