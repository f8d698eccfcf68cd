"""Remote mirrors of projects. The ability is checked before everything else; without it, the answer is 401."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fakeplat.api.scopes import get_project
from fakeplat.core.operations.errors import Unauthorized
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.projects import push_mirrors, remote_mirrors
from fakeplat.domain.purging import purge
from fakeplat.entities.projects.mirrors import RemoteMirrorView
from fakeplat.model.projects import MirrorAuthentication, Project, RemoteMirror
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.behaviours import MIRRORS_TAKE_HOST_KEYS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Remote mirrors", login=Login.NEVER, located_first=True)


def _get_project(ctx: ReadContext, reference: str) -> Project:
    project = get_project(ctx, reference)
    decision = decide(ctx, Ability.ADMIN_REMOTE_MIRROR, project)
    if not decision.allowed:
        raise Unauthorized(reason=decision.why)
    if not (ctx.world.settings.mirror_available or ctx.admin):
        raise Unauthorized(reason="the application setting mirror_available is off")
    return project


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project")


@area.operation("GET", "remote_mirrors", scope=PROJECT, params=Paged, view=RemoteMirrorView, many=True, refusals=(401,))
def list_remote_mirrors(ctx: ReadContext, project: Project) -> Sequence[RemoteMirror]:
    """List the remote mirrors of a project."""
    return remote_mirrors.list_mirrors(ctx.world, project)


@area.operation(
    "GET",
    "remote_mirrors/:mirror_id",
    scope=PROJECT,
    view=RemoteMirrorView,
    since="<=14.10",
    refusals=(401, 404),
)
def get_remote_mirror(ctx: ReadContext, project: Project, mirror_id: str) -> RemoteMirror:
    """Get a remote mirror."""
    return remote_mirrors.get_mirror(ctx.world, project, mirror_id)


class MirrorAttributes(Params):
    """What a mirror is to do."""

    enabled: bool | None = None
    only_protected_branches: bool | None = None
    keep_divergent_refs: Annotated[bool | None, Lifetime(since="13.6")] = None
    mirror_branch_regex: Annotated[str | None, Lifetime(since="16.0")] = None
    host_keys: Annotated[list[str] | None, MIRRORS_TAKE_HOST_KEYS] = None


class CreateRemoteMirror(MirrorAttributes):
    """A new mirror."""

    url: str
    auth_method: Annotated[MirrorAuthentication | None, Lifetime(since="16.10")] = None


class UpdateRemoteMirror(MirrorAttributes):
    """Changes of a mirror."""

    auth_method: Annotated[str | None, Lifetime(since="16.10")] = None


@area.operation(
    "POST", "remote_mirrors", scope=PROJECT, params=CreateRemoteMirror, view=RemoteMirrorView, refusals=(400, 401)
)
def create_remote_mirror(ctx: WriteContext, project: Project, p: CreateRemoteMirror) -> RemoteMirror:
    """Create a remote mirror, which is off unless the request says otherwise. Nothing is ever pushed to it."""
    return remote_mirrors.create(ctx, project, **_sent(p))


@area.operation(
    "PUT",
    "remote_mirrors/:mirror_id",
    scope=PROJECT,
    params=UpdateRemoteMirror,
    view=RemoteMirrorView,
    refusals=(400, 401, 404),
)
def update_remote_mirror(ctx: WriteContext, project: Project, mirror_id: str, p: UpdateRemoteMirror) -> RemoteMirror:
    """Update a remote mirror."""
    return remote_mirrors.update(ctx, remote_mirrors.get_mirror(ctx.world, project, mirror_id), **_sent(p))


def _sent(p: Params) -> dict[str, Any]:
    """Return what was sent; a null turns the mirror off, or stands for the password."""
    fields = p.given()
    if "enabled" in fields:
        fields["enabled"] = bool(fields["enabled"])
    if "auth_method" in fields:
        fields["auth_method"] = fields["auth_method"] or "password"
    return fields


@area.operation(
    "POST",
    "remote_mirrors/:mirror_id/sync",
    name="sync_remote_mirror",
    scope=PROJECT,
    status=204,
    since="16.11",
    refusals=(400, 401, 404),
)
def sync_remote_mirror(ctx: WriteContext, project: Project, mirror_id: str) -> None:
    """Start an update of a remote mirror."""
    push_mirrors.start_update(ctx, project, remote_mirrors.get_mirror(ctx.world, project, mirror_id))


@area.operation(
    "GET",
    "remote_mirrors/:mirror_id/public_key",
    name="get_remote_mirror_public_key",
    scope=PROJECT,
    since="17.9",
    refusals=(401, 404),
)
def get_remote_mirror_public_key(ctx: ReadContext, project: Project, mirror_id: str) -> dict[str, str]:
    """Get the public key of a remote mirror."""
    return {"public_key": remote_mirrors.get_public_key(ctx, remote_mirrors.get_mirror(ctx.world, project, mirror_id))}


@area.operation("DELETE", "remote_mirrors/:mirror_id", scope=PROJECT, refusals=(401, 404))
def delete_remote_mirror(ctx: WriteContext, project: Project, mirror_id: str) -> None:
    """Delete a remote mirror."""
    purge(ctx, remote_mirrors.get_mirror(ctx.world, project, mirror_id))
