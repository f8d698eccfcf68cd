"""What the conditions of a CI configuration are about: the ref, its variables, and the files that changed."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from fakeplat.ci_config.conditions import LateVariables, RefFacts, RuleError
from fakeplat.domain.ci import predefined_variables, variables
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import commits, repositories
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.ci import Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.repository import ZERO_SHA
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git


def collect(ctx: ReadContext, project: Project, pipeline: Pipeline) -> RefFacts:
    """Return the facts about a pipeline that is about to be created."""
    world, git = ctx.world, repositories.open_repository(ctx.world, project)
    list_effective = partial(
        variables.list_effective, world, project, ref_is_protected=pipeline.protected, environment=None
    )
    return RefFacts(
        ref=pipeline.ref,
        source=pipeline.source,
        is_tag=pipeline.tag,
        is_merge_request=pipeline.merge_request_id is not None,
        project_path=namespaces.project_path(world, project),
        variables=LateVariables(
            lambda: {
                **{variable.key: variable.value for variable in list_effective()},
                **{variable.key: variable.value for variable in pipeline.variables},
            }
        ),
        predefined=LateVariables(partial(predefined_variables.of_pipeline, world, pipeline, ctx.origin)),
        changed_paths=partial(_list_changed_paths, world, git, pipeline),
        paths_since=partial(_list_paths_since, git, pipeline),
        file_paths=partial(git.file_paths, pipeline.sha),
        has_active_kubernetes=predefined_variables.has_active_kubernetes(world, project),
        paths_of_project=partial(_list_paths_of_project, ctx),
        masked=lambda: [variable.key for variable in list_effective() if variable.masked],
        profile=ctx.profile,
    )


def _list_changed_paths(world: World, git: "Git", pipeline: Pipeline) -> Sequence[str] | None:
    """Return the paths that a merge request or a push changes; None if there is nothing to compare with."""
    if pipeline.merge_request_id is not None:
        merge_request = world.merge_requests[pipeline.merge_request_id]
        refs = diff_versions.latest_refs(world, merge_request)
        return None if refs is None else _list_paths(git, refs.base, pipeline.sha)
    if pipeline.source != "push" or pipeline.before_sha == ZERO_SHA:
        return None
    return _list_paths(git, pipeline.before_sha, pipeline.sha)


def _list_paths_of_project(ctx: ReadContext, path: str, ref: str | None) -> Sequence[str]:
    """Return the paths of another project at a ref, by default at the head of its default branch."""
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can_see(ctx, project) or not can(ctx, Ability.DOWNLOAD_CODE, project):
        raise RuleError(f"rules:exists:project `{path}` not found or access denied")
    commit = commits.find_commit(ctx.world, project, ref or "HEAD")
    if commit is None and ref is not None:
        raise RuleError(f"rules:exists:ref `{ref}` is not a valid ref in project `{path}`")
    return [] if commit is None else repositories.open_repository(ctx.world, project).file_paths(commit.commit.sha)


def _list_paths_since(git: "Git", pipeline: Pipeline, ref: str) -> Sequence[str]:
    """Return the paths that changed since the common ancestor with another ref."""
    from fakeplat.git.errors import GitError

    try:
        other = git.commit(ref).sha
    except GitError:
        raise RuleError("rules:changes:compare_to is not a valid ref") from None
    return _list_paths(git, git.merge_base(other, pipeline.sha), pipeline.sha)


def _list_paths(git: "Git", old: str | None, new: str) -> Sequence[str]:
    return [path for diff in git.diff(old, new) for path in dict.fromkeys((diff.old_path, diff.new_path))]
