"""Repositories. Source: docs/platform/repository.md."""

from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal
from urllib.parse import unquote

from typing_extensions import override

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.content_disposition import content_disposition, plain_content_disposition
from fakeplat.core.operations.errors import BadRequest, Forbidden, InvalidParams, NotFound
from fakeplat.core.operations.http_messages import Headers, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged, Paging, TokenPaged
from fakeplat.core.params.params import CommaList, Named, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.merge_requests import merge_requests
from fakeplat.domain.repository import archives, commits, comparison, lfs, repositories
from fakeplat.domain.repository.archives import ArchiveContent, Download
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.comparison import Comparison, Contributor
from fakeplat.domain.repository.repository_files import CommittedEntry
from fakeplat.entities.repository.commits import UNIFIED, CommitBasic
from fakeplat.entities.repository.repository import (
    CommittedEntryView,
    ComparisonView,
    ContributorView,
    TreeEntryView,
)
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see, decide
from fakeplat.policy.behaviours import UNKNOWN_DIRECTORIES_ARE_NOT_FOUND
from fakeplat.policy.context import ReadContext

area: Final = Area("Repository", login=Login.WRITES, located_first=True)

# The platform's headers against caching; the fixed date in the past is for HTTP/1.0 caches.
NO_STORE_HEADERS: Final[Headers] = (
    ("Cache-Control", "max-age=0, private, must-revalidate, no-store, no-cache"),
    ("Pragma", "no-cache"),
    ("Expires", "Fri, 01 Jan 1990 00:00:00 GMT"),
)
# Git's own test: content with a NUL byte among the first 8,000 is binary.
_SNIFFED_BYTES: Final = 8_000


class ListTree(TokenPaged):
    """The revision, the directory and the depth to list, and whether pages begin after a named entry."""

    ref: str | None = None
    path: str | None = None
    recursive: bool = False
    pagination: Annotated[Literal["legacy", "keyset", "none"], Lifetime(since="14.3")] = "legacy"
    page_token: Annotated[str | None, Lifetime(since="14.3")] = None
    with_last_commit: Annotated[bool, Lifetime(since="19.3")] = False

    @property
    @override
    def is_unpaged(self) -> bool:
        """Whether all entries are listed, which recursive lists can ask for."""
        return self.pagination == "none" and self.recursive


def _entry_token(entry: Any) -> str:
    return str(entry.sha)


def _tree_view(_ctx: ReadContext, p: ListTree) -> type[TreeEntryView | CommittedEntryView]:
    return CommittedEntryView if p.with_last_commit else TreeEntryView


@area.operation(
    "GET",
    "repository/tree",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=ListTree,
    view=_tree_view,
    many=True,
    paging=Paging(token=_entry_token),
    refusals=(400, 404, 422),
)
def list_repository_tree(ctx: ReadContext, project: Project, p: ListTree) -> Sequence[Any]:
    """List the entries of a directory."""
    from fakeplat.git.errors import UnknownPath

    if p.pagination == "none" and not p.recursive:
        raise InvalidParams('pagination cannot be "none" unless "recursive" is true')
    if p.with_last_commit and p.recursive:
        raise InvalidParams('recursive cannot be "true" when "with_last_commit" is "true"')
    revision = p.ref or commits.HEAD
    commit = commits.find_commit(ctx.world, project, revision)
    if commit is None:
        raise NotFound("Tree", reason=partial(commits.no_commit_reason, ctx.world, project, revision))
    git = repositories.open_repository(ctx.world, project)
    try:
        entries = git.tree(commit.commit.sha, (p.path or "").strip("/"), recursive=p.recursive)
    except UnknownPath:
        if ctx.profile.has(UNKNOWN_DIRECTORIES_ARE_NOT_FOUND):
            raise NotFound("invalid revision or path", reason=f"there is no directory {p.path!r}") from None
        return []
    # Sorting is stable, so entries of one kind keep git's order.
    ordered = sorted(entries, key=lambda entry: _KINDS.index(entry.kind))
    return [CommittedEntry(entry, project, commit.commit.sha) for entry in ordered] if p.with_last_commit else ordered


# The platform lists directories first, then files, then submodules; git sorts by name only.
_KINDS: Final = ("tree", "blob", "commit")


@area.operation("GET", "repository/blobs/:sha", scope=PROJECT, ability=Ability.DOWNLOAD_CODE, refusals=(404,))
def get_repository_blob(ctx: ReadContext, project: Project, sha: str) -> dict[str, Any]:
    """Get a blob by its hash."""
    # Unlike the raw download, this operation shows the pointer of a Git LFS file, not the stored file.
    content = _read_blob(ctx, project, sha)
    return {"size": len(content), "encoding": "base64", "content": b64encode(content).decode(), "sha": sha}


@area.operation("GET", "repository/blobs/:sha/raw", scope=PROJECT, ability=Ability.DOWNLOAD_CODE, refusals=(404,))
def get_repository_blob_raw(ctx: ReadContext, project: Project, sha: str) -> RawBody:
    """Download a blob by its hash."""
    return render_raw_file(lfs.resolve_pointer(ctx.world, project, _read_blob(ctx, project, sha)), "")


def _read_blob(ctx: ReadContext, project: Project, sha: str) -> bytes:
    from fakeplat.git.errors import MissingObject

    git = repositories.open_repository(ctx.world, project)
    try:
        return git.blob(sha)
    except MissingObject:
        raise NotFound("Blob", reason=f"no blob {sha} is reachable from a branch or tag") from None


