"""What an alert's payload says: its limits, how its keys become an alert's fields, and what makes two the same.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (9, 10).
"""

from collections.abc import Iterator, Mapping
from hashlib import sha1
from typing import Any, Final, get_args

import orjson

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.vendor_names import twin_of
from fakeplat.core.params.body import has_null_byte
from fakeplat.core.params.lenient_dates import parse_datetime
from fakeplat.model.alerts import Severity

LARGEST: Final = 1024 * 1024
DEEPEST: Final = 100
_SMALL: Final = LARGEST // 64
"""So short a body cannot be too large: the costliest text, objects in objects, takes some 40 times its length."""
ENVIRONMENT: Final = "platform_environment_name"
_VARYING: Final = ("start_time", "end_time", "hosts")
_TEXTS: Final = {"title": 200, "description": 1000, "service": 100, "monitoring_tool": 100}
_DEFAULT_TITLE: Final = "New: Incident"
_HOSTS: Final = 255
_SEVERITIES: Final = get_args(Severity)
_SHOWN_AS_FIELDS: Final = (*_TEXTS, "hosts", "severity", "fingerprint", "start_time")
_PROMETHEUS: Final = frozenset(
    "version groupKey status receiver groupLabels commonLabels commonAnnotations externalURL alerts".split()
)

Payload = Mapping[str, Any]


def parse_payload(content_type: str, body: bytes) -> Payload:
    """The payload in a body: empty where that is of another type than JSON or no object.

    400 for malformed JSON, for a text with a byte of zero, and for what would fill more than a mebibyte of the
    platform's memory or is nested too deep.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if not body or not (kind == "application/json" or kind.endswith("+json")):
        return {}
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(reason=f"the body is no JSON: {error}") from None
    if has_null_byte(body, found):
        raise BadRequest(reason="a text has a byte of zero (U+0000)")
    payload = found if isinstance(found, dict) else {}
    if len(body) > _SMALL or body.count(b"[") + body.count(b"{") > DEEPEST:
        _check_size(payload)
    return payload


def _check_size(payload: Payload) -> None:
    size, waiting = 0, [(payload, 1)]
    while waiting:
        value, depth = waiting.pop()
        size += _memory(value)
        if size > LARGEST:
            raise BadRequest(reason=f"the payload takes more than {LARGEST} bytes of memory")
        if isinstance(value, dict | list) and depth > DEEPEST:
            raise BadRequest(reason=f"the payload is nested deeper than {DEEPEST}")
        waiting.extend((inner, depth + 1) for inner in _inside(value))


def _inside(value: object) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _memory(value: object) -> int:
    """Bytes that a value takes in Ruby 2.7 on 64 bits, without what is inside it; numbers take none of their own."""
    if isinstance(value, str):
        size = len(value.encode())
        return 40 if size <= 23 else 41 + size
    if isinstance(value, list):
        return 40 if len(value) <= 3 else 40 + 8 * len(value)
    if isinstance(value, dict):
        return 40 if not value else 168 if len(value) <= 8 else 96 + 26 * (1 << (len(value) - 1).bit_length())
    return 0


def is_prometheus(payload: Payload) -> bool:
    """Whether Prometheus' own alert manager sent it."""
    return payload.keys() >= _PROMETHEUS and payload["version"] == "4"


def extract_fields(payload: Payload, *, title_required: bool = True) -> dict[str, Any]:
    """The fields of an alert that its payload decides, but for its fingerprint; 400 for a payload that makes none.

    Where no title is required, a missing or blank one is ``New: Incident``.
    """
    texts = {name: _cut(_text_under(payload, name), most) for name, most in _TEXTS.items()}
    if not (texts["title"] or "").strip():
        if title_required:
            raise BadRequest(reason="the title is missing or blank")
        texts["title"] = _DEFAULT_TITLE
    severity = payload.get("severity")
    known = severity.lower() if isinstance(severity, str) else None
    started_at = _moment(payload.get("start_time"))
    return {
        **{name: text for name, text in texts.items() if text is not None},
        **({"severity": known} if known in _SEVERITIES else {}),
        **({"started_at": started_at} if started_at else {}),
        "hosts": tuple(_fitting(_flat(payload.get("hosts")))),
        "payload": payload,
    }


def _text_under(payload: Payload, name: str) -> str | None:
    """A text, or the text of a number or boolean; 400 for an array or object, which no column can hold."""
    value = payload.get(name)
    if isinstance(value, dict | list):
        raise BadRequest(reason=f"{name} is no text")
    return None if value is None else as_text(value)


def as_text(value: object) -> str:
    """A value in words: a text itself, anything else as JSON with sorted keys."""
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _cut(text: str | None, most: int) -> str | None:
    return text if text is None or len(text) <= most else text[: most - 3] + "..."


def _moment(value: object) -> str | None:
    """A time in a payload; None for what is none."""
    try:
        return parse_datetime(value) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def _flat(value: object) -> Iterator[object]:
    """The values in arrays within arrays, one after the other."""
    if isinstance(value, list):
        for inner in value:
            yield from _flat(inner)
    else:
        yield value


def _fitting(hosts: Iterator[object]) -> Iterator[str]:
    """As many hosts as fit the column, the last one cut."""
    room = _HOSTS
    for host in hosts:
        if room > 0 and not isinstance(host, dict | None):
            text = as_text(host)[:room]
            room -= len(text)
            yield text


def ended_at(payload: Payload) -> str | None:
    """When it ended; None where nothing or no time is said."""
    return _moment(payload.get("end_time"))


def environment_name(payload: Payload) -> str | None:
    """The environment that is named, under either name; 400 where both are there and differ."""
    twin = str(twin_of(ENVIRONMENT))
    named = [payload[name] for name in (ENVIRONMENT, twin) if name in payload]
    if len(named) == 2 and named[0] != named[1]:
        raise BadRequest(reason=f"{ENVIRONMENT}, {twin} are mutually exclusive")
    return named[0] if named and isinstance(named[0], str) else None


def compute_fingerprint(payload: Payload, *, grouped: bool) -> str | None:
    """What tells alerts that are the same: SHA1 (hex) of the fingerprint that was sent.

    Without one, and where equal payloads are ``grouped``, of the payload but for its times and hosts; else None.
    """
    said = payload.get("fingerprint")
    if not _is_blank(said):
        return _digest("".join("" if part is None else as_text(part) for part in _flat(said)))
    if not grouped:
        return None
    return _digest(as_text({name: value for name, value in payload.items() if name not in _VARYING}))


def _is_blank(value: object) -> bool:
    """Whether nothing is said; zero is something."""
    return not value.strip() if isinstance(value, str) else value is None or value is False or value in ([], {})


def _digest(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def flatten_details(payload: Payload) -> dict[str, Any]:
    """What an alert's own fields do not show, nested keys joined by dots: ``{"disk.free": 3}``."""
    return dict(_inline({name: value for name, value in payload.items() if name not in _SHOWN_AS_FIELDS}))


def _inline(values: Payload, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _inline(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value
