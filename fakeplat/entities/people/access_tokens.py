"""Views of access tokens. Source: docs/platform/impersonation-and-access-tokens.md."""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant
from fakeplat.domain.people import members, tokens
from fakeplat.domain.people.associations import AssociationLists
from fakeplat.entities import urls
from fakeplat.entities.people.namespaces import GroupBasic, NamespaceBasic
from fakeplat.entities.projects.projects import ProjectIdentity
from fakeplat.model.people import GranularScope, Group, Level, Token
from fakeplat.policy.context import ReadContext
from fakeplat.policy.granular_scopes import is_granular
from fakeplat.policy.levels import group_level, member_level

_DATE = len("2020-11-20")


class GranularScopeView(Entity[GranularScope]):
    """Permissions of a fine-grained token."""

    access = attr()
    permissions = attr()
    project_id = attr()
    group_id = attr()


class AccessTokenView(Entity[Token]):
    """A token without its value."""

    ctx: ReadContext

    id = attr()
    name = attr()
    revoked = attr()
    created_at = attr()
    scopes = attr()
    user_id = attr()
    description = attr(since="17.7")
    last_used_at = attr(since="<=14.10")

    @computed
    def active(self) -> bool:
        return tokens.is_active(self.ctx, self.record)

    @computed_if(since="18.10")
    def granular(self) -> bool:
        return is_granular(self.record)

    @computed
    def expires_at(self) -> str | None:
        return self.record.expires_at[:_DATE] if self.record.expires_at else None


def _is_granular(view: AccessTokenView) -> bool:
    return is_granular(view.record)


def _render_granular_scopes(view: AccessTokenView) -> list[GranularScopeView]:
    scopes = view.ctx.world.granular_scopes.where("token", view.record.id)
    return [view.ctx.render(GranularScopeView, scope) for scope in scopes]


class ListedAccessToken(AccessTokenView):
    """A token with the permissions of a fine-grained one."""

    @computed_if(since="19.2", when=_is_granular)
    def granular_scopes(self) -> list[GranularScopeView]:
        return _render_granular_scopes(self)


class AccessTokenWithAddresses(ListedAccessToken):
    """A token with the IP addresses that used it last."""

    last_used_ips = attr(since="17.10")


class AccessTokenWithToken(AccessTokenView):
    """A token with its value, which is only shown when the token is created."""

    token = attr("value")


class RotatedAccessToken(AccessTokenWithToken):
    """A token that replaces another one, with its value and the permissions of a fine-grained one."""

    @computed_if(since="19.2", when=_is_granular)
    def granular_scopes(self) -> list[GranularScopeView]:
        return _render_granular_scopes(self)


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

    @computed_if(since="<=18.9")
    def resource_type(self) -> str:
        return self.record.kind

    @computed_if(since="<=18.9")
    def resource_id(self) -> int:
        return tokens.container_of(self.ctx.world, self.record).id


class ResourceAccessTokenWithToken(ResourceAccessTokenView):
    """An access token of a project or group with its value."""

    token = attr("value")


class GroupAssociation(GroupBasic):
    """A group that a token reaches, with the caller's access level."""

    parent_id = attr()
    organization_id = constant(1, int)
    visibility = attr()

    @computed
    def access_levels(self) -> int | None:
        return group_level(self.ctx.world, self.record, self.ctx.signed_in_user.id) or None


class ProjectAssociation(ProjectIdentity):
    """A project that a token reaches, with the caller's access levels there and in its group."""

    visibility = attr()

    @computed
    def access_levels(self) -> dict[str, int | None]:
        user, namespace = self.ctx.signed_in_user, self.ctx.world.namespaces[self.record.namespace_id]
        in_group = group_level(self.ctx.world, namespace, user.id) if isinstance(namespace, Group) else None
        in_project = member_level(self.ctx.world, ("project", self.record.id), user.id)
        return {"project_access_level": in_project or None, "group_access_level": in_group or None}

    @computed
    def web_url(self) -> str:
        return urls.project_url(self.ctx, self.record)

    @computed
    def namespace(self) -> NamespaceBasic:
        basic: NamespaceBasic = self.ctx.render(NamespaceBasic, self.ctx.world.namespaces[self.record.namespace_id])
        return basic


class Associations(Entity[AssociationLists]):
    """The groups and projects that a token reaches."""

    ctx: ReadContext
    cached_by_id = False

    @computed
    def groups(self) -> list[GroupAssociation]:
        return [self.ctx.render(GroupAssociation, group) for group in self.record.groups]

    @computed
    def projects(self) -> list[ProjectAssociation]:
        return [self.ctx.render(ProjectAssociation, project) for project in self.record.projects]
