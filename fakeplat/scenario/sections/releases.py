"""Releases of projects, with links and evidence. Their tags may have been deleted."""

from typing import Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.shapes import DATE_TIME, TEXT, ListOf, Object
from fakeplat.domain.planning import milestones
from fakeplat.domain.purging import purge
from fakeplat.domain.releases import evidences, release_links, releases
from fakeplat.model.releases import Evidence, Release, ReleaseLink
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ISSUES, EntryData
from fakeplat.scenario.sections import serialization

_LINK_FIELDS: Final = own_fields(ReleaseLink)
_EVIDENCE_FIELDS: Final = {"summary": TEXT, "created_at": DATE_TIME}
_OWN_FIELDS: Final = own_fields(Release)


def _create(entry: Entry) -> Release:
    project, values, ctx = entry.owner, entry.values, entry.ctx
    existing = releases.find(entry.world, project, values["tag_name"])
    if existing is not None:
        purge(ctx, existing)
    author = entry.user_or_none("author")
    tag = releases.find_tag(entry.world, project, values["tag_name"])
    release = releases.insert(
        ctx,
        project,
        **{
            "created_at": entry.since,
            "sha": tag.commit if tag else None,
            **entry.select(_OWN_FIELDS),
            "author_id": author.id if author else None,
            "milestone_ids": tuple(_get_milestone(entry, title) for title in values.get("milestones", ())),
        },
    )
    _create_parts(entry, release)
    return release


def _create_parts(entry: Entry, release: Release) -> None:
    times = {"created_at": release.created_at, "updated_at": release.created_at}
    for link in entry.values.get("links", ()):
        release_links.insert(entry.ctx, release, **{**times, **link})
    for evidence in entry.values.get("evidences", ()):
        table = entry.world.evidences
        created_at = evidence.get("created_at", release.released_at)
        table.add(Evidence(table.next_id(), release.id, evidence["summary"], created_at))
    # What is released already has the evidence of the entry, or none.
    if release.released_at > entry.ctx.now_iso:
        evidences.schedule(entry.ctx, release)


def _get_milestone(entry: Entry, title: str) -> int:
    available = {milestone.title: milestone.id for milestone in milestones.list_available(entry.world, entry.owner)}
    if title in available:
        return int(available[title])
    return entry.fail(f"unknown milestone {title!r}", "milestones", nearest_name(title, [*available]))


def _defaults(release: Release) -> EntryData:
    return {"name": release.tag_name, "released_at": release.created_at}


def _serialize_parts(world: World, release: Release) -> EntryData:
    return {
        "milestones": [world.milestones[id_].title for id_ in release.milestone_ids],
        "links": [_serialize_link(release, link) for link in world.release_links.where("release", release.id)],
        "evidences": [
            {"summary": evidence.summary, "created_at": evidence.created_at}
            for evidence in evidences.list_evidences(world, release)
        ],
    }


def _serialize_link(release: Release, link: ReleaseLink) -> EntryData:
    data = serialization.non_default_fields(link, _LINK_FIELDS)
    return serialization.remove_defaults(data, created_at=release.created_at, updated_at=release.created_at)


SECTION: Final = derive_section(
    "releases",
    Release,
    within=("project",),
    # After the milestones and tags that they name.
    rank=ISSUES,
    further_keys={
        "author": TEXT,
        "milestones": ListOf(TEXT),
        "links": ListOf(Object(_LINK_FIELDS, required=("name", "url"))),
        "evidences": ListOf(Object(_EVIDENCE_FIELDS, required=("summary",))),
    },
    references={"author": "author_id"},
    required=("tag_name",),
    descriptions={
        "sha": "Default: the commit of the tag, if it exists.",
        "name": "Default: the name of the tag.",
        "author": "Default: none.",
        "milestones": "The titles of milestones of the project, or of groups above it.",
        "released_at": "Default: created_at. Evidence of an upcoming release is collected then.",
    },
    create=_create,
    defaults=_defaults,
    parts=_serialize_parts,
    name_key="tag_name",
    case_sensitive=True,
)
