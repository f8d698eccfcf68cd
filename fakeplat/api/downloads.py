"""Downloads beside the API, by the addresses of the platform's pages: archives, raw files, patches and differences.

Who may not download is sent to the login when nobody is signed in, and finds nothing otherwise.
Source: docs/platform/external.md ('Web downloads').
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fakeplat.api.pages import area, sign_in_redirect
from fakeplat.api.repository import archive_file, raw_file
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.params.params import Params
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import archives, commits, lfs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff
    from fakeplat.git.records import Commit

PATCH: Final = ".patch"
DIFF: Final = ".diff"
_TEXT: Final = "text/plain; charset=utf-8"
_BINARY: Final = "application/octet-stream"
_OF_BRANCH, _OF_COMMIT = 60, 3600
"""For how many seconds an answer may be kept: where the ref may move, and where it is a commit."""


class DownloadPart(Params):
    """The folder to pack."""

    path: str | None = None


@area.operation(
    "GET", "*project/-/archive/*file", params=DownloadPart, also=(302,), refusals=(404, 406, 429), ours=True
)
def download_archive(ctx: ReadContext, project: str, file: str, p: DownloadPart) -> RawBody:
    """Download an archive by its page's address: ``v1.0/site-v1.0.tar.gz`` or ``v1.0.tar.gz``."""
    from fakeplat.git.errors import UnknownPath

    found = _readable(ctx, project)
    if found is None:
        return _refused(ctx, project)
    archives.check_archive(ctx, found)
    rest, form = _split_archive_format(file)
    ref, filename = _split_ref(ctx, found, rest)
    commit = commits.find_commit(ctx.world, found, ref)
    if commit is None or not form:
        return _refused(ctx, file)
    try:
        download = archives.pack(ctx, commit, _archive_name(commit, ref, filename, p.path or ""), form, p.path or "")
    except UnknownPath:
        return _refused(ctx, file)
    return archive_file(download, _cache_control(ctx, commit, ref))


def _archive_name(found: ProjectCommit, ref: str, filename: str, path: str) -> str:
    """The hash stands in it unless the client's own name leaves it out or the ref is the hash."""
    name = archives.short_name(found.project, ref)
    if filename != name and ref != found.commit.sha:
        name = f"{name}-{found.commit.sha}"
    return f"{name}-{path.strip('/').replace('/', '-')}" if path.strip("/") else name


def _split_archive_format(file: str) -> tuple[str, str]:
    ending = max((one for one in archives.FORMATS if file.endswith(f".{one}")), key=len, default="")
    return (file.removesuffix(f".{ending}"), archives.FORMATS[ending]) if ending else (file, "")


class DownloadRaw(Params):
    """Whether to show the file or to save it."""

    inline: str | None = None


@area.operation("GET", "*project/-/raw/*file", params=DownloadRaw, also=(302,), refusals=(404,), ours=True)
def download_raw_file(ctx: ReadContext, project: str, file: str, p: DownloadRaw) -> RawBody:
    """Download a file by its page's address: ``master/src/main.py``."""
    found = _readable(ctx, project)
    if found is None:
        return _refused(ctx, project)
    ref, path = _split_ref(ctx, found, file)
    commit = commits.find_commit(ctx.world, found, ref)
    git = repositories.open_repository(ctx.world, found)
    entry = git.entry(commit.commit.sha, path) if commit is not None and path else None
    if commit is None or entry is None or entry.kind != "blob":
        return _refused(ctx, file)
    answer = raw_file(lfs.resolve_pointer(ctx.world, found, git.objects.blob(entry.sha)), "")
    headers = (
        (
            "Content-Disposition",
            content_disposition("attachment" if p.inline == "false" else "inline", path.rpartition("/")[2]),
        ),
        ("Cache-Control", _cache_control(ctx, commit, ref)),
    )
    return RawBody(answer.body, _BINARY if answer.content_type == _BINARY else _TEXT, headers)


def split_form(name: str) -> tuple[str, str]:
    """Split ``1.patch`` into ``1`` and ``.patch``; the second is empty for other endings."""
    form = next((one for one in (PATCH, DIFF) if name.endswith(one)), "")
    return name.removesuffix(form), form


def commit_change(ctx: ReadContext, path: str, sha: str, form: str) -> RawBody:
    """Return a commit's change, as a mail or as a difference."""
    project = _readable(ctx, path)
    found = commits.find_commit(ctx.world, project, sha) if project is not None else None
    if project is None or found is None:
        return _refused(ctx, f"{path}/-/commit/{sha}{form}")
    git = repositories.open_repository(ctx.world, project)
    return _change(ctx, project, form, lambda: [found.commit], lambda: git.commit_diff(found.commit.sha))


def merge_request_change(ctx: ReadContext, path: str, iid: str, form: str) -> RawBody:
    """Return a merge request's change, as a mail for each of its commits or as one difference."""
    project = namespaces.find_project_by_path(ctx.world, path)
    found = ctx.world.merge_requests.find("iid", (project.id, number_of(iid))) if project is not None else None
    refs = (
        diff_versions.latest_refs(ctx.world, found) if found is not None and noteables.is_visible(ctx, found) else None
    )
    if project is None or found is None or refs is None:
        return _refused(ctx, f"{path}/-/merge_requests/{iid}{form}")
    rows = [one.commit for one in diff_versions.list_commits(ctx.world, found, refs)][::-1]
    git = repositories.open_repository(ctx.world, project)
    return _change(ctx, project, form, lambda: rows, lambda: git.diff(refs.base, refs.head))


def _change(
    ctx: ReadContext,
    project: Project,
    form: str,
    list_commits: "Callable[[], list[Commit]]",
    list_files: "Callable[[], list[FileDiff]]",
) -> RawBody:
    from fakeplat.git.format_patch import format_patches

    headers = (("Content-Disposition", "inline"), ("Cache-Control", "no-cache"))
    if form == DIFF:
        return RawBody(b"".join(file.text for file in list_files()), _TEXT, headers)
    objects = repositories.open_repository(ctx.world, project).objects
    return RawBody(format_patches(objects, list_commits(), ctx.instance.product_name), _TEXT, headers)


def _readable(ctx: ReadContext, path: str) -> Project | None:
    project = namespaces.find_project_by_path(ctx.world, path)
    return project if project is not None and can(ctx, Ability.DOWNLOAD_CODE, project) else None


def _refused(ctx: ReadContext, what: str) -> RawBody:
    if ctx.viewer is None:
        return sign_in_redirect(ctx)
    raise RouteNotFound(reason=f"{caller_name(ctx)} finds nothing to download at {what!r}")


def _split_ref(ctx: ReadContext, project: Project, path: str) -> tuple[str, str]:
    """Split a path into the longest branch or tag that it begins with, else its first part, and the rest."""
    refs = repositories.open_repository(ctx.world, project).refs
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        ref = "/".join(parts[:count])
        if BRANCHES + ref in refs or TAGS + ref in refs:
            return ref, "/".join(parts[count:])
    return parts[0], "/".join(parts[1:])


def _cache_control(ctx: ReadContext, found: ProjectCommit, ref: str) -> str:
    seconds = _OF_COMMIT if ref == found.commit.sha else _OF_BRANCH
    public = can(ctx.as_anonymous(), Ability.DOWNLOAD_CODE, found.project)
    return f"max-age={seconds}, {'public' if public else 'private'}"
