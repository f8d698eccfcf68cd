"""A recorded request, made ready to be played: with the ids, hashes and secrets that the played server knows."""

from base64 import b64encode
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl, quote

import orjson
from attrs import evolve

from fakeplat.core.operations.http_messages import Request
from fakeplat.tape.export.record_kinds import USER
from fakeplat.tape.export.recorded_requests import json_or_none
from fakeplat.tape.verify.references import (
    DATE,
    TAG,
    Reference,
    Value,
    fill_placeholders,
    find_abbreviated_hashes,
    in_path,
    in_text,
    innermost_key,
    is_moment,
    kind_of_parameter,
    replace_references,
)

Swap = Callable[[str, Value], Value]
"""Gives the played value for a recorded one of a kind: that itself where it means nothing else."""

_BASIC: Final = "basic "


class RequestRewriter:
    """Rewrites a request piece by piece: ``secret`` gives a placeholder's value, ``origin`` is the recorded one."""

    def __init__(self, swap: Swap, secret: Callable[[str], str], origin: str) -> None:
        self._swap = swap
        self._secret = secret
        self._origin = origin

    def request(self, request: Request) -> Request:
        """The request as it is to be played."""
        return evolve(
            request,
            path=self._path(request.method, request.path),
            query=self._form(request.query, request.path),
            headers={name: self._header(name, value) for name, value in request.headers.items()},
            body=self._body(request),
        )

    def _path(self, method: str, path: str) -> str:
        found = replace_references(path, [*in_path(method, path), *self._in_text(path)], self._swap)
        return fill_placeholders(found, lambda placeholder: quote(self._secret(placeholder), safe=""))

    def _header(self, name: str, value: str) -> str:
        if name == "sudo" and value.isdecimal():
            return str(self._swap(USER, int(value)))
        if name.startswith("if-") and name.endswith("match"):
            return str(self._swap(TAG, value))
        given = fill_placeholders(value, self._secret)
        if given.lower().startswith(_BASIC) and ":" in given:
            return f"{given[: len(_BASIC)]}{b64encode(given[len(_BASIC) :].encode()).decode()}"
        return given

    def _form(self, text: str, path: str) -> str:
        """A query or form; one in which nothing is swapped stays as it was sent."""
        pairs = parse_qsl(text, keep_blank_values=True)
        given = [(name, self._parameter(name, value, path)) for name, value in pairs]
        if given == pairs:
            return text
        return "&".join(f"{quote(name, safe='[]')}={quote(str(value), safe='')}" for name, value in given)

    def _parameter(self, name: str, value: str, path: str) -> str:
        kind = kind_of_parameter(innermost_key(name), path)
        if kind is not None and all(part.isascii() and part.isdigit() for part in value.split(",")):
            return ",".join(str(self._swap(kind, int(part))) for part in value.split(","))
        return self._text(value)

    def _text(self, text: str) -> str:
        if is_moment(text):
            return str(self._swap(DATE, text))
        return fill_placeholders(replace_references(text, self._in_text(text), self._swap), self._secret)

    def _in_text(self, text: str) -> list[Reference]:
        return [*in_text(text, self._origin), *find_abbreviated_hashes(text)]

    def _body(self, request: Request) -> bytes:
        content = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content.endswith("json"):
            value = json_or_none(request.body)
            given = self._value("", value, request.path)
            return request.body if given == value else orjson.dumps(given)
        if content == "application/x-www-form-urlencoded":
            return self._form(request.body.decode("utf-8", "surrogateescape"), request.path).encode(
                "utf-8", "surrogateescape"
            )
        return request.body

    def _value(self, key: str, value: Any, path: str) -> Any:
        if isinstance(value, dict):
            return {name: self._value(name, inner, path) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._value(key, inner, path) for inner in value]
        kind = kind_of_parameter(key, path)
        if kind is not None and isinstance(value, int) and not isinstance(value, bool):
            return self._swap(kind, value)
        return self._parameter(key, value, path) if isinstance(value, str) else value
