"""The entry of the header of a configuration: what its ``spec`` says of inputs."""

from collections.abc import Mapping
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.conditions import check_include_of, check_integrity
from fakeplat.ci_config.validation.declarations import (
    Choice,
    ListOf,
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


def _check_nulls(value: YamlValue) -> list[str]:
    options = value.get("options") if isinstance(value, Mapping) else None
    has_null = isinstance(options, list) and None in options
    return ["config options array cannot contain null values"] if has_null else []


def _check_default(value: YamlValue) -> list[str]:
    is_missing = isinstance(value, Mapping) and value.get("default") is None
    return ["must have a default value"] if is_missing else []


def _check_rule(value: YamlValue) -> list[str]:
    if not isinstance(value, Mapping):
        return []
    texts = _check_options(value)
    has_condition, has_options = value.get("if") is not None, value.get("options") is not None
    if has_condition and not has_options and "default" not in value:
        texts.append("config rule with 'if' must define 'options' or 'default'")
    if not has_condition and not has_options:
        texts.append("config fallback rule must define 'options'")
    return texts


_RULE: Final = Node(
    [
        config(checks.present, checks.mapping, allowed_keys(["if", "options", "default"])),
        attribute("if", checks.string),
        attribute("options", checks.array),
        _check_rule,
    ]
)
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
                    keyword("rules", "18.7"),
                ]
            ),
            checks.exclusive_keys(["rules", "options"]),
            checks.exclusive_keys(["rules", "default"]),
        ),
        _check_options,
        attribute("description", checks.string, label="input description"),
        attribute("regex", checks.string, label="input regex"),
        attribute("type", of_values(_TYPES, checks.known_value), label="input type"),
        attribute("options", checks.array, label="input options"),
    ],
    {"rules": ListOf("rule", _RULE, [config(checks.array)])},
)
_JOB_INPUT: Final = Node(
    [
        config(checks.mapping, allowed_keys(["default", "description", "options", "regex", "type"])),
        attribute("description", checks.alphanumeric, label="input description"),
        attribute("regex", checks.string, label="input regex"),
        attribute("type", of_values(_TYPES, checks.known_value), label="input type"),
        attribute("options", checks.array, label="input options"),
        _check_options,
        _check_nulls,
        _check_default,
    ]
)
JOB_INPUTS: Final = MapOf(_JOB_INPUT, [config(checks.mapping)])
_COMPONENT: Final = ("name", "sha", "version", "reference")


def _component_names(value: YamlValue) -> str | None:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return "should be an array of strings"
    unknown = [name for name in value if name not in _COMPONENT]
    return f"contains unknown values: {', '.join(map(str, unknown))}" if unknown else None


_INCLUDE: Final = Node(
    [
        config(checks.mapping_or_string, allowed_keys(["local", "file", "remote", "project", "ref", "integrity"])),
        check_include_of("project", "file", "file where to fetch the config from"),
        check_integrity,
    ]
)
_SPEC: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(
                [
                    "inputs",
                    keyword("component", "18.6"),
                    keyword("include", "18.9"),
                    keyword("description", "18.10", inert=True),
                ]
            ),
        ),
        attribute("component", _component_names),
    ],
    {
        "include": ListOf("include", _INCLUDE),
        "inputs": MapOf(
            Choice([(lambda value: value is None, Node()), (lambda _value: True, _INPUT)], ""), [config(checks.mapping)]
        ),
    },
)
HEADER: Final = Node([config(checks.mapping, allowed_keys([keyword("spec", "15.11")]))], {"spec": _SPEC})
