"""Deploy keys, and the projects that they are enabled in. Source: docs/platform/deploy-keys-tokens.md."""

from collections.abc import Iterator, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.ssh_keys import normalize_public_key, parse_public_key
from fakeplat.domain import signals
from fakeplat.domain.people import ssh_keys
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import TAKEN, ValidationErrors
from fakeplat.model.people import Level
from fakeplat.model.projects import DeployKey, DeployKeyProject, Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import SHARED_DEPLOY_KEYS_KEEP_TITLES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import project_level

IN_PROJECT: Final = "deploy_key."
"""The prefix of the fields in the errors of a key that is created in a project."""


def list_all(world: World, *, public: bool = False) -> Sequence[DeployKey]:
    """Return all deploy keys, or the public ones."""
    return [key for key in world.deploy_keys.all() if key.public or not public]


def find_by_text(world: World, text: str) -> DeployKey | None:
    """Return the deploy key with a text."""
    public_key = parse_public_key(normalize_public_key(text.strip()))
    return None if public_key is None else world.deploy_keys.find("fingerprint", public_key.fingerprint)


def list_in_project(world: World, project: Project) -> Sequence[DeployKeyProject]:
    """Return the deploy keys that are enabled in a project."""
    return world.deploy_key_projects.where("project", project.id)


def find_in_project(world: World, project: Project, key_id: int) -> DeployKeyProject | None:
    """Return a deploy key that is enabled in a project."""
    return world.deploy_key_projects.find("pair", (key_id, project.id))


def require_in_project(world: World, project: Project, key_id: int) -> DeployKeyProject:
    """Return a deploy key that is enabled in a project, or refuse with 404."""
    link = find_in_project(world, project, key_id)
    if link is None:
        raise RecordNotFound(reason=lambda: f"the deploy key {key_id} is not enabled in {describe(world, project)}")
    return link


def list_projects(world: World, key: DeployKey, *, can_push: bool) -> Iterator[Project]:
    """Yield the projects to which a key can push, or those that it can only read."""
    for link in world.deploy_key_projects.where("deploy_key", key.id):
        if link.can_push is can_push:
            yield world.projects[link.project_id]


class DeployKeyFields(TypedDict, total=False):
    """Further fields of a new deploy key."""

    created_at: str
    updated_at: str
    user_id: int | None
    public: bool
    expires_at: str | None


def add_to_project(
    ctx: WriteContext, project: Project, *, title: str, text: str, can_push: bool, **fields: Unpack[DeployKeyFields]
) -> DeployKeyProject:
    """Enable the key with a text in a project, and create it if the caller has no access to such a key yet.

    If it is enabled already, nothing changes.
    """
    same_keys = ctx.world.deploy_keys.where("key", text.strip())
    enabled = next((link for key in same_keys if (link := find_in_project(ctx.world, project, key.id))), None)
    if enabled is not None:
        return enabled
    key = next((key for key in same_keys if _is_accessible(ctx, key)), None)
    if key is None:
        key = create(ctx, title=title, text=text, prefix=IN_PROJECT, **fields)
    return enable(ctx, project, key, can_push=can_push)


def create(
    ctx: WriteContext,
    *,
    title: str,
    text: str,
    prefix: str = "",
    taken: str = "fingerprint",
    **fields: Unpack[DeployKeyFields],
) -> DeployKey:
    """Create a deploy key; ``prefix`` and ``taken`` are the prefix of fields in errors, and the field of duplicates."""
    text = normalize_public_key(text.strip())
    public_key = parse_public_key(text)
    errors = ValidationErrors()
    ssh_keys.add_title_errors(errors, title, prefix)
    ssh_keys.add_key_errors(errors, ctx.world, text, public_key, prefix)
    table = ctx.world.deploy_keys
    errors.when(public_key and ssh_keys.is_taken(ctx.world, public_key), f"{prefix}{taken}", TAKEN)
    errors.refuse()
    values: DeployKeyFields = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso, **fields}
    fingerprints = (public_key.fingerprint, public_key.fingerprint_sha256) if public_key else ("", "")
    key = table.add(DeployKey(table.next_id(), title, text, *fingerprints, **values))
    signals.post_create.send(ctx, key)
    return key


def enable(
    ctx: WriteContext, project: Project, key: DeployKey, *, can_push: bool = False, **times: str
) -> DeployKeyProject:
    """Enable a key in a project, if it is not enabled yet."""
    table, now = ctx.world.deploy_key_projects, {"created_at": ctx.now_iso, "updated_at": ctx.now_iso}
    existing = find_in_project(ctx.world, project, key.id)
    if existing is not None:
        return existing
    link = table.add(DeployKeyProject(table.next_id(), key.id, project.id, can_push=can_push, **{**now, **times}))
    signals.post_create.send(ctx, link)
    return link


def get_enableable(ctx: ReadContext, key_id: int) -> DeployKey:
    """Return a key that the caller can enable in other projects, or refuse with 404."""
    key = ctx.world.deploy_keys.get(key_id)
    if key is None or not (ctx.admin or _is_accessible(ctx, key)):
        raise NotFound("Deploy Key", reason=lambda: f"{caller_name(ctx)} has no access to a deploy key {key_id}")
    return key


def update(
    ctx: WriteContext, link: DeployKeyProject, *, title: str | None = None, can_push: bool | None = None
) -> DeployKeyProject:
    """Change a key's right to push to a project, and its title, which is ignored of those who may not change it."""
    world = ctx.world
    key = world.deploy_keys[link.deploy_key_id]
    if title is not None and _can_rename(ctx, key):
        errors = ValidationErrors()
        ssh_keys.add_title_errors(errors, title, IN_PROJECT)
        errors.refuse()
        world.deploy_keys.change(key, title=title, updated_at=ctx.now_iso)
    if can_push is None or can_push is link.can_push:
        return link
    return world.deploy_key_projects.change(link, can_push=can_push, updated_at=ctx.now_iso)


def _can_rename(ctx: ReadContext, key: DeployKey) -> bool:
    """Return whether the caller, who administers a project of a key, may change its title.

    Administrators may; others only that of a private key, later only if no other project uses it.
    """
    if ctx.admin or key.public:
        return ctx.admin
    is_shared = len(ctx.world.deploy_key_projects.where("deploy_key", key.id)) > 1
    return not (is_shared and ctx.profile.has(SHARED_DEPLOY_KEYS_KEEP_TITLES))


def delete_orphan(ctx: WriteContext, link: DeployKeyProject) -> None:
    """Delete a private key that was disabled in its last project."""
    key = ctx.world.deploy_keys.get(link.deploy_key_id)
    if key is not None and not key.public and not ctx.world.deploy_key_projects.where("deploy_key", key.id):
        purge(ctx, key)


def _is_accessible(ctx: ReadContext, key: DeployKey) -> bool:
    """Return whether a key is public, or enabled in a project of which the caller is a member."""
    if key.public:
        return True
    user, world = ctx.signed_in_user, ctx.world
    links = world.deploy_key_projects.where("deploy_key", key.id)
    return any(project_level(world, world.projects[link.project_id], user.id) >= Level.GUEST for link in links)
