"""Lists of users that feature flags are on for. Source: docs/platform/feature-flags.md."""

from collections.abc import Sequence
from typing import Any, Final, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, Conflict, RecordNotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.deployments.feature_flag_strategies import explain_xids_error
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.deployments import FeatureFlagUserList
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_COUNTER: Final = "feature_flag_user_list"
_IN_USE: Final = "User list is associated with a strategy"


def list_user_lists(world: World, project: Project, search: str | None = None) -> Sequence[FeatureFlagUserList]:
    """Return the user lists of a project; with ``search``, those whose names contain all of its words."""
    words = (search or "").lower().split()
    lists = world.feature_flag_user_lists.where("project", project.id)
    return [user_list for user_list in lists if all(word in user_list.name.lower() for word in words)]


def get_user_list(world: World, project: Project, iid: str) -> FeatureFlagUserList:
    """Return the user list of a project with an iid, or refuse with 404."""
    user_list = world.feature_flag_user_lists.find("iid", (project.id, parse_number(iid)))
    if user_list is None:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no user list {iid}")
    return user_list


def create(
    ctx: WriteContext,
    project: Project,
    *,
    name: str,
    user_xids: str,
    iid: int | None = None,
    created_at: str | None = None,
    updated_at: str | None = None,
) -> FeatureFlagUserList:
    """Create a user list."""
    world = ctx.world
    # A scenario may choose iids; the counter follows, so that later ones do not collide.
    iid = iid or world.get_counter(_COUNTER, project.id) + 1
    times = (created_at or ctx.now_iso, updated_at or ctx.now_iso)
    table = world.feature_flag_user_lists
    user_list = FeatureFlagUserList(table.next_id(), project.id, iid, name, user_xids, *times)
    _validate(world, user_list)
    world.raise_counter(iid, _COUNTER, project.id)
    return table.add(user_list)


class UserListChanges(TypedDict, total=False):
    """Changes of a user list; a null stands for an empty text."""

    name: str | None
    user_xids: str | None


def update(
    ctx: WriteContext, user_list: FeatureFlagUserList, **changes: Unpack[UserListChanges]
) -> FeatureFlagUserList:
    """Change the name and the users of a list."""
    table = ctx.world.feature_flag_user_lists
    values: dict[str, Any] = {name: value or "" for name, value in changes.items()}
    # Validated before the change, because the table itself does not accept a name that is taken.
    _validate(ctx.world, evolve(user_list, **values))
    changed = table.change(user_list, **values)
    return changed if changed is user_list else table.change(changed, **{"updated_at": ctx.now_iso, **values})


def delete(ctx: WriteContext, user_list: FeatureFlagUserList) -> None:
    """Delete a user list; 409 while a strategy uses it."""
    if ctx.world.feature_flags.where("user_list", user_list.id):
        raise Conflict([_IN_USE], reason=f"a feature flag has a strategy for the user list {user_list.name!r}")
    purge(ctx, user_list)


def _validate(world: World, user_list: FeatureFlagUserList) -> None:
    errors = ValidationErrors()
    errors.when(not user_list.name.strip(), "name", BLANK)
    same = world.feature_flag_user_lists.find("name", (user_list.project_id, user_list.name))
    errors.when(same is not None and same.id != user_list.id, "name", TAKEN)
    errors.when(not user_list.name, "name", "is too short (minimum is 1 character)")
    too_long(errors, "name", user_list.name)
    xids_error = explain_xids_error(user_list.user_xids, "user_xids")
    errors.when(xids_error, "user_xids", xids_error)
    if errors:
        raise BadRequest(errors.full_messages())
