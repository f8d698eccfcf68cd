"""CI variables of projects, groups and the instance in scenarios."""

from typing import Final

from fakeplat.domain.ci import variables
from fakeplat.model.ci import CiVariable
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCENARIO

_FIELDS: Final = own_fields(CiVariable)


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


SECTION: Final = derive_section(
    "variables",
    CiVariable,
    within=(SCENARIO, "group", "project"),
    required=("key", "value"),
    create=_create,
    rows=variables.list_variables,
)
