"""Environments of projects: find, create, update, start and stop. Source: docs/platform/deployments.md."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from string import ascii_lowercase, digits
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord, RecordNotFound
from fakeplat.core.store.records import evolve_record
from fakeplat.core.store.references import Subject
from fakeplat.core.timestamps import SECOND, from_iso, to_iso
from fakeplat.domain.clusters.cluster_validation import NAMESPACE, NAMESPACE_TEXT
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, check_url, too_long
from fakeplat.model.deployments import AutoStopSetting, Deployment, Environment, EnvironmentState, EnvironmentTier
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DASHBOARDS_NEED_AN_AGENT
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

AUTO_STOP: Final = "stop_environment"
AUTO_DELETE: Final = "delete_environment"
_NAME_TEXT: Final = (
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, "
    "but it cannot start or end with '/'"
)
# Accepts ``production`` and ``review/${CI_COMMIT_REF_SLUG}``; refuses ``/a``, ``a/`` and ``a:b``.
_NAME: Final = re.compile(r"[\w$. {}-](?:[\w/$. {}-]*[\w$. {}-])?", re.ASCII)
_MAX_SLUG: Final = 24
_SHORT_SLUG: Final = 17
_SUFFIX: Final = 6
# The first pattern that is found anywhere in the name decides.
_TIERS: Final[tuple[tuple[EnvironmentTier, re.Pattern[str]], ...]] = (
    ("development", re.compile("dev|review|trunk", re.IGNORECASE)),
    ("testing", re.compile("test|tst|int|ac(?:ce)?pt|qa|qc|control|quality", re.IGNORECASE)),
    ("staging", re.compile("sta?g|mode?l|pre|demo|non", re.IGNORECASE)),
    ("production", re.compile("pro?d|live", re.IGNORECASE)),
)
_DASHBOARD: Final = ("cluster_agent_id", "kubernetes_namespace", "flux_resource_path")
_LONGEST_NAMESPACE: Final = 63
_BASE_36: Final = digits + ascii_lowercase


def find_by_name(world: World, project: Project, name: str) -> Environment | None:
    """Return the environment with exactly this name."""
    return world.environments.find("place", (project.id, name))


def get_environment(world: World, project: Project, id_: int) -> Environment:
    """Return an environment of a project, or raise 404."""
    environment = world.environments.get(id_)
    if environment is None or environment.project_id != project.id:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no environment {id_}")
    return environment


def find_last_deployment(world: World, environment: Environment, *, other_than: int = 0) -> Deployment | None:
    """Return the newest successful deployment to an environment, except one of them."""
    newest_first = world.deployments.where("environment", environment.id).in_reverse()
    return next((each for each in newest_first if each.status == "success" and each.id != other_than), None)


def list_environments(
    world: World, project: Project, *, name: str = "", prefix: str = "", states: Sequence[str] = ()
) -> list[Environment]:
    """Return the environments of a project: those with a name, with names that start with a prefix, in some states."""
    return [
        environment
        for environment in world.environments.where("project", project.id)
        if (not name or environment.name == name)
        and environment.name.lower().startswith(prefix.lower())
        and (not states or environment.state in states)
    ]


class EnvironmentFields(TypedDict, total=False):
    """Further fields of an environment."""

    created_at: str
    updated_at: str
    state: EnvironmentState
    external_url: str | None
    slug: str
    auto_stop_at: str | None
    tier: EnvironmentTier | None
    auto_delete_at: str | None
    auto_stop_setting: AutoStopSetting
    description: str | None
    kubernetes_namespace: str | None
    flux_resource_path: str | None
    cluster_agent_id: int | None


class EnvironmentChanges(EnvironmentFields, total=False):
    """Changes of an environment."""

    name: str | None


def create(ctx: WriteContext, project: Project, name: str, **fields: Unpack[EnvironmentFields]) -> Environment:
    """Create an environment from a name and any field of the record."""
    table, created_at = ctx.world.environments, fields.get("created_at", ctx.now_iso)
    times = {"created_at": created_at, "updated_at": created_at}
    values = _clean({"slug": generate_slug(name), **times, "tier": None, **fields}, name)
    environment = Environment(id=table.next_id(), project_id=project.id, name=name, **values)
    _validate(ctx, environment, None)
    return _schedule(ctx, table.add(environment))


def get_or_create(ctx: WriteContext, project: Project, name: str) -> Environment:
    """Return the environment with a name, and create it if it does not exist."""
    return find_by_name(ctx.world, project, name) or create(ctx, project, name)


def find_or_create_if_valid(ctx: WriteContext, project: Project, name: str) -> Environment | None:
    """Return the environment with a name, and create it if it does not exist; None if the name is invalid."""
    try:
        return get_or_create(ctx, project, name)
    except InvalidRecord:
        return None


def update(ctx: WriteContext, environment: Environment, **fields: Unpack[EnvironmentChanges]) -> Environment:
    """Change fields of an environment; its slug stays, whatever its name is."""
    updated = evolve_record(environment, **_clean(fields, fields.get("name") or environment.name))
    if updated == environment:
        return environment
    _validate(ctx, updated, environment)
    table = ctx.world.environments
    return _schedule(
        ctx, table.replace(environment, evolve_record(updated, updated_at=fields.get("updated_at", ctx.now_iso)))
    )


def update_if_valid(ctx: WriteContext, environment: Environment, **fields: Unpack[EnvironmentChanges]) -> Environment:
    """Change fields of an environment; it stays as it is if they are invalid."""
    try:
        return update(ctx, environment, **fields)
    except InvalidRecord:
        return environment


def set_state(ctx: WriteContext, environment: Environment, state: EnvironmentState) -> Environment:
    """Start or stop an environment, without running any job; a stopped one no longer stops by itself."""
    changes: EnvironmentChanges = {"auto_stop_at": None} if state == "stopped" else {}
    changes["state"] = state
    return update(ctx, environment, **changes)


def stop_in(ctx: WriteContext, environment: Environment, seconds: int) -> Environment:
    """Let an environment stop by itself after some time."""
    return update(ctx, environment, auto_stop_at=to_iso(ctx.now() + seconds * SECOND))


def generate_slug(name: str) -> str:
    """Return the slug of a name: the name itself where possible, else a short form with a digest of the name."""
    slug = re.sub(r"[^a-z0-9]", "-", name.lower())
    slug = re.sub("-+", "-", slug if slug[:1] in (*ascii_lowercase,) else f"env-{slug}")
    if len(slug) <= _MAX_SLUG and slug == name:
        return slug.removesuffix("-")
    return f"{slug[:_SHORT_SLUG].removesuffix('-')}-{_digest(name)}"


def guess_tier(name: str) -> EnvironmentTier:
    """Return the kind of place that an environment's name suggests."""
    return next((tier for tier, pattern in _TIERS if pattern.search(name)), "other")


