"""Commits of a project: finding and listing them.

Source: docs/platform/specification.md ('Commits'), docs/platform/commits.md.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, overload

from attrs import evolve

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.repository import repositories
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe

if TYPE_CHECKING:
    from fakeplat.git.records import Commit
    from fakeplat.git.repository import Repository as Git

HEAD: Final = "HEAD"


@frozen
class ProjectCommit:
    """A commit, seen in a project."""

    project: Project
    commit: "Commit"


class CommitRef(NamedTuple):
    """A branch or tag that leads to a commit."""

    type: Literal["branch", "tag"]
    name: str


@frozen
class Criteria:
    """Which commits to list: of a revision or a range, or (``everything``) of all refs.

    ``path``: that changed this file or folder. ``since`` and ``until`` are moments as records keep them.
    """

    revision: str = HEAD
    path: str = ""
    since: str | None = None
    until: str | None = None
    everything: bool = False
    first_parent: bool = False
    order: Literal["default", "topo"] = "default"

    @property
    def leaves_out(self) -> bool:
        """Whether some of the commits that the revision leads to are not listed."""
        return bool(self.path or self.since or self.until or self.first_parent)


def find_commit(world: World, project: Project, revision: str) -> ProjectCommit | None:
    """The commit that a branch, a tag, a hash or the beginning of one means."""
    from fakeplat.git.errors import UnknownRevision

    try:
        return ProjectCommit(project, repositories.open_repository(world, project).commit(revision))
    except UnknownRevision:
        return None


def get_commit(world: World, project: Project, revision: str) -> ProjectCommit:
    """The same, or 404."""
    found = find_commit(world, project, revision)
    if found is None:
        raise NotFound("Commit", reason=partial(no_commit_reason, world, project, revision))
    return found


def no_commit_reason(world: World, project: Project, revision: str) -> str:
    """Why a revision means nothing, in words."""
    git = repositories.open_repository(world, project)
    there = ", ".join([*git.branches(), *git.tags()]) or "none"
    return f"{describe(world, project)} has no commit {revision!r}; its branches and tags are: {there}"


class Log(Sequence[ProjectCommit]):
    """Commits in the order of a log. It is walked only as far as somebody looks."""

    def __init__(self, project: Project, size: int, walk: "Callable[[], Iterator[Commit]]") -> None:
        self._project = project
        self._size = size
        self._walk = walk

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> ProjectCommit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ProjectCommit]: ...
    def __getitem__(self, place: int | slice) -> ProjectCommit | Sequence[ProjectCommit]:
        if isinstance(place, int):
            return self[place : place + 1][0]
        first, last, _ = place.indices(self._size)
        return [ProjectCommit(self._project, commit) for commit in islice(self._walk(), first, last)]


def list_commits(ctx: ReadContext, project: Project, criteria: Criteria) -> Sequence[ProjectCommit]:
    """The commits that meet some criteria, newest first; none for a revision that means nothing."""
    from fakeplat.git.errors import UnknownRevision

    git = repositories.open_repository(ctx.world, project)
    criteria = evolve(criteria, path=criteria.path.strip("/"))
    try:
        if criteria.leaves_out:
            return _chosen(ctx, project, criteria)
        return Log(project, _size(git, criteria), partial(_log, git, criteria))
    except UnknownRevision:
        return []


def _chosen(ctx: ReadContext, project: Project, criteria: Criteria) -> Log:
    """What has to be looked for is found once, and remembered."""
    git = repositories.open_repository(ctx.world, project)

    def found() -> tuple[str, ...]:
        repositories.record_of(ctx.world, project)  # what the outcome depends on
        return tuple(commit.sha for commit in _log(git, criteria))

    shas = ctx.memoize(("log", project.id, criteria), found)
    return Log(project, len(shas), lambda: map(git.objects.commit, shas))


def _size(git: "Git", criteria: Criteria) -> int:
    from fakeplat.git.history import History

    if not criteria.everything:
        return git.count(criteria.revision)
    return History.of(git.objects).reachable(git.objects, git.names.heads()).bit_count()


def _log(git: "Git", criteria: Criteria) -> "Iterator[Commit]":
    from fakeplat.git.repository import Order

    return git.log(
        criteria.revision,
        paths=[criteria.path] if criteria.path else [],
        since=_seconds(criteria.since),
        until=_seconds(criteria.until),
        first_parent=criteria.first_parent,
        order=Order(criteria.order),
        everything=criteria.everything,
    )


def _seconds(time: str | None) -> int | None:
    return None if time is None else from_iso(time) // SECOND


def refs_to(world: World, found: ProjectCommit) -> list[CommitRef]:
    """The branches and then the tags that a commit leads to, by name."""
    names = repositories.open_repository(world, found.project).contains(found.commit.sha)
    branches = [CommitRef("branch", name.removeprefix(BRANCHES)) for name in names if name.startswith(BRANCHES)]
    tags = [CommitRef("tag", name.removeprefix(TAGS)) for name in names if name.startswith(TAGS)]
    return [*branches, *tags]
