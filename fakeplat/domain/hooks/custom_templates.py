"""Templates of webhooks, which make a payload of their own from that of an event.

Source: docs/platform/webhooks.md ('Later headers and bodies').
"""

import re
from collections.abc import Mapping
from typing import Any, Final

import orjson

from fakeplat.domain.hooks.events import Payload

_PLACEHOLDER: Final = re.compile(r"{{(.+?)}}")


def fill_template(template: str, payload: Payload) -> Any:
    """Return the document that a template gives for a payload. ValueError if it is no JSON, or asks for a list's part.

    ``{{object_attributes.title}}`` stands for a value as JSON, for a text without its quotes.
    """
    return orjson.loads(_PLACEHOLDER.sub(lambda match: _render(payload, match[1]), template))


def _render(payload: Payload, path: str) -> str:
    value: Any = payload
    for name in path.split("."):
        if value is None:
            break
        if not isinstance(value, Mapping):
            raise ValueError("You may be trying to access an array value, which is not supported.")
        value = value.get(name)
    text = orjson.dumps(value).decode()
    return text[1:-1] if isinstance(value, str) else text
