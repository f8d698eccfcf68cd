"""The parts that payloads share: users, projects, labels, commits."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from fakeplat.core.release import Lifetime
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import cut_milliseconds
from fakeplat.domain import urls
from fakeplat.domain.repository.commits import ProjectCommit, find_commit
from fakeplat.domain.repository.diffs import to_legible_text
from fakeplat.model.ci import Runner
from fakeplat.model.people import VISIBILITY_RANK, User
from fakeplat.model.planning import Label
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import HOOK_USERS_HAVE_IDS, HOOKS_HIDE_EMAILS
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.diffs import FileDiff

Block = dict[str, Any]
R = TypeVar("R")


@frozen
class Later(Generic[R]):
    """A field of a payload that only some releases have, and how it is read from a record."""

    lifetime: Lifetime
    read: Callable[[ReadContext, R], Any]


def later(since: str, read: Callable[[ReadContext, R], Any]) -> Later[R]:
    """Return a field that payloads have since a release, or a bound such as ``<=15.8``."""
    return Later(Lifetime(since), read)


def read_later(ctx: ReadContext, fields: Mapping[str, Later[R]], record: R) -> Block:
    """Return the fields of a record that the world's release has."""
    return {name: field.read(ctx, record) for name, field in fields.items() if ctx.profile.has(field.lifetime)}


