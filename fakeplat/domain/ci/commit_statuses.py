"""Statuses of commits that other systems report, as jobs of the pipelines of the commits.

Source: docs/platform/pipelines-jobs.md.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final, Literal, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound
from fakeplat.domain.ci import job_transitions, jobs, pipelines, processing
from fakeplat.domain.ci.job_transitions import Event
from fakeplat.domain.repository import commits, protection
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, check_url, too_long
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.authorization import caller_name
from fakeplat.policy.behaviours import LONG_STATUS_TEXTS_ARE_REFUSED, STATUSES_KEEP_TO_THEIR_PIPELINE
from fakeplat.policy.context import WriteContext

ReportedState = Literal["pending", "running", "success", "failed", "canceled", "skipped"]

STAGE: Final = "external"
_STAGE_INDEX: Final = 1_000_000
_EVENTS: Final[Mapping[ReportedState, Event]] = {
    "pending": "enqueue",
    "running": "run",
    "success": "success",
    "failed": "drop",
    "canceled": "cancel",
    "skipped": "skip",
}


def list_statuses(world: World, project: Project, sha: str, *, with_retried: bool = False) -> list[Job]:
    """Return the statuses of a commit, those of CI jobs too, by id."""
    index = "pipeline" if with_retried else "latest"
    found = [job for pipeline in _list_pipelines(world, project, sha) for job in world.jobs.where(index, pipeline.id)]
    return sorted(found, key=lambda job: job.id)


def _list_pipelines(world: World, project: Project, sha: str) -> list[Pipeline]:
    newest_first = world.pipelines.where("commit", (project.id, sha)).in_reverse()
    return [pipeline for pipeline in newest_first if not pipeline.is_dangling]


class StatusDetails(TypedDict, total=False):
    """Further fields of a status."""

    target_url: str | None
    description: str | None
    coverage: float | None


def report(
    ctx: WriteContext,
    project: Project,
    commit: ProjectCommit,
    state: ReportedState,
    name: str,
    *,
    ref: str | None = None,
    pipeline_id: int | None = None,
    **details: Unpack[StatusDetails],
) -> Job:
    """Report a status of a commit: a new one, or a change of the caller's unfinished one with the same name.

    Without a pipeline for the commit (and ref), an external one is created. ``details`` are fields of the record.
    """
    pipeline = _find_pipeline(ctx.world, project, commit.commit.sha, ref, pipeline_id)
    ref = ref or (pipeline.ref if pipeline else _get_branch(ctx.world, commit))
    if pipeline is None and pipeline_id is not None and ctx.profile.has(STATUSES_KEEP_TO_THEIR_PIPELINE):
        reason = f"{pipeline_id} is no pipeline of {ref} and the commit"
        raise NotFound("Pipeline for pipeline_id, sha and ref", reason=reason)
    _authorize(ctx, project, pipeline, ref)
    pipeline = pipeline or _create_pipeline(ctx, project, commit.commit.sha, ref)
    job = _find_unfinished(ctx, pipeline, name, ref)
    _validate(ctx.world, pipeline, name, details)
    job = _add(ctx, pipeline, name, ref, details) if job is None else ctx.world.jobs.change(job, **details)
    jobs.mark_others_as_retried(ctx, job)
    _change_state(ctx, job, state)
    processing.process(ctx, pipeline.id, job)
    return ctx.world.jobs[job.id]


def _find_pipeline(
    world: World, project: Project, sha: str, ref: str | None, pipeline_id: int | None
) -> Pipeline | None:
    candidates = _list_pipelines(world, project, sha)
    return next(
        (each for each in candidates if ref in (None, each.ref) and pipeline_id in (None, each.id)),
        None,
    )


def _get_branch(world: World, commit: ProjectCommit) -> str:
    refs = commits.list_containing_refs(world, commit)
    branch = next((ref.name for ref in refs if ref.type == "branch"), None)
    if branch is None:
        raise NotFound("References for commit", reason=f"no branch contains {commit.commit.sha}, and no ref was sent")
    return branch


def _authorize(ctx: WriteContext, project: Project, pipeline: Pipeline | None, ref: str) -> None:
    is_tag = pipeline is not None and pipeline.tag
    ref = pipeline.ref if pipeline is not None else ref
    is_protected = protection.is_protected(ctx.world, project, ref, tag=is_tag)
    if is_protected and not protection.can_update_ref(ctx, project, ref, tag=is_tag):
        raise Forbidden(reason=f"{caller_name(ctx)} may not update pipelines of the protected ref {ref}")


def _create_pipeline(ctx: WriteContext, project: Project, sha: str, ref: str) -> Pipeline:
    return pipelines.create(
        ctx,
        project,
        ref=ref,
        sha=sha,
        source="external",
        user_id=ctx.signed_in_user.id,
        protected=protection.is_protected(ctx.world, project, ref),
    )


def _find_unfinished(ctx: WriteContext, pipeline: Pipeline, name: str, ref: str) -> Job | None:
    user_id = ctx.signed_in_user.id
    return next(
        (
            job
            for job in jobs.list_by_name(ctx.world, pipeline.id, name)
            if job.kind == "external"
            and job.status in ("pending", "running")
            and (job.ref, job.user_id) == (ref, user_id)
        ),
        None,
    )


def _validate(world: World, pipeline: Pipeline, name: str, details: StatusDetails) -> None:
    target_url = details.get("target_url")
    errors = ValidationErrors()
    is_taken = any(job.kind != "external" for job in jobs.list_by_name(world, pipeline.id, name))
    errors.when(not name.strip(), "name", BLANK)
    errors.when(is_taken, "name", TAKEN)
    check_url(errors, "target_url", target_url)
    too_long(errors, "target_url", target_url)
    if world.profile.has(LONG_STATUS_TEXTS_ARE_REFUSED):
        too_long(errors, "description", details.get("description"))
    errors.refuse()


def _add(ctx: WriteContext, pipeline: Pipeline, name: str, ref: str, details: StatusDetails) -> Job:
    table, now = ctx.world.jobs, ctx.now_iso
    return table.add(
        Job(
            id=table.next_id(),
            kind="external",
            pipeline_id=pipeline.id,
            project_id=pipeline.project_id,
            name=name,
            ref=ref,
            stage=STAGE,
            stage_index=_STAGE_INDEX,
            user_id=ctx.signed_in_user.id,
            created_at=now,
            updated_at=now,
            **details,
        )
    )


def _change_state(ctx: WriteContext, job: Job, state: ReportedState) -> None:
    event = _EVENTS[state]
    if event == "run" and job_transitions.can_fire(job, "enqueue"):
        job = job_transitions.fire(ctx, job, "enqueue")
    if not job_transitions.can_fire(job, event):
        raise BadRequest(_transition_text(event, job), reason=partial(_explain_transition, job, state))
    if event == "drop":
        job_transitions.fire(ctx, job, event, failure_reason="api_failure")
    else:
        job_transitions.fire(ctx, job, event)


def _transition_text(event: Event, job: Job) -> str:
    cause = f'Status cannot transition via "{event}"'
    return f"Cannot transition status via :{event} from :{job.status} (Reason(s): {cause})"


def _explain_transition(job: Job, state: ReportedState) -> str:
    return f"the status {job.name} is {job.status} already, so it cannot become {state}"
