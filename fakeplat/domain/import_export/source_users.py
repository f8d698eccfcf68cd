"""Users of other instances, and to whom their contributions are reassigned by a sheet of CSV.

Source: docs/platform/import-export.md ('Placeholder users').
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, Unprocessable
from fakeplat.domain.people import users
from fakeplat.model.import_export import SourceUser, SourceUserStatus
from fakeplat.model.people import Group, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_COLUMNS: Final = {
    "Source host": "source_hostname",
    "Import type": "import_type",
    "Source user identifier": "source_user_identifier",
    "Source user name": "source_name",
    "Source username": "source_username",
    "GitLab username": "",
    "GitLab public email": "",
}
_REQUIRED: Final = frozenset(
    ("source_host", "import_type", "source_user_identifier", "gitlab_username", "gitlab_public_email")
)
_PENDING: Final[tuple[SourceUserStatus, ...]] = ("pending_reassignment", "rejected")
_WRONG_STATUS: Final = "Import source user has an invalid status for this operation"
_PREFIX: Final = "The following errors are preventing the sheet from being processed: "
_WRONG_FORMAT: Final = "The provided CSV was not correctly formatted."
_DUPLICATES: Final = "The provided spreadsheet contains duplicate email addresses or usernames."
Row = Mapping[str, str]


def list_pending(world: World, group: Group) -> Sequence[SourceUser]:
    """Return the users of other instances whose contributions can be reassigned, by id."""
    found = world.source_users.where("group", group.id)
    return sorted((user for user in found if user.status in _PENDING), key=lambda user: user.id)


def write_sheet(rows: Sequence[SourceUser]) -> str:
    """Return the sheet, in which the columns for the new users are to be filled in."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        values = [(getattr(row, name) or "") if name else "" for name in _COLUMNS.values()]
        writer.writerow(re.sub(r"[\r\n]+", " ", value) for value in values)
    return output.getvalue()


def read_sheet(content: bytes) -> Sequence[Row]:
    """Return the rows of a sheet by the names of its columns; 422 for one that cannot be processed."""
    lines = list(csv.reader(io.StringIO(content.decode("utf-8", "replace"))))
    names = [_to_symbol(name) for name in lines[0]] if lines else []
    errors = [] if names and {*names} >= _REQUIRED else [_WRONG_FORMAT]
    rows = [dict(zip(names, line, strict=False)) for line in lines[1:] if line]
    if _has_duplicates(rows):
        errors.append(_DUPLICATES)
    if errors:
        raise Unprocessable(_PREFIX + " ".join(errors), reason=f"the columns are {', '.join(names)}")
    return rows


def _to_symbol(header: str) -> str:
    """Return the name of a column as Ruby makes it a symbol: ``GitLab username`` is ``gitlab_username``."""
    return re.sub(r"\s+", "_", re.sub(r"[^\s\w]+", "", header.lower().strip()))


def _has_duplicates(rows: Sequence[Row]) -> bool:
    for column in ("gitlab_public_email", "gitlab_username"):
        named = [(row.get("import_type"), row.get("source_host"), row[column]) for row in rows if row.get(column)]
        if len(named) != len({*named}):
            return True
    return False


def reassign(ctx: WriteContext, group: Group, rows: Sequence[Row]) -> None:
    """Propose the contributions of each user of the sheet to the named user, who has to approve; skip the others."""
    for row in rows:
        place = (group.id, row["source_host"], row["import_type"], row["source_user_identifier"])
        source_user, user = ctx.world.source_users.find("identifier", place), _find_user(ctx, row)
        if (
            source_user is not None
            and source_user.status in _PENDING
            and user is not None
            and _is_assignable(ctx, user)
        ):
            _propose(ctx, source_user, user)


def _propose(ctx: WriteContext, source_user: SourceUser, user: User) -> None:
    if not _is_taken(ctx.world, source_user, user):
        _set_status(ctx, source_user, "awaiting_approval", user)


