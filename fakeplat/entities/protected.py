"""What protected branches and tags show. Source: docs/platform/protected-branches-and-tags.md."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.repository import protection
from fakeplat.model.repositories import Access, ProtectedBranch, ProtectedTag
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature

_DESCRIPTIONS: Final = {0: "No one", 30: "Developers + Maintainers", 40: "Maintainers", 60: "Instance admins"}
_USUAL_LEVEL: Final = 40
"""What stands beside a user or group, as in the platform's table."""


def _paid(view: Any) -> bool:
    return has_feature(view.ctx.world, "premium", view.ctx.world.projects[view.record.project_id])


def _levels(view: Any, many: Iterable[Access]) -> list[dict[str, Any]]:
    """Who is admitted; whether by user or group stands there where the tier has that, beside the usual level."""
    return [
        {
            "access_level": _USUAL_LEVEL if one.level is None else one.level,
            **({"user_id": one.user_id, "group_id": one.group_id} if _paid(view) else {}),
            "access_level_description": _described(view.ctx, one),
        }
        for one in protection.branch_permissions(view.ctx.world, many)
    ]


def _described(ctx: ReadContext, one: Access) -> str:
    if one.user_id is not None:
        return ctx.world.users[one.user_id].name
    if one.group_id is not None:
        return ctx.world.namespaces[one.group_id].name
    return _DESCRIPTIONS[one.level or 0]


class ProtectedBranchView(Entity[ProtectedBranch]):
    """A protected branch, or a pattern of names."""

    ctx: ReadContext

    id = attr()
    name = attr()

    @computed
    def push_access_levels(self) -> list[dict[str, Any]]:
        return _levels(self, self.record.push)

    @computed
    def merge_access_levels(self) -> list[dict[str, Any]]:
        return _levels(self, self.record.merge)

    @computed_if(_paid)
    def unprotect_access_levels(self) -> list[dict[str, Any]]:
        return _levels(self, self.record.unprotect)

    code_owner_approval_required = attr(when=_paid)


class ProtectedTagView(Entity[ProtectedTag]):
    """A protected tag, or a pattern of names."""

    ctx: ReadContext

    name = attr()

    @computed
    def create_access_levels(self) -> list[dict[str, Any]]:
        return _levels(self, self.record.create)
