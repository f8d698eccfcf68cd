"""Archives of repositories. Source: docs/platform/repository.md ('archive'), docs/decisions/rulings.md (22)."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from fakeplat.core.operations.errors import NotAcceptable, NotFound
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
"""What may be asked for, and the format that it is."""
LIMIT: Final = "project_repositories_archive"
A_MINUTE: Final = 5
_EMBEDDING: Final = ("cors", "no-cors", "websocket")
_MEDIA: Final = ("image/", "audio/", "video/", "text/css", "text/javascript", "application/javascript")


class Download(NamedTuple):
    """An archive and the name that it is saved under."""

    name: str
    content: bytes


def check_archive(ctx: ReadContext, project: Project) -> None:
    """Refuse what a page of another site embeds (406) and, on the hosted offering, who asks too often (429)."""
    headers = ctx.request.headers if ctx.request else {}
    mode = headers.get("sec-fetch-mode", "")
    accepted = headers.get("accept", "")
    if mode in _EMBEDDING or accepted.startswith(_MEDIA):
        raise NotAcceptable(reason=f"a page embeds the archive: Sec-Fetch-Mode {mode!r}, Accept {accepted!r}")
    caller = ctx.viewer.id if ctx.viewer else None
    ctx.count_action(LIMIT, (caller, project.id), A_MINUTE if ctx.instance.hosted else 0, "archive")


def create_archive(ctx: ReadContext, project: Project, revision: str | None, form: str) -> Download:
    """The files of a revision, without one of the default branch, below a folder named for both."""
    found = commits.find_commit(ctx.world, project, revision or commits.HEAD)
    if found is None:
        raise NotFound("File", reason=partial(commits.no_commit_reason, ctx.world, project, revision or commits.HEAD))
    ref = revision or project.default_branch or found.commit.sha
    return pack(ctx, found, f"{short_name(project, ref)}-{found.commit.sha}", FORMATS[form])


def short_name(project: Project, ref: str) -> str:
    """Return the name of a ref's archive without a hash: ``site-v1.0``."""
    return f"{project.path}-{ref.replace('/', '-')}"


def pack(ctx: ReadContext, found: ProjectCommit, name: str, form: str, path: str = "") -> Download:
    """Pack a commit's files, or those of a folder in it, below a folder; UnknownPath if there is no such folder."""
    from fakeplat.git.archive import FORMATS as PACKERS

    content = PACKERS[form](_members(ctx, found, f"{name}/", path), found.commit.committer.when, found.commit.sha)
    return Download(f"{name}.{form}", content)


def _members(ctx: ReadContext, found: ProjectCommit, prefix: str, path: str) -> "Iterator[ArchiveMember]":
    from fakeplat.git.archive import list_members

    objects = repositories.open_repository(ctx.world, found.project).objects
    for one in list_members(objects, found.commit.tree, prefix, path):
        yield one._replace(content=lfs.resolve_pointer(ctx.world, found.project, one.content))
