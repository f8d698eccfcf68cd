"""Whether a caller may use an ability on a record, and why not."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import Forbidden, Reason, Unauthorized, reason_text
from fakeplat.model.people import Group, Level, Namespace, User, UserNamespace
from fakeplat.model.projects import DeployToken, Project, Routable
from fakeplat.policy import custom_roles, levels, membership_locks
from fakeplat.policy.abilities import ANYBODY, NOBODY, VISIBLE, Ability, Grant
from fakeplat.policy.context import Caller, ReadContext, Services
from fakeplat.policy.credentials import LACKS_ADMIN_MODE
from fakeplat.policy.descriptions import describe


class Decision(NamedTuple):
    """Whether an ability is granted, and if not, why. The reason is formatted only when it is read."""

    allowed: bool
    why: Reason = ""

    @property
    def reason(self) -> str:
        """The reason as text."""
        return reason_text(self.why)


Subject = Routable | User | None


YES: Final = Decision(True)


def decide(ctx: ReadContext, ability: Ability, subject: Subject = None) -> Decision:
    """Decide whether the caller has an ability. ``subject`` is a record, or None for the instance."""
    grant = ability.grant
    if is_for_administrators(ctx, ability):
        return (
            YES
            if ctx.admin or _is_auditor(ctx, ability.grant)
            else Decision(False, lambda: f"{ability.value} is for administrators; {caller_name(ctx)} is not one")
        )
    if grant.deploy_scopes and isinstance(subject, Project) and (token := ctx.deploy_token) is not None:
        return _by_deploy_token(ctx, token, ability, subject)
    # Reading ``viewer`` makes an answer personal, so abilities that do not depend on the caller skip it.
    if grant.login and ctx.viewer is None:
        return Decision(False, lambda: f"{ability.value} requires sign-in; nobody is signed in")
    return _RULES[type(subject)](ctx, ability, subject)


def _is_auditor(ctx: ReadContext, grant: Grant) -> bool:
    """Return whether an ability of administrators is given to the caller as an auditor, of whom paid tiers know."""
    if grant.auditors is None or ctx.viewer is None or not ctx.profile.has(grant.auditors):
        return False
    return ctx.viewer.auditor and ctx.instance.has("premium")


def is_for_administrators(ctx: ReadContext, ability: Ability) -> bool:
    """Return whether only administrators have an ability in the world's release."""
    return ability.grant.admin and _later_level(ctx, ability.grant) is None


def _by_deploy_token(ctx: ReadContext, token: DeployToken, ability: Ability, project: Project) -> Decision:
    grant = ability.grant
    separate = _find_separate_needs(ctx, grant)
    project_needs = separate or grant.project_needs
    needed = project_needs(project) if project_needs else grant.project
    if needed in (VISIBLE, ANYBODY) and project.visibility == "public":
        return _on_project(ctx, ability, project)
    is_closed = (
        needed == NOBODY
        or (separate is None and project.repository_access_level == "disabled")
        or (grant.writes and levels.is_archived(ctx.world, project))
    )
    if is_closed:
        return Decision(False, lambda: f"{ability.value}: {describe(ctx.world, project)} is closed or read-only")
    if levels.covers_project(ctx.world, token, project) and not set(grant.deploy_scopes).isdisjoint(token.scopes):
        return YES
    return Decision(
        False,
        lambda: (
            f"{ability.value}: the deploy token {token.name} with the scopes {' '.join(token.scopes) or 'none'} "
            f"is not sufficient for {describe(ctx.world, project)}"
        ),
    )


def decide_as_member(ctx: ReadContext, ability: Ability, subject: Subject) -> Decision:
    """Decide by the caller's memberships alone, ignoring administrator rights."""
    if not ctx.admin:
        return decide(ctx, ability, subject)
    # The administrator is replaced by a copy without the flag, so that every rule sees an ordinary user.
    member = Caller(evolve(ctx.signed_in_user, admin=False))
    # Caches of its own, whose keys are the ids of callers: what an administrator sees is not what the copy does.
    return decide(ReadContext(ctx.world, member, Services(ctx.clock)), ability, subject)


def can(ctx: ReadContext, ability: Ability, subject: Subject = None) -> bool:
    """Return whether the caller has an ability."""
    return decide(ctx, ability, subject).allowed


def authorize(ctx: ReadContext, ability: Ability, subject: Subject = None) -> None:
    """Raise Forbidden with the reason unless the caller has an ability."""
    decision = decide(ctx, ability, subject)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)


def authorize_admin(ctx: ReadContext, ability: Ability) -> None:
    """Raise Unauthorized for anonymous callers, and Forbidden for those who are not administrators."""
    if ctx.viewer is None:
        raise Unauthorized(reason=lambda: f"{ability.value} is for administrators; nobody is signed in")
    authorize(ctx, ability)


def caller_name(ctx: ReadContext) -> str:
    """Return the caller's name for reasons, with what keeps an administrator from being one."""
    if ctx.viewer is None:
        return "an anonymous caller"
    return f"{ctx.viewer.username} {LACKS_ADMIN_MODE}" if ctx.is_limited else ctx.viewer.username


