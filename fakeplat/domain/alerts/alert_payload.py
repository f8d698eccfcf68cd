"""Alert payloads: size limits, conversion to fields of an alert, and fingerprints.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (9, 10).
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha1
from typing import Any, Final, get_args

import orjson

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import JSON
from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.params.body import has_null_byte
from fakeplat.core.params.lenient_dates import parse_datetime
from fakeplat.model.alerts import Severity

# In bytes of Ruby's memory, not of the body.
MAX_SIZE: Final = 1024 * 1024
MAX_DEPTH: Final = 100
_ALWAYS_ACCEPTED: Final = MAX_SIZE // 64
"""Shorter bodies are never too large: nested objects, the worst case, need about 40 times their length in memory."""
_ALWAYS_SHALLOW: Final = 2 * MAX_DEPTH
"""Shorter bodies are never too deep: a level has two brackets."""
ENVIRONMENT: Final = "platform_environment_name"
# The platform's key contains the vendor's name, so it has a neutral twin here (docs/platform/vendor-names.md).
_VENDOR_ENVIRONMENT: Final = str(twin_of(ENVIRONMENT))
_VARYING: Final = ("start_time", "end_time", "hosts")
_TEXTS: Final = {"title": 200, "description": 1000, "service": 100, "monitoring_tool": 100}
_HOSTS: Final = 255
_NESTED: Final = (dict, list)
_SEVERITIES: Final = get_args(Severity)
_FIELD_KEYS: Final = (*_TEXTS, "hosts", "severity", "fingerprint", "start_time")

Payload = Mapping[str, Any]


def parse_payload(content_type: str, body: bytes) -> Payload:
    """Parse the payload in a request body; empty unless it is a JSON object.

    Raises 400 for malformed JSON, for text with a null byte, and for a payload that would need more than a mebibyte of
    the platform's memory or is nested too deep.
    """
    if not body or not (content_type == JSON or _is_json(content_type)):
        return {}
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(reason=f"the body is not valid JSON: {error}") from None
    if has_null_byte(body, value):
        raise BadRequest(reason="the payload contains a null byte (U+0000)")
    # JSON that is not an object is no error here: the missing title is, after the check of the key.
    payload = value if isinstance(value, dict) else {}
    size = len(body)
    # The number of brackets is an upper bound of the depth, so ordinary payloads need no walk.
    if size > _ALWAYS_SHALLOW and (size > _ALWAYS_ACCEPTED or body.count(b"[") + body.count(b"{") > MAX_DEPTH):
        _check_size(payload)
    return payload


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == JSON or kind.endswith("+json")


def is_too_large(value: object) -> bool:
    """Return whether a JSON value would need too much memory, or is nested too deep."""
    try:
        _check_size({"value": value})
    except BadRequest:
        return True
    return False


def _check_size(payload: Payload) -> None:
    # Iterative, because the nesting that is refused here could exceed Python's recursion limit.
    size, pending = 0, [(payload, 1)]
    while pending:
        value, depth = pending.pop()
        size += _ruby_size(value)
        if size > MAX_SIZE:
            raise BadRequest(reason=f"the payload needs more than {MAX_SIZE} bytes of memory")
        if isinstance(value, _NESTED) and depth > MAX_DEPTH:
            raise BadRequest(reason=f"the payload is nested deeper than {MAX_DEPTH} levels")
        pending.extend((inner, depth + 1) for inner in _contents(value))


def _contents(value: object) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _ruby_size(value: object) -> int:
    """Return the bytes that a value needs in 64-bit Ruby 2.7, without its contents; numbers need none of their own."""
    # Ruby embeds up to 23 bytes or 3 items in the 40-byte slot of an object; hashes up to 8 entries are plain arrays.
    if isinstance(value, str):
        size = len(value.encode())
        return 40 if size <= 23 else 41 + size
    if isinstance(value, list):
        return 40 if len(value) <= 3 else 40 + 8 * len(value)
    if isinstance(value, dict):
        # The shift rounds the number of entries up to a power of two, as the capacity of Ruby's larger hashes.
        return 40 if not value else 168 if len(value) <= 8 else 96 + 26 * (1 << (len(value) - 1).bit_length())
    return 0


def extract_fields(payload: Payload) -> dict[str, Any]:
    """Return the fields of an alert in its payload, without the fingerprint; 400 for an invalid payload."""
    fields: dict[str, Any] = {}
    for name in _TEXTS:
        value = payload.get(name)
        if value is not None:
            fields[name] = fit_text(name, value)
    severity = payload.get("severity")
    # An unknown severity is ignored, so that the record's default applies.
    if isinstance(severity, str) and severity.lower() in _SEVERITIES:
        fields["severity"] = severity.lower()
    started_at = parse_time(payload.get("start_time"))
    if started_at is not None:
        fields["started_at"] = started_at
    fields["hosts"] = _fit_hosts(_flatten(payload.get("hosts")))
    return fields


def fit_text(name: str, value: object) -> str:
    """Return a value as text that fits into its column; 400 for an array or object, which no column can hold."""
    if isinstance(value, _NESTED):
        raise BadRequest(reason=f"{name} must not be an array or object")
    text, limit = as_text(value), _TEXTS[name]
    # Like Rails' ``truncate``, the limit includes the dots.
    return text if len(text) <= limit else text[: limit - 3] + "..."


def as_text(value: object) -> str:
    """Return a value as text: strings unchanged, anything else as JSON with sorted keys."""
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def parse_time(value: object) -> str | None:
    """Parse a time in a payload; None if it is invalid."""
    try:
        return parse_datetime(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _flatten(value: object) -> list[object]:
    """Return the values of nested arrays in order."""
    if not isinstance(value, list):
        return [value]
    parts = []
    for inner in value:
        if isinstance(inner, list):
            parts += _flatten(inner)
        else:
            parts.append(inner)
    return parts


def _fit_hosts(hosts: Iterable[object]) -> tuple[str, ...]:
    """Return the hosts that fit into the column; the last one is truncated."""
    fitting, remaining = [], _HOSTS
    for host in hosts:
        if host is None or isinstance(host, dict):
            continue
        text = host if isinstance(host, str) else as_text(host)
        fitting.append(text[:remaining])
        remaining -= len(text)
        if remaining <= 0:
            break
    return tuple(fitting)


def ended_at(payload: Payload) -> str | None:
    """Return the end time; None if there is no valid one."""
    return parse_time(payload.get("end_time"))


def environment_name(payload: Payload) -> str | None:
    """Return the environment's name, under either key; 400 if both are given and differ."""
    name = payload.get(_VENDOR_ENVIRONMENT)
    if ENVIRONMENT in payload:
        if _VENDOR_ENVIRONMENT in payload and payload[ENVIRONMENT] != name:
            raise BadRequest(reason=f"{ENVIRONMENT}, {_VENDOR_ENVIRONMENT} are mutually exclusive")
        name = payload[ENVIRONMENT]
    return name if isinstance(name, str) else None


