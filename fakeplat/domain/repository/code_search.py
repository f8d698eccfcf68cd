"""Searching the files and commits of a project's repository.

A search for files joins those whose path is the text (or a folder of that name holds them) with the places where
the text stands in a file; each place is a match of its own, with two lines around it. Words such as
``filename:*.py``, ``path:docs`` and ``extension:md`` narrow both down, a leading ``-`` excludes.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

_CONTEXT_LINES: Final = 2
_LARGEST_DATA: Final = 1024
_TOKEN_GAP: Final = re.compile(r'\s(?=(?:[^"]|"[^"]*")*$)')
_SHA: Final = re.compile(r"[0-9a-fA-F]{7,40}")
_FILTERS: Final = {"filename": "{}$", "path": "{}", "extension": r"\.{}$"}


@frozen
class BlobMatch:
    """A piece of a file that a search found, from a line (``startline``, from 1) on.

    ``id`` is the blob's hash where the path matched, None where the content did.
    """

    id: str | None
    path: str
    ref: str
    data: str
    startline: int
    project_id: int

    @property
    def basename(self) -> str:
        """The path without the extension of the file's name."""
        folder, slash, name = self.path.rpartition("/")
        return folder + slash + (name.rpartition(".")[0] or name)


@frozen
class PathFilter:
    """A condition on the paths of files."""

    pattern: re.Pattern[str]
    negated: bool

    def accepts(self, path: str) -> bool:
        """Whether a file with this path is among the results."""
        return bool(self.pattern.search(path)) is not self.negated


def parse_query(text: str) -> tuple[str, list[PathFilter]]:
    """Split a query into the text to search for (``*`` if none is left) and the filters in it."""
    tokens = [token for token in _TOKEN_GAP.split(text) if token]
    used, filters = [], []
    for name, template in _FILTERS.items():
        token = next((token for token in tokens if re.match(rf"-?{name}:", token)), None)
        value = token.split(":")[-1].removeprefix('"').removesuffix('"') if token else ""
        if token is not None and value:
            pattern = template.format(re.escape(value).replace(r"\*", ".*?"))
            filters.append(PathFilter(re.compile(pattern, re.IGNORECASE), token.startswith("-")))
            used.append(token)
    return " ".join(token for token in tokens if token not in used) or "*", filters


def search_blobs(ctx: ReadContext, project: Project, query: str, ref: str | None = None) -> list[BlobMatch]:
    """Return the files of a revision (the default branch unless ``ref`` names one) that a query finds.

    Matches by path come before those by content. Nothing is found by callers who may not read the code.
    """
    revision = ref or project.default_branch or commits.HEAD
    if not _has_code(ctx, project) or commits.find_commit(ctx.world, project, revision) is None:
        return []
    git = repositories.open_repository(ctx.world, project)
    term, filters = parse_query(query)
    found = [*_by_path(git, project, revision, term), *_by_content(git, project, revision, term)]
    return [match for match in found if all(condition.accepts(match.path) for condition in filters)]


def _by_path(git: "Git", project: Project, ref: str, term: str) -> Iterator[BlobMatch]:
    """The files that git lists for a path: the file of that name, or all in the folder."""
    wanted = term.strip("/")
    for entry in git.tree(ref, recursive=True):
        if entry.kind == "blob" and wanted and (entry.path == wanted or entry.path.startswith(f"{wanted}/")):
            data = git.objects.blob(entry.sha)[:_LARGEST_DATA].decode(errors="replace")
            yield BlobMatch(entry.sha, entry.path, ref, data, 1, project.id)


def _by_content(git: "Git", project: Project, ref: str, term: str) -> Iterator[BlobMatch]:
    for path, lines in groupby(git.grep(ref, term), key=lambda line: line.path):
        content = git.file(ref, path).decode(errors="replace").splitlines(keepends=True)
        for first, last in _hunks([line.number for line in lines], len(content)):
            yield BlobMatch(None, path, ref, "".join(content[first - 1 : last]), first, project.id)


def _hunks(numbers: Sequence[int], total: int) -> list[tuple[int, int]]:
    """The first and last lines of each piece; pieces that touch or overlap are one."""
    hunks: list[tuple[int, int]] = []
    for number in numbers:
        first, last = max(number - _CONTEXT_LINES, 1), min(number + _CONTEXT_LINES, total)
        if hunks and first <= hunks[-1][1] + 1:
            hunks[-1] = (hunks[-1][0], last)
        else:
            hunks.append((first, last))
    return hunks


def search_commits(ctx: ReadContext, project: Project, query: str, ref: str | None = None) -> list[ProjectCommit]:
    """Return the commits with a text in their message, newest first, and the one whose hash it is."""
    if not _has_code(ctx, project):
        return []
    wanted = query.lower()
    revision = ref or project.default_branch or commits.HEAD
    start = commits.find_commit(ctx.world, project, revision)
    log = repositories.open_repository(ctx.world, project).log(revision) if start is not None else iter(())
    found = [ProjectCommit(project, commit) for commit in log if wanted in commit.message.lower()]
    named = commits.find_commit(ctx.world, project, query) if _SHA.fullmatch(query) else None
    return found if named is None or named in found else [*found, named]


def _has_code(ctx: ReadContext, project: Project) -> bool:
    return can(ctx, Ability.DOWNLOAD_CODE, project) and not repositories.is_empty(ctx.world, project)
