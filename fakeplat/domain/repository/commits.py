"""Commits of a project: find and list.

Source: docs/platform/commits.md.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, overload

from attrs import evolve

from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.reasons import list_names
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.repository import repositories
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext
from fakeplat.policy.descriptions import describe

if TYPE_CHECKING:
    from fakeplat.git.records import Commit
    from fakeplat.git.repository import Repository as Git

HEAD: Final = "HEAD"


@frozen
class ProjectCommit:
    """A commit in a project."""

    project: Project
    commit: "Commit"

    @property
    def id(self) -> str:
        """What identifies the commit among the rows of a page."""
        return self.commit.sha


class CommitRef(NamedTuple):
    """A branch or tag that contains a commit."""

    type: Literal["branch", "tag"]
    name: str


@frozen
class CommitFilter:
    """Which commits to list: of a revision or range, or (``everything``) of all refs.

    ``path``: only commits that changed this file or folder. ``since`` and ``until`` are timestamps as in records.
    ``author``: an expression for name and e-mail address of the author. ``follow``: also the commits of the file at
    ``path`` under its earlier names.
    """

    revision: str = HEAD
    path: str = ""
    since: str | None = None
    until: str | None = None
    everything: bool = False
    first_parent: bool = False
    order: Literal["default", "topo"] = "default"
    author: str = ""
    follow: bool = False

    @property
    def excludes_commits(self) -> bool:
        """Return whether some commits reachable from the revision are excluded."""
        return bool(self.path or self.since or self.until or self.first_parent or self.author)


def is_impossible_revision(revision: str) -> bool:
    """Return whether a text cannot name commits: it looks like an option, or contains blanks or other signs."""
    return revision.startswith("-") or re.search(r"[\s:\\\0]", revision) is not None


def find_commit(world: World, project: Project, revision: str) -> ProjectCommit | None:
    """Return the commit of a branch, a tag, a hash or an abbreviated hash, or None."""
    from fakeplat.git.errors import UnknownRevision

    try:
        return ProjectCommit(project, repositories.open_repository(world, project).commit(revision))
    except UnknownRevision:
        return None


def get_commit(world: World, project: Project, revision: str) -> ProjectCommit:
    """Return the commit of a revision, or raise 404."""
    commit = find_commit(world, project, revision)
    if commit is None:
        raise NotFound("Commit", reason=partial(no_commit_reason, world, project, revision))
    return commit


def split_place(world: World, project: Project, place: str) -> tuple[str, str]:
    """Split the address of a place in a repository into a ref and a path.

    The ref is the longest branch or tag that the address begins with, else its first part: names of refs may contain
    slashes, and the address does not mark where the name ends.
    """
    refs = repositories.open_repository(world, project).refs
    parts = place.split("/")
    for count in range(len(parts), 0, -1):
        ref = "/".join(parts[:count])
        if BRANCHES + ref in refs or TAGS + ref in refs:
            return ref, "/".join(parts[count:])
    return parts[0], "/".join(parts[1:])


def no_commit_reason(world: World, project: Project, revision: str) -> str:
    """Explain why a revision is unknown."""
    git = repositories.open_repository(world, project)
    ref_names = list_names([*git.branches(), *git.tags()])
    return f"{describe(world, project)} has no commit {revision!r}; its branches and tags are: {ref_names}"


class Log(Sequence[ProjectCommit]):
    """A lazy sequence of commits in log order: it walks the history only as far as items are read."""

    def __init__(self, project: Project, size: int, walk: "Callable[[], Iterator[Commit]]") -> None:
        self._project = project
        self._size = size
        self._walk = walk

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> ProjectCommit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ProjectCommit]: ...
    def __getitem__(self, index: int | slice) -> ProjectCommit | Sequence[ProjectCommit]:
        if isinstance(index, int):
            return self[index : index + 1][0]
        first, last, _ = index.indices(self._size)
        return [ProjectCommit(self._project, commit) for commit in islice(self._walk(), first, last)]


def list_commits(ctx: ReadContext, project: Project, criteria: CommitFilter) -> Sequence[ProjectCommit]:
    """Return the commits that match criteria, newest first; none for an unknown revision."""
    from fakeplat.git.errors import UnknownRevision

    git = repositories.open_repository(ctx.world, project)
    # Git knows no slashes at the ends of paths, which clients often send.
    criteria = evolve(criteria, path=criteria.path.strip("/"))
    try:
        # The length of a whole history is known from its bit set; with a filter, every commit must be looked at.
        if criteria.excludes_commits:
            return _list_filtered(ctx, project, criteria)
        return Log(project, _size(git, criteria), partial(_walk_log, git, criteria))
    except UnknownRevision:
        return []


def _list_filtered(ctx: ReadContext, project: Project, criteria: CommitFilter) -> Log:
    """Filter the log once per state of the world and cache the hashes."""
    git = repositories.open_repository(ctx.world, project)

    def filtered_shas() -> tuple[str, ...]:
        # Reading the record registers it as a dependency of the cached result; `_walk_log` reads only git objects.
        repositories.record_of(ctx.world, project)
        return tuple(commit.sha for commit in _walk_log(git, criteria))

    shas = ctx.memoize(("log", project.id, criteria), filtered_shas)
    return Log(project, len(shas), lambda: map(git.objects.commit, shas))


def _size(git: "Git", criteria: CommitFilter) -> int:
    from fakeplat.git.history import History

    if not criteria.everything:
        return git.count(criteria.revision)
    return History.of(git.objects).reachable(git.objects, git.names.heads()).bit_count()


def _walk_log(git: "Git", criteria: CommitFilter) -> "Iterator[Commit]":
    from fakeplat.git.repository import Order

    follows = criteria.follow and _names_file(git, criteria)
    log = git.log(
        criteria.revision,
        paths=[criteria.path] if criteria.path and not follows else [],
        since=_to_seconds(criteria.since),
        until=_to_seconds(criteria.until),
        first_parent=criteria.first_parent,
        order=Order(criteria.order),
        everything=criteria.everything,
    )
    if follows:
        log = _follow_file(git, log, criteria.path, with_merges=criteria.first_parent)
    return filter(_match_author(criteria.author), log) if criteria.author else log


def _names_file(git: "Git", criteria: CommitFilter) -> bool:
    tips = git.names.heads() if criteria.everything else git.split_range(criteria.revision)[0]
    entries = (git.entry(tip, criteria.path) for tip in tips) if criteria.path else ()
    return any(entry is not None and entry.kind == "blob" for entry in entries)


def _follow_file(git: "Git", log: "Iterator[Commit]", path: str, *, with_merges: bool) -> "Iterator[Commit]":
    """Yield the commits that changed a file under its name or an earlier one, as ``git log --follow``."""
    for commit in log:
        # git shows no difference of a merge, unless it follows first parents only.
        if len(commit.parents) > 1 and not with_merges:
            continue
        before = git.entry(commit.parents[0], path) if commit.parents else None
        after = git.entry(commit.sha, path)
        if before == after:
            continue
        yield commit
        if before is None:
            renamed = (file for file in git.commit_diff(commit.sha) if file.status == "R" and file.new_path == path)
            path = next((file.old_path for file in renamed), path)


def _match_author(expression: str) -> "Callable[[Commit], bool]":
    """Return a function that matches the author of a commit with an expression, as ``git log --author``."""
    try:
        pattern = re.compile(expression)
    except re.error:
        pattern = re.compile(re.escape(expression))
    return lambda commit: pattern.search(f"{commit.author.name} <{commit.author.email}>") is not None


def _to_seconds(time: str | None) -> int | None:
    return None if time is None else from_iso(time) // SECOND


def list_containing_refs(world: World, commit: ProjectCommit) -> list[CommitRef]:
    """Return the branches and then the tags that contain a commit, by name."""
    names = repositories.open_repository(world, commit.project).contains(commit.commit.sha)
    branches = [CommitRef("branch", name.removeprefix(BRANCHES)) for name in names if name.startswith(BRANCHES)]
    tags = [CommitRef("tag", name.removeprefix(TAGS)) for name in names if name.startswith(TAGS)]
    return [*branches, *tags]
