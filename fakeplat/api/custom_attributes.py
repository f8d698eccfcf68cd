"""Custom attributes of users, groups and projects, for administrators.

Source: docs/platform/users.md, docs/platform/projects.md.
"""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import GROUP, PROJECT, USER
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.projects import custom_attributes as attributes
from fakeplat.entities.custom_attributes import CustomAttributeView
from fakeplat.model.projects import CustomAttribute
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Custom attributes", login=Login.ALWAYS)
OWNERS: Final = (USER, GROUP, PROJECT)


def _subject(owner: Any) -> tuple[str, int]:
    return (type(owner).__name__.lower(), owner.id)


@area.operation(
    "GET",
    "custom_attributes",
    under=OWNERS,
    may=May.READ_CUSTOM_ATTRIBUTE,
    shows=CustomAttributeView,
    many=True,
    paged=False,
)
def list_custom_attributes(cx: Context, owner: Any) -> Sequence[CustomAttribute]:
    """List custom attributes."""
    return attributes.of(cx.world, _subject(owner))


@area.operation(
    "GET",
    "custom_attributes/:key",
    under=OWNERS,
    may=May.READ_CUSTOM_ATTRIBUTE,
    shows=CustomAttributeView,
    refuses=(404,),
)
def get_custom_attribute(cx: Context, owner: Any, key: str) -> CustomAttribute:
    """Get a custom attribute."""
    return attributes.get(cx.world, _subject(owner), key)


class SetCustomAttribute(Params):
    """The value."""

    value: str


@area.operation(
    "PUT",
    "custom_attributes/:key",
    under=OWNERS,
    may=May.UPDATE_CUSTOM_ATTRIBUTE,
    takes=SetCustomAttribute,
    shows=CustomAttributeView,
)
def set_custom_attribute(cx: Doing, owner: Any, key: str, p: SetCustomAttribute) -> CustomAttribute:
    """Set a custom attribute."""
    return attributes.put(cx, _subject(owner), key, p.value)


@area.operation("DELETE", "custom_attributes/:key", under=OWNERS, may=May.UPDATE_CUSTOM_ATTRIBUTE, refuses=(404,))
def delete_custom_attribute(cx: Doing, owner: Any, key: str) -> None:
    """Delete a custom attribute."""
    attributes.remove(cx, _subject(owner), key)
