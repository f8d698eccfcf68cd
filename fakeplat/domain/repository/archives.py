"""Archives of repositories. Source: docs/platform/repository.md ('archive'), docs/decisions/rulings.md (22)."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.core.operations.errors import NotAcceptable, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import commits, lfs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.archive import ArchiveMember

FORMATS: Final = {
    "tar.gz": "tar.gz",
    "tgz": "tar.gz",
    "gz": "tar.gz",
    "tar": "tar",
    "zip": "zip",
    "tar.bz2": "tar.bz2",
    "tbz": "tar.bz2",
    "tbz2": "tar.bz2",
    "tb2": "tar.bz2",
    "bz2": "tar.bz2",
}
"""Accepted formats, and the format of the archive."""
LIMIT: Final = "project_repositories_archive"
MAX_PER_MINUTE: Final = 5
_EMBEDDING_MODES: Final = ("cors", "no-cors", "websocket")
_EMBEDDED_TYPES: Final = ("image/", "audio/", "video/", "text/css", "text/javascript", "application/javascript")


class Download(NamedTuple):
    """An archive and its file name."""

    name: str
    content: bytes


def check_archive(ctx: ReadContext, project: Project) -> None:
    """Raise 406 for requests embedded in another site's page and, on the hosted offering, 429 above the rate limit."""
    headers = ctx.request.headers if ctx.request else {}
    # Only browsers send Sec-Fetch-Mode; for others the accepted types tell whether a page embeds the download.
    mode = headers.get("sec-fetch-mode", "")
    accepted = headers.get("accept", "")
    if mode in _EMBEDDING_MODES or accepted.startswith(_EMBEDDED_TYPES):
        raise NotAcceptable(reason=f"a page embeds the archive: Sec-Fetch-Mode {mode!r}, Accept {accepted!r}")
    caller = ctx.viewer.id if ctx.viewer else None
    ctx.count_action(LIMIT, (caller, project.id), MAX_PER_MINUTE if ctx.instance.hosted else 0, "archive")


@frozen
class ArchiveContent:
    """Which files are in an archive: those of a folder, without some paths, and with large files or their pointers."""

    path: str = ""
    excluded: tuple[str, ...] = ()
    large_files: bool = True

    def includes(self, path: str) -> bool:
        """Return whether a path is in the archive."""
        return not any(f"{path.rstrip('/')}/".startswith(f"{name.strip('/')}/") for name in self.excluded)


def create_archive(
    ctx: ReadContext,
    project: Project,
    revision: str | None,
    format_: str,
    content: ArchiveContent = ArchiveContent(),  # noqa: B008  # it is immutable
    *,
    namespace: str = "",
) -> Download:
    """Create an archive of a revision (default: the default branch), in a folder named after project and revision.

    ``namespace``: the revision is the name of a ref in it, such as ``refs/tags/``.
    """
    from fakeplat.git.errors import UnknownPath

    full_name = f"{namespace}{revision or commits.HEAD}"
    commit = commits.find_commit(ctx.world, project, full_name)
    if commit is None:
        raise NotFound("File", reason=partial(commits.no_commit_reason, ctx.world, project, full_name))
    ref = revision or project.default_branch or commit.commit.sha
    folder = f"-{content.path.replace('/', '-')}" if content.path else ""
    name = f"{short_name(project, ref)}-{commit.commit.sha}{folder}"
    try:
        return pack(ctx, commit, name, FORMATS[format_], content)
    except UnknownPath:
        raise NotFound("File", reason=f"there is no path {content.path!r}") from None


def short_name(project: Project, ref: str) -> str:
    """Return the name of a ref's archive without a hash: ``site-v1.0``."""
    return f"{project.path}-{ref.replace('/', '-')}"


def pack(ctx: ReadContext, commit: ProjectCommit, name: str, format_: str, content: ArchiveContent) -> Download:
    """Pack a commit's files, or those of a folder, below a folder ``name``; UnknownPath if the path does not exist."""
    from fakeplat.git.archive import FORMATS as PACKERS

    # Members have the time of the commit, so that the same commit always gives the same bytes.
    packed = PACKERS[format_](
        _list_members(ctx, commit, f"{name}/", content), commit.commit.committer.when, commit.commit.sha
    )
    return Download(f"{name}.{format_}", packed)


def _list_members(
    ctx: ReadContext, commit: ProjectCommit, prefix: str, content: ArchiveContent
) -> "Iterator[ArchiveMember]":
    from fakeplat.git.archive import list_members

    objects = repositories.open_repository(ctx.world, commit.project).objects
    for member in list_members(objects, commit.commit.tree, prefix, content.path):
        if not content.includes(member.path.removeprefix(prefix)):
            continue
        # Archives contain the LFS files themselves instead of their pointers, unless asked otherwise.
        file = lfs.resolve_pointer(ctx.world, commit.project, member.content) if content.large_files else member.content
        yield member._replace(content=file)
