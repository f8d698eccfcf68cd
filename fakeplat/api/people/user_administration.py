"""Approval of users, and what users and administrators learn of them. Source: docs/platform/users.md."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fakeplat.api.scopes import USER, VISIBLE_USER
from fakeplat.core.operations.errors import BadRequest, Conflict, Forbidden, ForbiddenWithMessage, InvalidRecord
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params, at_least_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.people import two_factor, users
from fakeplat.entities.people.accounts import AvatarView, UserPreferencesView
from fakeplat.entities.projects.deploy_keys import DeployKeyView
from fakeplat.model.people import Level, User
from fakeplat.model.projects import DeployKey, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import project_level

area: Final = Area("Users", login=Login.WRITES, scopes=("read_user",))
own_area: Final = Area("Users", login=Login.ALWAYS, scopes=("read_user",))
_PENDING: Final = "blocked_pending_approval"


@area.operation("POST", "approve", scope=USER, refusals=(403, 409), since="13.7")
def approve_user(ctx: WriteContext, user: User) -> dict[str, str]:
    """Approve a user who waits for it. Administrators only."""
    if not ctx.admin:
        raise ForbiddenWithMessage("You are not allowed to approve a user", reason=f"{caller_name(ctx)} is no admin")
    if user.state != _PENDING:
        text = "The user you are trying to approve is not pending approval"
        raise Conflict(text, reason=f"{user.username} is {user.state}")
    users.set_state(ctx, user, "active")
    return {"message": "Success"}


@area.operation("POST", "reject", scope=USER, status=200, refusals=(403, 409), since="14.3")
def reject_user(ctx: WriteContext, user: User) -> dict[str, str]:
    """Refuse a user who waits for approval, and delete the account. Administrators only."""
    if not ctx.admin:
        raise ForbiddenWithMessage("You are not allowed to reject a user", reason=f"{caller_name(ctx)} is no admin")
    if user.state != _PENDING:
        raise Conflict("User does not have a pending request", reason=f"{user.username} is {user.state}")
    users.delete(ctx, user, hard=True)
    return {"message": "Success"}


@area.operation(
    "PATCH",
    "disable_two_factor",
    scope=USER,
    ability=Ability.ADMIN_USERS,
    status=204,
    refusals=(400, 403),
    since="15.2",
)
def disable_user_two_factor(ctx: WriteContext, user: User) -> None:
    """Disable the second factor of a user. Administrators only."""
    if user.admin:
        text = "Two-factor authentication for admins cannot be disabled via the API. Use the Rails console"
        raise Forbidden(text, reason=f"{user.username} is an administrator")
    if not user.two_factor_enabled:
        text = "400 Bad request - Two-factor authentication is not enabled for this user"
        raise BadRequest(text, reason=f"{user.username} has no second factor")
    two_factor.disable(ctx, user)


@own_area.operation("GET", "associations_count", scope=USER, refusals=(403,), since="<=16.2")
def get_user_associations_count(ctx: ReadContext, user: User) -> dict[str, int]:
    """Count the groups, projects, issues and merge requests of a user: the caller, or for administrators anybody."""
    if not (ctx.admin or ctx.signed_in_user.id == user.id):
        raise Forbidden(reason=f"{caller_name(ctx)} is neither {user.username} nor an administrator")
    world, kinds = ctx.world, [member.source[0] for member in ctx.world.members.where("user", user.id)]
    return {
        "groups_count": kinds.count("group"),
        "projects_count": kinds.count("project"),
        "issues_count": world.issues.bits("facts", ("author", user.id)).bit_count(),
        "merge_requests_count": world.merge_requests.bits("facts", ("author", user.id)).bit_count(),
    }


@own_area.operation(
    "GET",
    "project_deploy_keys",
    scope=VISIBLE_USER,
    params=Paged,
    view=DeployKeyView,
    many=True,
    login=Login.NEVER,
    refusals=(403,),
    since="15.1",
)
def list_user_project_deploy_keys(ctx: ReadContext, user: User) -> Sequence[DeployKey]:
    """List the deploy keys of the projects that both the caller and a user maintain."""
    world, caller = ctx.world, ctx.viewer
    common = [project for project in world.projects.all() if _maintain(ctx, project, caller, user)] if caller else []
    if not common:
        raise Forbidden("No common authorized project found", reason=f"{user.username} maintains no such project")
    links = (link for project in common for link in world.deploy_key_projects.where("project", project.id))
    return [world.deploy_keys[id_] for id_ in sorted({link.deploy_key_id for link in links})]


def _maintain(ctx: ReadContext, project: Project, *people: User) -> bool:
    return all(project_level(ctx.world, project, person.id) >= Level.MAINTAINER for person in people)


@own_area.operation("GET", "user/preferences", view=UserPreferencesView, since="14.0")
def get_current_user_preferences(ctx: ReadContext) -> User:
    """Get the preferences of the caller."""
    return ctx.signed_in_user


class UpdatePreferences(Params):
    """Changes of the preferences."""

    view_diffs_file_by_file: bool = False
    show_whitespace_in_diffs: bool = False
    pass_user_identities_to_ci_jwt: Annotated[bool, Lifetime(since="15.11")] = False
    policy_advanced_editor: Annotated[bool, Lifetime(since="<=18.9")] = False

    rules = (
        at_least_one_of(
            "view_diffs_file_by_file", "show_whitespace_in_diffs", "pass_user_identities_to_ci_jwt"
        ).unless_any_sent("policy_advanced_editor"),
    )


@own_area.operation(
    "PUT", "user/preferences", params=UpdatePreferences, view=UserPreferencesView, refusals=(400,), since="13.10"
)
def update_current_user_preferences(ctx: WriteContext, p: UpdatePreferences) -> User:
    """Update the preferences of the caller."""
    changes: dict[str, Any] = {name: value for name, value in p.given().items() if value is not None}
    if not ctx.instance.has("premium"):
        changes.pop("policy_advanced_editor", None)
    return ctx.world.users.change(ctx.signed_in_user, **changes)


class SetAvatar(Params):
    """The image."""

    avatar: Upload


@own_area.operation("PUT", "user/avatar", params=SetAvatar, view=AvatarView, refusals=(400,), since="17.0")
def update_current_user_avatar(ctx: WriteContext, p: SetAvatar) -> User:
    """Set the avatar of the caller."""
    try:
        return users.update(ctx, ctx.signed_in_user, avatar=p.avatar)
    except InvalidRecord as error:
        raise BadRequest(". ".join(error.full_messages()), reason=error.why) from None
