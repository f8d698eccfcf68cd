"""Repositories. Source: docs/platform/specification.md ('Repository'), docs/platform/repository.md."""

from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.disposition import disposition, plain_disposition
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.messages import Headers, Raw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Named, Params
from fakeplat.domain.repository import archives, commits, comparing, lfs, repositories
from fakeplat.domain.repository.archives import Download
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.domain.repository.comparing import Comparison, Contributor
from fakeplat.entities.commits import CommitBasic
from fakeplat.entities.repository import ComparisonView, ContributorView, TreeEntryView
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context

area: Final = Area("Repository", login=Login.WRITES, located_first=True)

UNCACHED: Final[Headers] = (
    ("Cache-Control", "max-age=0, private, must-revalidate, no-store, no-cache"),
    ("Pragma", "no-cache"),
    ("Expires", "Fri, 01 Jan 1990 00:00:00 GMT"),
)
_LOOKED_AT: Final = 8_000


class ListTree(Paged):
    """Which part of which tree to list."""

    ref: str | None = None
    path: str | None = None
    recursive: bool = False


@area.operation(
    "GET",
    "repository/tree",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=ListTree,
    shows=TreeEntryView,
    many=True,
    refuses=(404,),
)
def list_repository_tree(cx: Context, project: Project, p: ListTree) -> Sequence[Any]:
    """List the entries of a directory."""
    from fakeplat.git.errors import UnknownPath

    revision = p.ref or commits.HEAD
    found = commits.find(cx.world, project, revision)
    if found is None:
        raise NotFound("Tree", reason=partial(commits.nothing_at, cx.world, project, revision))
    git = repositories.opened(cx.world, project)
    try:
        entries = git.tree(found.commit.sha, (p.path or "").strip("/"), recursive=p.recursive)
    except UnknownPath:
        return []
    return sorted(entries, key=lambda entry: _KINDS.index(entry.kind))


_KINDS: Final = ("tree", "blob", "commit")


@area.operation("GET", "repository/blobs/:sha", under=PROJECT, may=May.DOWNLOAD_CODE, refuses=(404,))
def get_repository_blob(cx: Context, project: Project, sha: str) -> dict[str, Any]:
    """Get a blob by its hash."""
    content = _blob(cx, project, sha)
    return {"size": len(content), "encoding": "base64", "content": b64encode(content).decode(), "sha": sha}


@area.operation("GET", "repository/blobs/:sha/raw", under=PROJECT, may=May.DOWNLOAD_CODE, refuses=(404,))
def get_repository_blob_raw(cx: Context, project: Project, sha: str) -> Raw:
    """Download a blob by its hash."""
    return raw(lfs.resolved(cx.world, project, _blob(cx, project, sha)), "")


def _blob(cx: Context, project: Project, sha: str) -> bytes:
    from fakeplat.git.errors import MissingObject

    git = repositories.opened(cx.world, project)
    try:
        return git.blob(sha)
    except MissingObject:
        raise NotFound("Blob", reason=f"no branch or tag leads to a file with the hash {sha}") from None


def raw(content: bytes, filename: str, headers: Headers = ()) -> Raw:
    """A file as it is, to be shown; what holds a NUL at its beginning is no text."""
    kind = "application/octet-stream" if b"\0" in content[:_LOOKED_AT] else "text/plain"
    return Raw(content, kind, (("Content-Disposition", disposition("inline", filename)), *UNCACHED, *headers))


class DownloadArchive(Params):
    """What to pack, and how."""

    sha: str | None = None
    format: str | None = None


@area.operation(
    "GET",
    "repository/archive",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=DownloadArchive,
    endings=tuple(f".{ending}" for ending in archives.FORMATS),
    refuses=(404, 406, 429),
)
def download_repository_archive(cx: Context, project: Project, p: DownloadArchive) -> Raw:
    """Download an archive of the repository at a revision."""
    archives.check(cx, project)
    asked = cx.request.path.rpartition("/archive")[2].removeprefix(".") if cx.request else ""
    form = asked or p.format or ""
    download = archives.made(cx, project, p.sha, form if form in archives.FORMATS else "tar.gz")
    return archive(download, "max-age=60, private")


def archive(download: Download, cache_control: str) -> Raw:
    """An archive to be saved."""
    kind = "application/zip" if download.name.endswith(".zip") else "application/octet-stream"
    headers = (
        ("Content-Disposition", plain_disposition("attachment", download.name)),
        ("Content-Transfer-Encoding", "binary"),
        ("Cache-Control", cache_control),
    )
    return Raw(download.content, kind, headers)


class CompareRefs(Params):
    """The two sides, and whether the older one itself or the merge base is compared."""

    from_: Annotated[str, Named("from")]
    to: str
    straight: bool = False


@area.operation(
    "GET",
    "repository/compare",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=CompareRefs,
    shows=ComparisonView,
    refuses=(404,),
)
def compare_repository_refs(cx: Context, project: Project, p: CompareRefs) -> Comparison:
    """Compare two branches, tags or commits."""
    return comparing.compare(cx.world, project, p.from_, p.to, straight=p.straight)


class ListContributors(Paged):
    """In which order."""

    order_by: Literal["email", "name", "commits"] = "commits"
    sort: Literal["asc", "desc"] = "asc"


@area.operation(
    "GET",
    "repository/contributors",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=ListContributors,
    shows=ContributorView,
    many=True,
    refuses=(404,),
)
def list_repository_contributors(cx: Context, project: Project, p: ListContributors) -> Sequence[Contributor]:
    """List the authors of commits with their counts."""
    return comparing.contributors(cx.world, project, p.order_by, descending=p.sort == "desc")


class GetMergeBase(Params):
    """The revisions."""

    refs: CommaList[str]


@area.operation(
    "GET",
    "repository/merge_base",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=GetMergeBase,
    shows=CommitBasic,
    refuses=(400, 404),
)
def get_repository_merge_base(cx: Context, project: Project, p: GetMergeBase) -> CommitOf:
    """Get the best common ancestor of two or more branches, tags or commits."""
    return comparing.merge_base(cx.world, project, p.refs)