def render_raw_file(content: bytes, filename: str, headers: Headers = ()) -> RawBody:
    """Return a file as an inline response; content with a NUL byte near the start is binary."""
    kind = "application/octet-stream" if b"\0" in content[:_SNIFFED_BYTES] else "text/plain"
    return RawBody(
        content, kind, (("Content-Disposition", content_disposition("inline", filename)), *NO_STORE_HEADERS, *headers)
    )


class DownloadArchive(Params):
    """The revision to pack, the format, and which of its files."""

    sha: str | None = None
    ref_type: Annotated[Literal["heads", "tags"] | None, Lifetime(since="<=19.3")] = None
    format: str | None = None
    path: Annotated[str | None, Lifetime(since="<=16.5")] = None
    include_lfs_blobs: Annotated[bool, Lifetime(since="<=17.10")] = True
    exclude_paths: Annotated[CommaList[str] | None, Lifetime(since="<=18.9")] = None


@area.operation(
    "GET",
    "repository/archive",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=DownloadArchive,
    endings=tuple(f".{ending}" for ending in archives.FORMATS),
    refusals=(404, 406, 429),
)
def download_repository_archive(ctx: ReadContext, project: Project, p: DownloadArchive) -> RawBody:
    """Download an archive of the repository at a revision."""
    archives.check_archive(ctx, project)
    # Of ``/repository/archive.tar.gz`` this is ``tar.gz``; without an ending it is empty.
    suffix = ctx.request.path.rpartition("/archive")[2].removeprefix(".") if ctx.request else ""
    # The format in the path (``archive.zip``) wins over the parameter.
    archive_format = suffix or p.format or ""
    # An unknown value of the parameter is no error: the default format is used.
    download = archives.create_archive(
        ctx,
        project,
        p.sha,
        archive_format if archive_format in archives.FORMATS else "tar.gz",
        ArchiveContent((p.path or "").strip("/"), tuple(p.exclude_paths or ()), p.include_lfs_blobs),
        # A branch and a tag can have the same name.
        namespace=f"refs/{p.ref_type}/" if p.sha and p.ref_type else "",
    )
    return render_archive(download, "max-age=60, private")


def render_archive(download: Download, cache_control: str) -> RawBody:
    """Return an archive as an attachment."""
    kind = "application/zip" if download.name.endswith(".zip") else "application/octet-stream"
    headers = (
        ("Content-Disposition", plain_content_disposition("attachment", download.name)),
        ("Content-Transfer-Encoding", "binary"),
        ("Cache-Control", cache_control),
    )
    return RawBody(download.content, kind, headers)


class CompareRefs(Params):
    """The two revisions; ``straight`` compares with the first itself, not with the merge base."""

    from_: Annotated[str, Named("from")]
    to: str
    straight: bool = False
    from_project_id: Annotated[int | None, Lifetime(since="<=17.10")] = None
    unidiff: Annotated[bool, Lifetime(since="16.5")] = False


def _comparison_options(_ctx: ReadContext, p: CompareRefs, _result: object) -> tuple[str, ...]:
    return (UNIFIED,) if p.unidiff else ()


@area.operation(
    "GET",
    "repository/compare",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=CompareRefs,
    view=ComparisonView,
    options=_comparison_options,
    refusals=(400, 403, 404),
)
def compare_repository_refs(ctx: ReadContext, project: Project, p: CompareRefs) -> Comparison:
    """Compare two branches, tags or commits."""
    source = project if p.from_project_id is None else _get_related_project(ctx, project, p.from_project_id)
    return comparison.compare(ctx.world, project, p.from_, p.to, straight=p.straight, source=source)


def _get_related_project(ctx: ReadContext, project: Project, id_: int) -> Project:
    """Return a project of the fork network whose code the caller reads; 400 for others, 403 without that right."""
    related = ctx.world.projects.get(id_)
    network = merge_requests.fork_network_id(ctx.world, project)
    if related is None or not can_see(ctx, related) or merge_requests.fork_network_id(ctx.world, related) != network:
        # The platform repeats the id or path as it was sent.
        sent = ctx.request.path.partition("/projects/")[2].partition("/")[0] if ctx.request else str(project.id)
        message = f"Target project id:{id_} is not a fork of project id:{unquote(sent)}"
        raise BadRequest(message, reason=f"{id_} is not in the fork network of {project.id}")
    decision = decide(ctx, Ability.DOWNLOAD_CODE, related)
    if not decision.allowed:
        raise Forbidden("You don't have access to this fork's parent project", reason=decision.why)
    return related


class ListContributors(Paged):
    """The order of the list of contributors."""

    order_by: Literal["email", "name", "commits"] = "commits"
    sort: Literal["asc", "desc"] = "asc"
    ref: Annotated[str | None, Lifetime(since="17.4")] = None


@area.operation(
    "GET",
    "repository/contributors",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=ListContributors,
    view=ContributorView,
    many=True,
    refusals=(404,),
)
def list_repository_contributors(ctx: ReadContext, project: Project, p: ListContributors) -> Sequence[Contributor]:
    """List the authors of commits with their counts."""
    return comparison.contributors(
        ctx.world, project, p.order_by, descending=p.sort == "desc", revision=p.ref or commits.HEAD
    )


class GetMergeBase(Params):
    """The revisions to find the merge base of."""

    refs: CommaList[str]


@area.operation(
    "GET",
    "repository/merge_base",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=GetMergeBase,
    view=CommitBasic,
    refusals=(400, 404),
)
def get_repository_merge_base(ctx: ReadContext, project: Project, p: GetMergeBase) -> ProjectCommit:
    """Get the best common ancestor of two or more branches, tags or commits."""
    return comparison.merge_base(ctx.world, project, p.refs)
