"""Secrets in recorded requests, masked with stars."""

from collections.abc import Mapping
from typing import Final

import orjson

from fakeplat.core.json_types import JsonValue
from fakeplat.core.operations.http_messages import Headers
from fakeplat.core.secret_names import kind_of
from fakeplat.workbench.journal_entries import mask_secrets

_STARS: Final = "***"
_SECRET_HEADERS: Final = ("authorization", "cookie", "set-cookie", "proxy-authorization")
_MAX_BODY: Final = 20_000


def mask_headers(headers: Headers | Mapping[str, str]) -> list[tuple[str, str]]:
    """Return headers with stars for secrets."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    return [(name, _STARS if _is_secret(name) else value) for name, value in pairs]


def _is_secret(name: str) -> bool:
    return name.lower() in _SECRET_HEADERS or kind_of(name) is not None


def mask_body(body: bytes, content_type: str) -> str:
    """Return a body as text with stars for secrets: JSON indented, a form as it is, other content by its size."""
    if not body:
        return ""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/x-www-form-urlencoded":
        return _cut(mask_secrets(body.decode("utf-8", "replace")))
    if kind.endswith("json"):
        return _cut(_mask_json_text(body))
    return (
        _cut(body.decode("utf-8", "replace")) if kind.startswith("text/") else f"{len(body)} bytes of {kind or 'data'}"
    )


def _mask_json_text(body: bytes) -> str:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        # What is not JSON cannot be masked by its keys.
        return f"{len(body)} bytes that are not JSON"
    return orjson.dumps(_mask_json(value), option=orjson.OPT_INDENT_2).decode()


def _mask_json(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {
            name: _STARS if isinstance(part, str) and part and kind_of(name) else _mask_json(part)
            for name, part in value.items()
        }
    return [_mask_json(part) for part in value] if isinstance(value, list) else value


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_BODY else f"{text[:_MAX_BODY]}\n… {len(text) - _MAX_BODY} more characters"
