"""The records that belong to a record, as its page lists them."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from fakeplat.core.operations.entity import Entity
from fakeplat.domain.packages import packages
from fakeplat.domain.releases import release_links
from fakeplat.domain.repository import branches, tags
from fakeplat.domain.wikis import pages, wikis
from fakeplat.entities.epics import EpicView
from fakeplat.entities.packages.packages import PackageFileView, PackageView
from fakeplat.entities.planning.iterations import IterationView
from fakeplat.entities.releases.releases import ReleaseLinkView, ReleaseView
from fakeplat.entities.repository.branches import BranchView
from fakeplat.entities.repository.tags import TagView
from fakeplat.entities.wikis import WikiPageBasic
from fakeplat.model.namespaces import Group
from fakeplat.model.packages import Package
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.world import World
from fakeplat.workbench.inspected_kinds import RECORD_KINDS

Part = tuple[Callable[[World, Any], Sequence[Any]], type[Entity[Any]] | None]


def list_parts(record: Any) -> Mapping[str, Part]:
    """Return how the records that belong to a record are found and viewed, by name."""
    kind = RECORD_KINDS.get(type(record))
    return {**_FURTHER.get(type(record), {}), **(kind.parts if kind else {})}


def _list_wiki_pages(world: World, container: Project | Group) -> Sequence[Any]:
    return pages.list_pages(wikis.open_repository(world, container))


def _list_below(part: str) -> Callable[[World, Group], Sequence[Any]]:
    """Return a function that lists what belongs to the projects of a group and of its subgroups."""
    find = RECORD_KINDS[Project].parts[part][0]
    return lambda world, group: [
        *chain.from_iterable(find(world, project) for project in packages.list_projects(world, group))
    ]


_FURTHER: Final[Mapping[type, Mapping[str, Part]]] = {
    Project: {
        "branches": (branches.list_branches, BranchView),
        "tags": (tags.list_tags, TagView),
        "releases": (lambda world, project: world.releases.where("project", project.id), ReleaseView),
        "wikis": (_list_wiki_pages, WikiPageBasic),
        "packages": (lambda world, project: world.packages.where("project", project.id), PackageView),
    },
    Group: {
        "issues": (_list_below("issues"), None),
        "merge_requests": (_list_below("merge_requests"), None),
        "epics": (lambda world, group: world.epics.where("group", group.id), EpicView),
        "iterations": (lambda world, group: world.iterations.where("group", group.id), IterationView),
        "wikis": (_list_wiki_pages, WikiPageBasic),
    },
    Release: {"links": (release_links.list_links, ReleaseLinkView)},
    Package: {"files": (packages.list_files, PackageFileView)},
}
"""What the fixtures of tests do not list, but addresses lead to."""