def level_on(ctx: ReadContext, subject: Routable) -> int:
    """Return the caller's access level on a project, group or user namespace; administrators own everything."""
    if ctx.admin:
        return Level.OWNER
    if ctx.viewer is None:
        return Level.NONE
    if isinstance(subject, Project):
        return levels.project_level(ctx.world, subject, ctx.viewer.id)
    if isinstance(subject, UserNamespace):
        return Level.OWNER if subject.owner_id == ctx.viewer.id else Level.NONE
    return levels.group_level(ctx.world, subject, ctx.viewer.id)


def is_member(ctx: ReadContext, container: Routable) -> bool:
    """Return whether the caller belongs to a project or group, directly or by a group; administrators always do."""
    return level_on(ctx, container) > Level.MINIMAL


def can_see(ctx: ReadContext, subject: Routable) -> bool:
    """Return whether a project or namespace is visible to the caller."""
    if isinstance(subject, UserNamespace):
        return True
    visibility = subject.visibility if isinstance(subject, Project | Group) else "private"
    if (
        # Checked first and without the viewer: what is public for everyone stays cached for all callers together.
        visibility == "public"
        or levels.sees_visibility(ctx.viewer, visibility)
        or level_on(ctx, subject) > Level.MINIMAL
    ):
        return True
    # The platform also shows a group to members of any group or project inside it.
    user = ctx.viewer
    return isinstance(subject, Group) and user is not None and levels.has_membership_inside(ctx.world, subject, user.id)


def can_see_profile(ctx: ReadContext, user: User) -> bool:
    """Return whether the caller may see what a private profile hides."""
    if not user.private_profile:
        return True
    return ctx.viewer is not None and (ctx.admin or ctx.viewer.id == user.id)


def is_feature_open(ctx: ReadContext, project: Project, feature: str) -> bool:
    """Return whether a feature of a project is open to the caller."""
    access: str = getattr(project, f"{feature}_access_level")
    if access in ("enabled", "public"):
        return True
    # ``private`` means members only, whatever the visibility of the project; Guests are the lowest of them.
    return access == "private" and level_on(ctx, project) >= Level.GUEST


def _on_project(ctx: ReadContext, ability: Ability, project: Project) -> Decision:
    # The order decides only which reason is given: every refusal here is a 403.
    grant = ability.grant
    if grant.writes and levels.is_archived(ctx.world, project):
        return Decision(
            False, lambda: f"{ability.value}: {describe(ctx.world, project)} is archived, so it is read-only"
        )
    separate = _find_separate_needs(ctx, grant)
    if grant.feature and separate is None and not is_feature_open(ctx, project, grant.feature):
        return Decision(False, lambda: f"{ability.value}: {explain_closed_feature(ctx, project, grant.feature)}")
    for feature in grant.also:
        if not is_feature_open(ctx, project, feature):
            return Decision(False, partial(_explain_closed, ctx, ability, project, feature))
    if grant.any_feature and not any(is_feature_open(ctx, project, feature) for feature in grant.any_feature):
        return Decision(False, lambda: f"{ability.value}: {explain_closed_feature(ctx, project, grant.any_feature[0])}")
    project_needs = separate or grant.project_needs
    needed = project_needs(project) if project_needs else grant.project
    later = _later_level(ctx, grant)
    if later is not None and (needed != NOBODY or grant.admin):
        needed = later
    return _by_level(ctx, ability, VISIBLE if grant.open and _is_open(project, grant.feature) else needed, project)


def _find_separate_needs(ctx: ReadContext, grant: Grant) -> Callable[[Project], int] | None:
    """Return what computes the level for a feature that is separate from others in the world's release, if it is."""
    return grant.separate[1] if grant.separate is not None and ctx.profile.has(grant.separate[0]) else None


def _later_level(ctx: ReadContext, grant: Grant) -> Level | None:
    """Return the level that the world's release asks for instead of the earlier one, if any."""
    if grant.later is None:
        return None
    lifetime, level = grant.later
    return level if ctx.profile.has(lifetime) else None


def _explain_closed(ctx: ReadContext, ability: Ability, project: Project, feature: str) -> str:
    return f"{ability.value}: {explain_closed_feature(ctx, project, feature)}"


def _is_open(project: Project, feature: str) -> bool:
    access: str = getattr(project, f"{feature}_access_level")
    # Guests, too, read the repository of a project that is not private, even if it is for members only.
    return project.visibility != "private" and (access in ("enabled", "public") or feature == "repository")


def _on_namespace(ctx: ReadContext, ability: Ability, namespace: Namespace) -> Decision:
    grant = ability.grant
    needed = grant.group
    if grant.group_writes and isinstance(namespace, Group) and levels.is_archived(ctx.world, namespace):
        return Decision(
            False, lambda: f"{ability.value}: {describe(ctx.world, namespace)} is archived, so it is read-only"
        )
    if isinstance(namespace, Group) and (grant.unsynchronized or grant.unlocked):
        closed = _find_provider(ctx, ability, namespace)
        if closed is not None:
            return closed
    # The settings that decide the level are settings of groups; a user namespace has the fixed level.
    if grant.group_needs is not None and isinstance(namespace, Group):
        needed = grant.group_needs(namespace)
    later = _later_level(ctx, grant)
    if later is not None and needed != NOBODY:
        needed = later
    if grant.owners is not None and ctx.profile.has(grant.owners):
        needed = Level.OWNER
    return _by_level(ctx, ability, needed, namespace)


