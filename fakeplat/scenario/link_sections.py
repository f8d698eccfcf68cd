"""Sections of the links between two records of a kind (issues, epics), in the order of their creation."""

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Choice, Object
from fakeplat.model.epics import Epic, RelatedEpicLink
from fakeplat.model.issues import Issue, IssueLink
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData, Section

_DEFAULT_TYPE: Final = "relates_to"
_TIMES: Final = ("created_at", "updated_at")


L = TypeVar("L", IssueLink, RelatedEpicLink)
E = TypeVar("E", Issue, Epic)


def build_link_section(
    table_name: str,
    record: type[L],
    noun: str,
    examples: tuple[str, str],
    *,
    get_end: Callable[[Entry, str, str], E],
    find: Callable[[World, int, int], L | None],
    insert: Callable[[WriteContext, E, E, Any], L],
    format_end: Callable[[World, int], str],
) -> Section:
    """Return the section of a table of links between records that are called ``noun``."""

    def create(entry: Entry) -> L:
        source, target = (get_end(entry, entry.values[end], end) for end in ("source", "target"))
        if source.id == target.id:
            entry.fail(f"an {noun} cannot be linked to itself", "target")
        existing = find(entry.world, source.id, target.id)
        link = existing or insert(entry.ctx, source, target, entry.values.get("link_type", _DEFAULT_TYPE))
        times = {"created_at": entry.created_at, "updated_at": entry.created_at, **entry.select(_TIMES)}
        changed: L = getattr(entry.world, table_name).change(link, **times)
        return changed

    def export(world: World, _owner: object) -> Iterable[tuple[L, EntryData]] | None:
        return [(link, serialize(world, link)) for link in getattr(world, table_name).all()] or None

    def serialize(world: World, link: L) -> EntryData:
        data = {"source": format_end(world, link.source_id), "target": format_end(world, link.target_id)}
        kind = {} if link.link_type == _DEFAULT_TYPE else {"link_type": link.link_type}
        updated = {} if link.updated_at == link.created_at else {"updated_at": link.updated_at}
        return data | kind | {"created_at": link.created_at} | updated

    keys = {
        "source": TEXT,
        "target": TEXT,
        "link_type": Choice(_DEFAULT_TYPE, "blocks", "is_blocked_by"),
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    }
    descriptions = {
        "source": f"The linking {noun}, as {examples[0]}.",
        "target": f"The linked {noun}, as {examples[1]}.",
        "link_type": f"How the first {noun} is related to the second. Default: {_DEFAULT_TYPE}.",
    }
    return Section(
        table_name,
        within=(SCENARIO,),
        rank=ALERTS,
        keys=Object(keys, required=("source", "target"), descriptions=descriptions),
        create=create,
        export=export,
        record=record,
    )
