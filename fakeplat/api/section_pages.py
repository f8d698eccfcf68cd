"""HTML pages of the lists of projects and groups, and of the records without a module for their pages.

A page of a list links to the list in the API, which shows to each caller what the caller sees.
Source: docs/contract.md ('URLs').
"""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote

from fakeplat.api import import_export
from fakeplat.api.feeds.access import is_feed_requested
from fakeplat.api.feeds.code_feeds import get_releases_feed, get_tags_feed
from fakeplat.api.feeds.issuable_feeds import (
    get_group_issues_feed,
    get_group_merge_requests_feed,
    get_project_issues_feed,
    get_project_merge_requests_feed,
)
from fakeplat.api.pages import area, page_not_found, render_html_page
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces
from fakeplat.entities import urls
from fakeplat.entities.deployments.deployments import EnvironmentView
from fakeplat.entities.deployments.feature_flags import UserListView
from fakeplat.entities.packages import PackageDetail
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext
from fakeplat.policy.features import has_feature


class _Section(NamedTuple):
    """A list of a project or group: who may open its page, and its path in the API."""

    ability: Ability
    api_path: str


_OF_BOTH: Final[Mapping[str, _Section]] = {
    "issues": _Section(Ability.READ_ISSUES, "issues"),
    "labels": _Section(Ability.READ_LABEL, "labels"),
    "milestones": _Section(Ability.READ_MILESTONE, "milestones"),
    "boards": _Section(Ability.READ_BOARD, "boards"),
    "packages": _Section(Ability.READ_PACKAGE, "packages"),
    "wikis": _Section(Ability.READ_WIKI, "wikis"),
}
_OF_PROJECTS: Final[Mapping[str, _Section]] = {
    **_OF_BOTH,
    "merge_requests": _Section(Ability.READ_MERGE_REQUESTS, "merge_requests"),
    "snippets": _Section(Ability.READ_SNIPPETS, "snippets"),
    "branches": _Section(Ability.DOWNLOAD_CODE, "repository/branches"),
    "tags": _Section(Ability.DOWNLOAD_CODE, "repository/tags"),
    "releases": _Section(Ability.READ_RELEASE, "releases"),
    "pipelines": _Section(Ability.READ_PIPELINE, "pipelines"),
    "pipeline_schedules": _Section(Ability.READ_PIPELINE_SCHEDULE, "pipeline_schedules"),
    "jobs": _Section(Ability.READ_BUILD, "jobs"),
    "environments": _Section(Ability.READ_ENVIRONMENT, "environments"),
    "feature_flags": _Section(Ability.READ_FEATURE_FLAG, "feature_flags"),
    "project_members": _Section(Ability.READ_MEMBERS, "members"),
}
_OF_GROUPS: Final[Mapping[str, _Section]] = {
    **_OF_BOTH,
    "epics": _Section(Ability.READ_EPIC, "epics"),
    "group_members": _Section(Ability.READ_MEMBERS, "members"),
}
_FEEDS: Final[Mapping[str, Callable[[ReadContext, str], RawBody]]] = {
    "issues": get_project_issues_feed,
    "merge_requests": get_project_merge_requests_feed,
    "releases": get_releases_feed,
    "tags": get_tags_feed,
}
"""The feeds of lists of projects, by ``format=atom``."""
_GROUP_FEEDS: Final[Mapping[str, Callable[[ReadContext, str], RawBody]]] = {
    "issues": get_group_issues_feed,
    "merge_requests": get_group_merge_requests_feed,
}
_PAID: Final = ("epics", "wikis")
"""The lists that groups have in the premium tier only."""


@area.operation("GET", "*project/-/:section", ours=True)
def get_section_page(ctx: ReadContext, project: str, section: str) -> RawBody:
    """Show the page of a list of a project: issues, branches, packages and others, or the feed of the list."""
    if is_feed_requested(ctx) and _has_feed(ctx, section, _FEEDS):
        return _FEEDS[section](ctx, project)
    return _render_section(ctx, namespaces.find_project_by_path(ctx.world, project), _OF_PROJECTS, section)


@area.operation("GET", "groups/*group/-/:section", ours=True)
def get_group_section_page(ctx: ReadContext, group: str, section: str) -> RawBody:
    """Show the page of a list of a group: issues, epics, members and others, or the feed of the list."""
    if is_feed_requested(ctx) and _has_feed(ctx, section, _GROUP_FEEDS):
        return _GROUP_FEEDS[section](ctx, group)
    namespace = namespaces.find_by_path(ctx.world, group)
    is_sold = isinstance(namespace, Group) and (section not in _PAID or has_feature(ctx.world, "premium", namespace))
    container = namespace if isinstance(namespace, Group) and is_sold else None
    return _render_section(ctx, container, _OF_GROUPS, section)


