"""Rewriting of recorded requests with the ids, hashes and secrets of the played server."""

from base64 import b64encode
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qsl, quote

import orjson
from attrs import evolve

from fakeplat.core.json_types import JsonValue
from fakeplat.core.operations.http_messages import Request
from fakeplat.tape.records.record_kinds import USER
from fakeplat.tape.records.recorded_requests import json_or_none
from fakeplat.tape.verify.references import (
    DATE,
    TAG,
    Reference,
    Value,
    fill_placeholders,
    find_abbreviated_hashes,
    find_path_ids,
    find_references,
    innermost_key,
    is_timestamp,
    kind_of_parameter,
    replace_references,
)

Swap = Callable[[str, Value], Value]
"""Returns the played value for a recorded value of a kind, or the recorded one if there is none."""

_BASIC: Final = "basic "


class RequestRewriter:
    """Rewrites requests. ``secret`` returns the value of a placeholder; ``origin`` is the recorded server's."""

    def __init__(self, swap: Swap, secret: Callable[[str], str], origin: str) -> None:
        self._swap = swap
        self._secret = secret
        self._origin = origin

    def request(self, request: Request) -> Request:
        """Return the request to be played."""
        return evolve(
            request,
            path=self._rewrite_path(request.method, request.path),
            query=self._rewrite_form(request.query, request.path),
            headers={name: self._rewrite_header(name, value) for name, value in request.headers.items()},
            body=self._rewrite_body(request),
        )

    def _rewrite_path(self, method: str, path: str) -> str:
        rewritten = replace_references(path, [*find_path_ids(method, path), *self._find_references(path)], self._swap)
        return fill_placeholders(rewritten, lambda placeholder: quote(self._secret(placeholder), safe=""))

    def _rewrite_header(self, name: str, value: str) -> str:
        # The header names a user by id or by username, and only ids differ.
        if name == "sudo" and value.isdecimal():
            return str(self._swap(USER, int(value)))
        # ``If-Match`` and ``If-None-Match`` repeat an ETag of an earlier response.
        if name.startswith("if-") and name.endswith("match"):
            return str(self._swap(TAG, value))
        filled = fill_placeholders(value, self._secret)
        # On a tape, Basic credentials are plain text around the placeholder; base64 has no colon.
        if filled.lower().startswith(_BASIC) and ":" in filled:
            return f"{filled[: len(_BASIC)]}{b64encode(filled[len(_BASIC) :].encode()).decode()}"
        return filled

    def _rewrite_form(self, text: str, path: str) -> str:
        """Rewrite a query or form; it stays as it was sent if nothing changes."""
        pairs = parse_qsl(text, keep_blank_values=True)
        rewritten = [(name, self._rewrite_parameter(name, value, path)) for name, value in pairs]
        # Encoding the pairs again could change how the client wrote them.
        if rewritten == pairs:
            return text
        return "&".join(f"{quote(name, safe='[]')}={quote(str(value), safe='')}" for name, value in rewritten)

    def _rewrite_parameter(self, name: str, value: str, path: str) -> str:
        kind = kind_of_parameter(innermost_key(name), path)
        # Several ids can be one value, separated by commas.
        if kind is not None and all(part.isascii() and part.isdigit() for part in value.split(",")):
            return ",".join(str(self._swap(kind, int(part))) for part in value.split(","))
        return self._rewrite_text(value)

    def _rewrite_text(self, text: str) -> str:
        if is_timestamp(text):
            return str(self._swap(DATE, text))
        return fill_placeholders(replace_references(text, self._find_references(text), self._swap), self._secret)

    def _find_references(self, text: str) -> list[Reference]:
        return [*find_references(text, self._origin), *find_abbreviated_hashes(text)]

    def _rewrite_body(self, request: Request) -> bytes:
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type.endswith("json"):
            value = json_or_none(request.body)
            rewritten = self._rewrite_value("", value, request.path)
            # Other bodies keep the client's own formatting.
            return request.body if rewritten == value else orjson.dumps(rewritten)
        if media_type == "application/x-www-form-urlencoded":
            return self._rewrite_form(request.body.decode("utf-8", "surrogateescape"), request.path).encode(
                "utf-8", "surrogateescape"
            )
        return request.body

    def _rewrite_value(self, key: str, value: JsonValue, path: str) -> JsonValue:
        if isinstance(value, dict):
            return {name: self._rewrite_value(name, inner, path) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._rewrite_value(key, inner, path) for inner in value]
        kind = kind_of_parameter(key, path)
        if kind is not None and isinstance(value, int) and not isinstance(value, bool):
            return self._swap(kind, value)
        return self._rewrite_parameter(key, value, path) if isinstance(value, str) else value
