"""Users of other instances, and to whom their contributions go. Source: docs/platform/import-export.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, get_args

from fakeplat.domain.import_export import source_users
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.groups import BOTH
from fakeplat.graphql.schema_builder import Enumeration, EnumValue, Scalar, Type, mutation
from fakeplat.model.import_export import SourceUser, SourceUserStatus
from fakeplat.model.people import Group, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "17.2"
_KIND: Final = "Import::SourceUser"
_STATUSES: Final[tuple[SourceUserStatus, ...]] = get_args(SourceUserStatus)
_SOURCES: Final = (
    "bitbucket",
    "bitbucket_server",
    "fogbugz",
    "git",
    "gitea",
    "github",
    "custom_template",
    "gitlab_group",
    "jira",
    "none",
    "gitlab_migration",
    "gitlab_project",
    "manifest",
)
Scalar("ImportSourceUserID", "The global ID of a user of another instance.", since=_SINCE)
Scalar("NamespaceID", "The global ID of a namespace.", since="<=14.9")
Enumeration(
    "ImportSourceUserStatus",
    "To whom the contributions of a user go.",
    {status.upper(): (status, f"The status {status.replace('_', ' ')}.") for status in _STATUSES},
    since=_SINCE,
)
Enumeration(
    "ImportSource",
    "How something was imported.",
    {source.upper(): (source, f"The value {source}.") for source in _SOURCES},
    since=_SINCE,
)
_SORTS: Final[Mapping[str, EnumValue]] = {
    f"{name}_{direction}": ((column, direction == "DESC"), f"By {words}.")
    for name, column, words in (
        ("STATUS", "status", "status"),
        ("SOURCE_NAME", "source_name", "name"),
        ("ID", "id", "ID"),
    )
    for direction in ("ASC", "DESC")
}
Enumeration("SourceUserSort", "The order of users of other instances.", _SORTS, since=_SINCE)
SOURCE_USER: Final = Type("ImportSourceUser", "A user of another instance.", gid=_KIND, has_count=True, since=_SINCE)
SOURCE_USER.attributes(
    {
        "sourceUserIdentifier: String!": "The ID there.",
        "sourceUsername: String": "The username there.",
        "sourceName: String": "The name there.",
        "sourceHostname: String!": "The address of the instance.",
        "importType: ImportSource!": "How the contributions came.",
        "status: ImportSourceUserStatus!": "To whom the contributions go.",
    }
)


def _declare_user(signature: str, column: str, description: str) -> None:
    def user_of(ctx: ReadContext, source_user: SourceUser) -> User | None:
        return ctx.world.users.get(getattr(source_user, column) or 0)

    SOURCE_USER.field(signature, description=description)(user_of)


_declare_user("placeholderUser: User", "placeholder_user_id", "The user who has the contributions meanwhile.")
_declare_user("reassignToUser: User", "reassign_to_user_id", "The user who gets the contributions.")
_declare_user("reassignedByUser: User", "reassigned_by_user_id", "The user who decided it.")


@SOURCE_USER.field("reassignmentError: String")
def reassignment_error(_ctx: ReadContext, _source_user: SourceUser) -> str | None:
    """Why the contributions could not go to another user, which does not happen here."""
    return None


Sort = tuple[str, bool]


def source_users_of(
    ctx: ReadContext,
    group: object,
    statuses: Sequence[str] | None = None,
    search: str | None = None,
    sort: Sort | None = None,
) -> Sequence[SourceUser] | None:
    """The users of other instances whose contributions came to the group, for its Owners."""
    if not isinstance(group, Group) or not can(ctx, Ability.ADMIN_GROUP, group):
        return None
    text, (column, descending) = (search or "").lower(), sort or ("source_name", False)
    matching = [
        source_user
        for source_user in ctx.world.source_users.where("group", group.id)
        if (not statuses or source_user.status in statuses)
        and (
            not text
            or any(text in (name or "").lower() for name in (source_user.source_name, source_user.source_username))
        )
    ]
    return sorted(
        matching, key=lambda source_user: (_sort_value(source_user, column), source_user.id), reverse=descending
    )


def _sort_value(source_user: SourceUser, column: str) -> int | str:
    if column == "status":
        return _STATUSES.index(source_user.status)
    return source_user.id if column == "id" else (source_user.source_name or "").lower()


for _type in BOTH:
    _type.field(
        "importSourceUsers(statuses: [ImportSourceUserStatus!], search: String, "
        "sort: SourceUserSort = SOURCE_NAME_ASC): ImportSourceUserConnection",
        since=_SINCE,
    )(source_users_of)


# Changes

_WHICH: Final = '"""The global ID of the user."""\nid: ImportSourceUserID!'
_GIVES: Final = '"""The user."""\nimportSourceUser: ImportSourceUser'


def _get_source_user(ctx: WriteContext, text: str) -> SourceUser:
    source_user = ctx.world.source_users.get(parse_id(ctx, text, _KIND))
    group = ctx.world.namespaces.get(source_user.group_id) if source_user is not None else None
    if source_user is None or not isinstance(group, Group):
        raise ResourceNotAvailable(f"there is no {text}")
    authorize(ctx, Ability.ADMIN_GROUP, group)
    return source_user


def _change(
    ctx: WriteContext, text: str, change: Callable[[WriteContext, SourceUser], SourceUser]
) -> Mapping[str, Any]:
    source_user = _get_source_user(ctx, text)
    with collect_errors(import_source_user=source_user):
        return {"import_source_user": change(ctx, source_user)}


@mutation(
    "importSourceUserReassign",
    input_fields=f'{_WHICH}\n"""The global ID of the user who gets the contributions."""\nassigneeUserId: UserID!',
    payload_fields=_GIVES,
    since=_SINCE,
)
def reassign(ctx: WriteContext, id: str, assignee_user_id: str) -> Mapping[str, Any]:
    """Propose the contributions of a user of another instance to a user."""
    user = ctx.world.users.get(parse_id(ctx, assignee_user_id, "User"))
    if user is None:
        raise ResourceNotAvailable(f"there is no {assignee_user_id}")
    return _change(ctx, id, lambda ctx, source_user: source_users.propose(ctx, source_user, user))


@mutation("importSourceUserCancelReassignment", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def cancel_reassignment(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Take back a proposal that nobody has approved."""
    return _change(ctx, id, source_users.cancel)


