"""The front matter of wiki pages: values in YAML between two lines of dashes before the text.

Source: docs/platform/wikis.md.
"""

import re
from collections.abc import Mapping
from io import StringIO
from typing import Any, Final

from fakeplat.core.store.frozen import frozen

_BLOCK: Final = re.compile(r"---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FRAME: Final = "---\n"


@frozen
class FrontMatter:
    """The values before a text, and the text without them."""

    values: dict[str, Any]
    text: str


def read(content: str) -> FrontMatter:
    """Return the front matter of a page; none if the block is no YAML of names and values."""
    match = _BLOCK.match(content)
    values = _load(match["yaml"]) if match else None
    if match is None or values is None:
        return FrontMatter({}, content)
    return FrontMatter(values, content[match.end() :])


def _load(text: str) -> dict[str, Any] | None:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        values = YAML(typ="safe", pure=True).load(text)
    except YAMLError:
        return None
    return {str(name): value for name, value in values.items()} if isinstance(values, dict) else None


def write(values: Mapping[str, Any], content: str) -> str:
    """Return a text with this front matter in place of its own."""
    from ruamel.yaml import YAML

    if not values:
        return read(content).text
    yaml, out = YAML(typ="safe", pure=True), StringIO()
    yaml.default_flow_style = False
    yaml.dump(dict(values), out)
    return f"{_FRAME}{out.getvalue()}{_FRAME}{read(content).text}"
