"""With what something was written. Source: docs/platform/specification.md ('Issues')."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.user_agents import UserAgentDetail


class UserAgentView(Entity[UserAgentDetail]):
    """The program and the address that a record came from."""

    user_agent = attr()
    ip_address = attr()
    antispam_submitted = attr()
