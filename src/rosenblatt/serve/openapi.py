"""The description of the addresses for programs, as OpenAPI 3.1 has it."""

from typing import Any

from rosenblatt.serve.payloads import LINES, Limits

_INSTANCE = {
    "description": "Features and values: numbers, strings, lists of these, objects in objects; "
    "for a tagger a list of tokens, for an estimator a list of numbers.",
    "anyOf": [{"type": "object"}, {"type": "array"}],
}
_LABEL = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_STATUSES = {
    400: "The body is not JSON, or a header is wrong.",
    401: "The token is missing or wrong.",
    403: "A page of another server asks.",
    404: "There is no such model, or no such prediction is kept.",
    405: "This model does not do that.",
    408: "The body stopped coming.",
    413: "The body, a list or an instance is too large.",
    415: "The body is not JSON.",
    421: "The service is asked under a name that is not its own.",
    422: "The body is JSON, but not what is wanted; nothing was changed.",
    500: "The log cannot be written; nothing was learned.",
    503: "Too many requests wait, or the service is stopping.",
    507: "The disk is full; nothing was learned, predictions go on.",
}


_IN_LINES = {LINES: {"schema": {"type": "string", "description": "One JSON value a line."}}}


def _list(item: Any, limits: Limits) -> dict[str, Any]:
    return {"type": "array", "items": item, "maxItems": limits.instances}


def _body(properties: dict[str, Any], required: list[str], in_lines: bool = True) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    content: dict[str, Any] = {"application/json": {"schema": schema}}
    return {"required": True, "content": content | (_IN_LINES if in_lines else {})}


def _answers(
    schema: dict[str, Any], *statuses: int, in_lines: bool = False, media: str = "application/json"
) -> dict[str, Any]:
    problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    content: dict[str, Any] = {media: {"schema": schema}}
    done = {"description": "Done.", "content": content | (_IN_LINES if in_lines else {})}
    found: dict[str, Any] = {"200": done}
    for status in (*statuses, 401, 403, 421, 503):
        found[str(status)] = {"description": _STATUSES[status], "content": problem}
    return found


def _switches(**texts: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name: {"type": "boolean", "description": text} for name, text in texts.items()
        },
        "additionalProperties": False,
    }


def description(version: str, limits: Limits) -> dict[str, Any]:
    """Return the description."""
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A request with a key that came before is answered as then, and not "
        "learned again.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    }
    anything = {"type": "object"}
    instances = _list(_INSTANCE, limits)
    asked = _switches(
        details="Answer with scores and probabilities, too (the default).",
        keep="Keep the features, and answer with ids to learn by once the labels are known.",
    )
    predicted = {
        "type": "object",
        "properties": {
            "predictions": {"type": "array"},
            "scores": {"type": "array"},
            "probabilities": {"type": "array"},
            "ids": {"type": "array"},
        },
        "required": ["predictions"],
    }
    learned = {
        "type": "object",
        "properties": {
            "position": {"type": "integer", "description": "The last example's place in the log."},
            "learned": {"type": "integer"},
            "refused": {"type": "array", "items": anything},
        },
        "required": ["position", "learned"],
    }
    learn_body = _body(
        {
            "instances": instances,
            "ids": _list({"type": "string"}, limits),
            "labels": _list(_LABEL, limits),
            "weights": _list({"type": "number", "minimum": 0}, limits),
        },
        ["labels"],
    )
    label = {"type": "object", "properties": {"label": _LABEL}, "additionalProperties": False}
    wrong = (400, 404, 405, 408, 413, 415, 422)

    def post(text: str, body: Any, schema: Any, *more: int, **others: Any) -> dict[str, Any]:
        answers = _answers(schema, *wrong, *more, in_lines=LINES in body["content"])
        return {"post": {"summary": text, "requestBody": body, "responses": answers, **others}}

    def get(text: str, *statuses: int) -> dict[str, Any]:
        return {"get": {"summary": text, "responses": _answers(anything, *statuses)}}

    model = "/v1/models/{name}"
    paths = {
        f"{model}:predict": post(
            "Predict instances.",
            _body({"instances": instances, "parameters": asked}, ["instances"]),
            predicted,
        ),
        f"{model}:learn": post(
            "Learn examples: the answer means that they are on disk, and predict.",
            learn_body,
            learned,
            500,
            507,
            parameters=[key],
        ),
        f"{model}:explain": post(
            "What each feature contributes to the score.",
            _body({"instances": instances, "parameters": label}, ["instances"], False),
            anything,
        ),
        model: {
            **get("What is known of a model.", 404),
            "put": {
                "summary": "Put a model in place of another; rosenblatt serve replace asks this.",
                "requestBody": _body({"incoming": {"type": "string"}}, ["incoming"], False),
                "responses": _answers(learned, *wrong, 500, 507),
            },
        },
        f"{model}/history": get("The progressive error over the last hours.", 404, 405),
        f"{model}/weights": get(
            "The largest weights, and those that changed most since the newest snapshot.", 404, 405
        ),
        "/v1/models": get("The names of the models."),
        "/v2/health/live": get("Whether the process answers."),
        "/v2/health/ready": get("Whether the models are there."),
        "/metrics": {
            "get": {
                "summary": "Measurements for Prometheus.",
                "responses": _answers({"type": "string"}, media="text/plain"),
            }
        },
    }
    for path, item in paths.items():
        if "{name}" in path:
            item["parameters"] = [name]
    problem = {
        "type": "object",
        "properties": {"error": {"type": "string"}, "advice": {"type": "string"}},
        "required": ["error", "advice"],
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Rosenblatt: learning online, as a service", "version": version},
        "paths": paths,
        "components": {
            "schemas": {"Problem": problem},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        # None is needed where there is no --token-file.
        "security": [{"token": []}, {}],
    }
