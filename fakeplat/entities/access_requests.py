"""What requests for access show. Source: docs/platform/project-members.md."""

from fakeplat.core.operations.entity import attr
from fakeplat.entities.members import MemberBase
from fakeplat.model.access_requests import AccessRequest


class AccessRequestView(MemberBase[AccessRequest]):
    """The user who asks, and since when."""

    requested_at = attr()
