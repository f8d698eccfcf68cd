"""Scenarios: the initial records of a world, as YAML 1.2, JSON or data.

Records are created by the same domain functions as through the API. An entry updates the record with its natural key
(username, path, full path, value of a token …) if that exists, and creates it otherwise. So `extends: other` means:
load the other scenario, then this one; and `load` adds a fragment to a running world. Maps under `instance`, `clock`
and `settings` are merged key by key; a list of plain values (`tag_list`, `scopes`) replaces the older list.
"""

from fakeplat.core.gc_pause import gc_paused

with gc_paused():  # imported modules are never garbage
    from fakeplat.core.schema.mistakes import Mistake
    from fakeplat.scenario.documents import (
        Document,
        Reference,
        Scenario,
        builtin_folder,
        describe_missing,
        get_scenario,
        list_names,
        read_source,
    )
    from fakeplat.scenario.errors import ScenarioError
    from fakeplat.scenario.export import export_world
    from fakeplat.scenario.loader import showing_progress
    from fakeplat.scenario.loading import load
    from fakeplat.scenario.world_keys import schema
    from fakeplat.scenario.worlds import BaseWorld, base_world, check_file, check_scenario, create_platform

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
    "check_scenario",
    "create_platform",
    "describe_missing",
    "export_world",
    "get_scenario",
    "list_names",
    "load",
    "read_source",
    "schema",
    "showing_progress",
]
