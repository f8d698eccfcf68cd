"""Support PINs, and the validation of credit cards. Source: docs/platform/users.md ('Support PINs')."""

from typing import Final

from fakeplat.api.scopes import USER, get_user_by_id_or_username
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Moment, Params
from fakeplat.domain.people import support_pins
from fakeplat.entities.people.accounts import CreditCardValidationView, SupportPinView
from fakeplat.model.people import User
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Users", login=Login.ALWAYS, scopes=("read_user",))
PATH: Final = "support_pin"


@area.operation("GET", f"user/{PATH}", view=SupportPinView, since="17.8", refusals=(404,))
def get_user_support_pin(ctx: ReadContext) -> User:
    """Get the support PIN of the caller."""
    return support_pins.get_holder(ctx, ctx.signed_in_user)


@area.operation("POST", f"user/{PATH}", view=SupportPinView, since="17.8")
def create_user_support_pin(ctx: WriteContext) -> User:
    """Create a support PIN of the caller, which replaces an older one."""
    return support_pins.create(ctx, ctx.signed_in_user)


@area.operation(
    "GET", PATH, scope=USER, ability=Ability.ADMIN_USERS, view=SupportPinView, since="17.8", refusals=(404,)
)
def get_user_support_pin_by_id(ctx: ReadContext, user: User) -> User:
    """Get the support PIN of a user. Administrators only."""
    return support_pins.get_holder(ctx, user)


@area.operation(
    "POST",
    f"{PATH}/revoke",
    scope=USER,
    ability=Ability.ADMIN_USERS,
    status=202,
    since="17.11",
    refusals=(404,),
)
def revoke_user_support_pin(ctx: WriteContext, user: User) -> None:
    """Revoke the support PIN of a user. Administrators only."""
    support_pins.revoke(ctx, user)


class ValidateCreditCard(Params):
    """When and how the credit card was validated. Only the time is kept."""

    credit_card_validated_at: Moment
    credit_card_expiration_month: int
    credit_card_expiration_year: int
    credit_card_holder_name: str
    credit_card_mask_number: str
    credit_card_type: str
    zuora_payment_method_xid: str | None = None
    stripe_setup_intent_xid: str | None = None
    stripe_payment_method_xid: str | None = None
    stripe_card_fingerprint: str | None = None


@area.operation(
    "PUT",
    "user/:user_id/credit_card_validation",
    ability=Ability.ADMIN_USERS,
    params=ValidateCreditCard,
    view=CreditCardValidationView,
    since="<=18.9",
    refusals=(404,),
)
def update_user_credit_card_validation(ctx: WriteContext, user_id: str, p: ValidateCreditCard) -> User:
    """Set when the credit card of a user was validated. Administrators only."""
    user = get_user_by_id_or_username(ctx, user_id)
    return ctx.world.users.change(user, credit_card_validated_at=p.credit_card_validated_at)