def _digest(name: str) -> str:
    """Return the last digits of a name's SHA-256 in base 36."""
    number, suffix = int(sha256(name.encode()).hexdigest(), 16), ""
    for _ in range(_SUFFIX):
        number, digit = divmod(number, len(_BASE_36))
        suffix = _BASE_36[digit] + suffix
    return suffix


def _clean(fields: Mapping[str, object], name: str) -> dict[str, Any]:
    # An empty URL is none; a name of None is blank; a tier of None is guessed again.
    empty = {"external_url": None, "name": "", "tier": guess_tier(name)}
    return {key: value or empty[key] if key in empty else value for key, value in fields.items()}


def _validate(ctx: WriteContext, environment: Environment, before: Environment | None) -> None:
    world, errors, name = ctx.world, ValidationErrors(), environment.name
    errors.when(not name.strip(), "name", BLANK)
    errors.when(_is_taken(world, environment, "place", name), "name", TAKEN)
    too_long(errors, "name", name)
    errors.when(not _NAME.fullmatch(name), "name", _NAME_TEXT)
    errors.when(_is_taken(world, environment, "slug", environment.slug), "slug", TAKEN)
    too_long(errors, "external_url", environment.external_url)
    check_url(errors, "external_url", environment.external_url)
    if ctx.profile.has(DASHBOARDS_NEED_AN_AGENT):
        _check_dashboard(errors, environment, before)
    errors.refuse()


def _check_dashboard(errors: ValidationErrors, environment: Environment, before: Environment | None) -> None:
    """Check that a namespace has an agent, and a path a namespace; not if neither of the two changes."""
    agent_id, namespace, path = (getattr(environment, name) for name in _DASHBOARD)
    agent_before, namespace_before, path_before = (getattr(before, name, None) for name in _DASHBOARD)
    if namespace is not None and (agent_id, namespace) != (agent_before, namespace_before):
        errors.when(not namespace, "kubernetes_namespace", "is too short (minimum is 1 character)")
        too_long(errors, "kubernetes_namespace", namespace, _LONGEST_NAMESPACE)
        errors.when(not NAMESPACE.fullmatch(namespace), "kubernetes_namespace", NAMESPACE_TEXT)
        errors.when(namespace and agent_id is None, "kubernetes_namespace", "cannot be set without a cluster agent")
    if path is not None and (namespace, path) != (namespace_before, path_before):
        too_long(errors, "flux_resource_path", path)
        is_alone = path and not namespace
        errors.when(is_alone, "flux_resource_path", "cannot be set without a kubernetes namespace")


def _is_taken(world: World, environment: Environment, index: str, value: str) -> bool:
    other = world.environments.find(index, (environment.project_id, value))
    return other is not None and other.id != environment.id


def _schedule(ctx: WriteContext, environment: Environment) -> Environment:
    """Schedule when an environment stops or is deleted by itself, and forget the times that were scheduled before."""
    subject: Subject = ("environments", environment.id)
    stops_at = environment.auto_stop_at if environment.is_available else None
    for name, at in ((AUTO_STOP, stops_at), (AUTO_DELETE, environment.auto_delete_at)):
        ctx.cancel_tasks(subject, name)
        if at is not None:
            # Nobody waits for it: otherwise `settle()` would stop every environment.
            ctx.schedule(name, subject, from_iso(at), recurring=True)
    return environment


def list_stale(world: World, project: Project, before: str) -> list[Environment]:
    """Return the available environments of a project that were neither changed nor deployed to since a time."""
    rows = [each for each in world.environments.where("project", project.id) if each.is_available]
    return [each for each in rows if each.updated_at < before and not _has_deployment_since(world, each, before)]


def _has_deployment_since(world: World, environment: Environment, time: str) -> bool:
    return any(each.updated_at >= time for each in world.deployments.where("environment", environment.id))


def list_stopped_review_apps(world: World, project: Project, before: str, limit: int) -> list[Environment]:
    """Return the stopped environments below ``review`` that were created before a time, the oldest first."""
    rows = [
        each
        for each in world.environments.where("project", project.id)
        if not each.is_available and each.folder == "review" and each.auto_delete_at is None
    ]
    return sorted((each for each in rows if each.created_at < before), key=lambda each: each.created_at)[:limit]
