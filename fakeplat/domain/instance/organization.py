"""The organization that everything on the instance belongs to, and its owners. Source: docs/platform/graphql.md."""

import re
from collections.abc import Iterator
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.validation import BLANK, RESERVED, RESERVED_IN_NAMESPACES, ValidationErrors, too_long
from fakeplat.model.instance import Organization
from fakeplat.model.people import User
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,254}")
_PATH_TEXT: Final = "can contain only letters, digits, '_' and '-'. Cannot start with '-'."
_SHORTEST_PATH: Final = 2
_LONGEST_DESCRIPTION: Final = 1024
_SHORTEST_PART: Final = 3
_LAST_OWNER: Final = "You cannot change the access of the last owner from the organization"


class OrganizationChanges(TypedDict, total=False):
    """Changes of the organization."""

    name: str | None
    path: str | None
    description: str | None
    promoted_ids: tuple[int, ...]
    demoted_ids: tuple[int, ...]


@frozen
class OrganizationUser:
    """A user of the organization, to which every user belongs."""

    user: User
    is_owner: bool

    @property
    def id(self) -> int:
        """The id of the user, who is in one organization only."""
        return self.user.id


def get_organization(world: World) -> Organization:
    """Return the organization; the one of a new instance if nothing was changed."""
    return next(iter(world.organizations.all()), Organization())


def get_user(world: World, user: User) -> OrganizationUser:
    """Return what a user is in the organization."""
    organization = get_organization(world)
    is_owner = user.id in organization.promoted_ids or (user.admin and user.id not in organization.demoted_ids)
    return OrganizationUser(user, is_owner)


def list_users(world: World) -> Iterator[OrganizationUser]:
    """Yield the users of the organization."""
    return (get_user(world, user) for user in world.users.all())


def list_other_owners(world: World, user: User) -> list[User]:
    """Return the owners beside a user."""
    return [row.user for row in list_users(world) if row.is_owner and row.id != user.id]


def is_last_owner(world: World, row: OrganizationUser) -> bool:
    """Return whether a user is the only owner; of a user who can sign in, the only one who can."""
    others = list_other_owners(world, row.user)
    if row.user.state == "active":
        others = [user for user in others if user.state == "active"]
    return row.is_owner and not others


def can_administer(ctx: ReadContext) -> bool:
    """Return whether the caller may change the organization: as administrator, or as another owner."""
    if ctx.admin or ctx.viewer is None:
        return ctx.admin
    return ctx.viewer.id in get_organization(ctx.world).promoted_ids


def matches(organization: Organization, text: str) -> bool:
    """Return whether the name or the path has each word of a text; a short text has to be all of it."""
    values = (organization.name.lower(), organization.path.lower())
    words = [word for word in text.lower().split() if len(word) >= _SHORTEST_PART]
    if not words:
        return text.lower() in values
    return any(all(word in value for word in words) for value in values)


def update(ctx: WriteContext, **changes: Unpack[OrganizationChanges]) -> Organization:
    """Change the organization. InvalidRecord if a value is not valid."""
    _validate(changes)
    table, stored = ctx.world.organizations, get_organization(ctx.world)
    if not table.get(stored.id):
        stored = table.add(Organization(table.next_id()))
    return table.change(stored, **changes)


def _validate(changes: OrganizationChanges) -> None:
    errors = ValidationErrors()
    if "name" in changes:
        errors.when(not (changes["name"] or "").strip(), "name", BLANK)
        too_long(errors, "name", changes["name"])
    if "path" in changes:
        _check_path(errors, changes["path"] or "")
    too_long(errors, "organization_detail.description", changes.get("description"), _LONGEST_DESCRIPTION)
    errors.refuse()


def _check_path(errors: ValidationErrors, path: str) -> None:
    errors.when(not path.strip(), "path", BLANK)
    if not _PATH.fullmatch(path):
        errors.add("path", _PATH_TEXT)
    else:
        errors.when(path.lower() in RESERVED | RESERVED_IN_NAMESPACES, "path", f"{path} is a reserved name")
    errors.when(len(path) < _SHORTEST_PATH, "path", f"is too short (minimum is {_SHORTEST_PATH} characters)")
    too_long(errors, "path", path)


def set_owner(ctx: WriteContext, user: User, *, is_owner: bool) -> OrganizationUser:
    """Make a user an owner, or an ordinary user; the organization keeps an owner."""
    organization = get_organization(ctx.world)
    row = get_user(ctx.world, user)
    if row.is_owner and not is_owner and not list_other_owners(ctx.world, user):
        raise InvalidRecord({"base": [_LAST_OWNER]}, reason=f"{user.username} is the only owner")
    promoted = {id_ for id_ in organization.promoted_ids if id_ != user.id}
    demoted = {id_ for id_ in organization.demoted_ids if id_ != user.id}
    if is_owner != user.admin:
        (promoted if is_owner else demoted).add(user.id)
    update(ctx, promoted_ids=tuple(sorted(promoted)), demoted_ids=tuple(sorted(demoted)))
    return get_user(ctx.world, user)
