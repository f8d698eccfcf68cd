"""Views of deploy tokens."""

from fakeplat.core.operations.entity import Entity, attr, computed_if
from fakeplat.domain.projects import deploy_tokens
from fakeplat.model.projects import DeployToken
from fakeplat.policy.context import ReadContext


class DeployTokenView(Entity[DeployToken]):
    """A deploy token without its value."""

    ctx: ReadContext

    id = attr()
    name = attr()
    username = attr()
    expires_at = attr()
    scopes = attr()
    revoked = attr(since="<=15.4")

    @computed_if(since="<=15.4")
    def expired(self) -> bool:
        return deploy_tokens.is_expired(self.ctx, self.record)


class DeployTokenWithToken(DeployTokenView):
    """A deploy token with its value, which is only shown when the token is created."""

    token = attr("value")
