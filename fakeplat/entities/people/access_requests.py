"""Views of access requests. Source: docs/platform/project-members.md."""

from fakeplat.core.operations.entity import attr
from fakeplat.entities.people.members import MemberBase
from fakeplat.model.access_requests import AccessRequest


class AccessRequestView(MemberBase[AccessRequest]):
    """The requesting user, and the time of the request."""

    requested_at = attr()
