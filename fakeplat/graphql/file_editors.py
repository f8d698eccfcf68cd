"""Where files of repositories are edited, and by whom. Source: docs/platform/graphql.md."""

from collections.abc import Callable
from typing import Final
from urllib.parse import quote, urlencode

from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection, repositories
from fakeplat.entities import urls
from fakeplat.graphql.repository_files import FILE, RepositoryFile, page_at_ref
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.10"
_NO_CHANGES: Final = "You're not allowed to make changes to this project directly. A fork of this project "
_CAN_MAKE: Final = " that you can make changes in, so you can submit a merge request."
_NOTICES: Final = {
    "continue[notice]": f"{_NO_CHANGES}has been created{_CAN_MAKE}",
    "continue[notice_now]": f"{_NO_CHANGES}is being created{_CAN_MAKE}",
}


def _has_fork(ctx: ReadContext, user: User, project: Project) -> bool:
    own = namespaces.find_user_namespace(ctx.world, user)
    forks = ctx.world.projects.where("forked_from", project.id)
    return own is not None and any(fork.namespace_id == own.id for fork in forks)


def can_contribute(ctx: ReadContext, project: Project, branch: str | None = None) -> bool:
    """Return whether the caller may change a project: by pushing to a branch or to any, or from an own fork."""
    user = ctx.viewer
    if user is None:
        return False
    from_fork = can(ctx, Ability.CREATE_MERGE_REQUEST_IN, project) and _has_fork(ctx, user, project)
    pushes = can(ctx, Ability.PUSH_CODE, project) or (branch is not None and protection.can_push(ctx, project, branch))
    return pushes or from_fork


@FILE.field("canModifyBlob: Boolean", since=_SINCE)
def can_modify(ctx: ReadContext, file: RepositoryFile) -> bool:
    """Whether the caller may change the file here: on a branch, and not in Git LFS."""
    is_branch = file.ref in repositories.open_repository(ctx.world, file.project).branches()
    return is_branch and not file.stored_externally and can_contribute(ctx, file.project, file.ref)


@FILE.field("canModifyBlobWithWebIde: Boolean!", since="<=18.5")
def can_modify_with_ide(ctx: ReadContext, file: RepositoryFile) -> bool:
    """Whether the caller may change the file in the editor of projects, on any ref."""
    return not file.stored_externally and can_contribute(ctx, file.project)


@FILE.field("ideEditPath: String", since=_SINCE)
def ide_edit_path(ctx: ReadContext, file: RepositoryFile) -> str:
    """The path of the editor of projects; for those who may not push, with that of their own fork."""
    user, project = ctx.viewer, file.project
    project_path = urls.project_path(ctx, project)
    if user is not None and not can(ctx, Ability.PUSH_CODE, project):
        project_path = f"{user.username}/{project.path}"
    return f"/-/ide/project/{project_path}/edit/{quote(file.ref)}/-/{quote(file.path)}"


def _declare_fork_path(
    signature: str, page: Callable[[ReadContext, RepositoryFile], str], description: str, since: str
) -> None:
    notices = {} if signature.startswith("forkAndView") else _NOTICES

    def path(ctx: ReadContext, file: RepositoryFile) -> str | None:
        namespace = namespaces.find_user_namespace(ctx.world, ctx.viewer) if ctx.viewer is not None else None
        if namespace is None:
            return None
        query = {**notices, "continue[to]": page(ctx, file), "namespace_key": namespace.id}
        base = urls.project_url(ctx, file.project).removeprefix(ctx.origin)
        return f"{base}/-/forks?{urlencode(query)}"

    FILE.field(signature, since=since, description=description)(path)


_declare_fork_path(
    "forkAndEditPath: String",
    lambda ctx, file: page_at_ref(ctx, file, "edit"),
    "The path that forks the project and edits the file there.",
    _SINCE,
)
_declare_fork_path(
    "ideForkAndEditPath: String",
    ide_edit_path,
    "The path that forks the project and edits the file there in the editor of projects.",
    _SINCE,
)
_declare_fork_path(
    "forkAndViewPath: String",
    lambda ctx, file: page_at_ref(ctx, file, "blob"),
    "The path that forks the project and shows the file there.",
    _SINCE,
)
