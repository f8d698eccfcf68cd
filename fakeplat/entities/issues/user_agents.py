"""Views of user agent details. Source: docs/platform/issues.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.user_agents import UserAgentDetail


class UserAgentView(Entity[UserAgentDetail]):
    """The user agent and the IP address from which a record was created."""

    user_agent = attr()
    ip_address = attr()
    antispam_submitted = attr()
