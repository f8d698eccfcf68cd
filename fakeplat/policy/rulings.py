"""May somebody do something to a thing? The answer carries its reason."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from attrs import evolve

from fakeplat.core.operations.errors import Forbidden, Reason, Unauthorized, told
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy import levels
from fakeplat.policy.abilities import GRANTS, VISIBLE, Grant, May
from fakeplat.policy.context import Context
from fakeplat.policy.naming import named


class Ruling(NamedTuple):
    """Whether it is allowed, and if not, why; the reason is put into words when somebody reads it."""

    allowed: bool
    why: Reason = ""

    @property
    def reason(self) -> str:
        """Why not, in words."""
        return told(self.why)


YES: Final = Ruling(True)


def rule(cx: Context, may: May, subject: Any = None) -> Ruling:
    """Decide. ``subject`` is a record, or None for what concerns the instance."""
    grant = GRANTS[may]
    if grant.admin:
        return YES if cx.admin else Ruling(False, lambda: f"{may.value} is for administrators; {caller(cx)} is none")
    if grant.login and cx.user is None:
        return Ruling(False, lambda: f"{may.value} is for who is signed in; nobody is")
    return _RULES[type(subject)](cx, may, grant, subject)


def rule_as_member(cx: Context, may: May, subject: Any) -> Ruling:
    """Decide by the caller's memberships alone, as if an administrator were none."""
    if not cx.admin:
        return rule(cx, may, subject)
    services: dict[str, Any] = {"clock": cx.clock, "fragments": cx.fragments, "limiter": cx.limiter}
    return rule(Context(cx.world, evolve(cx.someone, admin=False), **services), may, subject)


def can(cx: Context, may: May, subject: Any = None) -> bool:
    """Whether it is allowed."""
    return rule(cx, may, subject).allowed


def demand(cx: Context, may: May, subject: Any = None) -> None:
    """Let it pass, or refuse with 403 and the reason."""
    ruling = rule(cx, may, subject)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)


def demand_admin(cx: Context, may: May) -> None:
    """Let only administrators pass: nobody gets 401, others 403."""
    if cx.user is None:
        raise Unauthorized(reason=lambda: f"{may.value} is for administrators; nobody is signed in")
    demand(cx, may)


def caller(cx: Context) -> str:
    """The caller's name in reasons."""
    return cx.user.username if cx.user else "nobody"


def level_on(cx: Context, subject: Any) -> int:
    """The caller's access level on a project, group or user namespace; administrators own everything."""
    if cx.admin:
        return Level.OWNER
    if cx.user is None:
        return Level.NONE
    if isinstance(subject, Project):
        return levels.project_level(cx.world, subject, cx.user.id)
    if isinstance(subject, UserNamespace):
        return Level.OWNER if subject.owner_id == cx.user.id else Level.NONE
    return levels.group_level(cx.world, subject, cx.user.id)


def sees(cx: Context, subject: Project | Namespace) -> bool:
    """Whether a project or namespace exists for the caller."""
    if isinstance(subject, UserNamespace):
        return True
    visibility = subject.visibility if isinstance(subject, Project | Group) else "private"
    if visibility == "public" or levels.sees_visibility(cx.user, visibility) or level_on(cx, subject) > Level.MINIMAL:
        return True
    user = cx.user
    return isinstance(subject, Group) and user is not None and levels.below_some_membership(cx.world, subject, user.id)


def sees_profile(cx: Context, user: User) -> bool:
    """Whether the caller may see what a private profile hides."""
    if not user.private_profile:
        return True
    return cx.user is not None and (cx.admin or cx.user.id == user.id)


def feature_open(cx: Context, project: Project, feature: str) -> bool:
    """Whether a feature of a project is there for the caller."""
    access: str = getattr(project, f"{feature}_access_level")
    if access in ("enabled", "public"):
        return True
    return access == "private" and level_on(cx, project) >= Level.GUEST


def _on_project(cx: Context, may: May, grant: Grant, project: Project) -> Ruling:
    if grant.writes and project.archived:
        return Ruling(False, lambda: f"{may.value}: {named(cx.world, project)} is archived, so it is read only")
    if grant.feature and not feature_open(cx, project, grant.feature):
        return Ruling(False, lambda: f"{may.value}: {closed(cx, project, grant.feature)}")
    if grant.any_feature and not any(feature_open(cx, project, feature) for feature in grant.any_feature):
        return Ruling(False, lambda: f"{may.value}: {closed(cx, project, grant.any_feature[0])}")
    needed = grant.project_needs(project) if grant.project_needs else grant.project
    return _by_level(cx, may, VISIBLE if grant.open and _is_open(project, grant.feature) else needed, project)


def _is_open(project: Project, feature: str) -> bool:
    access: str = getattr(project, f"{feature}_access_level")
    return project.visibility != "private" and access in ("enabled", "public")


def _on_namespace(cx: Context, may: May, grant: Grant, namespace: Namespace) -> Ruling:
    needed = grant.group
    if grant.group_needs is not None and isinstance(namespace, Group):
        needed = grant.group_needs(namespace)
    return _by_level(cx, may, needed, namespace)


def _by_level(cx: Context, may: May, needed: int, subject: Any) -> Ruling:
    if needed == VISIBLE:
        return YES if sees(cx, subject) else Ruling(False, lambda: f"{may.value}: {hidden(cx, subject)}")
    level = level_on(cx, subject)
    if level >= needed:
        return YES
    return Ruling(
        False, lambda: f"{_needs(may, needed)} on {named(cx.world, subject)}; {caller(cx)} has {_name(level)}"
    )


def _needs(may: May, needed: int) -> str:
    return f"{may.value} needs {_name(needed)}" if needed in _LEVELS else f"{may.value} is granted to nobody"


def hidden(cx: Context, subject: Project | Namespace) -> str:
    """Why the caller does not see something, in words."""
    visibility = subject.visibility if isinstance(subject, Project | Group) else "private"
    user = cx.user
    who = "nobody is signed in" if user is None else f"{user.username} has no role there"
    external = " and is external" if user is not None and user.external and visibility == "internal" else ""
    return f"{named(cx.world, subject)} is {visibility} and hidden from {caller(cx)}: {who}{external}"


def closed(cx: Context, project: Project, feature: str) -> str:
    """Why a feature of a project is not there for the caller, in words."""
    access = "for its members" if getattr(project, f"{feature}_access_level") == "private" else "off"
    return f"the feature {feature} of {named(cx.world, project)} is {access} and closed to {caller(cx)}"


def _on_user(cx: Context, may: May, grant: Grant, user: User) -> Ruling:
    del may, grant
    if cx.user is None and "public" in cx.world.settings.restricted_visibility_levels:
        return Ruling(False, lambda: f"user {user.username} is hidden from the public by restricted_visibility_levels")
    return YES


def _on_instance(cx: Context, may: May, grant: Grant, nothing: None) -> Ruling:
    del cx, may, grant, nothing
    return YES


def _name(level: int) -> str:
    return f"{Level(level).name.title()} ({level})" if level else "no role"


_LEVELS: Final = frozenset(int(level) for level in Level)


Rule = Callable[[Context, May, Grant, Any], Ruling]
_RULES: Final[dict[type, Rule]] = {
    Project: _on_project,
    Group: _on_namespace,
    UserNamespace: _on_namespace,
    User: _on_user,
    type(None): _on_instance,
}
