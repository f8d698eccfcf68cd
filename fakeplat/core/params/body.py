"""What a client sent as query string and body, as one hash of parameters.

Source: docs/platform/errors.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import orjson

from fakeplat.core.operations.errors import InvalidParams, NullByte, Refusal
from fakeplat.core.params.nesting import DEEPEST, set_nested
from fakeplat.core.store.frozen import frozen

Given = dict[str, object]

_MALFORMED_JSON: Final = (
    "Problem:\n  message body does not match declared format\nResolution:\n  when specifying application/json as "
    "content-type, you must pass valid application/json in the request's 'body'\n    "
)
_BROKEN_TEXT: Final = "invalid byte sequence in UTF-8"

_OF_FILES: Final = "content"
_CHARSETS: Final = frozenset({"us-ascii", "iso-8859-1", "windows-1252"})

_SPECIAL: Final = re.compile(r"[%+\[\]; ]")
_SEPARATOR: Final = re.compile(r"[&;] *")
_BAD_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


class UnsupportedType(Refusal):
    """415: no parser for this content type (unconfirmed: status and text)."""

    status = 415

    def __init__(self, content_type: str) -> None:
        super().__init__({"error": f"The provided content-type '{_sayable(content_type)}' is not supported."})


@frozen
class Upload:
    """A file that came in a multipart form."""

    filename: str
    content_type: str
    data: bytes


def parse_query(query: str) -> Given:
    """The parameters of a query string or a form; a name without ``=`` stands for null. NullByte."""
    if "%00" in query or "\0" in query:
        raise NullByte
    if query.isascii() and not _SPECIAL.search(query):
        return _parse_plain(query)
    return _parse_form(_utf8(query.encode("utf-8", "surrogateescape")))


def _parse_plain(query: str) -> Given:
    params: Given = {}
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if name:
            params[name] = value if equals else None
    return params


def _parse_form(text: str) -> Given:
    params: Given = {}
    for pair in _SEPARATOR.split(text):
        name, equals, value = pair.partition("=")
        _put(params, _unescape(name), _unescape(value) if equals else None)
    return params


def _put(params: Given, name: str, value: object) -> None:
    if "[" in name or "]" in name:
        set_nested(params, name, value)
    elif name:
        params[name] = value


def _unescape(text: str) -> str:
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    if _BAD_PERCENT.search(text):
        raise InvalidParams(f"invalid %-encoding ({text})")
    return _utf8(unquote_to_bytes(text))


def _utf8(data: bytes, charset: str = "utf-8") -> str:
    try:
        return data.decode(charset)
    except (UnicodeError, LookupError):
        raise InvalidParams(_BROKEN_TEXT) from None


def parse_body(content_type: str, body: bytes) -> Given:
    """The parameters of a body; one that is no hash, or none at all, gives none. NullByte."""
    if not body:
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return _parse_json(body)
    if kind in {"application/x-www-form-urlencoded", ""}:
        return parse_query(_utf8(body))
    if kind == "multipart/form-data":
        return _parse_multipart(content_type, body)
    raise UnsupportedType(kind)


def _parse_json(body: bytes) -> Given:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise InvalidParams(_MALFORMED_JSON) from None
    if body.count(b"[") + body.count(b"{") > DEEPEST and _too_deep(value):
        raise InvalidParams(_MALFORMED_JSON, reason=f"nested deeper than {DEEPEST}")
    if has_null_byte(body, value):
        raise NullByte
    return value if isinstance(value, dict) else {}


def _too_deep(value: object) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [child for item in level for child in _children(item) if isinstance(child, dict | list)]
    return bool(level)


def has_null_byte(body: bytes, value: object) -> bool:
    """Whether a text in what a JSON body holds has a byte of zero; the content of a file may."""
    if b"\\u0000" not in body:
        return False
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str) and "\0" in item:
            return True
        if isinstance(item, dict):
            waiting += item
            waiting += [inner for key, inner in item.items() if key != _OF_FILES or not isinstance(inner, str)]
        elif isinstance(item, list):
            waiting += item
    return False


def _children(item: object) -> Iterable[object]:
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()


@cache
def multipart_library() -> Any:
    """Return the library `multipart`. Releases of python-multipart before 0.0.13 take its name: then by its file."""
    import multipart

    if hasattr(multipart, "PushMultipartParser"):
        return multipart
    from importlib.metadata import distribution
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("fakeplat_multipart", str(distribution("multipart").locate_file("multipart.py")))
    if spec is None or spec.loader is None:
        raise ImportError("the library multipart is not installed")
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    return library


def _parse_multipart(content_type: str, body: bytes) -> Given:
    multipart = multipart_library()
    boundary = multipart.parse_options_header(content_type)[1].get("boundary")
    if not boundary:
        return {}
    params: Given = {}
    try:
        with multipart.PushMultipartParser(boundary) as parser:
            for segment, data in _parts(parser.parse(body)):
                _put_part(params, segment, data)
    except (multipart.MultipartError, UnicodeError):
        # The text is unconfirmed.
        raise InvalidParams(f"empty message body supplied with {_sayable(content_type)} content-type") from None
    return params


def _parts(events: Iterable[Any]) -> Iterator[tuple[Any, bytes]]:
    """The parser's events by part: a segment, its chunks, then None."""
    events = iter(events)
    for segment in events:
        yield segment, b"".join(iter(events.__next__, None))


def _put_part(params: Given, segment: Any, data: bytes) -> None:
    """A part with a file name is a file; an empty file name means that none was chosen."""
    if segment.filename is None:
        charset = (segment.charset or "").lower()
        if b"\0" in data:
            raise NullByte
        _put(params, segment.name, _utf8(data, charset if charset in _CHARSETS else "utf-8"))
    elif segment.filename:
        file_type = segment.content_type or "application/octet-stream"
        _put(params, segment.name, Upload(segment.filename, file_type, data))


def _sayable(text: str) -> str:
    """A header's text without what cannot be encoded."""
    return text.encode("utf-8", "replace").decode()


def merge_params(query: Given, body: Given, path: Mapping[str, object]) -> Given:
    """All parameters of a request: the body's beat the query's, the path's beat both.

    May be one of the three itself, so it is read and never changed.
    """
    if not body and not path:
        return query
    return {**query, **body, **path}