def hash_fingerprint(payload: Payload) -> str | None:
    """Return the fingerprint of an alert: SHA1 (hex) of the one in its payload, None without one."""
    sent = payload.get("fingerprint")
    if _is_blank(sent):
        return None
    return hash_text(sent if isinstance(sent, str) else _join(sent))


def hash_payload(payload: Payload) -> str:
    """Return the fingerprint of alerts that are grouped by their payloads: SHA1 (hex) without the times and hosts."""
    return hash_text(as_text({name: value for name, value in payload.items() if name not in _VARYING}))


def _join(value: object) -> str:
    """Return the values of nested arrays as one text."""
    # Ruby flattens the array and joins its parts without a separator; nil is an empty text.
    return "".join(["" if part is None else as_text(part) for part in _flatten(value)])


def _is_blank(value: object) -> bool:
    """Return whether a value is empty; zero is not."""
    # Like Rails' ``blank?``, for which false is blank, too.
    return not value.strip() if isinstance(value, str) else value is None or value is False or value in ([], {})


def hash_text(text: str) -> str:
    """Return the fingerprint that a text gives."""
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def flatten_details(payload: Payload) -> dict[str, Any]:
    """Return the values that are not fields of an alert, nested keys joined by dots: ``{"disk.free": 3}``."""
    return dict(_flatten_keys({name: value for name, value in payload.items() if name not in _FIELD_KEYS}))


def _flatten_keys(values: Payload, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        # An empty object has no keys inside, so it is shown under its own.
        if isinstance(value, dict) and value:
            yield from _flatten_keys(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value