def _is_taken(world: World, source_user: SourceUser, user: User) -> bool:
    """Return whether a user gets the contributions of another user of the same instance."""
    place = (source_user.source_hostname, source_user.import_type)
    siblings = (
        other for other in world.source_users.where("group", source_user.group_id) if other.id != source_user.id
    )
    return any(
        other.reassign_to_user_id == user.id and (other.source_hostname, other.import_type) == place
        for other in siblings
    )


def _set_status(
    ctx: WriteContext, source_user: SourceUser, status: SourceUserStatus, user: User | None = None
) -> SourceUser:
    by_user_id = None if status == "pending_reassignment" else ctx.signed_in_user.id
    return ctx.world.source_users.change(
        source_user,
        status=status,
        reassign_to_user_id=None if user is None else user.id,
        reassigned_by_user_id=by_user_id,
    )


def propose(ctx: WriteContext, source_user: SourceUser, user: User) -> SourceUser:
    """Propose the contributions of a user of another instance to a user, who has to approve."""
    if not _is_assignable(ctx, user):
        allows_admins = ctx.world.settings.allow_contribution_mapping_to_admins
        roles = "regular, auditor, or administrator" if allows_admins else "regular or auditor"
        raise BadRequest(f"You can assign active users with {roles} access only.", reason="the user is none of those")
    _check_status(source_user, *_PENDING)
    if _is_taken(ctx.world, source_user, user):
        text = "already assigned to another placeholder"
        raise InvalidRecord({"reassign_to_user_id": [text]}, reason="the user has those of another one")
    return _set_status(ctx, source_user, "awaiting_approval", user)


def cancel(ctx: WriteContext, source_user: SourceUser) -> SourceUser:
    """Take back a proposal that nobody has approved."""
    _check_status(source_user, "awaiting_approval", "rejected")
    return _set_status(ctx, source_user, "pending_reassignment")


def check_can_notify(source_user: SourceUser) -> None:
    """Refuse to tell a user of a proposal once more, unless it waits for an approval."""
    _check_status(source_user, "awaiting_approval")


def keep(ctx: WriteContext, source_user: SourceUser) -> SourceUser:
    """Leave the contributions with the placeholder."""
    _check_status(source_user, *_PENDING)
    return _set_status(ctx, source_user, "keep_as_placeholder")


def keep_all(ctx: WriteContext, group: Group) -> int:
    """Leave all contributions that can be reassigned with their placeholders; return their number."""
    return len([_set_status(ctx, one, "keep_as_placeholder") for one in list_pending(ctx.world, group)])


def undo_keep(ctx: WriteContext, source_user: SourceUser) -> SourceUser:
    """Let contributions that were left with a placeholder be reassigned again."""
    _check_status(source_user, "keep_as_placeholder")
    return _set_status(ctx, source_user, "pending_reassignment")


def _check_status(source_user: SourceUser, *statuses: SourceUserStatus) -> None:
    if source_user.status not in statuses:
        raise BadRequest(_WRONG_STATUS, reason=f"the status is {source_user.status}")


def _find_user(ctx: WriteContext, row: Row) -> User | None:
    """Return the user that a row names by username, by e-mail address, or by both; administrators by any address."""
    username, email = row.get("gitlab_username") or "", row.get("gitlab_public_email") or ""
    named = users.find_by_username(ctx.world, username) if username else None
    if not email:
        return named
    addressed = users.find_by_any_email(ctx.world, email) if ctx.admin else None
    if addressed is None:
        addressed = next((user for user in ctx.world.users.all() if user.public_email == email), None)
    return addressed if not username or addressed is named else None


def _is_assignable(ctx: WriteContext, user: User) -> bool:
    """Return whether a user may get contributions: an active person, administrators only if the settings say so."""
    allows_admins = ctx.world.settings.allow_contribution_mapping_to_admins
    return user.state == "active" and user.kind == "human" and (allows_admins or not user.admin)
