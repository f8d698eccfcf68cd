"""From the path of a `web_url` to its record, whoever may see it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.router import Router
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.releases import releases
from fakeplat.domain.repository import branches, commits, repositories
from fakeplat.domain.wikis import pages, wikis
from fakeplat.entities.epics import EpicView
from fakeplat.entities.planning.labels import MilestoneView
from fakeplat.entities.releases.releases import ReleaseView
from fakeplat.entities.repository.branches import BranchView
from fakeplat.entities.repository.commits import CommitDetail
from fakeplat.entities.wikis import WikiPageView
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World

Container = Project | Group
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


def _find_at_path(world: World, path: str) -> Found | None:
    container = find_container(world, path)
    record = container or users.find_by_username(world, path)
    return None if record is None else Found(record, container=container)


def _by_iid(table: str) -> Find:
    def find(world: World, container: str, number: str) -> Found | None:
        owner = find_container(world, container)
        record = getattr(world, table).find("iid", (owner.id, parse_number(number))) if owner else None
        return None if record is None else Found(record, container=owner)

    return find


def _by_id(table: str) -> Find:
    def find(world: World, container: str, number: str) -> Found | None:
        owner = find_container(world, container)
        record = getattr(world, table).get(parse_number(number) or 0)
        # Ids are global, so the project in the path has to be compared.
        is_there = owner is not None and record is not None and record.project_id == owner.id
        return Found(record, container=owner) if is_there else None

    return find


def _find_personal_snippet(world: World, number: str) -> Found | None:
    snippet = world.snippets.get(parse_number(number) or 0)
    return None if snippet is None or snippet.project_id is not None else Found(snippet)


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


def _find_commit(world: World, container: str, revision: str) -> Found | None:
    project = find_container(world, container)
    commit = commits.find_commit(world, project, revision) if isinstance(project, Project) else None
    return None if commit is None else Found(commit, CommitDetail, project)


def _find_tree(world: World, container: str, ref: str) -> Found | None:
    project = find_container(world, container)
    if not isinstance(project, Project):
        return None
    sha = repositories.open_repository(world, project).refs.get(BRANCHES + ref)
    if sha is None:
        return _find_commit(world, container, ref)
    return Found(branches.Branch(project.id, ref, sha), BranchView, project)


def _find_release(world: World, container: str, tag: str) -> Found | None:
    project = find_container(world, container)
    release = releases.find(world, project, tag) if isinstance(project, Project) else None
    return None if release is None else Found(release, ReleaseView, project)


def _find_wiki_page(world: World, container: str, slug: str) -> Found | None:
    owner = find_container(world, container)
    page = pages.find_page(wikis.open_repository(world, owner), slug) if owner else None
    return None if page is None else Found(page, WikiPageView, owner)


_FINDERS: Final[Sequence[_Place]] = (
    _Place("*path", _find_at_path),
    _Place("*container/-/issues/:number", _by_iid("issues")),
    _Place("*container/-/merge_requests/:number", _by_iid("merge_requests")),
    _Place("*container/-/alert_management/:number/details", _by_iid("alerts")),
    _Place("*container/-/pipelines/:number", _by_id("pipelines")),
    _Place("*container/-/jobs/:number", _by_id("jobs")),
    _Place("*container/-/environments/:number", _by_id("environments")),
    _Place("*container/-/snippets/:number", _by_id("snippets")),
    _Place("-/snippets/:number", _find_personal_snippet),
    _Place("*container/-/milestones/:number", _find_milestone),
    _Place("*container/-/epics/:number", _find_epic),
    _Place("*container/-/commit/:revision", _find_commit),
    _Place("*container/-/tree/*ref", _find_tree),
    _Place("*container/-/releases/:tag", _find_release),
    _Place("*container/-/wikis/*slug", _find_wiki_page),
)
_PLACES: Final = Router(_FINDERS)
