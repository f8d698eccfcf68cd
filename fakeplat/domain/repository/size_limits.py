"""Limits of the size of repositories: of a project, its group or the instance.

LFS objects count, too. Source: docs/platform/settings.md.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.domain.repository import lfs, repositories
from fakeplat.domain.validation import human_size
from fakeplat.model.people import Group, Namespace
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects

_MEBIBYTE: Final = 1024 * 1024
_MORE: Final = "Please contact your GitLab administrator for more information."
_EXCEEDED: Final = "because this repository has exceeded its size limit of {} by {}"
_format: Final = partial(human_size, digits=2, delimiter=",")


def get_limit(world: World, project: Project) -> int:
    """Return how many bytes a repository may have; 0: any number."""
    if not has_feature(world, "premium", project):
        return 0
    own = project.repository_size_limit
    return get_namespace_limit(world, world.namespaces[project.namespace_id]) if own is None else own * _MEBIBYTE


def get_namespace_limit(world: World, namespace: Namespace) -> int:
    """Return how many bytes repositories of a namespace may have that have no limit of their own; 0: any number."""
    own = namespace.repository_size_limit if isinstance(namespace, Group) else None
    return (world.settings.repository_size_limit if own is None else own) * _MEBIBYTE


def get_excess(world: World, project: Project) -> int:
    """Return the bytes of a repository beyond its limit."""
    limit = get_limit(world, project)
    return max(0, measure(world, project) - limit) if limit else 0


def measure(world: World, project: Project) -> int:
    """Return the bytes that count: those of the repository and of LFS objects."""
    _, size = repositories.measure_size(world, project)
    return size + lfs.total_size(world, project)


def explain_push_objection(world: World, project: Project, added: int = 0) -> str:
    """Return the objection to any push to a repository that is too large, or would be with ``added`` LFS objects."""
    reason = _explain_excess(world, project, added)
    return f"Your push has been rejected, {reason}. {_MORE}" if reason else ""


def explain_merge_objection(world: World, project: Project) -> str:
    """Return the objection to a merge into a repository that is too large."""
    reason = _explain_excess(world, project)
    return f"This merge request cannot be merged, {reason}" if reason else ""


def explain_objection_to_objects(world: World, project: Project, objects: "Objects", tips: list[str]) -> str:
    """Return the objection to commits with which a repository would be too large."""
    from fakeplat.git.reachability import list_reachable

    limit = get_limit(world, project)
    if not limit:
        return ""
    known = repositories.open_repository(world, project).refs.values()
    added = sum(len(objects.get(sha).content) for sha in list_reachable(objects, tips, known))
    if added <= limit and measure(world, project) + added <= limit:
        return ""
    text = f"Your push to this repository would cause it to exceed the size limit of {_format(limit)}"
    return f"{text} so it has been rejected. {_MORE}"


def check_commits(ctx: WriteContext, project: Project) -> None:
    """Raise 400 if a repository is too large for a commit of the API."""
    reason = _explain_excess(ctx.world, project)
    if reason:
        raise BadRequest(f"Your changes could not be committed, {reason}", reason="repository_size_limit")


def check_branch(ctx: WriteContext, project: Project, sha: str) -> None:
    """Raise 400 if a repository is too large, or would be with a commit to which the API moves a branch."""
    objects = repositories.open_repository(ctx.world, project).objects
    objection = explain_push_objection(ctx.world, project) or explain_objection_to_objects(
        ctx.world, project, objects, [sha]
    )
    if objection:
        raise BadRequest(objection, reason="repository_size_limit")


def _explain_excess(world: World, project: Project, added: int = 0) -> str:
    limit = get_limit(world, project)
    excess = measure(world, project) + added - limit if limit else 0
    return _EXCEEDED.format(_format(limit), _format(excess)) if excess > 0 else ""
