"""Downloads at the web URLs, outside the API: archives, raw files, patches and diffs.

Anonymous users without access are redirected to the sign-in page; signed-in ones get 404.
Source: docs/platform/external.md ('Web downloads').
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fakeplat.api.pages import area, redirect_to_sign_in
from fakeplat.api.repository.repository import render_archive, render_raw_file
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import RouteNotFound, TooManyDownloads, TooManyRequests
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.params.params import Params
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import archives, commits, lfs, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.behaviours import VISITORS_DOWNLOAD_SO_OFTEN
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff
    from fakeplat.git.records import Commit

PATCH: Final = ".patch"
DIFF: Final = ".diff"
_TEXT: Final = "text/plain; charset=utf-8"
_BINARY: Final = "application/octet-stream"
_MAX_AGE_OF_REF, _MAX_AGE_OF_COMMIT = 60, 3600
"""Cache lifetimes in seconds: for refs that may move, and for commits."""


class DownloadPart(Params):
    """The directory to pack."""

    path: str | None = None


@area.operation(
    "GET",
    "*project/-/archive/*file",
    params=DownloadPart,
    also=(302,),
    refusals=(404, 406, 429),
    ours=True,
    produces="*/*",
)
def download_archive(ctx: ReadContext, project: str, file: str, p: DownloadPart) -> RawBody:
    """Download an archive by its page's address: ``v1.0/site-v1.0.tar.gz`` or ``v1.0.tar.gz``."""
    from fakeplat.git.errors import UnknownPath

    container = _find_readable_project(ctx, project)
    if container is None:
        return _refuse_download(ctx, project)
    archives.check_archive(ctx, container)
    stem, archive_format = _split_archive_format(file)
    ref, filename = commits.split_place(ctx.world, container, stem)
    commit = commits.find_commit(ctx.world, container, ref)
    if commit is None or not archive_format:
        return _refuse_download(ctx, file)
    try:
        name = _build_archive_name(commit, ref, filename, p.path or "")
        download = archives.pack(ctx, commit, name, archive_format, archives.ArchiveContent(p.path or ""))
    except UnknownPath:
        return _refuse_download(ctx, file)
    return render_archive(download, _build_cache_control(ctx, commit, ref))


def _build_archive_name(commit: ProjectCommit, ref: str, filename: str, path: str) -> str:
    """Build the file name; it includes the hash unless the requested name omits it or the ref is the hash."""
    name = archives.short_name(commit.project, ref)
    if filename != name and ref != commit.commit.sha:
        name = f"{name}-{commit.commit.sha}"
    # The directory is part of the name: ``docs/api`` becomes ``-docs-api``, as a file name has no slashes.
    return f"{name}-{path.strip('/').replace('/', '-')}" if path.strip("/") else name


def _split_archive_format(file: str) -> tuple[str, str]:
    # The longest suffix wins: ``tar.gz`` ends with ``gz`` too.
    ending = max((suffix for suffix in archives.FORMATS if file.endswith(f".{suffix}")), key=len, default="")
    return (file.removesuffix(f".{ending}"), archives.FORMATS[ending]) if ending else (file, "")


class DownloadRaw(Params):
    """Whether the browser shows or saves the file."""

    inline: str | None = None


@area.operation(
    "GET", "*project/-/raw/*file", params=DownloadRaw, also=(302,), refusals=(404,), ours=True, produces="*/*"
)
def download_raw_file(ctx: ReadContext, project: str, file: str, p: DownloadRaw) -> RawBody:
    """Download a file by its page's address: ``master/src/main.py``."""
    container = _find_readable_project(ctx, project)
    if container is None:
        return _refuse_download(ctx, project)
    ref, path = commits.split_place(ctx.world, container, file)
    commit = commits.find_commit(ctx.world, container, ref)
    _count_download(ctx, container, file)
    git = repositories.open_repository(ctx.world, container)
    entry = git.entry(commit.commit.sha, path) if commit is not None and path else None
    if commit is None or entry is None or entry.kind != "blob":
        return _refuse_download(ctx, file)
    # A pointer of Git LFS is replaced by the stored file before the type is determined.
    inline_response = render_raw_file(lfs.resolve_pointer(ctx.world, container, git.objects.blob(entry.sha)), "")
    headers = (
        (
            "Content-Disposition",
            # Only the exact text ``false`` makes the browser save the file; any other value shows it.
            content_disposition("attachment" if p.inline == "false" else "inline", path.rpartition("/")[2]),
        ),
        ("Cache-Control", _build_cache_control(ctx, commit, ref)),
    )
    # The API sends text without a charset, the web addresses with one.
    return RawBody(inline_response.body, _BINARY if inline_response.content_type == _BINARY else _TEXT, headers)


