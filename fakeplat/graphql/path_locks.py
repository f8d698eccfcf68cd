"""Locks of files and directories, which paid tiers have. Source: docs/platform/repository.md ('Path locks')."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.core.operations.errors import Forbidden
from fakeplat.domain.repository import path_locks
from fakeplat.graphql.errors import MutationFailed, ResourceNotAvailable
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import PathLock
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "<=14.0"
PATH_LOCK = Type("PathLock", "A file or directory that somebody has locked.", gid="PathLock", since=_SINCE)
PATH_LOCK.attributes({"path: String": "The locked path."})


@PATH_LOCK.field("user: User")
def user(ctx: ReadContext, lock: PathLock) -> User:
    """The user who locked the path."""
    return ctx.world.users[lock.user_id]


@PROJECT.field("pathLocks: PathLockConnection", since=_SINCE)
def path_locks_of_project(ctx: ReadContext, project: Project) -> Sequence[PathLock]:
    """The locked paths, for those who may read the code."""
    return path_locks.list_locks(ctx.world, project) if can(ctx, Ability.DOWNLOAD_CODE, project) else ()


@mutation(
    "projectSetLocked",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The path of the file or directory."""
filePath: String!
"""Whether to lock it."""
lock: Boolean!
''',
    payload_fields='"""The project."""\nproject: Project',
    since="<=14.3",
)
def set_locked(ctx: WriteContext, project_path: str, file_path: str, *, lock: bool) -> Mapping[str, Any]:
    """Lock or unlock a path."""
    project = require_project(ctx, project_path)
    if not can(ctx, Ability.PUSH_CODE, project):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} may not push to {project_path}")
    if not has_feature(ctx.world, "premium", project):
        raise GraphQLError("FileLocks feature disabled")
    existing = path_locks.find_lock(ctx.world, project, file_path)
    if lock and existing is None:
        path_locks.lock(ctx, project, file_path)
    elif not lock and existing is not None:
        _unlock(ctx, project, existing)
    return {"project": project}


def _unlock(ctx: WriteContext, project: Project, lock: PathLock) -> None:
    try:
        path_locks.unlock(ctx, project, lock)
    except Forbidden as refusal:
        raise MutationFailed(["You have no permissions"], {"project": None}) from refusal
