"""Users who starred a project."""

from typing import Final

from fakeplat.core.schema.shapes import DATE_TIME, TEXT
from fakeplat.domain.projects import projects
from fakeplat.model.projects import Star
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> Star:
    project, user, stars = entry.owner, entry.user("username"), entry.world.stars
    star = stars.find("pair", (user.id, project.id))
    if star is None:
        projects.star(entry.ctx, project, user)
        # The star that was just added is the user's last one.
        star = stars.change(stars.where("user", user.id)[-1], created_at=entry.since)
    return stars.change(star, created_at=entry.values.get("starred_since", star.created_at))


SECTION: Final = derive_section(
    "starrers",
    Star,
    within=("project",),
    keys={"username": TEXT, "starred_since": DATE_TIME},
    references={"username": "user_id"},
    required=("username",),
    create=_create,
    parts=lambda _, star: {"starred_since": star.created_at},
    name_key="username",
    value_key="starred_since",
)
