"""The page of scenario keys, generated from the JSON Schema.

The examples of sections are in scenario_examples.yaml, those of single keys in scenario_key_examples.yaml; for most
keys the example follows from the type, the name or the description.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fakeplat import scenario
from fakeplat.scenario.parsing import parse
from tools.tables import table

Schema = dict[str, Any]

_EXAMPLES = Path(__file__).with_name("scenario_examples.yaml")
_KEY_EXAMPLES = Path(__file__).with_name("scenario_key_examples.yaml")
# What a description says of the values.
_NAMED = re.compile(r"(?:such as|, as|^An? issue as) (?!in )([^\s,;]+[^\s,;.)])")
_USERNAMES = re.compile(r"^(Username|Users who|Name of the user)")
# What stands for texts of which the type says nothing.
_TEXTS = {
    "assignee": "dev",
    "author": "ada",
    "body": "I can reproduce it",
    "branch": "feature",
    "color": "#cccccc",
    "content": "Hello",
    "creator": "ada",
    "cron": "0 1 * * *",
    "cron_timezone": "Europe/Berlin",
    "description": "What it is for",
    "domain": "www.example.test",
    "email": "ada@example.test",
    "environment": "production",
    "environment_scope": "review/*",
    "extends": "starter",
    "file_name": "notes.txt",
    "filename": "notes.txt",
    "full_path": "acme/tools",
    "group": "acme/tools",
    "hostname": "git.example.test",
    "ip": "192.0.2.1",
    "ip_address": "192.0.2.1",
    "issue": "acme/site#1",
    "job": "test",
    "key": "team",
    "label": "bug",
    "message": "Add a page",
    "milestone": "v1.1",
    "name": "example",
    "namespace": "acme",
    "organization": "Acme",
    "owner": "ada",
    "password": "long-password",
    "path": "site",
    "path_with_namespace": "acme/site",
    "pattern": "release/*",
    "project": "acme/site",
    "provider": "ldapmain",
    "ref": "master",
    "regex": "^[A-Z]",
    "sha": "6104942438c14ec7bd21c6cd5bd995272b3faff6",
    "slug": "slack",
    "stage": "test",
    "tag": "docker",
    "tag_name": "v1.0",
    "title": "Broken link",
    "token": "secret-token",
    "uri": "https://example.test",
    "url": "https://example.test",
    "user": "ada",
    "username": "ada",
    "value": "secret-value",
    "version": "1.0.0",
}
_MAX_VALUES = 12


@cache
def examples() -> Mapping[str, Mapping[str, Any]]:
    """Return the example of each section by what contains it."""
    parsed: Mapping[str, Mapping[str, Any]] = parse(_EXAMPLES.read_bytes(), _EXAMPLES.suffix)
    return parsed


@cache
def _texts_of_examples() -> Mapping[str, str]:
    """Return the lines of the file with the examples by section, as they were written."""
    lines = _EXAMPLES.read_text("utf-8").splitlines()
    return {line.split(":")[0].strip(): line.strip() for line in lines if line.startswith("  ")}


@cache
def key_examples() -> Mapping[str, Any]:
    """Return the examples of single keys, by ``section.key`` or by key."""
    parsed: Mapping[str, Any] = parse(_KEY_EXAMPLES.read_bytes(), _KEY_EXAMPLES.suffix)
    return parsed


def scenario_keys_page() -> str:
    """Each key of a scenario with type, description and example."""
    return "\n".join(_lines(scenario.schema()))


def _lines(schema: Schema) -> Iterator[str]:
    yield from (_HEAD, "")
    yield from _keys(schema)
    for key in ("instance", "clock", "settings"):
        yield from (f"## {key}", "", schema["properties"][key]["description"], "")
        yield from _keys(schema["properties"][key], key)
    for name in sorted(schema["$defs"]):
        yield from (f"## {name}", "", _containers(schema, name), "")
        if name in _texts_of_examples():
            yield from ("```yaml", _texts_of_examples()[name], "```", "")
        yield from _keys(schema["$defs"][name], name)


def _containers(schema: Schema, name: str) -> str:
    """Say in which maps a section can be, and whether it has one map or several."""
    maps = {"the scenario": schema, **{f"`{key}`": part for key, part in schema["$defs"].items()}}
    places = [place for place, part in maps.items() if name in part["properties"]]
    within = next(maps[place]["properties"][name] for place in places)
    return f"{'One map' if '$ref' in within else 'Entries'} in {' and '.join(places)}."


def _keys(schema: Schema, section: str = "") -> Iterator[str]:
    required = set(schema.get("required", ()))
    rows = (
        (
            f"`{name}`{' (required)' if name in required else ''}",
            type_of(part),
            _escape(part["description"]),
            example_text(f"{section}.{name}", part),
        )
        for name, part in flatten(schema)
    )
    yield from table(("key", "value", "meaning", "example"), rows)


def _escape(text: str) -> str:
    """Keep `<username>` from being read as HTML."""
    return text.replace("<", "&lt;")


def flatten(schema: Schema, prefix: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield the keys of a map, and below it those of the maps in their values."""
    for name, part in schema["properties"].items():
        yield f"{prefix}{name}", part
        if prefix or name not in ("instance", "clock", "settings"):
            for inner in maps_in(part):
                yield from flatten(inner, f"{prefix}{name}.")