_HIDDEN: Final = "[REDACTED]"
_LONG_TITLE: Final = 100
_CUT_TITLE: Final = 80
_SIMPLE_IMAGE: Final = re.compile(r"!\[(?P<title>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")
_ABSOLUTE: Final = re.compile(r"//|[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def format_time(time: str | None) -> str | None:
    """Return the time of a record as payloads have it: ``2020-11-20 09:00:00 UTC``."""
    return None if time is None else f"{time[:10]} {time[11:19]} UTC"


def format_iso_time(time: str | None) -> str | None:
    """Return the time of a record as in ``2020-11-20T09:00:00Z``."""
    return None if time is None else cut_milliseconds(time)


def find_user(ctx: ReadContext, user_id: int | None) -> User | None:
    """Return the user with an id, or None."""
    return None if user_id is None else ctx.world.users.get(user_id)


def build_user(ctx: ReadContext, user: User | None) -> Block | None:
    """Return the block of a user; None without one."""
    if user is None:
        return None
    return {
        **({"id": user.id} if ctx.profile.has(HOOK_USERS_HAVE_IDS) else {}),
        "name": user.name,
        "username": user.username,
        "avatar_url": urls.user_avatar_url(ctx, user),
        "email": _get_email(ctx, user),
    }


def _get_email(ctx: ReadContext, user: User) -> str:
    return user.public_email or _HIDDEN if ctx.profile.has(HOOKS_HIDE_EMAILS) else user.email


def build_users(ctx: ReadContext, ids: Iterable[int]) -> list[Block | None]:
    """Return the blocks of users."""
    return [build_user(ctx, user) for id_ in ids if (user := find_user(ctx, id_)) is not None]


def build_short_project(ctx: ReadContext, project: Project) -> Block:
    """Return the block of a project without the older names of its addresses."""
    return {
        "id": project.id,
        "name": project.name,
        "description": project.description,
        "web_url": urls.project_url(ctx, project),
        "avatar_url": urls.avatar_url(ctx, "project", project.id, project.avatar),
        "git_ssh_url": urls.ssh_url(ctx, project),
        "git_http_url": urls.http_url(ctx, project),
        "namespace": ctx.world.namespaces[project.namespace_id].name,
        "visibility_level": VISIBILITY_RANK[project.visibility],
        "path_with_namespace": urls.project_path(ctx, project),
        "default_branch": project.default_branch,
        "ci_config_path": project.ci_config_path,
    }


def build_project(ctx: ReadContext, project: Project) -> Block:
    """Return the block of a project."""
    ssh_url = urls.ssh_url(ctx, project)
    return {
        **build_short_project(ctx, project),
        "homepage": urls.project_url(ctx, project),
        "url": ssh_url,
        "ssh_url": ssh_url,
        "http_url": urls.http_url(ctx, project),
    }


def build_repository(ctx: ReadContext, project: Project) -> Block:
    """Return the older and shorter block of a project."""
    return {
        "name": project.name,
        "url": urls.ssh_url(ctx, project),
        "description": project.description,
        "homepage": urls.project_url(ctx, project),
    }


def build_long_repository(ctx: ReadContext, project: Project) -> Block:
    """Return the block of a repository with its addresses, for pushes and jobs."""
    return {
        **build_repository(ctx, project),
        "git_http_url": urls.http_url(ctx, project),
        "git_ssh_url": urls.ssh_url(ctx, project),
        "visibility_level": VISIBILITY_RANK[project.visibility],
    }


def build_labels(ctx: ReadContext, ids: Iterable[int]) -> list[Block]:
    """Return the blocks of labels by title."""
    labels = [label for id_ in ids if (label := ctx.world.labels.get(id_)) is not None]
    return [_build_label(label) for label in sorted(labels, key=lambda label: label.title)]


def _build_label(label: Label) -> Block:
    kind, owner_id = label.source
    is_of_project = kind == "project"
    return {
        "id": label.id,
        "title": label.title,
        "color": label.color,
        "project_id": owner_id if is_of_project else None,
        "created_at": format_time(label.created_at),
        "updated_at": format_time(label.updated_at),
        "template": False,
        "description": label.description,
        "type": "ProjectLabel" if is_of_project else "GroupLabel",
        "group_id": None if is_of_project else owner_id,
    }


def build_commit_of(ctx: ReadContext, project: Project, sha: str | None) -> Block | None:
    """Return the block of a commit of a project; None if it does not exist."""
    commit = find_commit(ctx.world, project, sha) if sha else None
    return None if commit is None else build_commit(ctx, commit)


def build_commit(ctx: ReadContext, commit: ProjectCommit) -> Block:
    """Return the block of a commit."""
    git_commit, author = commit.commit, commit.commit.author
    return {
        "id": git_commit.sha,
        "message": git_commit.message,
        "title": shorten_title(git_commit.title),
        "timestamp": git_commit.committer.time.isoformat(),
        "url": commit_url(ctx, commit.project, git_commit.sha),
        "author": {"name": to_legible_text(author.name), "email": to_legible_text(author.email)},
    }


def commit_url(ctx: ReadContext, project: Project, sha: str) -> str:
    """Return the URL of a commit."""
    return f"{urls.project_url(ctx, project)}/-/commit/{sha}"


def build_commit_with_files(ctx: ReadContext, commit: ProjectCommit, files: "Iterable[FileDiff]") -> Block:
    """Return the block of a commit with the paths that it changed."""
    changed = list(files)
    return {
        **build_commit(ctx, commit),
        "added": [to_legible_text(file.new_path) for file in changed if file.status in "AR"],
        "modified": [to_legible_text(file.new_path) for file in changed if file.status not in "ARD"],
        "removed": [to_legible_text(file.old_path) for file in changed if file.status == "D"],
    }


def shorten_title(title: str) -> str:
    """Return a title of a commit, cut if it is long."""
    return title if len(title) < _LONG_TITLE else f"{title[:_CUT_TITLE]}…"


_RUNNER: Final[Mapping[str, Later[Runner]]] = {
    "tags": later("<=13.12", lambda ctx, runner: list(runner.tag_list)),
    "runner_type": later("<=14.6", lambda ctx, runner: runner.runner_type),
}


def build_runner(ctx: ReadContext, runner: Runner | None) -> Block | None:
    """Return the block of a runner; None without one."""
    if runner is None:
        return None
    return {
        "id": runner.id,
        "description": runner.description,
        "active": runner.active,
        "is_shared": runner.runner_type == "instance_type",
        **read_later(ctx, _RUNNER, runner),
    }


def make_images_absolute(ctx: ReadContext, project: Project, text: str | None) -> str | None:
    """Return a Markdown text in which images of the project have absolute addresses."""
    if not text or "![" not in text:
        return text
    base = urls.project_url(ctx, project)

    def complete(match: re.Match[str]) -> str:
        target = match["target"]
        return match[0] if _ABSOLUTE.match(target) else f"![{match['title']}]({base}/{target.lstrip('/')})"

    return _SIMPLE_IMAGE.sub(complete, text)
