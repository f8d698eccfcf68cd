"""Ruby's serialization (Marshal, format 4.8): texts, symbols, numbers, lists, hashes and objects."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from attrs import field

from fakeplat.core.store.frozen import frozen


class Symbol(str):
    """A symbol, such as the name of a key."""

    __slots__ = ()


@frozen
class Instance:
    """An object with instance variables, whose names begin with ``@``."""

    class_name: str
    variables: "Mapping[Symbol, Value]"


@frozen
class Marshaled:
    """An object that serializes itself as another value (``marshal_dump``)."""

    class_name: str
    value: "Value"


@frozen
class Dumped:
    """An object that serializes itself as bytes (``_dump``), which may have variables."""

    class_name: str
    data: bytes
    variables: "Mapping[Symbol, Value]" = field(factory=dict)


Value: TypeAlias = (
    "str | int | Sequence[Value] | Mapping[Symbol, Value] | Mapping[str, Value] | Instance | Marshaled | Dumped | None"
)

_VERSION: Final = b"\x04\x08"
_UTF8: Final = "E"
"""The name of the variable of a text that says that it is UTF-8."""
_SMALL: Final = 122
_OFFSET: Final = 5


def dump(value: Value) -> bytes:
    """Return the serialization of a value."""
    return _VERSION + _Writer().write(value)


class _Writer:
    """Symbols are written once and then referred to by their number."""

    def __init__(self) -> None:
        self._symbols: dict[str, int] = {}

    def write(self, value: Value) -> bytes:
        match value:
            case None:
                return b"0"
            case bool():
                return b"T" if value else b"F"
            case int():
                return b"i" + _number(value)
            case Symbol():
                return self._symbol(value)
            case str():
                return b'I"' + _text(value) + self._variables({Symbol(_UTF8): True})
            case Instance():
                return b"o" + self._symbol(value.class_name) + self._variables(value.variables)
            case Marshaled():
                return b"U" + self._symbol(value.class_name) + self.write(value.value)
            case Dumped():
                return self._dumped(value)
            case Mapping():
                items = (self.write(key) + self.write(item) for key, item in value.items())
                return b"{" + _number(len(value)) + b"".join(items)
            case _:
                return b"[" + _number(len(value)) + b"".join(map(self.write, value))

    def _dumped(self, value: Dumped) -> bytes:
        content = b"u" + self._symbol(value.class_name) + _number(len(value.data)) + value.data
        return b"I" + content + self._variables(value.variables) if value.variables else content

    def _variables(self, variables: Mapping[Symbol, Value]) -> bytes:
        items = (self._symbol(name) + self.write(value) for name, value in variables.items())
        return _number(len(variables)) + b"".join(items)

    def _symbol(self, name: str) -> bytes:
        if name in self._symbols:
            return b";" + _number(self._symbols[name])
        self._symbols[name] = len(self._symbols)
        return b":" + _text(name)


def _text(text: str) -> bytes:
    content = text.encode()
    return _number(len(content)) + content


def _number(number: int) -> bytes:
    if number == 0:
        return b"\0"
    if number <= _SMALL:
        return bytes([number + _OFFSET])
    digits = number.to_bytes((number.bit_length() + 7) // 8, "little")
    return bytes([len(digits)]) + digits
