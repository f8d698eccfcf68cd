"""May somebody do something to a thing? The answer carries its reason."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import Forbidden, Reason, Unauthorized, reason_text
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy import levels
from fakeplat.policy.abilities import VISIBLE, Ability
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe


class Decision(NamedTuple):
    """Whether it is allowed, and if not, why; the reason is put into words when somebody reads it."""

    allowed: bool
    why: Reason = ""

    @property
    def reason(self) -> str:
        """Why not, in words."""
        return reason_text(self.why)


YES: Final = Decision(True)


def decide(ctx: ReadContext, ability: Ability, subject: Any = None) -> Decision:
    """Decide. ``subject`` is a record, or None for what concerns the instance."""
    grant = ability.grant
    if grant.admin:
        return (
            YES
            if ctx.admin
            else Decision(False, lambda: f"{ability.value} is for administrators; {caller_name(ctx)} is none")
        )
    if grant.login and ctx.viewer is None:
        return Decision(False, lambda: f"{ability.value} is for who is signed in; nobody is")
    return _RULES[type(subject)](ctx, ability, subject)


def decide_as_member(ctx: ReadContext, ability: Ability, subject: Any) -> Decision:
    """Decide by the caller's memberships alone, as if an administrator were none."""
    if not ctx.admin:
        return decide(ctx, ability, subject)
    services: dict[str, Any] = {"clock": ctx.clock, "fragments": ctx.fragments, "limiter": ctx.limiter}
    return decide(ReadContext(ctx.world, evolve(ctx.signed_in_user, admin=False), **services), ability, subject)


def can(ctx: ReadContext, ability: Ability, subject: Any = None) -> bool:
    """Whether it is allowed."""
    return decide(ctx, ability, subject).allowed


def authorize(ctx: ReadContext, ability: Ability, subject: Any = None) -> None:
    """Let it pass, or refuse with 403 and the reason."""
    ruling = decide(ctx, ability, subject)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)


def authorize_admin(ctx: ReadContext, ability: Ability) -> None:
    """Let only administrators pass: nobody gets 401, others 403."""
    if ctx.viewer is None:
        raise Unauthorized(reason=lambda: f"{ability.value} is for administrators; nobody is signed in")
    authorize(ctx, ability)


def caller_name(ctx: ReadContext) -> str:
    """The caller's name in reasons."""
    return ctx.viewer.username if ctx.viewer else "nobody"


def level_on(ctx: ReadContext, subject: Any) -> int:
    """The caller's access level on a project, group or user namespace; administrators own everything."""
    if ctx.admin:
        return Level.OWNER
    if ctx.viewer is None:
        return Level.NONE
    if isinstance(subject, Project):
        return levels.project_level(ctx.world, subject, ctx.viewer.id)
    if isinstance(subject, UserNamespace):
        return Level.OWNER if subject.owner_id == ctx.viewer.id else Level.NONE
    return levels.group_level(ctx.world, subject, ctx.viewer.id)


def can_see(ctx: ReadContext, subject: Project | Namespace) -> bool:
    """Whether a project or namespace exists for the caller."""
    if isinstance(subject, UserNamespace):
        return True
    visibility = subject.visibility if isinstance(subject, Project | Group) else "private"
    if (
        visibility == "public"
        or levels.sees_visibility(ctx.viewer, visibility)
        or level_on(ctx, subject) > Level.MINIMAL
    ):
        return True
    user = ctx.viewer
    return isinstance(subject, Group) and user is not None and levels.below_some_membership(ctx.world, subject, user.id)


def can_see_profile(ctx: ReadContext, user: User) -> bool:
    """Whether the caller may see what a private profile hides."""
    if not user.private_profile:
        return True
    return ctx.viewer is not None and (ctx.admin or ctx.viewer.id == user.id)


def feature_open(ctx: ReadContext, project: Project, feature: str) -> bool:
    """Whether a feature of a project is there for the caller."""
    access: str = getattr(project, f"{feature}_access_level")
    if access in ("enabled", "public"):
        return True
    return access == "private" and level_on(ctx, project) >= Level.GUEST


