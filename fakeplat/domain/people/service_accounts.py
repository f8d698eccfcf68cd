"""Service accounts of the instance and of top-level groups.

Source: docs/platform/impersonation-and-access-tokens.md ('Service accounts').
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, InvalidRecord, NotFound
from fakeplat.domain.people import bots, users
from fakeplat.model.people import Group, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_TAKEN: Final = "has already been taken"


class Names(TypedDict, total=False):
    """How a service account is called, and its e-mail address."""

    name: str
    username: str
    email: str


def list_accounts(world: World, order_by: str, sort: str, group: Group | None = None) -> Sequence[User]:
    """Return the service accounts of the instance, or only those of a group."""
    candidates: Iterable[User] = (
        world.users.all() if group is None else world.users.where("provisioned_by_group", group.id)
    )
    accounts = [user for user in candidates if user.kind == "service_account"]
    return sorted(accounts, key=lambda user: (getattr(user, order_by), user.id), reverse=sort == "desc")


def get_account(world: World, group: Group, user_id: int) -> User:
    """Return a service account of a group; 404 for a user who is not of the group, 400 for one of another kind."""
    user = world.users.get(user_id)
    if user is None or user.provisioned_by_group_id != group.id:
        raise NotFound("User", reason=f"{describe(world, group)} provides no user {user_id}")
    if user.kind != "service_account":
        text = "400 Bad request - User is not of type Service Account"
        raise BadRequest(text, reason=f"{user.username} is no service account")
    return user


def create(ctx: WriteContext, group: Group | None, **names: Unpack[Names]) -> User:
    """Create a service account with made-up names where none are given; 400 for names that are taken."""
    place = "" if group is None else f"group_{group.id}_"
    made_up = f"service_account_{place}{ctx.random_hex('service account')}"
    username, email = names.get("username") or made_up, names.get("email")
    errors = _list_taken(ctx.world, None, username, email)
    if errors:
        raise BadRequest(f"400 Bad request - {errors}", reason=errors)
    return bots.add_service_account(
        ctx, names.get("name") or "Service account user", username, email=email or bots.email_for(made_up), group=group
    )


def update(ctx: WriteContext, account: User, **names: Unpack[Names]) -> User:
    """Rename a service account. 400 for invalid or taken names.

    A new e-mail address waits for confirmation only if the instance asks for that.
    """
    counts_at_once = ctx.world.settings.email_confirmation_setting == "off"
    errors = _list_taken(ctx.world, account, names.get("username"), names.get("email"))
    if errors:
        raise BadRequest(errors, reason=errors)
    try:
        return users.update(ctx, account, **names, skip_reconfirmation=counts_at_once)
    except InvalidRecord as refusal:
        raise BadRequest(refusal.sentence(), reason=refusal.explain()) from None


def _list_taken(world: World, account: User | None, username: str | None, email: str | None) -> str:
    """Return which names others have, as a sentence."""
    kept = () if account is None else (account.username.lower(), account.email.lower())
    taken = []
    if email and email.lower() not in kept and users.is_email_taken(world, email):
        taken.append(f"Email {_TAKEN}")
    if username and username.lower() not in kept and users.is_username_taken(world, username):
        taken.append(f"Username {_TAKEN}")
    return " and ".join(taken)
