"""Pipelines that nobody asks for: after a push, and for a merge request that is created or pushed to.

Source: docs/platform/pipelines-jobs.md, docs/platform/merge-requests.md, docs/platform/external.md ('CI processing').
"""

from contextlib import suppress
from typing import Final

from fakeplat.core.operations.errors import MethodNotAllowed
from fakeplat.core.store.records import evolve_record
from fakeplat.domain.ci import pipeline_creation
from fakeplat.domain.ci.pipeline_creation import PipelineRefused, PipelineRequest
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.ci import Pipeline, PipelineVariable
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import User
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA, Push
from fakeplat.policy.context import WriteContext

_SKIP_OPTION: Final = "ci.skip"
_VARIABLE_OPTION: Final = "ci.variable"


def create_after_push(ctx: WriteContext, push: Push) -> None:
    """Create the pipelines of a branch or tag that was pushed, and of the merge requests from the branch."""
    pusher = ctx.world.users.get(push.user_id or 0)
    if pusher is None or push.after == ZERO_SHA or not push.ref.startswith((BRANCHES, TAGS)):
        return
    _create_for_ref(ctx, push, pusher)
    branch = push.ref.removeprefix(BRANCHES)
    for merge_request in list(ctx.world.merge_requests.where("open_from", (push.project_id, branch))):
        _create_for_new_commits(ctx, merge_request, pusher, is_skipped=_is_skipped(push))


def create_after_creation(ctx: WriteContext, merge_request: MergeRequest) -> None:
    """Create the pipeline of a new merge request, if its configuration has jobs for one."""
    if ctx.user is not None:
        _create_for_new_commits(ctx, merge_request, ctx.user)


def create_on_request(ctx: WriteContext, merge_request: MergeRequest) -> Pipeline:
    """Create a pipeline for a merge request because a user asks for it: 405 if none would run.

    With a wrong configuration it fails, and tells the mistakes.
    """
    try:
        request = evolve_record(_request_for(ctx, merge_request, ctx.signed_in_user), keeps_mistakes=True)
        pipeline_creation.check_permission(ctx, request.project, merge_request.source_branch)
        return pipeline_creation.create(ctx, request)
    except PipelineRefused as refused:
        raise MethodNotAllowed(reason=str(refused)) from None


def _create_for_ref(ctx: WriteContext, push: Push, pusher: User) -> None:
    project, ref = ctx.world.projects[push.project_id], pipeline_creation.describe_ref(push.ref)
    # Nobody waits for an answer, so a push without a pipeline is no mistake.
    with suppress(PipelineRefused):
        pipeline_creation.check_permission(ctx.as_user(pusher), project, ref["ref"])
        request = PipelineRequest(
            project=project,
            sha=pipeline_creation.commit_of(ctx, project, push.ref),
            source="push",
            user_id=pusher.id,
            before_sha=push.before,
            variables=_list_variables(push),
            may_skip=True,
            is_skipped=_is_skipped(push),
            keeps_mistakes=True,
            **ref,
        )
        pipeline_creation.create(ctx, request)


def _is_skipped(push: Push) -> bool:
    return any(option.partition("=")[0] == _SKIP_OPTION for option in push.options)


def _list_variables(push: Push) -> tuple[PipelineVariable, ...]:
    """Return the variables that push options give to the pipeline: ``ci.variable="KEY=value"``."""
    options = [option.partition("=") for option in push.options]
    pairs = [text.strip('"').partition("=") for name, _, text in options if name == _VARIABLE_OPTION]
    return tuple(PipelineVariable(key, value) for key, separator, value in pairs if key and separator)


def _create_for_new_commits(
    ctx: WriteContext, merge_request: MergeRequest, user: User, *, is_skipped: bool = False
) -> None:
    with suppress(PipelineRefused):
        request = evolve_record(_request_for(ctx, merge_request, user), may_skip=True, is_skipped=is_skipped)
        if not _has_pipeline(ctx, merge_request, request.sha):
            pipeline_creation.check_permission(ctx.as_user(user), request.project, merge_request.source_branch)
            pipeline_creation.create(ctx, request)


def _has_pipeline(ctx: WriteContext, merge_request: MergeRequest, sha: str) -> bool:
    return any(pipeline.sha == sha for pipeline in ctx.world.pipelines.where("merge_request", merge_request.id))


def _request_for(ctx: WriteContext, merge_request: MergeRequest, user: User) -> PipelineRequest:
    refs = diff_versions.latest_refs(ctx.world, merge_request)
    if refs is None or not diff_versions.list_commits(ctx.world, merge_request, refs):
        raise PipelineRefused(["the merge request has no commits"])
    source = ctx.world.projects.get(merge_request.source_project_id or 0)
    if source is None:
        raise PipelineRefused(["the source project does not exist"])
    is_fork = source.id != merge_request.project_id
    return PipelineRequest(
        project=source,
        # A fork has no ref for the merge request, so its pipeline is one of the branch.
        ref=merge_request.source_branch if is_fork else diff_versions.HEAD_REF.format(merge_request.iid),
        sha=refs.head,
        before_sha=refs.base or ZERO_SHA,
        source="merge_request_event",
        user_id=user.id,
        merge_request_id=merge_request.id,
    )
