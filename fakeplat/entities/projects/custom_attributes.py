"""Views of custom attributes, alone and as part of their records.

Source: docs/platform/users.md, docs/platform/projects.md.
"""

from typing import ClassVar, TypeVar

from fakeplat.core.operations.entity import Entity, attr, computed_if
from fakeplat.core.store.table import Record
from fakeplat.model.projects import CustomAttribute
from fakeplat.policy.context import ReadContext

CUSTOM_ATTRIBUTES = "custom_attributes"
R = TypeVar("R", bound=Record)


class CustomAttributeView(Entity[CustomAttribute]):
    """A key and its value."""

    key = attr()
    value = attr()


class WithCustomAttributes(Entity[R]):
    """Adds a record's custom attributes if an administrator requested them."""

    ctx: ReadContext
    subject_kind: ClassVar[str] = "user"

    @computed_if(when=lambda view: CUSTOM_ATTRIBUTES in view.options)
    def custom_attributes(self) -> list[CustomAttributeView]:
        subject = (self.subject_kind, self.record.id)
        attributes = self.ctx.world.custom_attributes.where("subject", subject)
        return [self.ctx.render(CustomAttributeView, attribute) for attribute in attributes]
