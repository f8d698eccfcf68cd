"""Protected environments of projects and groups: who may deploy to them, and who approves that."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypedDict, get_args

from fakeplat.core.operations.errors import Conflict, Forbidden, RecordNotFound, Unprocessable
from fakeplat.domain.deployments import environments
from fakeplat.domain.repository import access_levels, protection
from fakeplat.domain.repository.access_levels import AccessChange
from fakeplat.model.ci import Job
from fakeplat.model.deployments import (
    DeploymentRule,
    EnvironmentTier,
    GroupProtectedEnvironment,
    ProtectedEnvironment,
)
from fakeplat.model.people import Group, Level, User
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import ENVIRONMENT_IS_PROTECTED, PROTECTED_ENVIRONMENTS_ARE_UNCHANGED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors_of, group_level, member_level, project_level

Protection = ProtectedEnvironment | GroupProtectedEnvironment
_TIERS: Final = get_args(EnvironmentTier)
_NO_LEVEL: Final = (
    "Deploy access levels access level can't be blank",
    "Deploy access levels access level is not included in the list",
)
_PROTECTED: Final = "Protected environment '{}' already exists"
_TOO_FEW: Final = "Deploy access levels is too short (minimum is 1 character)"
_NO_TIER: Final = f"Name must be one of environment tiers: {', '.join(_TIERS)}."

_MAY_NOT_MODIFY: Final = (
    "You do not have permission to modify the protected environment '{name}'. "
    "This endpoint enforces Protected Environment access policies.\n"
    "To resolve this, ask a project Maintainer or Owner to grant you access under "
    "Settings > CI/CD > Protected environments, or use an account with the required permissions.\n"
    "Learn more: {origin}/help/ci/environments/protected_environments.md"
)


def list_protected(world: World, project: Project) -> Sequence[ProtectedEnvironment]:
    """Return the protected environments of a project, by name."""
    return sorted(world.protected_environments.where("project", project.id), key=lambda environment: environment.name)


def list_protected_of_group(world: World, group: Group) -> Sequence[GroupProtectedEnvironment]:
    """Return the protected environments of a group, by name."""
    return sorted(world.group_protected_environments.where("group", group.id), key=lambda protected: protected.name)


def find_protected(world: World, container: Project | Group, name: str) -> Protection | None:
    """Return the protected environment of a project or group with a name."""
    if isinstance(container, Group):
        return world.group_protected_environments.find("name", (container.id, name))
    return world.protected_environments.find("name", (container.id, name))


def get_protected(world: World, container: Project | Group, name: str) -> Protection:
    """Return the protected environment of a project or group with a name, or refuse with 404."""
    environment = find_protected(world, container, name)
    if environment is None:
        raise RecordNotFound(reason=lambda: f"no environment {name!r} of {describe(world, container)} is protected")
    return environment


class ApprovalFields(TypedDict, total=False):
    """What has to be approved before a deployment starts."""

    required_approval_count: int
    approval_rules: tuple[DeploymentRule, ...]


class ProtectionChanges(NamedTuple):
    """Changes of the lists of a protected environment, and of the number of approvals, None for the present one."""

    deploy: Sequence[AccessChange] = ()
    approval_rules: Sequence[AccessChange] = ()
    required_approval_count: int | None = None


def protect(
    ctx: WriteContext, container: Project | Group, name: str, deploy: Iterable[Access], approvals: ApprovalFields
) -> Protection:
    """Protect an environment; entries of users and groups without access to the project are left out.

    409 if it is protected already, 422 for other faults.
    """
    if find_protected(ctx.world, container, name) is not None:
        choice = _PROTECTED if isinstance(container, Group) else ctx.profile.choose(ENVIRONMENT_IS_PROTECTED)
        raise Conflict(choice.format(name))
    qualified = tuple(access for access in deploy if _is_qualified(ctx.world, container, access))
    rules = tuple(rule for rule in approvals.get("approval_rules", ()) if _is_qualified(ctx.world, container, rule))
    _check(container, name, qualified)
    count = approvals.get("required_approval_count", 0)
    if isinstance(container, Group):
        table = ctx.world.group_protected_environments
        return table.add(
            GroupProtectedEnvironment(table.next_id(), container.id, name, qualified, ctx.now_iso, count, rules)
        )
    own = ctx.world.protected_environments
    return own.add(ProtectedEnvironment(own.next_id(), container.id, name, qualified, ctx.now_iso, count, rules))


def update(
    ctx: WriteContext, container: Project | Group, environment: Protection, changes: ProtectionChanges
) -> Protection:
    """Change the lists of a protected environment, and the number of approvals; 422 for who has no access."""
    deploy = access_levels.change(environment, environment.deploy, changes.deploy, Access)
    rules = access_levels.change(environment, environment.approval_rules, changes.approval_rules, DeploymentRule)
    if errors := list(_find_errors(environment.name, deploy)):
        raise Unprocessable(errors)
    _check_qualified(ctx.world, container, "Deploy access levels", deploy)
    _check_qualified(ctx.world, container, "Approval rules", rules)
    count = changes.required_approval_count
    kept = environment.required_approval_count
    fields = {
        "deploy": deploy,
        "approval_rules": rules,
        "required_approval_count": kept if count is None else count,
        "updated_at": ctx.now_iso,
    }
    if isinstance(environment, GroupProtectedEnvironment):
        return ctx.world.group_protected_environments.change(environment, **fields)
    return ctx.world.protected_environments.change(environment, **fields)


def _check_qualified(world: World, container: Project | Group, label: str, entries: Iterable[Access]) -> None:
    for entry in entries:
        if not _is_qualified(world, container, entry):
            word = "user" if entry.user_id is not None else "group"
            text = f"{label} {word} is not a member of this {'group' if isinstance(container, Group) else 'project'}"
            raise Unprocessable([text], reason=f"the {word} has no access")


def _is_qualified(world: World, container: Project | Group, access: Access) -> bool:
    if isinstance(container, Group):
        if access.user_id is not None:
            return group_level(world, container, access.user_id) >= Level.MAINTAINER
        return access.group_id is None or _is_within(world, access.group_id, container)
    if access.user_id is not None:
        return project_level(world, container, access.user_id) >= Level.DEVELOPER
    shared_with = ("project", container.id), access.group_id
    return access.group_id is None or world.shares.find("pair", shared_with) is not None


def _is_within(world: World, group_id: int, container: Group) -> bool:
    group = world.namespaces.get(group_id)
    return isinstance(group, Group) and any(each.id == container.id for each in ancestors_of(world, group))


def _check(container: Project | Group, name: str, deploy: Sequence[Access]) -> None:
    errors = list(_find_errors(name, deploy))
    if isinstance(container, Group) and name not in _TIERS:
        errors.append(_NO_TIER)
    if errors:
        raise Unprocessable(errors)


def _find_errors(name: str, deploy: Sequence[Access]) -> Iterator[str]:
    if any(entry.level is entry.user_id is entry.group_id is None for entry in deploy):
        yield from _NO_LEVEL
    if not deploy:
        yield _TOO_FEW
    if not name.strip():
        yield "Name can't be blank"


def list_protections(world: World, project: Project, name: str) -> list[Protection]:
    """Return what protects the environment of a project with a name: itself, and its tier in the groups above."""
    if not has_feature(world, "premium", project):
        return []
    environment = environments.find_by_name(world, project, name)
    tier = environment.tier if environment is not None else environments.guess_tier(name)
    own = world.protected_environments.find("name", (project.id, name))
    above = [
        world.group_protected_environments.find("name", (group.id, tier)) for group in ancestors_of(world, project)
    ]
    return [protection_ for protection_ in (own, *above) if protection_ is not None]


def admits(ctx: ReadContext, protection_: Protection, entries: Iterable[Access]) -> bool:
    """Return whether one of the entries of a protected environment is for the caller."""
    counted = [entry for entry in entries if _is_counted(ctx, entry)]
    if isinstance(protection_, GroupProtectedEnvironment):
        group = ctx.world.namespaces[protection_.group_id]
        return protection.admits(ctx, group, counted) if isinstance(group, Group) else False
    return protection.admits(ctx, ctx.world.projects[protection_.project_id], counted)


def _is_counted(ctx: ReadContext, entry: Access) -> bool:
    """Return whether an entry counts: one for a group is for its direct members, unless it says otherwise."""
    if entry.group_id is None or entry.group_inheritance_type or ctx.viewer is None or ctx.admin:
        return True
    return member_level(ctx.world, ("group", entry.group_id), ctx.viewer.id) > 0


def is_protected_from(ctx: ReadContext, project: Project, name: str, user: User | None) -> bool:
    """Return whether a user may not deploy to the environment of a project with a name."""
    protections = list_protections(ctx.world, project, name)
    if not protections:
        return False
    if user is None:
        return True
    as_user = ctx.as_user(user)
    return not all(admits(as_user, protection_, protection_.deploy) for protection_ in protections)


def authorize_environment(ctx: ReadContext, project: Project, name: str) -> None:
    """Raise Forbidden if an environment is protected from the caller."""
    if is_protected_from(ctx, project, name, ctx.viewer):
        raise Forbidden(reason=lambda: _explain(ctx, name))


def authorize_modification(ctx: ReadContext, project: Project, name: str) -> None:
    """Raise Forbidden with advice if an environment is protected from the caller; earlier releases do not ask."""
    if ctx.profile.has(PROTECTED_ENVIRONMENTS_ARE_UNCHANGED) and is_protected_from(ctx, project, name, ctx.viewer):
        text = _MAY_NOT_MODIFY.format(name=name, origin=ctx.origin)
        raise Forbidden(text, reason=lambda: _explain(ctx, name))


def is_job_barred(ctx: ReadContext, job: Job, user: User | None) -> bool:
    """Return whether the job of a user would deploy to an environment that is protected from the user."""
    project = ctx.world.projects[job.project_id]
    return job.environment is not None and is_protected_from(ctx, project, job.environment.name, user)


def authorize_deployment(ctx: ReadContext, job: Job) -> None:
    """Raise Forbidden if a job deploys to an environment that is protected from the caller."""
    if job.environment is not None:
        authorize_environment(ctx, ctx.world.projects[job.project_id], job.environment.name)


def _explain(ctx: ReadContext, name: str) -> str:
    return f"the environment {name} is protected from {caller_name(ctx)}"
