"""Descriptions of the keys of scenarios, which editors show. The texts are in descriptions.toml.

Most keys are fields of the API, and the same field occurs in many records. So a text is declared once for all records
that it is true of; a section declares only what is special to it.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from fakeplat.core.schema.shapes import JsonSchema
from fakeplat.scenario.section import SCENARIO

_FILE: Final = Path(__file__).with_name("descriptions.toml")
_EVERYWHERE: Final = "any"
_EVERY_KEY: Final = "*"

Texts = Mapping[str, Mapping[str, str]]


@cache
def read_texts() -> Texts:
    """Return the texts by table and key."""
    return tomllib.loads(_FILE.read_text("utf-8"))


def add_descriptions(schema: JsonSchema) -> JsonSchema:
    """Add the missing descriptions to the JSON Schema of scenarios, in place, and return it."""
    _describe(schema, (SCENARIO,))
    for name, definition in schema["$defs"].items():
        _describe(definition, (name,))
    return schema


def find_text(place: tuple[str, ...], key: str) -> str | None:
    """Return the text for a key of a map, which is given by the record and the keys that lead to it."""
    texts = read_texts()
    for table in (".".join(place), place[-1], _EVERYWHERE):
        text = texts.get(table, {}).get(key) or texts.get(table, {}).get(_EVERY_KEY)
        if text is not None:
            return text.replace("{record}", texts["records"].get(place[0], "record"))
    return None


def _describe(schema: object, place: tuple[str, ...]) -> None:
    """Describe the keys of the maps in a part of the schema."""
    if isinstance(schema, list):
        for part in schema:
            _describe(part, place)
        return
    if not isinstance(schema, dict):
        return
    for key, part in schema.get("properties", {}).items():
        _describe_key(schema, place, key)
        _describe(part, (*place, key))
    for keyword in ("items", "additionalProperties", "anyOf"):
        _describe(schema.get(keyword), place)


def _describe_key(schema: JsonSchema, place: tuple[str, ...], key: str) -> None:
    part = schema["properties"][key]
    if "description" in part:
        return
    original = schema.get("dependentSchemas", {}).get(key)
    if original is not None:
        part["description"] = f"Other name of {original['not']['required'][0]}."
        return
    text = find_text(place, key)
    if text is not None:
        part["description"] = text
