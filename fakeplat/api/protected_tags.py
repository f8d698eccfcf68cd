"""Protected tags. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.protected_branches import Admitted, Protecting, accesses
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.repository import protection
from fakeplat.entities.protected import ProtectedTagView
from fakeplat.model.levels import Level
from fakeplat.model.projects import Project
from fakeplat.model.repositories import ProtectedTag
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.features import has

area: Final = Area("Protected tags", login=Login.NEVER, located_first=True)
PATH: Final = "protected_tags"


class ListProtectedTags(Paged):
    """Filters of the list."""

    search: str | None = None


@area.operation(
    "GET", PATH, under=PROJECT, may=May.ADMIN_PROTECTED, takes=ListProtectedTags, shows=ProtectedTagView, many=True
)
def list_protected_tags(cx: Context, project: Project, p: ListProtectedTags) -> Sequence[ProtectedTag]:
    """List protected tags and patterns."""
    wanted = (p.search or "").lower()
    return [tag for tag in cx.world.protected_tags.where("project", project.id) if wanted in tag.name.lower()]


@area.operation("GET", f"{PATH}/:name", under=PROJECT, may=May.ADMIN_PROTECTED, shows=ProtectedTagView, refuses=(404,))
def get_protected_tag(cx: Context, project: Project, name: str) -> ProtectedTag:
    """Get a protected tag or pattern."""
    return _found(cx, project, name)


def _found(cx: Context, project: Project, name: str) -> ProtectedTag:
    found = cx.world.protected_tags.find("name", (project.id, name))
    if found is None:
        there = [tag.name for tag in cx.world.protected_tags.where("project", project.id)]
        raise RecordNotFound(reason=f"no protection is named {name!r}; there are: {', '.join(there) or 'none'}")
    return found


class ProtectTag(Params):
    """What to protect, and who may still create it. Lists of users and groups are part of paid tiers."""

    name: str
    create_access_level: Protecting | None = None
    allowed_to_create: list[Admitted] | None = None


@area.operation(
    "POST", PATH, under=PROJECT, may=May.ADMIN_PROTECTED, takes=ProtectTag, shows=ProtectedTagView, refuses=(422,)
)
def create_protected_tag(cx: Doing, project: Project, p: ProtectTag) -> ProtectedTag:
    """Protect a tag, or all tags that match a pattern with ``*``."""
    allowed = p.allowed_to_create if has(cx.world, "premium", project) else None
    create = accesses(p.create_access_level, allowed, Level.MAINTAINER)
    return protection.protect_tag(cx, project, p.name, create)


@area.operation("DELETE", f"{PATH}/:name", under=PROJECT, may=May.ADMIN_PROTECTED, refuses=(404, 412))
def delete_protected_tag(cx: Doing, project: Project, name: str) -> None:
    """Unprotect a tag or pattern."""
    protected_tag = _found(cx, project, name)
    cx.unmodified_since(protected_tag.updated_at)
    cx.world.protected_tags.remove(protected_tag)