def maps_in(schema: Schema) -> Iterator[Schema]:
    if "properties" in schema:
        yield schema
    for part in (schema.get("items"), *schema.get("anyOf", ())):
        if isinstance(part, dict):
            yield from maps_in(part)


def type_of(schema: Schema) -> str:
    """Describe the values that a schema allows."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[map](#{name})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(type_of, schema["anyOf"])))
    if "enum" in schema:
        return _values(schema["enum"])
    if schema.get("type") == "array":
        return f"list of {type_of(schema.get('items', {}))}"
    types = schema.get("type", "any")
    return " or ".join(_TYPES[name] for name in ([types] if isinstance(types, str) else types))


def _values(values: Iterable[Any]) -> str:
    texts = [str(value).lower() if isinstance(value, bool) else str(value) for value in values]
    rest = f" … ({len(texts)} values)" if len(texts) > _MAX_VALUES else ""
    return f"{', '.join(f'`{text}`' for text in texts[:_MAX_VALUES])}{rest}"


_TYPES = {
    "any": "anything",
    "array": "list",
    "boolean": "true or false",
    "integer": "whole number",
    "null": "null",
    "number": "number",
    "object": "map",
    "string": "text",
}


def example_text(path: str, schema: Schema) -> str:
    """Return the example in the row of a key, by the path ``section.key``; maps with keys of their own have none."""
    name = path.rpartition(".")[2]
    if name in _texts_of_examples():
        return f"[below](#{name})"
    example = example_of(path, schema)
    return "" if example is None else f"`{_as_yaml(example)}`"


def _as_yaml(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case list():
            return f"[{', '.join(map(_as_yaml, value))}]"
        case dict():
            return f"{{{', '.join(f'{key}: {_as_yaml(item)}' for key, item in value.items())}}}"
        case _:
            return str(value)


def example_of(path: str, schema: Schema) -> Any:
    """Return an example of a key's value; None for maps, which have keys of their own or example entries."""
    if "enum" in schema:
        return schema["enum"][0]
    parts = path.split(".")
    paths = [".".join(parts[start:]) for start in range(len(parts))]
    declared = next((key_examples()[tail] for tail in paths if tail in key_examples()), None)
    return _derived_example(parts[-1], schema) if declared is None else declared


def _derived_example(name: str, schema: Schema, description: str = "") -> Any:
    description = schema.get("description", description)
    if "anyOf" in schema and "title" not in schema:
        found = (_derived_example(name, part, description) for part in schema["anyOf"])
        return next((example for example in found if example is not None), None)
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "array":
        inner = _derived_example(name.removesuffix("s"), schema.get("items", {}), description)
        return None if inner is None else [inner]
    types = schema.get("type", "object")
    return _plain_example(name, types if isinstance(types, str) else types[0], schema, description)


def _plain_example(name: str, kind: str, schema: Schema, description: str) -> Any:
    if kind == "boolean":
        return True
    if kind in ("integer", "number"):
        return max(1, schema.get("minimum", 1)) if schema.get("maximum", 1) >= 1 else schema["maximum"]
    return _text_example(name, schema, description) if kind == "string" else None


def _text_example(name: str, schema: Schema, description: str) -> str:
    title = schema.get("title", "")
    if " such as " in title:
        return str(title.partition(" such as ")[2].split(",")[0].split(" or ")[0])
    if schema.get("contentEncoding") == "base64":
        return "SGVsbG8="
    if named := _NAMED.search(description):
        return named[1]
    if _USERNAMES.search(description):
        return "dev"
    texts = {**_TEXTS, **key_examples()}
    return str(next((text for key, text in texts.items() if name == key or name.endswith(f"_{key}")), "Hello"))


_HEAD = """# Scenario keys

Every key that a scenario can have, generated from its JSON Schema. [Scenarios](scenarios.md) explains how to write one.

A key in the singular form has one map, most others have a list of maps; entries with a name can also be just the name.
Keys
that come from the API have the API's meaning.

## The scenario"""
