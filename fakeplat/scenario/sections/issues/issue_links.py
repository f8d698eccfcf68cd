"""Links between issues, in the order of their creation."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Choice, Object
from fakeplat.domain.issues import issue_links
from fakeplat.model.issues import IssueLink
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData, Section
from fakeplat.scenario.sections.issues.issues import format_reference, get_issue

_TIMES: Final = ("created_at", "updated_at")


def _create(entry: Entry) -> IssueLink:
    source, target = (get_issue(entry, entry.values[end], end) for end in ("source", "target"))
    if source.id == target.id:
        entry.fail("an issue cannot be linked to itself", "target")
    existing = issue_links.find_link_between(entry.world, source.id, target.id)
    link = existing or issue_links.insert_link(entry.ctx, source, target, entry.values.get("link_type", "relates_to"))
    times = {"created_at": entry.created_at, "updated_at": entry.created_at, **entry.select(_TIMES)}
    return entry.world.issue_links.change(link, **times)


def _export(world: World, _owner: object) -> Iterable[tuple[IssueLink, EntryData]] | None:
    return [(link, _serialize(world, link)) for link in world.issue_links.all()] or None


def _serialize(world: World, link: IssueLink) -> EntryData:
    ends = {"source": link.source_id, "target": link.target_id}
    data: EntryData = {end: format_reference(world, world.issues[id_]) for end, id_ in ends.items()}
    if link.link_type != "relates_to":
        data["link_type"] = link.link_type
    times = {"created_at": link.created_at}
    return data | times | ({} if link.updated_at == link.created_at else {"updated_at": link.updated_at})


SECTION: Final = Section(
    "issue_links",
    within=(SCENARIO,),
    rank=ALERTS,
    keys=Object(
        {
            "source": TEXT,
            "target": TEXT,
            "link_type": Choice("relates_to", "blocks", "is_blocked_by"),
            "created_at": DATE_TIME,
            "updated_at": DATE_TIME,
        },
        required=("source", "target"),
        descriptions={"source": "The linking issue, as acme/site#7.", "target": "The linked issue, as acme/site#8."},
    ),
    create=_create,
    export=_export,
    record=IssueLink,
)
