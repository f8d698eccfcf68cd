"""The entry of the header of a configuration: what its ``spec`` says of inputs."""

from collections.abc import Mapping
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.declarations import (
    Choice,
    MapOf,
    Names,
    Node,
    allowed_keys,
    attribute,
    config,
    keyword,
    of_values,
)

_TYPES: Final[Names] = (
    "string",
    keyword("number", "<=16.6"),
    keyword("boolean", "<=16.6"),
    keyword("array", "16.11"),
)
_MOST_OPTIONS: Final = 50


def _check_options(value: YamlValue) -> list[str]:
    options = value.get("options") if isinstance(value, Mapping) else None
    too_many = isinstance(options, list) and len(options) > _MOST_OPTIONS
    return [f"config cannot define more than {_MOST_OPTIONS} options"] if too_many else []


_INPUT: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(
                [
                    "default",
                    keyword("description", "16.5"),
                    keyword("regex", "16.5"),
                    keyword("options", "16.6"),
                    keyword("type", "<=16.6"),
                    keyword("rules", "18.7", unbuilt=True),
                ]
            ),
        ),
        _check_options,
        attribute("description", checks.string, label="input description"),
        attribute("regex", checks.string, label="input regex"),
        attribute("type", of_values(_TYPES, checks.known_value), label="input type"),
        attribute("options", checks.array, label="input options"),
    ]
)
_SPEC: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(
                [
                    "inputs",
                    keyword("component", "18.6", unbuilt=True),
                    keyword("include", "18.9", unbuilt=True),
                    keyword("description", "18.10", inert=True),
                ]
            ),
        )
    ],
    {
        "inputs": MapOf(
            Choice([(lambda value: value is None, Node()), (lambda _value: True, _INPUT)], ""), [config(checks.mapping)]
        )
    },
)
HEADER: Final = Node([config(checks.mapping, allowed_keys([keyword("spec", "15.11")]))], {"spec": _SPEC})
