"""What differs between two versions of a git repository, as records: branches, tags and commits, pages of a wiki.

A repository that a scenario declares is built when it is first needed. That changes its record, and nothing here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from fakeplat.domain.repository import repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.domain.snippets import snippet_files
from fakeplat.domain.wikis.pages import WikiPage, is_page
from fakeplat.model.merge_requests import DiffVersion, MergeRequest
from fakeplat.model.repository import BRANCHES, TAGS, Repository
from fakeplat.model.snippets import Snippet
from fakeplat.model.wikis import Wiki
from fakeplat.model.world import World

Fields = Mapping[str, Any]
Parts = dict[tuple[str, str], Fields]
"""The parts of a repository: their fields by section and name."""


class PartChange(NamedTuple):
    """A part of a record that differs; None for the fields of one that does not exist."""

    section: str
    name: str
    before: Fields | None
    after: Fields | None


def list_part_changes(old_world: World, new_world: World, old: object, new: object) -> Iterator[PartChange]:
    """Yield the parts in which two versions of a repository differ; None for a version that does not exist."""
    list_parts = PARTS[type(old or new)]
    before = {} if old is None else list_parts(old_world, old)
    after = {} if new is None else list_parts(new_world, new)
    for section, name in dict.fromkeys((*before, *after)):
        if before.get((section, name)) != after.get((section, name)):
            yield PartChange(section, name, before.get((section, name)), after.get((section, name)))
    if isinstance(old or new, Repository):
        yield from _list_commit_changes(new_world, before, after)


def _list_refs(world: World, repository: Repository) -> Parts:
    refs, _ = repositories.get_repository(world, repository)
    return {
        (section, name.removeprefix(prefix)): {"commit": sha}
        for section, prefix in (("branches", BRANCHES), ("tags", TAGS))
        for name, sha in refs.items()
        if name.startswith(prefix)
    }


def _list_commit_changes(world: World, before: Parts, after: Parts) -> Iterator[PartChange]:
    """Yield the commits that only one of the versions has in its branches and tags, by their titles."""
    old, new = ({fields["commit"] for fields in parts.values()} for parts in (before, after))
    for title in _list_titles(world, new - old, old):
        yield PartChange("commits", title, None, {})
    for title in _list_titles(world, old - new, new):
        yield PartChange("commits", title, {}, None)


def _list_titles(world: World, tips: Iterable[str], hidden: Iterable[str]) -> list[str]:
    from fakeplat.git.reachability import peel_to_commits
    from fakeplat.git.walk import Selection, walk_by_date

    objects = world.setup.store.objects
    selection = Selection(tuple(peel_to_commits(objects, tips)), tuple(peel_to_commits(objects, hidden)))
    return [commit.message.partition("\n")[0] for commit in walk_by_date(objects, selection)]


def _list_pages(world: World, wiki: Wiki) -> Parts:
    from fakeplat.git.repository import Repository as Git
    from fakeplat.git.trees import list_files

    git = Git(world.setup.store.objects, wiki.refs, wiki.head)
    if git.head not in git.refs:
        return {}
    files = [WikiPage(entry.path, entry.sha, git) for entry in list_files(git.objects, git.commit("HEAD").tree)]
    return {
        ("wiki_pages", page.slug) if is_page(page.path) else ("wiki_attachments", page.path): {"content": page.content}
        for page in files
    }


PARTS: Final[Mapping[type, Callable[[World, Any], Parts]]] = {Repository: _list_refs, Wiki: _list_pages}
"""The records that are shown by their parts."""


def _list_snippet_files(world: World, snippet: Snippet) -> dict[str, str]:
    git = snippet_files.open_repository(world, snippet)
    return {path: git.file(snippet.head, path).decode(errors="replace") for path in git.file_paths(snippet.head)}


COMPUTED: Final[Mapping[tuple[type, str], Callable[[World, Any], Any]]] = {
    (DiffVersion, "refs"): diff_versions.refs_of,
    (MergeRequest, "merge_commit_sha"): diff_versions.merge_commit_sha,
    (Snippet, "head"): _list_snippet_files,
}
"""Fields that say less than what the API shows of them: a scenario's are stored when they are first needed."""

COMPUTED_LABELS: Final = {(Snippet, "head"): "files"}
"""The names of computed fields for display, unless they are the usual ones."""
