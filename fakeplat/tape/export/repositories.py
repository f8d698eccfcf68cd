"""What is said of a project's repository: what was fetched of it, and who may do what in it."""

from collections import Counter
from typing import Any, Final

from fakeplat.tape.export.field_mapping import Said
from fakeplat.tape.export.json_objects import Document, iterate_objects
from fakeplat.tape.export.natural_keys import Names
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import PROJECT
from fakeplat.tape.export.subresources import PROTECTED

_LEVELS: Final = ("push_access_levels", "merge_access_levels", "unprotect_access_levels", "create_access_levels")
_OWNERS: Final = "code_owner_approval_required"


def to_scenario(seen: Observations, id_: int, path: str, names: Names, left_out: Counter[str]) -> Said:
    """The repository of a project if it was fetched, and what is protected if that was listed: no more than that."""
    fetched = seen.repositories.get(id_)
    listed = {word: seen.parts_of(PROJECT, (id_, path), word) for word in PROTECTED}
    return {
        **({"repository": {**fetched.said}} if fetched else {}),
        **{
            word: [_protected(rule, names, left_out) for rule in rules]
            for word, rules in listed.items()
            if rules is not None
        },
    }


def _protected(rule: Document, names: Names, left_out: Counter[str]) -> Said:
    """A protected branch or tag."""
    levels: Said = {key: _admitted(key, rule[key], names, left_out) for key in _LEVELS if key in rule}
    return {"name": rule.get("name"), **levels, **({_OWNERS: True} if rule.get(_OWNERS) is True else {})}


def _admitted(key: str, listed: Any, names: Names, left_out: Counter[str]) -> list[Any]:
    """Who may do something: levels, and somebody by name; who is unknown is counted."""
    found: list[Any] = []
    for one in iterate_objects(listed):
        kind = next((kind for kind in ("user", "group") if isinstance(one.get(f"{kind}_id"), int)), None)
        known = names.users if kind == "user" else names.groups
        name = known.get(one[f"{kind}_id"]) if kind else None
        if kind is None:
            found.append(one.get("access_level"))
        elif name is not None:
            found.append({kind: name})
        left_out[f"{key} of somebody unknown"] += kind is not None and name is None
    return found
