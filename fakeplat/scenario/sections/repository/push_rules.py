"""Push rules of projects and groups, under ``push_rule``."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.people.members import Container
from fakeplat.domain.repository import push_rules
from fakeplat.model.repository import PushRule
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(PushRule, without=("id", "source"))


def _create(entry: Entry) -> PushRule:
    existing = push_rules.find_rule(entry.world, entry.owner)
    if existing is not None:
        return push_rules.update(entry.ctx, existing, **entry.select(_FIELDS))
    return push_rules.create(entry.ctx, entry.owner, **{"created_at": entry.since, **entry.select(_FIELDS)})


def _export(world: World, container: Container) -> Iterable[tuple[PushRule, EntryData]] | None:
    rule = push_rules.find_rule(world, container)
    return None if rule is None else [(rule, serialization.non_default_fields(rule, _FIELDS))]


SECTION: Final = Section(
    "push_rule",
    within=("project", "group"),
    rank=FURTHER,
    keys=Object(_FIELDS),
    create=_create,
    export=_export,
    single=True,
)
