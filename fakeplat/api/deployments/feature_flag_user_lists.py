"""Lists of users that feature flags are on for. Source: docs/platform/feature-flags.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.deployments import feature_flag_user_lists as user_lists
from fakeplat.entities.deployments.feature_flags import UserListView
from fakeplat.model.deployments import FeatureFlagUserList
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The platform asks for no login here, and has the errors of parameters under another key than elsewhere.
area: Final = Area("Feature flags", login=Login.NEVER, located_first=True, params_error_key="message")
PATH: Final = "feature_flags_user_lists/:iid"


class ListUserLists(Paged):
    """Filters of lists of user lists."""

    search: str | None = None


@area.operation(
    "GET",
    "feature_flags_user_lists",
    scope=PROJECT,
    ability=Ability.ADMIN_FEATURE_FLAGS_USER_LISTS,
    params=ListUserLists,
    view=UserListView,
    many=True,
)
def list_feature_flag_user_lists(ctx: ReadContext, project: Project, p: ListUserLists) -> Sequence[FeatureFlagUserList]:
    """List the user lists of a project."""
    return user_lists.list_user_lists(ctx.world, project, p.search)


@area.operation(
    "GET", PATH, scope=PROJECT, ability=Ability.ADMIN_FEATURE_FLAGS_USER_LISTS, view=UserListView, refusals=(404,)
)
def get_feature_flag_user_list(ctx: ReadContext, project: Project, iid: str) -> FeatureFlagUserList:
    """Get a user list of a project."""
    return user_lists.get_user_list(ctx.world, project, iid)


class CreateUserList(Params):
    """A new user list."""

    name: str
    user_xids: str


@area.operation(
    "POST",
    "feature_flags_user_lists",
    scope=PROJECT,
    ability=Ability.ADMIN_FEATURE_FLAGS_USER_LISTS,
    params=CreateUserList,
    view=UserListView,
    refusals=(400,),
)
def create_feature_flag_user_list(ctx: WriteContext, project: Project, p: CreateUserList) -> FeatureFlagUserList:
    """Create a user list in a project."""
    return user_lists.create(ctx, project, name=p.name, user_xids=p.user_xids)


class UpdateUserList(Params):
    """Changes of a user list."""

    name: str | None = None
    user_xids: str | None = None


@area.operation(
    "PUT",
    PATH,
    scope=PROJECT,
    ability=Ability.ADMIN_FEATURE_FLAGS_USER_LISTS,
    params=UpdateUserList,
    view=UserListView,
    refusals=(400, 404),
)
def update_feature_flag_user_list(
    ctx: WriteContext, project: Project, iid: str, p: UpdateUserList
) -> FeatureFlagUserList:
    """Update a user list of a project."""
    return user_lists.update(ctx, user_lists.get_user_list(ctx.world, project, iid), **p.given())


@area.operation("DELETE", PATH, scope=PROJECT, ability=Ability.ADMIN_FEATURE_FLAGS_USER_LISTS, refusals=(404, 409))
def delete_feature_flag_user_list(ctx: WriteContext, project: Project, iid: str) -> None:
    """Delete a user list of a project that no strategy uses."""
    user_lists.delete(ctx, user_lists.get_user_list(ctx.world, project, iid))
