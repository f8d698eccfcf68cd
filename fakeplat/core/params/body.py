"""Parsing of query strings and bodies into one hash of parameters.

Source: docs/platform/errors.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import unquote_to_bytes

import orjson

from fakeplat.core.operations.errors import InvalidParams, NullByte, Reason, Refusal
from fakeplat.core.params.nesting import MAX_DEPTH, set_nested
from fakeplat.core.store.frozen import frozen

RawParams = dict[str, object]

_MALFORMED_JSON: Final = (
    "Problem:\n  message body does not match declared format\nResolution:\n  when specifying application/json as "
    "content-type, you must pass valid application/json in the request's 'body'\n    "
)
_INVALID_UTF8: Final = "invalid byte sequence in UTF-8"

_FILE_CONTENT_KEY: Final = "content"
_CHARSETS: Final = frozenset({"us-ascii", "iso-8859-1", "windows-1252"})

# Escapes, nested names, and what `_SEPARATOR` splits at besides "&".
_NEEDS_DECODING: Final = re.compile(r"[%+\[\]; ]")
# Rack separates parameters by "&" or ";".
_SEPARATOR: Final = re.compile(r"[&;] *")
# Ruby refuses such text (`100%` or `%zz`), which Python's functions would leave as it is.
_BAD_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


class MalformedJson(InvalidParams):
    """400: the body is no JSON, or nested too deeply."""

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__(_MALFORMED_JSON, reason=reason)


class UnsupportedType(Refusal):
    """415: no parser for this content type (unconfirmed: status and text)."""

    status = 415

    def __init__(self, content_type: str) -> None:
        self.content_type = _encodable(content_type)
        super().__init__({"error": f"The provided content-type '{self.content_type}' is not supported."})


@frozen
class Upload:
    """A file from a multipart form."""

    filename: str
    content_type: str
    data: bytes


def parse_query(query: str) -> RawParams:
    """Parse a query string or a form; a name without ``=`` has the value null. NullByte if there is one."""
    if "%00" in query or "\0" in query:
        raise NullByte
    # Most query strings need no decoding; splitting them is several times faster.
    if query.isascii() and not _NEEDS_DECODING.search(query):
        return _parse_plain(query)
    return _parse_form(_decode(query.encode("utf-8", "surrogateescape")))


def _parse_plain(query: str) -> RawParams:
    params: RawParams = {}
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if name:
            params[name] = value if equals else None
    return params


def _parse_form(text: str) -> RawParams:
    params: RawParams = {}
    for pair in _SEPARATOR.split(text):
        name, equals, value = pair.partition("=")
        _set_param(params, _unescape(name), _unescape(value) if equals else None)
    return params


def _set_param(params: RawParams, name: str, value: object) -> None:
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
    return _decode(unquote_to_bytes(text))


def _decode(data: bytes, charset: str = "utf-8") -> str:
    try:
        return data.decode(charset)
    except (UnicodeError, LookupError):
        raise InvalidParams(_INVALID_UTF8) from None


def parse_body(content_type: str, body: bytes) -> RawParams:
    """Parse a body; one that is empty or not a hash has no parameters. NullByte if there is one."""
    if not body:
        return {}
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return _parse_json(body)
    # Rack reads a body without a content type as a form.
    if kind in {"application/x-www-form-urlencoded", ""}:
        return parse_query(_decode(body))
    if kind == "multipart/form-data":
        return _parse_multipart(content_type, body)
    raise UnsupportedType(kind)


def _parse_json(body: bytes) -> RawParams:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise MalformedJson from None
    # Counting brackets is a cheap upper bound of the depth, so that only suspicious bodies are walked.
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and _is_too_deep(value):
        raise MalformedJson(reason=f"nested deeper than {MAX_DEPTH}")
    if has_null_byte(body, value):
        raise NullByte
    return value if isinstance(value, dict) else {}


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in _children(item) if isinstance(child, dict | list)]
    return bool(level)


def has_null_byte(body: bytes, value: object) -> bool:
    """Return whether a string in a JSON body has a null byte; the content of a file may have some."""
    # In valid JSON a null byte can only be written as this escape. It may be escaped itself, so it is only a hint.
    if b"\\u0000" not in body:
        return False
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str) and "\0" in item:
            return True
        if isinstance(item, dict):
            # Keys are texts too.
            pending += item
            pending += [child for key, child in item.items() if key != _FILE_CONTENT_KEY or not isinstance(child, str)]
        elif isinstance(item, list):
            pending += item
    return False


def _children(item: object) -> Iterable[object]:
    if isinstance(item, dict):
        return item.values()
    return item if isinstance(item, list) else ()


@cache
def multipart_library() -> Any:
    """Return the library `multipart`.

    Releases of python-multipart before 0.0.13 use the same module name. If one of them is installed as well, the module
    is loaded from the file of the right distribution.
    """
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


def _parse_multipart(content_type: str, body: bytes) -> RawParams:
    multipart = multipart_library()
    boundary = multipart.parse_options_header(content_type)[1].get("boundary")
    if not boundary:
        return {}
    params: RawParams = {}
    try:
        with multipart.PushMultipartParser(boundary) as parser:
            for segment, data in _read_parts(parser.parse(body)):
                _set_part(params, segment, data)
    except (multipart.MultipartError, UnicodeError):
        # The text is unconfirmed.
        raise InvalidParams(f"empty message body supplied with {_encodable(content_type)} content-type") from None
    return params


def _read_parts(events: Iterable[Any]) -> Iterator[tuple[Any, bytes]]:
    """Iterate over parts. The parser's events for each are a segment, its chunks, and None."""
    events = iter(events)
    for segment in events:
        # The two-argument iter() collects the chunks up to the None that ends the part.
        yield segment, b"".join(iter(events.__next__, None))


def _set_part(params: RawParams, segment: Any, data: bytes) -> None:
    """Store a part: a file if it has a file name. An empty file name means that no file was chosen in a form."""
    if segment.filename is None:
        charset = (segment.charset or "").lower()
        if b"\0" in data:
            raise NullByte
        _set_param(params, segment.name, _decode(data, charset if charset in _CHARSETS else "utf-8"))
    elif segment.filename:
        file_type = segment.content_type or "application/octet-stream"
        _set_param(params, segment.name, Upload(segment.filename, file_type, data))


def _encodable(text: str) -> str:
    """Replace characters of a header that cannot be encoded."""
    return text.encode("utf-8", "replace").decode()


def merge_params(query: RawParams, body: RawParams, path: Mapping[str, object]) -> RawParams:
    """Merge the parameters of a request: the body overrides the query, the path overrides both.

    The result may be one of the arguments, so it must not be changed.
    """
    if not body and not path:
        return query
    return {**query, **body, **path}
