"""Searches of the index of advanced search: files and commits of many projects, by words in any order.

A file is found once, where a word occurs first. Phrases are in quotes, and a leading ``-`` excludes. The index has the
default branches. Source: docs/platform/search.md.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Self

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import code_search, commits, repositories
from fakeplat.domain.repository.code_search import BlobMatch, PathFilter
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.records import Commit, Entry
    from fakeplat.git.repository import Repository as Git

_WORD: Final = re.compile(r'(-?)(?:"([^"]+)"|(\S+))')
_CONTEXT_LINES: Final = 2
_KILOBYTE: Final = 1024


@frozen
class Words:
    """The words and phrases of a search, in lower case, and those that must not occur."""

    required: tuple[str, ...]
    excluded: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a search text; ``*`` matches everything, and the rest of a word after it."""
        words: dict[str, list[str]] = {"": [], "-": []}
        for sign, phrase, word in _WORD.findall(text.lower()):
            words[sign].append(phrase or word.strip("*"))
        return cls(tuple(filter(None, words[""])), tuple(filter(None, words["-"])))

    def match(self, *texts: str) -> bool:
        """Return whether all words occur in some texts together, and none that must not."""
        whole = "\n".join(texts).lower()
        return all(word in whole for word in self.required) and not any(word in whole for word in self.excluded)

    def occur_in(self, line: str) -> bool:
        """Return whether a line has one of the words."""
        return any(word in line.lower() for word in self.required)


@frozen
class IndexedQuery:
    """What an index is asked: words, conditions on paths, and how many lines around a match are shown."""

    words: Words
    filters: Sequence[PathFilter]
    context_lines: int | None = None

    @classmethod
    def parse(cls, text: str, context_lines: int | None = None) -> Self:
        """Read a search text."""
        term, filters = code_search.parse_query(text)
        return cls(Words.parse(term), filters, context_lines)


def search_blobs(ctx: ReadContext, projects: Iterable[Project], query: IndexedQuery) -> list[BlobMatch]:
    """Return the files of some projects that match, project by project."""
    return [
        match
        for project in projects
        if code_search.can_search_code(ctx, project)
        for match in match_files(
            ctx, repositories.open_repository(ctx.world, project), project, project.default_branch, query
        )
    ]


def match_files(
    ctx: ReadContext, git: "Git", project: Project, branch: str | None, query: IndexedQuery
) -> Iterator[BlobMatch]:
    """Yield the matching files of a branch, each with the hash of its commit as the ref."""
    from fakeplat.git.errors import UnknownRevision

    try:
        commit = git.resolve(branch or commits.HEAD)
    except UnknownRevision:
        return
    largest = ctx.world.settings.elasticsearch_indexed_file_size_limit_kb * _KILOBYTE
    for entry in git.tree(commit, recursive=True):
        if entry.kind == "blob" and all(condition.accepts(entry.path) for condition in query.filters):
            content = _read_text(git, entry, largest)
            if query.words.match(entry.path, content):
                first, data = _cut(content, query)
                yield BlobMatch(None, entry.path, commit, data, first, project.id)


def _read_text(git: "Git", entry: "Entry", largest: int) -> str:
    """Return the content of a file; empty for those that are indexed by their paths only."""
    content = git.objects.blob(entry.sha)
    is_text = len(content) <= largest and b"\0" not in content
    return content.decode(errors="replace") if is_text else ""


def _cut(content: str, query: IndexedQuery) -> tuple[int, str]:
    """Return the number of the first line that is shown of a file, and the lines around the first match."""
    lines = content.splitlines(keepends=True)
    match = next((number for number, line in enumerate(lines) if query.words.occur_in(line)), 0)
    if query.context_lines is not None:
        first, last = max(match - query.context_lines, 0), match + query.context_lines
    else:
        # Near the beginning and the end of a file, the platform shows nothing before or after the match.
        first = match - _CONTEXT_LINES if match >= _CONTEXT_LINES else match
        last = match + _CONTEXT_LINES if len(lines) - match > _CONTEXT_LINES + 1 else match
    return first + 1, "".join(lines[first : last + 1])


def search_commits(ctx: ReadContext, projects: Iterable[Project], text: str) -> list[ProjectCommit]:
    """Return the commits of default branches that match by their messages, people and hashes, the newest first."""
    words = Words.parse(text)
    return [
        ProjectCommit(project, commit)
        for project in projects
        if code_search.can_search_code(ctx, project)
        for commit in repositories.open_repository(ctx.world, project).log(project.default_branch or commits.HEAD)
        if words.match(*_list_texts(commit))
    ]


def _list_texts(commit: "Commit") -> tuple[str, ...]:
    people = (commit.author, commit.committer)
    return commit.sha, commit.message, *(text for person in people for text in (person.name, person.email))
