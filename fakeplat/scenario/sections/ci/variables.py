"""CI variables of projects, groups and the instance in scenarios."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.ci import variables
from fakeplat.model.ci import CiVariable
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(CiVariable, without=("id", "subject"))


def _create(entry: Entry) -> CiVariable:
    fields_ = entry.select(_FIELDS)
    existing = _find_existing(entry)
    if existing is not None:
        return variables.update(entry.ctx, existing, **fields_)
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return variables.create(entry.ctx, entry.owner, **{**times, **fields_})


def _find_existing(entry: Entry) -> CiVariable | None:
    scope = entry.values.get("environment_scope", variables.ANY_ENVIRONMENT)
    return next(
        (
            variable
            for variable in variables.list_variables(entry.world, entry.owner)
            if (variable.key, variable.environment_scope) == (entry.values["key"], scope)
        ),
        None,
    )


def _export(world: World, owner: Any) -> Iterable[tuple[CiVariable, EntryData]] | None:
    return [
        (
            variable,
            serialization.remove_defaults(
                serialization.non_default_fields(variable, _FIELDS, always=("value",)), updated_at=variable.created_at
            ),
        )
        for variable in variables.list_variables(world, owner)
    ] or None


SECTION: Final = Section(
    "variables",
    within=(SCENARIO, "group", "project"),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("key", "value")),
    create=_create,
    export=_export,
)
