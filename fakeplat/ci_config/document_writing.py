"""Writing of YAML documents as Ruby's Psych writes them."""

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from fakeplat.ci_config.documents import (
    SYMBOL,
    SYMBOL_TAG,
    FormatError,
    Reference,
    Symbol,
    build_plain_scalar,
    to_text,
)

# Psych quotes a line that begins with anything but a letter, a digit or an underscore, unless it contains quotes.
_ODD_START: Final = re.compile(r'^[^\w\n][^"\n]*$', re.MULTILINE)


class Quoted(str):
    """A text that is written in double quotes, whatever it is."""

    __slots__ = ()


def write(value: Mapping[Any, object], *, keys: Callable[[str], str] = Symbol) -> str:
    """Return the text of a document, by default with keys as symbols."""
    from ruamel.yaml import events
    from ruamel.yaml.cyaml import CBaseDumper

    stream = io.StringIO()
    emitter: Any = CBaseDumper(stream)
    emitter.emit(events.StreamStartEvent())
    emitter.emit(events.DocumentStartEvent(explicit=True))
    for event in _list_events(value, keys):
        emitter.emit(event)
    emitter.emit(events.DocumentEndEvent(explicit=False))
    emitter.emit(events.StreamEndEvent())
    return stream.getvalue()


def _list_events(value: object, keys: Callable[[str], str]) -> Iterator[Any]:
    if isinstance(value, Mapping):
        yield from _list_mapping_events(value, keys)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        yield from _list_sequence_events(value, None, keys)
    elif isinstance(value, Reference):
        yield from _list_sequence_events(value.path, "!reference", keys)
    else:
        yield _scalar_event(value)


def _list_mapping_events(value: Mapping[object, object], keys: Callable[[str], str]) -> Iterator[Any]:
    from ruamel.yaml import events

    yield events.MappingStartEvent(None, None, True, flow_style=not value)
    for key, inner in value.items():
        yield _scalar_event(keys(key) if isinstance(key, str) else key)
        yield from _list_events(inner, keys)
    yield events.MappingEndEvent()


def _list_sequence_events(value: Sequence[object], tag: str | None, keys: Callable[[str], str]) -> Iterator[Any]:
    from ruamel.yaml import events

    yield events.SequenceStartEvent(None, tag, tag is None, flow_style=not value or tag is not None)
    for item in value:
        yield from _list_events(item, keys)
    yield events.SequenceEndEvent()


def _scalar_event(value: object) -> Any:
    from ruamel.yaml import events

    if isinstance(value, Symbol) and not value:
        return events.ScalarEvent(None, SYMBOL_TAG, (False, False), "")
    if isinstance(value, Symbol):
        return events.ScalarEvent(None, None, (True, True), f":{value}")
    if isinstance(value, Quoted):
        return events.ScalarEvent(None, None, (False, True), str(value), style='"')
    if isinstance(value, str):
        return events.ScalarEvent(None, None, (True, True), value, style=_style(value))
    return events.ScalarEvent(
        None, None, (True, True), _float_text(value) if isinstance(value, float) else to_text(value)
    )


def _float_text(value: float) -> str:
    """Return a number in a form that YAML 1.1 reads as one: always with a point."""
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    mantissa, _, exponent = repr(value).partition("e")
    whole = mantissa if "." in mantissa else f"{mantissa}.0"
    return f"{whole}e{exponent}" if exponent else whole


def _style(text: str) -> str | None:
    """Return the style in which Psych writes a text: quoted if it would be read as something else."""
    if "\n" in text.removesuffix("\n"):
        return "|"
    if text == "<<":
        return "'"
    if text in ("y", "n", "Y", "N") or _ODD_START.search(text):
        return '"'
    return None if _reads_as_text(text) else "'"


def _reads_as_text(text: str) -> bool:
    try:
        return isinstance(build_plain_scalar(text), str) and not SYMBOL.match(text)
    except FormatError:
        return False
