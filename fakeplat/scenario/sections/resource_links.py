"""Links of incidents, under ``resource_links`` of an issue."""

from collections.abc import Sequence
from typing import Final, get_args

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Choice
from fakeplat.domain.alerts import resource_links
from fakeplat.model.alerts import ResourceLink, ResourceLinkType
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS

_TIMES: Final = ("created_at", "updated_at")


def _create(entry: Entry) -> ResourceLink:
    values = entry.values
    added = resource_links.insert(
        entry.ctx, entry.owner, values["link"], values.get("link_text"), values.get("link_type")
    )
    times = {**dict.fromkeys(_TIMES, entry.created_at), **entry.select(_TIMES)}
    return entry.world.resource_links.change(added, **times)


def _list_links(world: World, incident: Issue) -> Sequence[ResourceLink]:
    return world.resource_links.where("incident", incident.id)


SECTION: Final = derive_section(
    "resource_links",
    ResourceLink,
    within=("issue",),
    rank=ALERTS,
    keys={
        "link": TEXT,
        "link_text": TEXT,
        "link_type": Choice(*get_args(ResourceLinkType)),
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    required=("link",),
    create=_create,
    always=("link_text",),
    rows=_list_links,
)
