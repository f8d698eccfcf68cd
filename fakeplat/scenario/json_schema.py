"""The JSON Schema of scenarios (draft 2020-12), from what the sections declare."""

from fakeplat.scenario import sections  # noqa: F401  # registers the sections
from fakeplat.scenario.section import all_sections, keys_of
from fakeplat.scenario.shapes import JsonSchema
from fakeplat.scenario.world_keys import document_keys


def schema() -> JsonSchema:
    """The whole schema."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of fakeplat",
        **document_keys().schema(),
        "$defs": {
            section.key: keys_of(section).schema() for section in sorted(all_sections(), key=lambda found: found.key)
        },
    }
