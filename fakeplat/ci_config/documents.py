"""YAML documents as Ruby's Psych reads them: YAML 1.1, with symbols, merge keys and ``!reference``.

libyaml, which Psych uses as well, finds the syntax errors. This module builds the values from its events, because the
types of plain scalars, the order in which merge keys apply, and the error messages are Psych's.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import define, field

from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.events import ScalarEvent

MAX_SIZE: Final = 1 << 20
MAX_DEPTH: Final = 100
TOO_BIG: Final = "The parsed YAML is too big"
NOT_A_HASH: Final = "Invalid configuration format"

SYMBOL: Final = re.compile(r":.", re.DOTALL)
_TRUE: Final = re.compile(r"yes|true|on", re.IGNORECASE)
_FALSE: Final = re.compile(r"no|false|off", re.IGNORECASE)
_NULL: Final = re.compile(r"null", re.IGNORECASE)
_DATE: Final = re.compile(r"\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)")
_TIME: Final = re.compile(
    r"-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?"
)
_INFINITE: Final = re.compile(r"([-+]?)\.inf", re.IGNORECASE)
_NAN: Final = re.compile(r"\.nan", re.IGNORECASE)
_SEXAGESIMAL: Final = re.compile(r"([-+]?)(\d[\d_]*(?::[0-5]?\d){1,2})(\.\d*)?")
_FLOAT: Final = re.compile(r"[-+]?(?:\d[\d_,]*)?\.\d*(?:[eE][-+]\d+)?")
_INTEGER: Final = re.compile(
    r"([-+]?)(?:0b(?P<binary>[01_,]+)|0x(?P<hexadecimal>[0-9a-fA-F_,]+)|0(?P<octal>[0-7_,]+)|(?P<decimal>0|[1-9][0-9_,]*))"
)
SYMBOL_TAG: Final = "!ruby/symbol"
_HIDDEN: Final = "\ue000"
"""Stands for a colon while a text is read."""
_INNER_COLON: Final = re.compile(r"(?<=[\w$./@%+-]):(?=[^\s,?\[\]{}])")
"""A colon that never ends a key, though it may be one of those that quoted or block scalars contain."""
_BASES: Final = {"binary": 2, "hexadecimal": 16, "octal": 8, "decimal": 10}


class FormatError(ValueError):
    """A text is not a document that the platform accepts. The message is the platform's."""


class Symbol(str):
    """A Ruby symbol, such as the scalar ``:name``."""

    __slots__ = ()


@frozen
class Reference:
    """The content of a ``!reference`` tag: the path to another value of the document."""

    path: "tuple[YamlValue, ...]"


Scalar: TypeAlias = str | int | float | bool | None
YamlValue: TypeAlias = "Scalar | Reference | list[YamlValue] | dict[Scalar, YamlValue]"
Document: TypeAlias = Mapping[Scalar, YamlValue]
"""A scalar, which is also a possible key; any value; and a document that is only read."""


def parse_mapping(text: str, *, has_references: bool = True) -> dict[Scalar, YamlValue]:
    """Return the mapping of a document; FormatError if the text is invalid, too big, or anything but a mapping."""
    value = parse(text, has_references=has_references)
    if not isinstance(value, dict):
        raise FormatError(NOT_A_HASH)
    return value


def parse(text: str, *, has_references: bool = True) -> YamlValue:
    """Return the value of the first document of a text. Aliases share their value, which must not be changed.

    Without references, the tag ``!reference`` is one of those that say nothing.
    """
    from ruamel.yaml.error import MarkedYAMLError
    from ruamel.yaml.reader import ReaderError

    try:
        value = _build(text, has_references=has_references)
    except ReaderError as error:
        raise FormatError(f"(<unknown>): {error.reason} at line 1 column 1") from None
    except MarkedYAMLError as error:
        raise FormatError(_describe(error)) from None
    check_size(value)
    return value


def _build(text: str, *, has_references: bool) -> YamlValue:
    from ruamel.yaml.scanner import ScannerError

    # Places in errors do not count the mark of the byte order.
    text, is_hiding = text.removeprefix("\ufeff"), False
    while True:
        try:
            return _Builder(has_references, is_hiding).build(text)
        except ScannerError as error:
            # The platform's libyaml is newer: it knows colons within plain scalars of flow collections.
            hidden = _hide_colons(text, error, is_hiding=is_hiding)
            if hidden is None:
                raise
            text, is_hiding = hidden, True


