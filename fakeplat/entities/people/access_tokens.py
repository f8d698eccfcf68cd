"""Views of access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.people import members, tokens
from fakeplat.model.people import Level, Token
from fakeplat.policy.context import ReadContext

_DATE = len("2020-11-20")


class AccessTokenView(Entity[Token]):
    """A token without its value."""

    ctx: ReadContext

    id = attr()
    name = attr()
    revoked = attr()
    created_at = attr()
    scopes = attr()
    user_id = attr()

    @computed
    def active(self) -> bool:
        return tokens.is_active(self.ctx, self.record)

    @computed
    def expires_at(self) -> str | None:
        return self.record.expires_at[:_DATE] if self.record.expires_at else None


class AccessTokenWithToken(AccessTokenView):
    """A token with its value, which is only shown when the token is created."""

    token = attr("value")


class ImpersonationTokenView(AccessTokenView):
    """An impersonation token without its value."""

    impersonation = constant(True, bool)


class ImpersonationTokenWithToken(AccessTokenWithToken):
    """An impersonation token with its value."""

    impersonation = constant(True, bool)


class ResourceAccessTokenView(AccessTokenView):
    """An access token of a project or group, with the role of its bot there."""

    @computed
    def access_level(self) -> int:
        container = tokens.container_of(self.ctx.world, self.record)
        member = members.find_member(self.ctx.world, container, tokens.bot_of(self.ctx.world, self.record))
        return member.access_level if member is not None else int(Level.NONE)

    description = constant(None, str | None, since="17.7")
    last_used_at = constant(None, str | None, since="<=16.0")

    @computed_if(since="<=18.9")
    def resource_type(self) -> str:
        return self.record.kind

    @computed_if(since="<=18.9")
    def resource_id(self) -> int:
        return tokens.container_of(self.ctx.world, self.record).id


class ResourceAccessTokenWithToken(ResourceAccessTokenView):
    """An access token of a project or group with its value."""

    token = attr("value")
