"""Views of custom roles. Source: docs/platform/project-members.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.people import ROLE_PERMISSIONS, MemberRole


class MemberRoleView(Entity[MemberRole]):
    """A custom role with all of its permissions."""

    id = attr()
    name = attr()
    description = attr()
    base_access_level = attr()

    @computed
    def group_id(self) -> None:
        return None

    # In the body of a class these are its own attributes.
    vars().update({permission: attr(since=lifetime.since) for permission, lifetime in ROLE_PERMISSIONS.items()})
