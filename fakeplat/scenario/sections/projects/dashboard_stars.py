"""Stars of users for dashboards of metrics."""

from typing import Final

from fakeplat.core.schema.shapes import TEXT
from fakeplat.domain.projects import dashboard_stars
from fakeplat.model.projects import DashboardStar
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section


def _create(entry: Entry) -> DashboardStar:
    path, user = entry.values["path"], entry.user("user")
    existing = dashboard_stars.find_star(entry.world, entry.owner, user, path)
    return existing or dashboard_stars.add_star(entry.ctx, entry.owner, user, path)


STARS: Final = derive_section(
    "dashboard_stars",
    DashboardStar,
    within=("project",),
    keys={"path": TEXT, "user": TEXT},
    references={"user": "user_id"},
    required=("path", "user"),
    create=_create,
    serialize=lambda world, star: {"path": star.dashboard_path, "user": world.users[star.user_id].username},
)
