"""Scenarios: what a world begins with, as YAML 1.2, JSON or data.

Everything goes through the verbs that the API uses. What is named and there already is changed, what is not there is
made; so `extends: other` means all that the other says, then this, and `load` adds a fragment to a living world.
Maps under `instance`, `clock` and `settings` are merged key by key; entries are merged by their natural keys (username,
path, full path, value of a token …); a list of plain values (`tag_list`, `scopes`) replaces the other's.
"""

from fakeplat.core.bulk import no_collection

with no_collection():  # what is imported stays
    from fakeplat.scenario.exporting import export
    from fakeplat.scenario.finding import Document, Reference, Scenario, builtin, find, names
    from fakeplat.scenario.json_schema import schema
    from fakeplat.scenario.loading import load
    from fakeplat.scenario.mistakes import Mistake, ScenarioError
    from fakeplat.scenario.worlds import Base, base, check, platform

__all__ = [
    "Base",
    "Document",
    "Mistake",
    "Reference",
    "Scenario",
    "ScenarioError",
    "base",
    "builtin",
    "check",
    "export",
    "find",
    "load",
    "names",
    "platform",
    "schema",
]