def _hide_colons(text: str, error: "MarkedYAMLError", *, is_hiding: bool) -> str | None:
    """Return a text with other characters for the colon of an error and those after it that are like it.

    None if the platform refuses the colon as well.
    """
    start = error.problem_mark.index if error.problem_mark else 0
    end = start + 1
    if (
        error.problem != "found unexpected ':'"
        # Each attempt hides a colon, so that the attempts come to an end.
        or text[start:end] != ":"
        or text[end : end + 1] in ",?[]{}"
        or (_HIDDEN in text and not is_hiding)
    ):
        return None
    return f"{text[:start]}{_HIDDEN}{_INNER_COLON.sub(_HIDDEN, text[end:])}"


def _describe(error: "MarkedYAMLError") -> str:
    """Word a syntax error like Psych, which gives the position of the context and not of the problem."""
    words = " ".join(part for part in (error.problem, error.context) if part)
    mark = error.context_mark or (error.problem_mark if type(error).__name__ == "ScannerError" else None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return f"(<unknown>): {words} at line {line} column {column}"


@define
class _Open:
    """A collection whose end has not been read yet."""

    value: list[YamlValue] | dict[Scalar, YamlValue]
    tag: str | None
    anchor: str | None
    pending_key: list[Scalar] = field(factory=list)


@define
class _Builder:
    """Builds a value from events without recursion, because the depth of a text is not limited."""

    _has_references: bool
    _is_hiding: bool
    """Colons are hidden in the text."""
    _stack: list[_Open] = field(factory=list)
    _anchors: dict[str, YamlValue] = field(factory=dict)
    _root: list[YamlValue] = field(factory=list)

    def build(self, text: str) -> YamlValue:
        """Return the value of the first document, None if there is none."""
        for event in _read_events(text):
            self._receive(event)
            if self._root and not self._stack:
                return self._root[0]
        return None

    def _receive(self, event: Any) -> None:
        match type(event).__name__:
            case "ScalarEvent":
                if self._is_hiding:
                    event.value = event.value.replace(_HIDDEN, ":")
                self._add(self._remember(event.anchor, build_scalar(event)))
            case "AliasEvent":
                self._add(self._resolve(event.anchor))
            case "MappingStartEvent":
                self._open(event, {})
            case "SequenceStartEvent":
                self._open(event, [])
            case "MappingEndEvent" | "SequenceEndEvent":
                self._close()

    def _open(self, event: Any, value: list[YamlValue] | dict[Scalar, YamlValue]) -> None:
        if len(self._stack) > MAX_DEPTH:
            raise FormatError(TOO_BIG)
        self._stack.append(_Open(value, _tag_text(event), event.anchor))
        self._remember(event.anchor, value)

    def _close(self) -> None:
        closed = self._stack.pop()
        is_reference = self._has_references and closed.tag == "!reference"
        value = Reference(tuple(closed.value)) if is_reference else closed.value
        self._add(self._remember(closed.anchor, value))

    def _add(self, value: YamlValue) -> None:
        if not self._stack:
            self._root.append(value)
            return
        parent = self._stack[-1]
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.pending_key:
            _insert(parent.value, parent.pending_key.pop(), value)
        else:
            parent.pending_key.append(as_key(value))

    def _remember(self, anchor: str | None, value: YamlValue) -> YamlValue:
        if anchor is not None:
            self._anchors[anchor] = value
        return value

    def _resolve(self, anchor: str) -> YamlValue:
        if anchor not in self._anchors:
            raise FormatError(f"Unknown alias: {anchor}")
        return self._anchors[anchor]


def _read_events(text: str) -> Iterator[Any]:
    from ruamel.yaml.cyaml import CBaseLoader

    # Bytes, so that libyaml reports what is wrong with characters that are not text.
    parser: Any = CBaseLoader(text.encode("utf-8", "surrogatepass"))
    while parser.check_event():
        yield parser.get_event()


def _insert(mapping: dict[Scalar, YamlValue], key: Scalar, value: YamlValue) -> None:
    """Add a pair to a mapping; a merge key adds the pairs of its mappings, which replace earlier ones."""
    merged = _list_merged(value) if key == "<<" else None
    if merged is None:
        mapping[key] = value
        return
    for source in merged:
        mapping.update(source)


def _list_merged(value: YamlValue) -> list[dict[Scalar, YamlValue]] | None:
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        return None
    mappings = [item for item in value if isinstance(item, dict)]
    return mappings[::-1] if len(mappings) == len(value) else None


def as_key(value: YamlValue) -> Scalar:
    """Return a value as a key: collections, which Ruby allows, become their text."""
    return to_text(value) if isinstance(value, dict | list | Reference) else value


def _tag_text(event: object) -> str | None:
    tag = getattr(event, "tag", None)
    return None if tag is None else str(tag)


def build_scalar(event: "ScalarEvent") -> Scalar:
    """Return the value of a scalar event."""
    tag = _tag_text(event)
    if tag == SYMBOL_TAG:
        return Symbol(event.value)
    if event.style in ("'", '"', "|", ">") or tag in ("!", "tag:yaml.org,2002:str", "!str"):
        # Psych also reads quoted texts with a leading colon as symbols, when the colon is followed by quotes only.
        return str(event.value)
    if tag is not None and tag.startswith("!ruby/"):
        raise FormatError(f"Tried to load unspecified class: {_class_of(tag)}")
    return build_plain_scalar(event.value)


def _class_of(tag: str) -> str:
    kind, _, name = tag.removeprefix("!ruby/").partition(":")
    return name or kind.capitalize()


def build_plain_scalar(text: str) -> Scalar:
    """Return the value of a plain scalar."""
    if text in ("", "~") or _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if SYMBOL.match(text):
        return Symbol(text[1:].strip("\"'"))
    return _build_number(text) if text[0] in "0123456789.+-" else text


def _build_number(text: str) -> int | float | str:
    if _DATE.fullmatch(text):
        raise FormatError("Tried to load unspecified class: Date")
    if _TIME.fullmatch(text):
        raise FormatError("Tried to load unspecified class: Time")
    if match := _INTEGER.fullmatch(text):
        return _build_integer(match)
    if match := _SEXAGESIMAL.fullmatch(text):
        return _build_sexagesimal(*match.groups())
    return _build_float(text)


def _build_integer(match: re.Match[str]) -> int:
    base = match.lastgroup or "decimal"
    digits = match[base].replace("_", "").replace(",", "")
    # Python limits the length of decimal numbers that it converts; a longer one is no number that anyone means.
    if not digits or len(digits) > MAX_DEPTH:
        return 0
    return int(match[1] + digits, _BASES[base])


def _build_sexagesimal(sign: str, digits: str, fraction: str | None) -> int | float:
    total = 0
    for part in digits.replace("_", "").split(":"):
        total = total * 60 + int(part[:MAX_DEPTH])
    value = total + float(f"0{fraction}0") if fraction else total
    return -value if sign == "-" else value


def _build_float(text: str) -> float | str:
    if match := _INFINITE.fullmatch(text):
        return float(f"{match[1]}inf")
    if _NAN.fullmatch(text):
        return float("nan")
    if _FLOAT.fullmatch(text) and any(character.isdigit() for character in text):
        try:
            return float(text.replace("_", "").replace(",", ""))
        except ValueError:
            return text
    return text


def check_size(value: YamlValue) -> None:
    """Check the size of a value in Ruby's memory and its depth, with aliases counted at each use."""
    # An explicit stack, because the value may contain itself.
    size, waiting = 0, [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        size += _memory_size(item)
        if size > MAX_SIZE or depth > MAX_DEPTH:
            raise FormatError(TOO_BIG)
        waiting.extend((child, depth + 1) for child in _list_children(item))


def _list_children(item: YamlValue) -> Iterator[YamlValue]:
    if isinstance(item, dict):
        for key, value in item.items():
            yield key
            yield value
    elif isinstance(item, list):
        yield from item
    elif isinstance(item, Reference):
        yield from item.path


def _memory_size(item: YamlValue) -> int:
    """Return about as many bytes as Ruby 2.7 reports for an object without its children."""
    if isinstance(item, str):
        # Short strings are stored in the object itself, like short arrays; small hashes have a table of 8 pairs.
        return 40 if len(item) <= 23 else 41 + len(item)
    if isinstance(item, dict):
        return 40 if not item else 168 if len(item) <= 8 else 192 + 48 * len(item)
    if isinstance(item, list):
        return 40 if len(item) <= 3 else 40 + 8 * len(item)
    return 0


def to_text(value: object) -> str:
    """Return a value as Ruby's ``to_s`` shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list | Reference):
        return inspect(value)
    return str(value)


def inspect(value: object) -> str:
    """Return a value as Ruby's ``inspect`` shows it, with keys as symbols."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_inspect_key(key)}=>{inspect(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(inspect(inner) for inner in value) + "]"
    if isinstance(value, Reference):
        return inspect(list(value.path))
    if isinstance(value, str):
        return _quote(value)
    return "nil" if value is None else to_text(value)


def _inspect_key(key: object) -> str:
    return f":{key}" if isinstance(key, str) else inspect(key)


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
