"""Conversion of repositories and of protected branches and tags to scenario entries."""

from collections import Counter
from typing import Any, Final

from fakeplat.core.json_types import JsonValue
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.natural_keys import Names
from fakeplat.tape.export.subresources import PROTECTED
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import PROJECT

_LEVELS: Final = ("push_access_levels", "merge_access_levels", "unprotect_access_levels", "create_access_levels")
_CODE_OWNERS: Final = "code_owner_approval_required"


def to_scenario(observations: Observations, id_: int, path: str, names: Names, left_out: Counter[str]) -> Entry:
    """Return the repository of a project if it was fetched, and its protected branches and tags if they were listed."""
    fetched = observations.repositories.get(id_)
    rules_by_kind = {name: observations.subresources_of(PROJECT, (id_, path), name) for name in PROTECTED}
    return {
        **({"repository": {**fetched.entry}} if fetched else {}),
        **{
            name: [_protection_entry(rule, names, left_out) for rule in rules]
            for name, rules in rules_by_kind.items()
            if rules is not None
        },
    }


def _protection_entry(rule: Document, names: Names, left_out: Counter[str]) -> Entry:
    """Return the entry of a protected branch or tag."""
    levels: Entry = {key: _access_levels(key, rule[key], names, left_out) for key in _LEVELS if key in rule}
    return {"name": rule.get("name"), **levels, **({_CODE_OWNERS: True} if rule.get(_CODE_OWNERS) is True else {})}


def _access_levels(key: str, levels: JsonValue, names: Names, left_out: Counter[str]) -> list[Any]:
    """Return access levels, and users and groups by name; unknown ones are counted."""
    entries: list[Any] = []
    for level in iterate_objects(levels):
        # A level can grant access to a role, to a user or to a group; only the last two have an id.
        kind = next((kind for kind in ("user", "group") if isinstance(level.get(f"{kind}_id"), int)), None)
        names_by_id = names.users if kind == "user" else names.groups
        name = names_by_id.get(level[f"{kind}_id"]) if kind else None
        if kind is None:
            entries.append(level.get("access_level"))
        elif name is not None:
            entries.append({kind: name})
        left_out[f"{key} of unknown users or groups"] += kind is not None and name is None
    return entries
