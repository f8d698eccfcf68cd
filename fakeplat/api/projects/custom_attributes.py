"""Custom attributes of users, groups and projects, for administrators.

Source: docs/platform/users.md, docs/platform/projects.md.
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP, PROJECT, USER
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import custom_attributes
from fakeplat.domain.projects.custom_attributes import Owner
from fakeplat.entities.projects.custom_attributes import CustomAttributeView
from fakeplat.model.projects import CustomAttribute
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Custom attributes", login=Login.ALWAYS)
OWNERS: Final = (USER, GROUP, PROJECT)


@area.operation(
    "GET",
    "custom_attributes",
    scope=OWNERS,
    ability=Ability.READ_CUSTOM_ATTRIBUTE,
    view=CustomAttributeView,
    many=True,
    paging=None,
)
def list_custom_attributes(ctx: ReadContext, owner: Owner) -> Sequence[CustomAttribute]:
    """List custom attributes."""
    return custom_attributes.list_attributes(ctx.world, custom_attributes.subject_of(owner))


@area.operation(
    "GET",
    "custom_attributes/:key",
    scope=OWNERS,
    ability=Ability.READ_CUSTOM_ATTRIBUTE,
    view=CustomAttributeView,
    refusals=(404,),
)
def get_custom_attribute(ctx: ReadContext, owner: Owner, key: str) -> CustomAttribute:
    """Get a custom attribute."""
    return custom_attributes.get_attribute(ctx.world, custom_attributes.subject_of(owner), key)


class SetCustomAttribute(Params):
    """The new value of a custom attribute."""

    value: str


@area.operation(
    "PUT",
    "custom_attributes/:key",
    scope=OWNERS,
    ability=Ability.UPDATE_CUSTOM_ATTRIBUTE,
    params=SetCustomAttribute,
    view=CustomAttributeView,
)
def set_custom_attribute(ctx: WriteContext, owner: Owner, key: str, p: SetCustomAttribute) -> CustomAttribute:
    """Set a custom attribute."""
    return custom_attributes.set_attribute(ctx, custom_attributes.subject_of(owner), key, p.value)


@area.operation(
    "DELETE", "custom_attributes/:key", scope=OWNERS, ability=Ability.UPDATE_CUSTOM_ATTRIBUTE, refusals=(404,)
)
def delete_custom_attribute(ctx: WriteContext, owner: Owner, key: str) -> None:
    """Delete a custom attribute."""
    custom_attributes.delete_attribute(ctx, custom_attributes.subject_of(owner), key)
