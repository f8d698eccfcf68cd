"""May somebody do something to a thing? The answer carries its reason."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from fakeplat.core.errors import Forbidden, Unauthorized
from fakeplat.model.levels import Level
from fakeplat.model.namespaces import Group, Namespace, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy import levels
from fakeplat.policy.abilities import GRANTS, VISIBLE, Grant, May
from fakeplat.policy.context import Context


class Ruling(NamedTuple):
    """Whether it is allowed, and if not, why."""

    allowed: bool
    reason: str = ""


YES: Final = Ruling(True)


def rule(cx: Context, may: May, subject: Any = None) -> Ruling:
    """Decide. ``subject`` is a record, or None for what concerns the instance."""
    grant = GRANTS[may]
    if grant.admin:
        return YES if cx.admin else Ruling(False, f"{may.value} is for administrators; {caller(cx)} is none")
    if grant.login and cx.user is None:
        return Ruling(False, f"{may.value} needs somebody signed in")
    return _RULES[type(subject)](cx, may, grant, subject)


def can(cx: Context, may: May, subject: Any = None) -> bool:
    """Whether it is allowed."""
    return rule(cx, may, subject).allowed


def demand(cx: Context, may: May, subject: Any = None) -> None:
    """Let it pass, or refuse with 403 and the reason."""
    ruling = rule(cx, may, subject)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.reason)


def demand_admin(cx: Context, may: May) -> None:
    """Let only administrators pass: nobody gets 401, others 403."""
    if cx.user is None:
        raise Unauthorized(reason="nobody is signed in")
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


def feature_open(cx: Context, project: Project, feature: str) -> bool:
    """Whether a feature of a project is there for the caller."""
    access: str = getattr(project, f"{feature}_access_level")
    if access in ("enabled", "public"):
        return True
    return access == "private" and level_on(cx, project) >= Level.GUEST


def _on_project(cx: Context, may: May, grant: Grant, project: Project) -> Ruling:
    where = f"project {project.id}"
    if grant.writes and project.archived:
        return Ruling(False, f"{may.value}: {where} is archived")
    if grant.feature and not feature_open(cx, project, grant.feature):
        return Ruling(False, f"{may.value}: the feature {grant.feature} of {where} is closed to {caller(cx)}")
    return _by_level(cx, may, grant.project, project, where)


def _on_namespace(cx: Context, may: May, grant: Grant, namespace: Namespace) -> Ruling:
    needed = grant.group
    if grant.group_needs is not None and isinstance(namespace, Group):
        needed = grant.group_needs(namespace)
    return _by_level(cx, may, needed, namespace, f"namespace {namespace.id}")


def _by_level(cx: Context, may: May, needed: int, subject: Any, where: str) -> Ruling:
    if needed == VISIBLE:
        return YES if sees(cx, subject) else Ruling(False, f"{may.value}: {where} is hidden from {caller(cx)}")
    level = level_on(cx, subject)
    if level >= needed:
        return YES
    return Ruling(False, f"{may.value} needs {_name(needed)} on {where}; {caller(cx)} has {_name(level)}")


def _on_user(cx: Context, may: May, grant: Grant, user: User) -> Ruling:
    del may, grant
    if cx.user is None and "public" in cx.world.settings.restricted_visibility_levels:
        return Ruling(False, f"user {user.id} is hidden from the public by the settings")
    return YES


def _on_instance(cx: Context, may: May, grant: Grant, nothing: None) -> Ruling:
    del cx, may, grant, nothing
    return YES


def _name(level: int) -> str:
    return f"{Level(level).name.title()} ({level})" if level in Level.__members__.values() else "nobody's level"


Rule = Callable[[Context, May, Grant, Any], Ruling]
_RULES: Final[dict[type, Rule]] = {
    Project: _on_project,
    Group: _on_namespace,
    UserNamespace: _on_namespace,
    User: _on_user,
    type(None): _on_instance,
}
