"""From the path of a `web_url` to its record, whoever may see it, and from a record to the pages above it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from fakeplat.console.cells import Cell, page_url
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.router import Router
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.releases import release_links, releases
from fakeplat.domain.repository import commits, repositories, tags
from fakeplat.domain.wikis import pages, wikis
from fakeplat.entities import urls
from fakeplat.entities.deployments.feature_flags import UserListView
from fakeplat.entities.epics import EpicView
from fakeplat.entities.packages import PackageDetail
from fakeplat.entities.planning.labels import IterationView, MilestoneView
from fakeplat.entities.releases import ReleaseLinkView, ReleaseView
from fakeplat.entities.repository.commits import CommitDetail
from fakeplat.entities.repository.tags import TagView
from fakeplat.entities.wikis import WikiPageView
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.model.repository import TAGS
from fakeplat.model.world import World
from fakeplat.policy.behaviours import TERRAFORM_MODULE_PAGES
from fakeplat.workbench.inspection import WorldView

Find = Callable[..., Any]


@frozen
class Found:
    """A record, the view that its kind does not already name, and the project or group that it belongs to."""

    record: Any
    view: type[Entity[Any]] | None = None
    container: Container | None = None


@frozen
class _Place:
    path: str
    find: Find
    method: str = "GET"


def find_record(world: World, path: str) -> Found | None:
    """Return the record whose `web_url` has a path; None if there is none."""
    route, values, _ = _PLACES.match("GET", path)
    return None if route is None else route.find(world, **values)


def find_container(world: World, path: str) -> Container | None:
    """Return the project or group at a path, with or without ``groups/`` before it."""
    project = None if path.startswith("groups/") else namespaces.find_project_by_path(world, path.removesuffix(".git"))
    namespace = project or namespaces.find_by_path(world, path.removeprefix("groups/"))
    return namespace if isinstance(namespace, Project | Group) else None


def container_page(view: WorldView, container: Container) -> str:
    """Return the console's page of a project or group."""
    return page_url(urls.container_url(view.context, container)) or ""


def list_above(view: WorldView, container: Container | None, record: object = None) -> list[Cell]:
    """Return links to the project and groups that a record belongs to, outermost first."""
    chain: list[Container] = []
    at: Any = container
    while at is not None:
        if at is not record:
            chain.insert(0, at)
        parent = at.namespace_id if isinstance(at, Project) else at.parent_id
        namespace = view.world.namespaces.get(parent) if parent is not None else None
        at = namespace if isinstance(namespace, Group) else None
    return [Cell(part.name, "text", container_page(view, part)) for part in chain]


def _find_at_path(world: World, path: str) -> Found | None:
    container = find_container(world, path)
    record = container or users.find_by_username(world, path)
    return None if record is None else Found(record, container=container)


def _by_iid(table: str, view: type[Entity[Any]] | None = None) -> Find:
    def find(world: World, container: str, number: str) -> Found | None:
        owner = find_container(world, container)
        record = getattr(world, table).find("iid", (owner.id, parse_number(number))) if owner else None
        return None if record is None else Found(record, view, owner)

    return find


def _by_id(table: str, view: type[Entity[Any]] | None = None) -> Find:
    def find(world: World, container: str, number: str) -> Found | None:
        owner = find_container(world, container)
        record = getattr(world, table).get(parse_number(number) or 0)
        # Ids are global, so the project in the path has to be compared.
        is_there = owner is not None and record is not None and record.project_id == owner.id
        return Found(record, view, owner) if is_there else None

    return find


def _find_personal_snippet(world: World, number: str) -> Found | None:
    snippet = world.snippets.get(parse_number(number) or 0)
    return None if snippet is None or snippet.project_id is not None else Found(snippet)


def _by_address_of_repository(find: Find) -> Find:
    def find_by_address(world: World, number: str, **values: str) -> Found | None:
        found: Found | None = find(world, number=number.removesuffix(".git"), **values)
        # A project in a group named ``snippets`` has such a path, too.
        return found or _find_at_path(world, "/".join([*values.values(), "snippets", number]))

    return find_by_address


