"""The templates of changelogs: ``{{ value }}``, ``{% if %}``, ``{% else %}``, ``{% each %}`` and ``{% end %}``.

Source: docs/platform/repository.md ('Changelogs').
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from fakeplat.core.store.frozen import frozen

MAX_LOOPS: Final = 4
_TOKEN: Final = re.compile(
    r"(?P<escape>\\\n)"
    r"|\{\{\s*(?P<variable>[a-zA-Z_]+|\d{1,10}(?:\.[a-zA-Z_]+|\.\d{1,10})*|[a-zA-Z_.0-9]+?)\s*\}\}"
    r"|\{%\s*(?:(?P<open>if|each)[ \t]+(?P<selector>[a-zA-Z_.0-9]+)|(?P<word>else|end))\s*%\}\n?"
    r"|(?P<bad>\{[{%])"
)


class TemplateError(ValueError):
    """A template cannot be read or filled in."""


@frozen
class Variable:
    """A value to show."""

    selector: str


@frozen
class Block:
    """A condition or a loop over a value, with the parts inside, and those after ``else``."""

    kind: str
    selector: str
    body: "tuple[Part, ...]"
    otherwise: "tuple[Part, ...]" = ()


Part: TypeAlias = str | Variable | Block


def parse_template(text: str) -> tuple[Part, ...]:
    """Return the parts of a template."""
    parts, at, ending = _parse(text, 0)
    if ending:
        raise TemplateError(f"Failed to parse the template: {_describe_place(text, at)}")
    return parts


def _parse(text: str, at: int) -> tuple[tuple[Part, ...], int, str]:
    """Return the parts up to the end of a block or of the text, where they end, and the word that ends them."""
    parts: list[Part] = []
    while (match := _TOKEN.search(text, at)) is not None:
        parts.append(text[at : match.start()])
        at = match.end()
        if match["bad"]:
            raise TemplateError(f"Failed to parse the template: {_describe_place(text, match.start())}")
        if match["word"]:
            return tuple(parts), at, match["word"]
        if match["variable"]:
            parts.append(Variable(match["variable"]))
        elif match["open"]:
            block, at = _parse_block(text, at, match["open"], match["selector"])
            parts.append(block)
    parts.append(text[at:])
    return tuple(parts), len(text), ""


def _parse_block(text: str, at: int, kind: str, selector: str) -> tuple[Block, int]:
    body, at, ending = _parse(text, at)
    otherwise: tuple[Part, ...] = ()
    if ending == "else" and kind == "if":
        otherwise, at, ending = _parse(text, at)
    if ending != "end":
        raise TemplateError(f"Failed to parse the template: {_describe_place(text, at)}")
    return Block(kind, selector, body, otherwise), at


def _describe_place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return f"Don't know what to do with {text[at : at + 10]!r} at line {line} char {column}."


def fill_in(parts: Sequence[Part], data: object, loops: int = 0) -> str:
    """Return the text of a template for some data."""
    return "".join(_fill_in(part, data, loops) for part in parts)


def _fill_in(part: Part, data: object, loops: int) -> str:
    if isinstance(part, str):
        return part
    value = _select(part.selector, data)
    if isinstance(part, Variable):
        return _to_text(value)
    if part.kind == "if":
        return fill_in(part.body if value else part.otherwise, data, loops)
    if not isinstance(value, list):
        return ""
    if loops == MAX_LOOPS:
        raise TemplateError(f"You can only nest up to {MAX_LOOPS} loops")
    return "".join(fill_in(part.body, item, loops + 1) for item in value)


def _select(selector: str, data: Any) -> Any:
    for step in selector.split("."):
        if step.isdigit():
            data = data[int(step)] if isinstance(data, list) and int(step) < len(data) else None
        elif step != "it":
            data = data.get(step) if isinstance(data, Mapping) else None
    return data


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
