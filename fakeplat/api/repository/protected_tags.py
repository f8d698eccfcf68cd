"""Protected tags. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.repository.protected_branches import (
    KeyAccessParams,
    ProtectionLevel,
    build_access_levels,
    select_in_tier,
)
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.purging import purge
from fakeplat.domain.repository import protection
from fakeplat.entities.repository.protected import ProtectedTagView
from fakeplat.model.projects import Project
from fakeplat.model.repository import ProtectedTag
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Protected tags", login=Login.NEVER, located_first=True)
PATH: Final = "protected_tags"


class ListProtectedTags(Paged):
    """Filters of the list of protected tags."""

    search: str | None = None


@area.operation(
    "GET",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_PROTECTED,
    params=ListProtectedTags,
    view=ProtectedTagView,
    many=True,
)
def list_protected_tags(ctx: ReadContext, project: Project, p: ListProtectedTags) -> Sequence[ProtectedTag]:
    """List protected tags and patterns."""
    text = (p.search or "").lower()
    return [tag for tag in ctx.world.protected_tags.where("project", project.id) if text in tag.name.lower()]


@area.operation(
    "GET", f"{PATH}/:name", scope=PROJECT, ability=Ability.ADMIN_PROTECTED, view=ProtectedTagView, refusals=(404,)
)
def get_protected_tag(ctx: ReadContext, project: Project, name: str) -> ProtectedTag:
    """Get a protected tag or pattern."""
    return _get_protection(ctx, project, name)


def _get_protection(ctx: ReadContext, project: Project, name: str) -> ProtectedTag:
    protected_tag = ctx.world.protected_tags.find("name", (project.id, name))
    if protected_tag is None:
        names = [tag.name for tag in ctx.world.protected_tags.where("project", project.id)]
        raise RecordNotFound(
            reason=f"no protected tag is named {name!r}; the protected tags are: {', '.join(names) or 'none'}"
        )
    return protected_tag


class ProtectTag(Params):
    """A new protection, and who may create matching tags. Lists of users and groups are part of paid tiers."""

    name: str
    create_access_level: ProtectionLevel | None = None
    allowed_to_create: list[KeyAccessParams] | None = None


@area.operation(
    "POST",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_PROTECTED,
    params=ProtectTag,
    view=ProtectedTagView,
    refusals=(422,),
)
def create_protected_tag(ctx: WriteContext, project: Project, p: ProtectTag) -> ProtectedTag:
    """Protect a tag, or all tags that match a pattern with ``*``."""
    allowed = select_in_tier(p.allowed_to_create, is_paid=has_feature(ctx.world, "premium", project))
    access_levels = build_access_levels(p.create_access_level, allowed)
    return protection.protect_tag(ctx, project, p.name, access_levels)


@area.operation("DELETE", f"{PATH}/:name", scope=PROJECT, ability=Ability.ADMIN_PROTECTED, refusals=(404, 412))
def delete_protected_tag(ctx: WriteContext, project: Project, name: str) -> None:
    """Unprotect a tag or pattern."""
    protected_tag = _get_protection(ctx, project, name)
    ctx.check_unmodified_since(protected_tag.updated_at)
    purge(ctx, protected_tag)