def _find_milestone(world: World, container: str, number: str) -> Found | None:
    owner = find_container(world, container)
    if owner is None:
        return None
    kind = "project" if isinstance(owner, Project) else "group"
    milestone = world.milestones.find("iid", ((kind, owner.id), parse_number(number)))
    return None if milestone is None else Found(milestone, MilestoneView, owner)


def _find_epic(world: World, container: str, number: str) -> Found | None:
    group = find_container(world, container)
    epic = world.epics.find("iid", (group.id, parse_number(number))) if isinstance(group, Group) else None
    return None if epic is None else Found(epic, EpicView, group)


def _find_iteration(world: World, container: str, number: str) -> Found | None:
    group = find_container(world, container)
    iteration = world.iterations.get(parse_number(number) or 0)
    is_there = group is not None and iteration is not None and iteration.group_id == group.id
    return Found(iteration, IterationView, group) if is_there else None


def _find_commit(world: World, container: str, revision: str) -> Found | None:
    project = find_container(world, container)
    commit = commits.find_commit(world, project, revision) if isinstance(project, Project) else None
    return None if commit is None else Found(commit, CommitDetail, project)


def _find_tag(world: World, container: str, name: str) -> Found | None:
    project = find_container(world, container)
    if not isinstance(project, Project) or TAGS + name not in repositories.open_repository(world, project).refs:
        return None
    return Found(tags.get_tag(world, project, name), TagView, project)


def _find_release(world: World, container: str, tag: str) -> Found | None:
    project = find_container(world, container)
    release = releases.find(world, project, tag) if isinstance(project, Project) else None
    return None if release is None else Found(release, ReleaseView, project)


def _find_asset(world: World, container: str, tag: str, filepath: str) -> Found | None:
    release = _find_release(world, container, tag)
    link = release_links.find_by_filepath(world, release.record, f"/{filepath}") if release else None
    return None if release is None or link is None else Found(link, ReleaseLinkView, release.container)


def _find_wiki_page(world: World, container: str, slug: str) -> Found | None:
    owner = find_container(world, container)
    page = pages.find_page(wikis.open_repository(world, owner), slug) if owner else None
    return None if page is None else Found(page, WikiPageView, owner)


_PACKAGE_PAGES: Final = TERRAFORM_MODULE_PAGES.values.values()
_FINDERS: Final[Sequence[_Place]] = (
    _Place("*path", _find_at_path),
    _Place("*container/-/issues/:number", _by_iid("issues")),
    _Place("*container/-/merge_requests/:number", _by_iid("merge_requests")),
    _Place("*container/-/alert_management/:number/details", _by_iid("alerts")),
    _Place("*container/-/pipelines/:number", _by_id("pipelines")),
    _Place("*container/-/jobs/:number", _by_id("jobs")),
    _Place("*container/-/environments/:number", _by_id("environments")),
    *(_Place(f"*container/-/{page}/:number", _by_id("packages", PackageDetail)) for page in _PACKAGE_PAGES),
    _Place("*container/-/feature_flags_user_lists/:number", _by_iid("feature_flag_user_lists", UserListView)),
    _Place("*container/-/feature_flags_user_lists/:number/edit", _by_iid("feature_flag_user_lists", UserListView)),
    _Place("*container/-/snippets/:number", _by_id("snippets")),
    _Place("*container/snippets/:number", _by_address_of_repository(_by_id("snippets"))),
    _Place("snippets/:number", _by_address_of_repository(_find_personal_snippet)),
    _Place("-/snippets/:number", _find_personal_snippet),
    _Place("*container/-/milestones/:number", _find_milestone),
    _Place("*container/-/epics/:number", _find_epic),
    _Place("*container/-/iterations/:number", _find_iteration),
    _Place("*container/-/commit/:revision", _find_commit),
    _Place("*container/-/tags/*name", _find_tag),
    _Place("*container/-/releases/:tag", _find_release),
    _Place("*container/-/releases/:tag/edit", _find_release),
    _Place("*container/-/releases/:tag/downloads/*filepath", _find_asset),
    _Place("*container/-/wikis/*slug", _find_wiki_page),
)
_PLACES: Final = Router(_FINDERS)
