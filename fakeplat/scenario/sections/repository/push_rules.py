"""Push rules of projects and groups, under ``push_rule``."""

from typing import Final

from fakeplat.domain.repository import push_rules
from fakeplat.model.repository import PushRule
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields

_FIELDS: Final = own_fields(PushRule)


def _create(entry: Entry) -> PushRule:
    existing = push_rules.find_rule(entry.world, entry.owner)
    if existing is not None:
        return push_rules.update(entry.ctx, existing, **entry.select(_FIELDS))
    return push_rules.create(entry.ctx, entry.owner, **{"created_at": entry.since, **entry.select(_FIELDS)})


SECTION: Final = derive_section("push_rule", PushRule, within=("project", "group"), create=_create, single=True)
