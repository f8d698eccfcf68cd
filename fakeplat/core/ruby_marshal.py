"""Ruby's serialization (Marshal, format 4.8) of texts, symbols, lists and hashes."""

from collections.abc import Mapping, Sequence
from typing import Final, NewType, TypeAlias

Symbol = NewType("Symbol", str)
Value: TypeAlias = "str | Sequence[Value] | Mapping[Symbol, Value]"

_VERSION: Final = b"\x04\x08"
_UTF8: Final = "E"
"""The name of the variable of a text that says that it is UTF-8."""
_SMALL: Final = 122
_OFFSET: Final = 5


def dump(value: Value) -> bytes:
    """Return the serialization of a value; the keys of mappings are symbols."""
    return _VERSION + _Writer().write(value)


class _Writer:
    """Symbols are written once and then referred to by their number."""

    def __init__(self) -> None:
        self._symbols: dict[str, int] = {}

    def write(self, value: Value) -> bytes:
        if isinstance(value, str):
            text = value.encode()
            return b'I"' + _number(len(text)) + text + _number(1) + self._symbol(_UTF8) + b"T"
        if isinstance(value, Mapping):
            items = (self._symbol(key) + self.write(item) for key, item in value.items())
            return b"{" + _number(len(value)) + b"".join(items)
        return b"[" + _number(len(value)) + b"".join(map(self.write, value))

    def _symbol(self, name: str) -> bytes:
        if name in self._symbols:
            return b";" + _number(self._symbols[name])
        self._symbols[name] = len(self._symbols)
        text = name.encode()
        return b":" + _number(len(text)) + text


def _number(number: int) -> bytes:
    if number == 0:
        return b"\0"
    if number <= _SMALL:
        return bytes([number + _OFFSET])
    digits = number.to_bytes((number.bit_length() + 7) // 8, "little")
    return bytes([len(digits)]) + digits
