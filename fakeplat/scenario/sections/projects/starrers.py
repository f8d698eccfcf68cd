"""Users who starred a project."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT, Object
from fakeplat.domain.projects import projects
from fakeplat.model.projects import Project, Star
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, EntryData, Section
from fakeplat.scenario.sections import serialization


def _create(entry: Entry) -> Star:
    project, user, stars = entry.owner, entry.user("username"), entry.world.stars
    star = stars.find("pair", (user.id, project.id))
    if star is None:
        projects.star(entry.ctx, project, user)
        # The star that was just added is the user's last one.
        star = stars.change(stars.where("user", user.id)[-1], created_at=entry.since)
    return stars.change(star, created_at=entry.values.get("starred_since", star.created_at))


def _export(world: World, project: Project) -> list[tuple[Star, EntryData]] | None:
    return [(star, _serialize(world, star)) for star in world.stars.where("project", project.id)] or None


def _serialize(world: World, star: Star) -> EntryData:
    return {"username": serialization.username_of(world, star.user_id), "starred_since": star.created_at}


SECTION: Final = Section(
    "starrers",
    within=("project",),
    rank=FURTHER,
    keys=Object({"username": TEXT, "starred_since": DATE_TIME}, required=("username",)),
    create=_create,
    export=_export,
    name_key="username",
    value_key="starred_since",
)
