"""Further e-mail addresses of users. Source: docs/platform/users.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import USER
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.people import emails
from fakeplat.entities.people.accounts import EmailView
from fakeplat.model.people import Email, User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Emails", login=Login.ALWAYS, scopes=("read_user",))
PATH: Final = "emails/:email_id"


class CreateEmail(Params):
    """A new e-mail address."""

    email: str


class CreateUserEmail(CreateEmail):
    """A new e-mail address of a user, which an administrator may confirm."""

    skip_confirmation: bool | None = None


def _delete(ctx: WriteContext, user: User, email_id: int) -> None:
    email = emails.require_email(ctx.world, user, email_id)
    ctx.check_unmodified_since(email.updated_at)
    emails.delete(ctx, user, email)


@area.operation("GET", "user/emails", params=Paged, view=EmailView, many=True)
def list_current_user_emails(ctx: ReadContext) -> Sequence[Email]:
    """List the caller's e-mail addresses."""
    return emails.list_emails(ctx.world, ctx.signed_in_user)


@area.operation("GET", f"user/{PATH}", view=EmailView, refusals=(404,))
def get_current_user_email(ctx: ReadContext, email_id: int) -> Email:
    """Get an e-mail address of the caller."""
    return emails.require_email(ctx.world, ctx.signed_in_user, email_id)


@area.operation("POST", "user/emails", params=CreateEmail, view=EmailView, refusals=(400,))
def create_current_user_email(ctx: WriteContext, p: CreateEmail) -> Email:
    """Add an e-mail address to the caller's account; it is unconfirmed."""
    return emails.create(ctx, ctx.signed_in_user, p.email)


@area.operation("DELETE", f"user/{PATH}", refusals=(400, 404, 412))
def delete_current_user_email(ctx: WriteContext, email_id: int) -> None:
    """Delete a further e-mail address of the caller."""
    _delete(ctx, ctx.signed_in_user, email_id)


@area.operation("GET", "emails", scope=USER, params=Paged, view=EmailView, many=True, ability=Ability.ADMIN_USERS)
def list_user_emails(ctx: ReadContext, user: User) -> Sequence[Email]:
    """List the e-mail addresses of a user. Administrators only."""
    return emails.list_emails(ctx.world, user)


@area.operation(
    "POST",
    "emails",
    scope=USER,
    params=CreateUserEmail,
    view=EmailView,
    ability=Ability.ADMIN_USERS,
    refusals=(400,),
)
def create_user_email(ctx: WriteContext, user: User, p: CreateUserEmail) -> Email:
    """Add an e-mail address to the account of a user. Administrators only."""
    return emails.create(ctx, user, p.email, is_confirmed=bool(p.skip_confirmation))


@area.operation("DELETE", PATH, scope=USER, ability=Ability.ADMIN_USERS, refusals=(400, 404, 412))
def delete_user_email(ctx: WriteContext, user: User, email_id: int) -> None:
    """Delete a further e-mail address of a user. Administrators only."""
    _delete(ctx, user, email_id)
