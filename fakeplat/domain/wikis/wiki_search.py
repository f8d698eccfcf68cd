"""Search in the pages of a project's wiki, and in those of many projects with an index."""

from collections.abc import Iterable
from itertools import chain

from fakeplat.domain.repository import code_search, index_search
from fakeplat.domain.repository.code_search import BlobMatch
from fakeplat.domain.repository.index_search import IndexedQuery
from fakeplat.domain.wikis import pages, wikis
from fakeplat.domain.wikis.pages import canonical_name
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext


def search_wiki(ctx: ReadContext, project: Project, query: str, ref: str | None = None) -> list[BlobMatch]:
    """Return the pages whose title contains a text, then the matches in their texts.

    Empty for callers who may not read the wiki, and for an unknown revision.
    """
    from fakeplat.git.errors import UnknownRevision

    git, revision = wikis.open_repository(ctx.world, project), ref or wikis.branch_of(ctx.world, project)
    if not can(ctx, Ability.READ_WIKI, project) or git.is_empty:
        return []
    try:
        git.resolve(revision)
    except UnknownRevision:
        return []
    term, filters = code_search.parse_query(query)
    # Names of files have dashes for the blanks of titles.
    name = canonical_name(term).lower()
    by_title = (
        code_search.match_of_file(git, project, revision, entry)
        for entry in git.tree(revision, recursive=True)
        if entry.kind == "blob" and pages.is_page(entry.path) and name in pages.split_extension(entry.path)[0].lower()
    )
    by_content = code_search.match_contents(git, project, revision, term)
    return [
        match for match in chain(by_title, by_content) if all(condition.accepts(match.path) for condition in filters)
    ]


def search_index(ctx: ReadContext, projects: Iterable[Project], query: IndexedQuery) -> list[BlobMatch]:
    """Return the pages in the wikis of some projects that match, project by project."""
    return [
        match
        for project in projects
        if can(ctx, Ability.READ_WIKI, project)
        for match in index_search.match_files(
            ctx, wikis.open_repository(ctx.world, project), project, wikis.branch_of(ctx.world, project), query
        )
        if pages.is_page(match.path)
    ]