def _on_project(ctx: ReadContext, ability: Ability, project: Project) -> Decision:
    grant = ability.grant
    if grant.writes and project.archived:
        return Decision(
            False, lambda: f"{ability.value}: {describe(ctx.world, project)} is archived, so it is read only"
        )
    if grant.feature and not feature_open(ctx, project, grant.feature):
        return Decision(False, lambda: f"{ability.value}: {explain_closed_feature(ctx, project, grant.feature)}")
    if grant.any_feature and not any(feature_open(ctx, project, feature) for feature in grant.any_feature):
        return Decision(False, lambda: f"{ability.value}: {explain_closed_feature(ctx, project, grant.any_feature[0])}")
    needed = grant.project_needs(project) if grant.project_needs else grant.project
    return _by_level(ctx, ability, VISIBLE if grant.open and _is_open(project, grant.feature) else needed, project)


def _is_open(project: Project, feature: str) -> bool:
    access: str = getattr(project, f"{feature}_access_level")
    return project.visibility != "private" and access in ("enabled", "public")


def _on_namespace(ctx: ReadContext, ability: Ability, namespace: Namespace) -> Decision:
    grant = ability.grant
    needed = grant.group
    if grant.group_needs is not None and isinstance(namespace, Group):
        needed = grant.group_needs(namespace)
    return _by_level(ctx, ability, needed, namespace)


def _by_level(ctx: ReadContext, ability: Ability, needed: int, subject: Any) -> Decision:
    if needed == VISIBLE:
        return (
            YES
            if can_see(ctx, subject)
            else Decision(False, lambda: f"{ability.value}: {explain_hidden(ctx, subject)}")
        )
    level = level_on(ctx, subject)
    if level >= needed:
        return YES
    return Decision(
        False,
        lambda: f"{_needs(ability, needed)} on {describe(ctx.world, subject)}; {caller_name(ctx)} has {_name(level)}",
    )


def _needs(ability: Ability, needed: int) -> str:
    return f"{ability.value} needs {_name(needed)}" if needed in _LEVELS else f"{ability.value} is granted to nobody"


def explain_hidden(ctx: ReadContext, subject: Project | Namespace) -> str:
    """Why the caller does not see something, in words."""
    visibility = subject.visibility if isinstance(subject, Project | Group) else "private"
    user = ctx.viewer
    who = "nobody is signed in" if user is None else f"{user.username} has no role there"
    external = " and is external" if user is not None and user.external and visibility == "internal" else ""
    return f"{describe(ctx.world, subject)} is {visibility} and hidden from {caller_name(ctx)}: {who}{external}"


def explain_closed_feature(ctx: ReadContext, project: Project, feature: str) -> str:
    """Why a feature of a project is not there for the caller, in words."""
    access = "for its members" if getattr(project, f"{feature}_access_level") == "private" else "off"
    return f"the feature {feature} of {describe(ctx.world, project)} is {access} and closed to {caller_name(ctx)}"


def _on_user(ctx: ReadContext, ability: Ability, user: User) -> Decision:
    del ability
    if ctx.viewer is None and "public" in ctx.world.settings.restricted_visibility_levels:
        return Decision(
            False, lambda: f"user {user.username} is hidden from the public by restricted_visibility_levels"
        )
    return YES


def _on_instance(ctx: ReadContext, ability: Ability, nothing: None) -> Decision:
    del ctx, ability, nothing
    return YES


def _name(level: int) -> str:
    return f"{Level(level).name.title()} ({level})" if level else "no role"


_LEVELS: Final = frozenset(int(level) for level in Level)


Rule = Callable[[ReadContext, Ability, Any], Decision]
_RULES: Final[dict[type, Rule]] = {
    Project: _on_project,
    Group: _on_namespace,
    UserNamespace: _on_namespace,
    User: _on_user,
    type(None): _on_instance,
}
