"""Views of custom roles. Source: docs/platform/project-members.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.people import ROLE_PERMISSIONS, MemberRole


class MemberRoleView(Entity[MemberRole]):
    """A custom role with all of its permissions."""

    id = attr()
    name = attr()
    description = attr()
    base_access_level = attr(when=lambda view: view.record.base_access_level is not None)
    group_id = attr()

    # In the body of a class these are its own attributes.
    vars().update({permission: attr(since=lifetime.since) for permission, lifetime in ROLE_PERMISSIONS.items()})
