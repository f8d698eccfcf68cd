"""What users contributed to projects. Source: docs/platform/users.md ('Later operations')."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.timestamps import DAY, from_iso, to_iso_date
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

_DAYS: Final = 365
_KINDS: Final = ("issue", "merge_request", "note")


def list_projects(ctx: ReadContext, user: User) -> Sequence[Project]:
    """Return the projects in which a user pushed, or worked on issues or merge requests, within a year."""
    start = to_iso_date(from_iso(ctx.today) - _DAYS * DAY)
    ids = {
        event.project_id
        for event in ctx.world.events.where("author", user.id)
        if event.project_id and event.created_at >= start and (event.push is not None or event.kind in _KINDS)
    }
    return [ctx.world.projects[id_] for id_ in sorted(id_ for id_ in ids if id_)]
