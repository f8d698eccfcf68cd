"""Scenarios: what a world begins with, as YAML 1.2, JSON or data.

Everything goes through the verbs that the API uses. What is named and there already is changed, what is not there is
made; so `extends: other` means all that the other says, then this, and `load` adds a fragment to a living world.
Maps under `instance`, `clock` and `settings` are merged key by key; entries are merged by their natural keys (username,
path, full path, value of a token …); a list of plain values (`tag_list`, `scopes`) replaces the other's.
"""

from fakeplat.core.gc_pause import gc_paused

with gc_paused():  # what is imported stays
    from fakeplat.core.schema.mistakes import Mistake
    from fakeplat.scenario.documents import Document, Reference, Scenario, builtin_folder, find_scenario, list_names
    from fakeplat.scenario.errors import ScenarioError
    from fakeplat.scenario.export import export_world
    from fakeplat.scenario.loading import load
    from fakeplat.scenario.world_keys import schema
    from fakeplat.scenario.worlds import BaseWorld, base_world, check_file, create_platform

__all__ = [
    "BaseWorld",
    "Document",
    "Mistake",
    "Reference",
    "Scenario",
    "ScenarioError",
    "base_world",
    "builtin_folder",
    "check_file",
    "create_platform",
    "export_world",
    "find_scenario",
    "list_names",
    "load",
    "schema",
]
