"""Downloads beside the API, by the addresses of the platform's pages: archives, raw files, patches and differences.

Who may not download is sent to the login when nobody is signed in, and finds nothing otherwise.
Source: docs/platform/external.md ('Web downloads').
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fakeplat.api.pages import area, sign_in_redirect
from fakeplat.api.repository import archive, raw
from fakeplat.core.operations.disposition import disposition
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.messages import Raw
from fakeplat.core.params.params import Params
from fakeplat.core.store.ids import number_of
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.notes import noteables
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import archives, commits, lfs, repositories
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, TAGS
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import caller, can

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


@area.operation("GET", "*project/-/archive/*file", takes=DownloadPart, also=(302,), refuses=(404, 406, 429), ours=True)
def download_archive(cx: Context, project: str, file: str, p: DownloadPart) -> Raw:
    """Download an archive by its page's address: ``v1.0/site-v1.0.tar.gz`` or ``v1.0.tar.gz``."""
    from fakeplat.git.errors import UnknownPath

    found = _readable(cx, project)
    if found is None:
        return _refused(cx, project)
    archives.check(cx, found)
    rest, form = _split_archive_format(file)
    ref, filename = _split_ref(cx, found, rest)
    commit = commits.find(cx.world, found, ref)
    if commit is None or not form:
        return _refused(cx, file)
    try:
        download = archives.pack(cx, commit, _archive_name(commit, ref, filename, p.path or ""), form, p.path or "")
    except UnknownPath:
        return _refused(cx, file)
    return archive(download, _cache_control(cx, commit, ref))


def _archive_name(found: CommitOf, ref: str, filename: str, path: str) -> str:
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


@area.operation("GET", "*project/-/raw/*file", takes=DownloadRaw, also=(302,), refuses=(404,), ours=True)
def download_raw_file(cx: Context, project: str, file: str, p: DownloadRaw) -> Raw:
    """Download a file by its page's address: ``master/src/main.py``."""
    found = _readable(cx, project)
    if found is None:
        return _refused(cx, project)
    ref, path = _split_ref(cx, found, file)
    commit = commits.find(cx.world, found, ref)
    git = repositories.opened(cx.world, found)
    entry = git.entry(commit.commit.sha, path) if commit is not None and path else None
    if commit is None or entry is None or entry.kind != "blob":
        return _refused(cx, file)
    answer = raw(lfs.resolved(cx.world, found, git.objects.blob(entry.sha)), "")
    headers = (
        (
            "Content-Disposition",
            disposition("attachment" if p.inline == "false" else "inline", path.rpartition("/")[2]),
        ),
        ("Cache-Control", _cache_control(cx, commit, ref)),
    )
    return Raw(answer.body, _BINARY if answer.content_type == _BINARY else _TEXT, headers)


def split_form(name: str) -> tuple[str, str]:
    """Split ``1.patch`` into ``1`` and ``.patch``; the second is empty for other endings."""
    form = next((one for one in (PATCH, DIFF) if name.endswith(one)), "")
    return name.removesuffix(form), form


def commit_change(cx: Context, path: str, sha: str, form: str) -> Raw:
    """Return a commit's change, as a mail or as a difference."""
    project = _readable(cx, path)
    found = commits.find(cx.world, project, sha) if project is not None else None
    if project is None or found is None:
        return _refused(cx, f"{path}/-/commit/{sha}{form}")
    git = repositories.opened(cx.world, project)
    return _change(cx, project, form, lambda: [found.commit], lambda: git.commit_diff(found.commit.sha))


def merge_request_change(cx: Context, path: str, iid: str, form: str) -> Raw:
    """Return a merge request's change, as a mail for each of its commits or as one difference."""
    project = namespaces.project_at(cx.world, path)
    found = cx.world.merge_requests.find("iid", (project.id, number_of(iid))) if project is not None else None
    refs = diff_versions.refs(cx.world, found) if found is not None and noteables.visible(cx, found) else None
    if project is None or found is None or refs is None:
        return _refused(cx, f"{path}/-/merge_requests/{iid}{form}")
    rows = [one.commit for one in diff_versions.commits(cx.world, found, refs)][::-1]
    git = repositories.opened(cx.world, project)
    return _change(cx, project, form, lambda: rows, lambda: git.diff(refs.base, refs.head))


def _change(
    cx: Context,
    project: Project,
    form: str,
    list_commits: "Callable[[], list[Commit]]",
    list_files: "Callable[[], list[FileDiff]]",
) -> Raw:
    from fakeplat.git.mail import patches

    headers = (("Content-Disposition", "inline"), ("Cache-Control", "no-cache"))
    if form == DIFF:
        return Raw(b"".join(file.text for file in list_files()), _TEXT, headers)
    objects = repositories.opened(cx.world, project).objects
    return Raw(patches(objects, list_commits(), cx.instance.product_name), _TEXT, headers)


def _readable(cx: Context, path: str) -> Project | None:
    project = namespaces.project_at(cx.world, path)
    return project if project is not None and can(cx, May.DOWNLOAD_CODE, project) else None


def _refused(cx: Context, what: str) -> Raw:
    if cx.user is None:
        return sign_in_redirect(cx)
    raise RouteNotFound(reason=f"{caller(cx)} finds nothing to download at {what!r}")


def _split_ref(cx: Context, project: Project, path: str) -> tuple[str, str]:
    """Split a path into the longest branch or tag that it begins with, else its first part, and the rest."""
    refs = repositories.opened(cx.world, project).refs
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        ref = "/".join(parts[:count])
        if BRANCHES + ref in refs or TAGS + ref in refs:
            return ref, "/".join(parts[count:])
    return parts[0], "/".join(parts[1:])


def _cache_control(cx: Context, found: CommitOf, ref: str) -> str:
    seconds = _OF_COMMIT if ref == found.commit.sha else _OF_BRANCH
    public = can(cx.as_anonymous(), May.DOWNLOAD_CODE, found.project)
    return f"max-age={seconds}, {'public' if public else 'private'}"