def _has_feed(ctx: ReadContext, section: str, feeds: Mapping[str, Callable[[ReadContext, str], RawBody]]) -> bool:
    """Return whether the release has a feed of a list, under whatever address."""
    feed = feeds.get(section)
    # The feed of tags is no operation of its own.
    return feed is not None and (feed.__name__ not in OPERATIONS or ctx.profile.has(OPERATIONS[feed.__name__].lifetime))


def _render_section(
    ctx: ReadContext, container: Project | Group | None, sections: Mapping[str, _Section], name: str
) -> RawBody:
    section = sections.get(name)
    if container is None or section is None or not can(ctx, section.ability, container):
        raise _not_found(ctx, name)
    kind = "projects" if isinstance(container, Project) else "groups"
    url = urls.container_url(ctx, container)
    title = f"{name.replace('_', ' ').capitalize()} of"
    api_url = urls.api_url(ctx, f"{kind}/{container.id}/{section.api_path}")
    return render_html_page(title, {"name": container.name, "web_url": f"{url}/-/{name}"}, api_url)


@area.operation("GET", "*project/-/packages/:id", ours=True)
@area.operation("GET", "*project/-/infrastructure_registry/:id", name="get_infrastructure_registry_page", ours=True)
@area.operation("GET", "*project/-/terraform_module_registry/:id", name="get_terraform_module_page", ours=True)
def get_package_page(ctx: ReadContext, project: str, id: str) -> RawBody:
    """Show the page of a package."""
    container = _get_project(ctx, project, Ability.READ_PACKAGE)
    package = ctx.world.packages.get(parse_number(id) or 0)
    if package is None or package.project_id != container.id or package.status == "hidden":
        raise _not_found(ctx, f"{project}/-/packages/{id}")
    return _render_record(ctx, container, PackageDetail(package, ctx), f"packages/{package.id}")


@area.operation("GET", "*project/-/environments/:id", ours=True)
def get_environment_page(ctx: ReadContext, project: str, id: str) -> RawBody:
    """Show the page of an environment."""
    container = _get_project(ctx, project, Ability.READ_ENVIRONMENT)
    environment = ctx.world.environments.get(parse_number(id) or 0)
    if environment is None or environment.project_id != container.id:
        raise _not_found(ctx, f"{project}/-/environments/{id}")
    return _render_record(ctx, container, EnvironmentView(environment, ctx), f"environments/{environment.id}")


@area.operation("GET", "*project/-/feature_flags_user_lists/:iid", ours=True)
def get_user_list_page(ctx: ReadContext, project: str, iid: str) -> RawBody:
    """Show the page of a user list of feature flags."""
    container = _get_project(ctx, project, Ability.ADMIN_FEATURE_FLAGS_USER_LISTS)
    user_list = ctx.world.feature_flag_user_lists.find("iid", (container.id, parse_number(iid)))
    if user_list is None:
        raise _not_found(ctx, f"{project}/-/feature_flags_user_lists/{iid}")
    path = f"feature_flags_user_lists/{user_list.iid}"
    return _render_record(ctx, container, UserListView(user_list, ctx), path)


@area.operation("GET", "*project/-/feature_flags_user_lists/:iid/edit", ours=True)
def get_user_list_edit_page(ctx: ReadContext, project: str, iid: str) -> RawBody:
    """Show the page of a user list at the address of the form that changes it."""
    return get_user_list_page(ctx, project, iid)


@area.operation("GET", "*project/download_export", refusals=(404, 429), ours=True)
def get_export_page(ctx: ReadContext, project: str) -> RawBody:
    """Download the archive of a finished export of a project."""
    return import_export.download_project_export(ctx, _get_project(ctx, project, Ability.ADMIN_PROJECT))


def _get_project(ctx: ReadContext, path: str, ability: Ability) -> Project:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can(ctx, ability, project):
        raise _not_found(ctx, path)
    return project


R = TypeVar("R")


def _render_record(ctx: ReadContext, project: Project, view: Entity[R], path: str) -> RawBody:
    """Return the page of a record whose address is its path in the API below ``/-/``."""
    fields = {**view.values(), "web_url": f"{urls.project_url(ctx, project)}/-/{quote(path)}"}
    return render_html_page(type(view.record).__name__, fields, urls.api_url(ctx, f"projects/{project.id}/{path}"))


def _not_found(ctx: ReadContext, path: str) -> RouteNotFound:
    return page_not_found(ctx, f"{caller_name(ctx)} finds no page at {path!r}")
