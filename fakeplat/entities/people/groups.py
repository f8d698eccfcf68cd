"""Groups, and their links to groups elsewhere. Source: docs/platform/groups.md."""

from collections.abc import Sequence

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.groups import download_limits
from fakeplat.domain.projects import shares
from fakeplat.entities.people.namespaces import GroupView, SharedWith
from fakeplat.entities.projects.projects import ADMINISTERED, ProjectView
from fakeplat.model.people import Group, LdapGroupLink, SamlGroupLink
from fakeplat.policy import custom_roles
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.features import has_feature

# The platform's limit for each of the two lists of projects in a group.
MAX_PROJECTS = 100


def _is_paid(view: Entity[Group]) -> bool:
    return has_feature(view.ctx.world, "premium", view.record)


def _has_roles(view: Entity[LdapGroupLink] | Entity[SamlGroupLink]) -> bool:
    world = view.ctx.world
    return custom_roles.are_available(world, world.namespaces[view.record.group_id])


class LdapGroupLinkView(Entity[LdapGroupLink]):
    """A link to an LDAP group."""

    cn = attr()
    group_access = attr()
    provider = attr()
    filter = attr()
    member_role_id = attr(since="<=18.0", when=_has_roles)


class SamlGroupLinkView(Entity[SamlGroupLink]):
    """A link to a SAML group."""

    name = attr()
    access_level = attr()
    member_role_id = attr(since="16.8", when=_has_roles)
    provider = attr(since="18.2")


class GroupWithShares(GroupView):
    """A group with its shares and settings."""

    @computed_if(when=lambda view: _is_paid(view) and bool(view._ldap_links))
    def ldap_group_links(self) -> list[LdapGroupLinkView]:
        return [self.ctx.render(LdapGroupLinkView, link) for link in self._ldap_links]

    @computed_if(
        since="15.3",
        when=lambda view: _is_paid(view) and bool(view._saml_links) and can(view.ctx, Ability.ADMIN_GROUP, view.record),
    )
    def saml_group_links(self) -> list[SamlGroupLinkView]:
        return [self.ctx.render(SamlGroupLinkView, link) for link in self._saml_links]

    @computed
    def shared_with_groups(self) -> list[SharedWith]:
        return [self.ctx.render(SharedWith, share) for share in shares.list_visible_shares(self.ctx, self.record)]

    runners_token = attr(when=lambda view: ADMINISTERED in view.options)

    prevent_forking_outside_group = attr(
        when=lambda view: (
            has_feature(view.ctx.world, "premium", view.record)
            and view.record.parent_id is None
            and can(view.ctx, Ability.ADMIN_GROUP, view.record)
        ),
    )

    enabled_git_access_protocol = attr(since="16.9")
    prevent_sharing_groups_outside_hierarchy = attr(since="14.1", when=lambda view: view.record.parent_id is None)
    membership_lock = attr(since="<=18.9", when=_is_paid)
    ip_restriction_ranges = attr(since="15.4", when=_is_paid)
    allowed_email_domains_list = attr(since="17.4", when=_is_paid)
    only_allow_merge_if_pipeline_succeeds = attr(since="<=18.9", when=_is_paid)
    allow_merge_on_skipped_pipeline = attr(since="<=18.9", when=_is_paid)
    only_allow_merge_if_all_discussions_are_resolved = attr(since="<=18.9", when=_is_paid)
    shared_runners_minutes_limit = attr(when=lambda view: has_feature(view.ctx.world, "premium", view.record))
    extra_shared_runners_minutes_limit = attr(when=lambda view: has_feature(view.ctx.world, "premium", view.record))

    @property
    def _ldap_links(self) -> Sequence[LdapGroupLink]:
        return self.ctx.world.ldap_group_links.where("group", self.record.id)

    @property
    def _saml_links(self) -> Sequence[SamlGroupLink]:
        return self.ctx.world.saml_group_links.where("group", self.record.id)


def _limits_downloads(view: Entity[Group]) -> bool:
    return can(view.ctx, Ability.ADMIN_GROUP, view.record) and download_limits.are_enabled(view.ctx, view.record)


class GroupDetail(GroupWithShares):
    """A group with its shares, settings and projects."""

    unique_project_download_limit = attr(since="15.3", when=_limits_downloads)
    unique_project_download_limit_interval_in_seconds = attr(since="15.3", when=_limits_downloads)
    unique_project_download_limit_allowlist = attr(since="15.3", when=_limits_downloads)

    @computed_if(since="15.9", when=_limits_downloads)
    def unique_project_download_limit_alertlist(self) -> list[int]:
        return download_limits.list_alerted(self.ctx.world, self.record)

    auto_ban_user_on_excessive_projects_download = attr(since="15.4", when=_limits_downloads)

    @computed
    def projects(self) -> list[ProjectView]:
        newest_first = self.ctx.world.projects.where("namespace", self.record.id).in_reverse()
        # Only visible projects count towards the limit, so hidden ones are left out first.
        return [self.ctx.render(ProjectView, project) for project in newest_first if can_see(self.ctx, project)][
            :MAX_PROJECTS
        ]

    @computed
    def shared_projects(self) -> list[ProjectView]:
        shared = [
            self.ctx.world.projects[share.source[1]]
            for share in self.ctx.world.shares.where("group", self.record.id)
            if share.source[0] == "project"
        ]
        return [self.ctx.render(ProjectView, project) for project in shared if can_see(self.ctx, project)][
            :MAX_PROJECTS
        ]
