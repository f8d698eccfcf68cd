"""Search in the files and commits of a project's repository.

A file search returns the files whose path matches the text (a file or everything in a folder of that name), then
the matches of the text in file contents, each with two lines of context. Filters such as ``filename:*.py``,
``path:docs`` and ``extension:md`` restrict both; a leading ``-`` excludes.
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
    from fakeplat.git.records import Entry
    from fakeplat.git.repository import Repository as Git

_CONTEXT_LINES: Final = 2
_LARGEST_DATA: Final = 1024
# White space followed by an even number of quotes, which is outside of a quoted value.
_TOKEN_GAP: Final = re.compile(r'\s(?=(?:[^"]|"[^"]*")*$)')
_SHA: Final = re.compile(r"[0-9a-fA-F]{7,40}")
# ``filename`` and ``extension`` match the end of the path, ``path`` any part of it.
_FILTERS: Final = {"filename": "{}$", "path": "{}", "extension": r"\.{}$"}


@frozen
class BlobMatch:
    """A match of a file search, starting at a line (``startline``, from 1).

    ``id`` is the blob's hash for a match by path, None for a match by content.
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
    """Return the files of a revision (by default of the default branch) that match a query.

    Matches by path come before matches by content. Empty for callers who may not read the code.
    """
    revision = ref or project.default_branch or commits.HEAD
    if not can_search_code(ctx, project) or commits.find_commit(ctx.world, project, revision) is None:
        return []
    git = repositories.open_repository(ctx.world, project)
    term, filters = parse_query(query)
    matches = [*_match_paths(git, project, revision, term), *match_contents(git, project, revision, term)]
    return [match for match in matches if all(condition.accepts(match.path) for condition in filters)]


def _match_paths(git: "Git", project: Project, ref: str, term: str) -> Iterator[BlobMatch]:
    """Yield the file with a path, or all files in the folder with it."""
    wanted_path = term.strip("/")
    for entry in git.tree(ref, recursive=True):
        if (
            entry.kind == "blob"
            and wanted_path
            and (entry.path == wanted_path or entry.path.startswith(f"{wanted_path}/"))
        ):
            yield match_of_file(git, project, ref, entry)


def match_of_file(git: "Git", project: Project, ref: str, entry: "Entry") -> BlobMatch:
    """Return the match of a file by its path, which shows the beginning of the file."""
    data = git.objects.blob(entry.sha)[:_LARGEST_DATA].decode(errors="replace")
    return BlobMatch(entry.sha, entry.path, ref, data, 1, project.id)


def match_contents(git: "Git", project: Project, ref: str, term: str) -> Iterator[BlobMatch]:
    """Yield the matches of a text in the contents of files."""
    for path, lines in groupby(git.grep(ref, term), key=lambda line: line.path):
        content = git.file(ref, path).decode(errors="replace").splitlines(keepends=True)
        for first, last in _merge_matches([line.number for line in lines], len(content)):
            yield BlobMatch(None, path, ref, "".join(content[first - 1 : last]), first, project.id)


def _merge_matches(numbers: Sequence[int], total: int) -> list[tuple[int, int]]:
    """Return the first and last lines of each match; adjacent and overlapping ones are merged."""
    hunks: list[tuple[int, int]] = []
    for number in numbers:
        first, last = max(number - _CONTEXT_LINES, 1), min(number + _CONTEXT_LINES, total)
        if hunks and first <= hunks[-1][1] + 1:
            hunks[-1] = (hunks[-1][0], last)
        else:
            hunks.append((first, last))
    return hunks


def search_commits(ctx: ReadContext, project: Project, query: str, ref: str | None = None) -> list[ProjectCommit]:
    """Return the commits whose message contains a text, newest first, and the commit with that hash."""
    if not can_search_code(ctx, project):
        return []
    lower_query = query.lower()
    revision = ref or project.default_branch or commits.HEAD
    start = commits.find_commit(ctx.world, project, revision)
    log = repositories.open_repository(ctx.world, project).log(revision) if start is not None else iter(())
    matches = [ProjectCommit(project, commit) for commit in log if lower_query in commit.message.lower()]
    commit_by_hash = commits.find_commit(ctx.world, project, query) if _SHA.fullmatch(query) else None
    return matches if commit_by_hash is None or commit_by_hash in matches else [*matches, commit_by_hash]


def can_search_code(ctx: ReadContext, project: Project) -> bool:
    """Return whether a project has code that the caller may read."""
    return can(ctx, Ability.DOWNLOAD_CODE, project) and not repositories.is_empty(ctx.world, project)