def _count_download(ctx: ReadContext, project: Project, file: str) -> None:
    """Count a download of a path of a commit; 429 above the limit of the settings."""
    settings = ctx.world.settings
    try:
        ctx.count_action("show_raw_controller", (project.id, file), settings.raw_blob_request_limit)
        if ctx.viewer is None and ctx.profile.has(VISITORS_DOWNLOAD_SO_OFTEN):
            ctx.count_action("raw_blob_unauthenticated", project.id, settings.raw_blob_request_limit_unauthenticated)
    except TooManyRequests as refusal:
        raise TooManyDownloads(reason=refusal.reason) from None


def split_change_suffix(name: str) -> tuple[str, str]:
    """Split ``1.patch`` into ``1`` and ``.patch``; the second is empty for other endings."""
    suffix = next((suffix for suffix in (PATCH, DIFF) if name.endswith(suffix)), "")
    return name.removesuffix(suffix), suffix


def download_commit_change(ctx: ReadContext, path: str, sha: str, suffix: str) -> RawBody:
    """Return the change of a commit as a mail (``.patch``) or a diff (``.diff``)."""
    project = _find_readable_project(ctx, path)
    commit = commits.find_commit(ctx.world, project, sha) if project is not None else None
    if project is None or commit is None:
        return _refuse_download(ctx, f"{path}/-/commit/{sha}{suffix}")
    git = repositories.open_repository(ctx.world, project)
    return _render_change(ctx, project, suffix, lambda: [commit.commit], lambda: git.commit_diff(commit.commit.sha))


def download_merge_request_change(ctx: ReadContext, path: str, iid: str, suffix: str) -> RawBody:
    """Return the change of a merge request as a mail per commit (``.patch``) or one diff (``.diff``)."""
    project = namespaces.find_project_by_path(ctx.world, path)
    merge_request = (
        ctx.world.merge_requests.find("iid", (project.id, parse_number(iid))) if project is not None else None
    )
    refs = (
        diff_versions.latest_refs(ctx.world, merge_request)
        if merge_request is not None and noteables.is_visible(ctx, merge_request)
        else None
    )
    if project is None or merge_request is None or refs is None:
        return _refuse_download(ctx, f"{path}/-/merge_requests/{iid}{suffix}")
    # ``git am`` applies mails in their order, while lists of commits are newest first.
    commits_oldest_first = [row.commit for row in diff_versions.list_commits(ctx.world, merge_request, refs)][::-1]
    git = repositories.open_repository(ctx.world, project)
    return _render_change(ctx, project, suffix, lambda: commits_oldest_first, lambda: git.diff(refs.base, refs.head))


def _render_change(
    ctx: ReadContext,
    project: Project,
    suffix: str,
    # Functions, because only one of the two is needed and each reads many git objects.
    list_commits: "Callable[[], list[Commit]]",
    list_files: "Callable[[], list[FileDiff]]",
) -> RawBody:
    from fakeplat.git.format_patch import format_patches

    headers = (("Content-Disposition", "inline"), ("Cache-Control", "no-cache"))
    if suffix == DIFF:
        return RawBody(b"".join(file.text for file in list_files()), _TEXT, headers)
    objects = repositories.open_repository(ctx.world, project).objects
    return RawBody(format_patches(objects, list_commits(), ctx.instance.product_name), _TEXT, headers)


def _find_readable_project(ctx: ReadContext, path: str) -> Project | None:
    project = namespaces.find_project_by_path(ctx.world, path)
    return project if project is not None and can(ctx, Ability.DOWNLOAD_CODE, project) else None


def _refuse_download(ctx: ReadContext, path: str) -> RawBody:
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    raise RouteNotFound(reason=f"{caller_name(ctx)} finds no download at {path!r}")


def _build_cache_control(ctx: ReadContext, commit: ProjectCommit, ref: str) -> str:
    seconds = _MAX_AGE_OF_COMMIT if ref == commit.commit.sha else _MAX_AGE_OF_REF
    # Shared caches may store a download only if anyone may read it, not just this caller.
    public = can(ctx.as_anonymous(), Ability.DOWNLOAD_CODE, commit.project)
    return f"max-age={seconds}, {'public' if public else 'private'}"
