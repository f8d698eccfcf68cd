"""Custom attributes, alone and as a part of what they belong to.

Source: docs/platform/users.md, docs/platform/projects.md.
"""

from typing import Any, ClassVar

from fakeplat.core.operations.entity import Entity, attr, shown_when
from fakeplat.model.projects import CustomAttribute
from fakeplat.policy.context import Context

SHOWN = "custom_attributes"


class CustomAttributeView(Entity[CustomAttribute]):
    """A key and its value."""

    key = attr(str)
    value = attr(str)


class WithCustomAttributes(Entity[Any]):
    """Adds a record's custom attributes where an administrator asked for them."""

    cx: Context
    subject_kind: ClassVar[str] = "user"

    @shown_when(lambda view: SHOWN in view.options)
    def custom_attributes(self) -> list[CustomAttributeView]:
        subject = (self.subject_kind, self.record.id)
        found = self.cx.world.custom_attributes.where("subject", subject)
        return [self.cx.show(CustomAttributeView, attribute) for attribute in found]