@mutation("importSourceUserKeepAsPlaceholder", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def keep_as_placeholder(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Leave the contributions with the placeholder."""
    return _change(ctx, id, source_users.keep)


@mutation("importSourceUserUndoKeepAsPlaceholder", input_fields=_WHICH, payload_fields=_GIVES, since="18.4")
def undo_keep_as_placeholder(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Let contributions that were left with a placeholder be reassigned again."""
    return _change(ctx, id, source_users.undo_keep)


@mutation("importSourceUserResendNotification", input_fields=_WHICH, payload_fields=_GIVES, since=_SINCE)
def resend_notification(ctx: WriteContext, id: str) -> Mapping[str, Any]:
    """Tell a user of a proposal once more; mails about proposals are not sent here."""
    source_user = _get_source_user(ctx, id)
    with collect_errors(import_source_user=source_user):
        source_users.check_can_notify(source_user)
    return {"import_source_user": source_user}


@mutation(
    "importSourceUserKeepAllAsPlaceholder",
    input_fields='"""The global ID of the group."""\nnamespaceId: NamespaceID!',
    payload_fields='"""Number of users whose contributions stay."""\nupdatedImportSourceUserCount: Int',
    since="17.6",
)
def keep_all_as_placeholder(ctx: WriteContext, namespace_id: str) -> Mapping[str, Any]:
    """Leave all contributions that can be reassigned with their placeholders."""
    group = ctx.world.namespaces.get(parse_id(ctx, namespace_id, "Group", "Namespace"))
    if not isinstance(group, Group):
        raise ResourceNotAvailable(f"there is no group {namespace_id}")
    authorize(ctx, Ability.ADMIN_NAMESPACE, group)
    return {"updated_import_source_user_count": source_users.keep_all(ctx, group)}
