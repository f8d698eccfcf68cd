"""Remote mirrors of projects. They are kept, but never pushed to."""

from collections.abc import Sequence
from typing import Any, Final, Required, TypedDict, Unpack, get_args
from urllib.parse import urlsplit, urlunsplit

from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.rsa_keys import derive_key
from fakeplat.core.ssh_keys import format_rsa_key
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.outbound_urls import explain_blocked_url
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.projects.mirror_host_keys import read_host_keys
from fakeplat.domain.validation import BLANK, ValidationErrors
from fakeplat.model.projects import MirrorAuthentication, Project, RemoteMirror, UpdateStatus
from fakeplat.model.world import World
from fakeplat.policy.behaviours import MIRRORS_NAME_WEB_SCHEMES_FIRST
from fakeplat.policy.context import ReadContext, WriteContext

_SCHEMES: Final = ("ssh", "git", "http", "https")
_WEB_FIRST: Final = ("http", "https", "ssh", "git")
_METHODS: Final = get_args(MirrorAuthentication)
_MASK: Final = "*****"
_NOT_MASKED: Final = "git"
"""The user of git over SSH, which is no secret."""


def list_mirrors(world: World, project: Project) -> Sequence[RemoteMirror]:
    """Return the mirrors of a project."""
    return world.remote_mirrors.where("project", project.id)


def get_mirror(world: World, project: Project, reference: str) -> RemoteMirror:
    """Return the mirror of a project with an id, or refuse with 404."""
    mirror = world.remote_mirrors.get(parse_number(reference) or 0)
    if mirror is None or mirror.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{project_path(world, project)} has no remote mirror {reference}")
    return mirror


class NewRemoteMirror(TypedDict, total=False):
    """The fields of a new mirror."""

    url: Required[str]
    enabled: bool
    only_protected_branches: bool
    keep_divergent_refs: bool | None
    auth_method: MirrorAuthentication
    mirror_branch_regex: str | None
    host_keys: Sequence[str] | None
    update_status: UpdateStatus
    last_update_at: str | None
    last_update_started_at: str | None
    last_successful_update_at: str | None
    last_error: str | None


class RemoteMirrorChanges(TypedDict, total=False):
    """Changes of a mirror."""

    url: str
    enabled: bool
    only_protected_branches: bool | None
    keep_divergent_refs: bool | None
    auth_method: str
    mirror_branch_regex: str | None
    host_keys: Sequence[str] | None


def create(ctx: WriteContext, project: Project, **fields: Unpack[NewRemoteMirror]) -> RemoteMirror:
    """Create a mirror."""
    values: dict[str, Any] = {**fields, "host_keys": read_host_keys(fields.get("host_keys") or (), fields["url"])}
    _list_errors(ctx, fields).refuse()
    table = ctx.world.remote_mirrors
    return table.add(RemoteMirror(table.next_id(), project.id, **values))


def update(ctx: WriteContext, mirror: RemoteMirror, **fields: Unpack[RemoteMirrorChanges]) -> RemoteMirror:
    """Change a mirror."""
    if "host_keys" in fields:
        fields["host_keys"] = read_host_keys(fields["host_keys"] or (), mirror.url)
    _list_errors(ctx, fields).refuse()
    return ctx.world.remote_mirrors.change(mirror, **fields)


def _list_errors(ctx: ReadContext, fields: NewRemoteMirror | RemoteMirrorChanges) -> ValidationErrors:
    errors = ValidationErrors()
    if "url" in fields:
        errors.when(not fields["url"].strip(), "url", BLANK)
        reason = _explain_blocked_url(ctx, fields["url"]) if fields["url"].strip() else ""
        errors.when(reason, "url", f"is blocked: {reason}")
    if "only_protected_branches" in fields:
        errors.when(fields["only_protected_branches"] is None, "only_protected_branches", BLANK)
    errors.when(fields.get("auth_method", "password") not in _METHODS, "auth_method", "is not included in the list")
    return errors


def _explain_blocked_url(ctx: ReadContext, url: str) -> str:
    reason = explain_blocked_url(url, _WEB_FIRST if ctx.profile.has(MIRRORS_NAME_WEB_SCHEMES_FIRST) else _SCHEMES)
    user = "" if reason else urlsplit(url).username or ""
    starts_badly = user != "" and not user[0].isalnum()
    return "Username needs to start with an alphanumeric character" if starts_badly else reason


def get_public_key(ctx: ReadContext, mirror: RemoteMirror) -> str:
    """Return the key by which a mirror signs in; 404 for one that does so by a password."""
    if mirror.auth_method != "ssh_public_key" or urlsplit(mirror.url).scheme != "ssh":
        raise NotFound(reason=f"the mirror {mirror.id} does not sign in by a key over SSH")
    key = derive_key(ctx.world.setup.seed, f"remote mirror {mirror.id}")
    return format_rsa_key(key, f"git@{ctx.hostname}")


def mask_url(url: str) -> str:
    """Return a URL whose user and password are replaced by asterisks."""
    parts = urlsplit(url)
    if parts.username is None:
        return url
    user = parts.username if parts.username in ("", _NOT_MASKED) else _MASK
    credentials = user if parts.password is None else f"{user}:{_MASK}"
    return urlunsplit(parts._replace(netloc=f"{credentials}@{parts.netloc.rpartition('@')[2]}"))
