"""Pipelines of projects: for a commit that is said, or for the one that the ref stands for."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.mistakes import nearest_name
from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import COUNT, NULLABLE_TEXT, Integer, Nullable, Number, Object
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.projects import pipelines
from fakeplat.domain.repository import repositories
from fakeplat.model.pipelines import ENDED, Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ALERTS, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.merge_requests import find_merge_request

_OWN: Final = fields(
    Pipeline,
    without=("id", "project_id", "user_id", "merge_request_id"),
    iid=Integer(minimum=1),
    duration=Nullable(COUNT),
    coverage=Nullable(Number(minimum=0)),
)
_RUN: Final = ("started_at", "finished_at", "duration")


def _make(entry: Entry) -> Pipeline:
    project, given = entry.owner, {**entry.given(_OWN), **_references(entry)}
    found = entry.world.pipelines.find("iid", (project.id, entry.said["iid"])) if "iid" in entry.said else None
    return _created(entry, project, given) if found is None else _changed(entry, found, given)


def _created(entry: Entry, project: Project, given: dict[str, Any]) -> Pipeline:
    given.setdefault("ref", project.default_branch)
    if given["ref"] is None:
        entry.wrong("needs 'ref'")
    if "sha" not in given:
        given["sha"] = _sha(entry, project, given["ref"], tag=given.get("tag", False))
    given.setdefault("created_at", entry.created_at)
    (made,) = pipelines.create_many(entry.ctx, project, [{**_times(given), **given}])
    return made


def _changed(entry: Entry, found: Pipeline, given: dict[str, Any]) -> Pipeline:
    """One that comes to another status does what it does on the platform: what waits for its success is merged."""
    times = {name: given.pop(name) for name in (*_RUN, "updated_at") if name in given}
    status = given.pop("status", found.status)
    moved = pipelines.set_status(entry.ctx, entry.world.pipelines.change(found, **given), status)
    return entry.world.pipelines.change(moved, **times)


def _times(said: dict[str, Any]) -> dict[str, Any]:
    """When it started and ended, where nothing is said of that: with it, and when it was last changed."""
    status, began = said.get("status"), said["created_at"]
    if status not in ("running", *ENDED):
        return {}
    if status == "running":
        return {"started_at": began}
    started, ended = said.get("started_at", began), said.get("finished_at", said.get("updated_at", began))
    took = (from_iso(ended) - from_iso(started)) // SECOND if started and ended else None
    return {"started_at": started, "finished_at": ended, "duration": took}


def _references(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "user" in entry.said:
        user = entry.user_or_none("user")
        found["user_id"] = user.id if user else None
    if entry.said.get("merge_request") is not None:
        found["merge_request_id"] = find_merge_request(entry, entry.said["merge_request"], "merge_request").id
        found["source"] = entry.said.get("source", "merge_request_event")
    return found


def _sha(entry: Entry, project: Project, ref: str, *, tag: bool) -> str:
    """The commit that a branch or tag stands for."""
    git, prefix = repositories.open_repository(entry.world, project), TAGS if tag else BRANCHES
    if prefix + ref not in git.refs:
        entry.wrong(
            f"unknown {'tag' if tag else 'branch'} {ref!r}",
            "ref",
            nearest_name(ref, git.tags() if tag else git.branches()),
        )
    return git.commit(prefix + ref).sha


def _tell(world: World, project: Project) -> Iterable[tuple[Pipeline, Told]] | None:
    return [(one, _told(world, one)) for one in world.pipelines.where("project", project.id)] or None


def _told(world: World, one: Pipeline) -> Told:
    found = telling.remove_defaults(
        telling.non_default_fields(one, _OWN, always=("status", *_RUN)), updated_at=one.created_at
    )
    user = telling.username_of(world, one.user_id)
    return {
        **found,
        **({"user": user} if user else {}),
        **_told_merge_request(world, one),
        **creation_order.turn_of(world, "pipelines", one.id),
    }


def _told_merge_request(world: World, one: Pipeline) -> Told:
    merge_request = world.merge_requests.get(one.merge_request_id) if one.merge_request_id is not None else None
    if merge_request is None:
        return {}
    path = project_path(world, world.projects[merge_request.project_id])
    return {"merge_request": f"{path}!{merge_request.iid}", "source": one.source}


SECTION: Final = Section(
    "pipelines",
    under=("project",),
    rank=ALERTS,
    keys=Object(
        {**_OWN, "user": NULLABLE_TEXT, "merge_request": NULLABLE_TEXT, creation_order.KEY: COUNT},
        descriptions={
            "started_at": "Otherwise with created_at where its status says that it ran.",
            "finished_at": "Otherwise with updated_at where its status says that it ended.",
            "ref": "A branch or, with tag, a tag; otherwise the default branch.",
            "sha": "A whole hash; otherwise that of the commit which the ref stands for.",
            "user": "A username.",
            "merge_request": "The merge request that it was made for, as acme/site!7.",
            creation_order.KEY: creation_order.DESCRIPTION,
        },
    ),
    make=_make,
    tell=_tell,
    whole="iid",
    kind="pipeline",
)
