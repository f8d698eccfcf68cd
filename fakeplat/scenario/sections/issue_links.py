"""Links between issues, in the order in which they were made."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Choice, Object
from fakeplat.domain.issues import issue_links
from fakeplat.model.issue_links import IssueLink
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, SCENARIO, Section, Told
from fakeplat.scenario.sections.issues import find_issue, format_reference

_TIMES: Final = ("created_at", "updated_at")


def _make(entry: Entry) -> IssueLink:
    source, target = (find_issue(entry, entry.said[end], end) for end in ("source", "target"))
    if source.id == target.id:
        entry.wrong("an issue cannot be linked to itself", "target")
    found = issue_links.find_link_between(entry.world, source.id, target.id)
    link = found or issue_links.insert_link(entry.ctx, source, target, entry.said.get("link_type", "relates_to"))
    times = {"created_at": entry.created_at, "updated_at": entry.created_at, **entry.given(_TIMES)}
    return entry.world.issue_links.change(link, **times)


def _tell(world: World, nothing: Any) -> Iterable[tuple[IssueLink, Told]] | None:
    del nothing
    return [(link, _told(world, link)) for link in world.issue_links.all()] or None


def _told(world: World, link: IssueLink) -> Told:
    ends = {"source": link.source_id, "target": link.target_id}
    said: Told = {end: format_reference(world, world.issues[id_]) for end, id_ in ends.items()}
    if link.link_type != "relates_to":
        said["link_type"] = link.link_type
    times = {"created_at": link.created_at}
    return said | times | ({} if link.updated_at == link.created_at else {"updated_at": link.updated_at})


SECTION: Final = Section(
    "issue_links",
    under=(SCENARIO,),
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
        descriptions={"source": "An issue, as acme/site#7.", "target": "The issue at the other end, as acme/site#8."},
    ),
    make=_make,
    tell=_tell,
)
