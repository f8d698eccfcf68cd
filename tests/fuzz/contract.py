"""What an answer promises: a status and a body that the OpenAPI document of its release describes."""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import md5
from typing import Any, Final

from jsonschema import Draft202012Validator

from fakeplat.core.operations.http_messages import Response
from fakeplat.model.instance import Instance
from fakeplat.workbench.openapi import openapi_document

IN_FRONT: Final = ("301", "405", "413", "414", "422", "429", "503")
"""The statuses of refusals in front of an operation, which each operation's default response stands for."""


class Contract:
    """The promises of all operations of a release."""

    def __init__(self, version: str) -> None:
        document = openapi_document(Instance(version=version), "http://localhost")
        # Through JSON, as clients get it: enumerations and lists are arrays then.
        document = json.loads(json.dumps(document, default=str))
        self._components = {"components": document["components"]}
        self._operations: dict[str, dict[str, Any]] = {
            operation["operationId"]: operation for path in document["paths"].values() for operation in path.values()
        }
        self._validators: dict[tuple[str, str], Draft202012Validator | None] = {}
        self._seen: set[tuple[str, str, bytes]] = set()

    def list_violations(self, operation: str, response: Response, *, is_head: bool = False) -> Iterator[str]:
        """Yield what is wrong with the response of an operation."""
        # What is known and not built is not in the document.
        promised = self._operations[operation]["responses"] if operation in self._operations else {"501": {}}
        status = str(response.status)
        if status in promised:
            if not is_head:
                yield from self._list_body_violations(operation, response)
        elif status not in IN_FRONT:
            yield f"undeclared status {status}: {bytes(response.body)[:200]!r}"

    def _list_body_violations(self, operation: str, response: Response) -> Iterator[str]:
        media_type = dict(response.headers).get("Content-Type", "").partition(";")[0]
        promised = self._operations.get(operation, {}).get("responses", {})
        content = promised.get(str(response.status), {}).get("content")
        if not content or response.status == 304:
            return
        if media_type not in content and "*/*" not in content:
            if response.status != 204:
                yield f"undeclared media type {media_type!r} with {response.status}"
            return
        validator = self._validator_of(operation, str(response.status), media_type)
        key = (operation, str(response.status), md5(response.body).digest())
        if validator is None or key in self._seen:
            return
        self._seen.add(key)
        for error in validator.iter_errors(json.loads(response.body)):
            yield f"the body is not as described: {describe(error)}"

    def _validator_of(self, operation: str, status: str, media_type: str) -> Draft202012Validator | None:
        key = (operation, status)
        if key not in self._validators:
            schema = self._operations[operation]["responses"][status]["content"].get(media_type, {}).get("schema")
            self._validators[key] = None if schema is None else Draft202012Validator({**schema, **self._components})
        return self._validators[key]


def describe(error: Any) -> str:
    """Return where a body differs, and how; of alternatives, the first that fits best."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    return f"{path}: {error.message[:200]}"


@cache
def get_contract(version: str) -> Contract:
    """Return the promises of a release, read once."""
    return Contract(version)