def _find_provider(ctx: ReadContext, ability: Ability, group: Group) -> Decision | None:
    """Return the decision that an identity provider, not the caller, is in charge of a group's members, if it is."""
    grant, world = ability.grant, ctx.world
    if grant.unsynchronized and membership_locks.is_synchronized(world, group):
        return Decision(False, lambda: f"{ability.value}: members of {describe(world, group)} come from LDAP")
    if grant.unlocked and not ctx.admin and membership_locks.is_locked(world, group):
        return Decision(False, lambda: f"{ability.value}: memberships of {describe(world, group)} are locked")
    return None


def _by_level(ctx: ReadContext, ability: Ability, needed: int, subject: Routable) -> Decision:
    # Below every level, so it must not reach the comparison, which everybody would pass.
    if needed == VISIBLE:
        return (
            YES
            if can_see(ctx, subject)
            else Decision(False, lambda: f"{ability.value}: {explain_hidden(ctx, subject)}")
        )
    if needed == ANYBODY:
        return YES
    level = level_on(ctx, subject)
    if level >= needed or (needed != NOBODY and _has_more(ctx, ability, subject, level)):
        return YES
    return Decision(
        False,
        lambda: (
            f"{_need_text(ability, needed)} on {describe(ctx.world, subject)}; "
            f"{caller_name(ctx)} has {level_name(level)}"
        ),
    )


def _has_more(ctx: ReadContext, ability: Ability, subject: Routable, level: int) -> bool:
    """Return whether the caller has an ability below its level: as Planner, by a feature flag or a custom role."""
    planner = ability.grant.planner
    if level == Level.PLANNER and planner is not None and ctx.profile.has(planner):
        return True
    return _is_switched_on(ctx, ability.grant, subject, level) or _has_permission(ctx, ability, subject)


def _is_switched_on(ctx: ReadContext, grant: Grant, subject: Routable, level: int) -> bool:
    """Return whether a feature that is off by default makes a level sufficient."""
    if grant.switched is None:
        return False
    lifetime, name, needed = grant.switched
    feature = ctx.world.features.find("name", name)
    if feature is None or level < needed or not ctx.profile.has(lifetime):
        return False
    *_, root = levels.ancestors_of(ctx.world, subject)
    return feature.state == "on" or root.id in feature.group_ids


def _has_permission(ctx: ReadContext, ability: Ability, subject: Routable) -> bool:
    """Return whether a custom role grants the caller an ability."""
    return ctx.viewer is not None and custom_roles.grants(ctx.world, ctx.viewer.id, ability, subject)


def _need_text(ability: Ability, needed: int) -> str:
    return (
        f"{ability.value} needs {level_name(needed)}" if needed in _LEVELS else f"{ability.value} is granted to nobody"
    )


def explain_hidden(ctx: ReadContext, subject: Routable) -> str:
    """Explain why a project or namespace is hidden from the caller."""
    visibility = subject.visibility if isinstance(subject, Project | Group) else "private"
    user = ctx.viewer
    cause = "nobody is signed in" if user is None else f"{user.username} has no role there"
    external = " and is external" if user is not None and user.external and visibility == "internal" else ""
    return f"{describe(ctx.world, subject)} is {visibility} and hidden from {caller_name(ctx)}: {cause}{external}"


def explain_closed_feature(ctx: ReadContext, project: Project, feature: str) -> str:
    """Explain why a feature of a project is closed to the caller."""
    access = "for its members" if getattr(project, f"{feature}_access_level") == "private" else "off"
    return f"the feature {feature} of {describe(ctx.world, project)} is {access} and closed to {caller_name(ctx)}"


def _on_user(ctx: ReadContext, _ability: Ability, user: User) -> Decision:
    # An administrator who restricts ``public`` hides all profiles from anonymous callers.
    if ctx.viewer is None and "public" in ctx.world.settings.restricted_visibility_levels:
        return Decision(
            False, lambda: f"user {user.username} is hidden from the public by restricted_visibility_levels"
        )
    return YES


def _on_instance(_ctx: ReadContext, _ability: Ability, _nothing: None) -> Decision:
    return YES


def level_name(level: int) -> str:
    """Return the name of a level for reasons."""
    return f"{Level(level).name.title()} ({level})" if level else "no role"


# VISIBLE and NOBODY are no levels: for them there is no name to put into a reason.
_LEVELS: Final = frozenset(int(level) for level in Level)


Rule = Callable[[ReadContext, Ability, Any], Decision]
# By the exact class: the two kinds of namespaces are listed separately, because their base class has no records.
_RULES: Final[dict[type, Rule]] = {
    Project: _on_project,
    Group: _on_namespace,
    UserNamespace: _on_namespace,
    User: _on_user,
    type(None): _on_instance,
}
