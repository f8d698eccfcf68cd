"""Mails about results of pipelines. Source: docs/platform/mail.md ('Events and recipients', 'Subjects')."""

from collections.abc import Iterator
from typing import Final, Literal

from fakeplat.domain.mail import messages
from fakeplat.domain.mail.messages import Message
from fakeplat.domain.mail.recipients import Audience, get_address
from fakeplat.domain.people.namespaces import full_name
from fakeplat.domain.urls import project_url
from fakeplat.model.ci import Pipeline
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

Result = Literal["success", "failed", "fixed"]
_WORDS: Final[dict[Result, str]] = {"success": "has succeeded", "failed": "has failed", "fixed": "has been fixed"}


def describe_result(pipeline_id: int, result: Result) -> str:
    """Return how a pipeline ended, in the words of mails: ``Pipeline #7 has failed``."""
    return f"Pipeline #{pipeline_id} {_WORDS[result]}"


def describe_place(ref: str, sha: str, merge_request_iid: int | None) -> str:
    """Return the end of a subject: ``for master | 1a2b3c4d in !5``."""
    merge_request = f" in !{merge_request_iid}" if merge_request_iid else ""
    return f"for {ref} | {sha[: messages.SHORT_SHA]}{merge_request}"


def write_result(ctx: ReadContext, pipeline: Pipeline) -> Iterator[OutgoingMail]:
    """Write the mail about a finished pipeline, to whom it belongs."""
    project, user = ctx.world.projects.get(pipeline.project_id), ctx.world.users.get(pipeline.user_id or 0)
    if project is None or user is None:
        return
    result = _get_result(ctx, pipeline)

    def can_read(reader: ReadContext) -> bool:
        return can(reader, Ability.READ_PIPELINE, project)

    audience = Audience(ctx, project, action=f"{result}_pipeline", can_read=can_read)
    # Nobody takes part in a pipeline: even its user is only told as a watcher would be.
    audience.add([user.id], "watch")
    page, failed = project_url(ctx, project), _list_failed_jobs(ctx, pipeline)
    name = f"{full_name(ctx.world, ctx.world.namespaces[project.namespace_id])} / {project.name}"
    summary, short_sha = describe_result(pipeline.id, result), pipeline.sha[: messages.SHORT_SHA]
    facts = [
        f"Project: {name} ( {page} )",
        f"Branch: {pipeline.ref}",
        f"Commit: {short_sha}",
        f"Pipeline: {page}/-/pipelines/{pipeline.id}",
        f"Triggered by: {messages.defuse(user.name)}",
    ]
    message = Message(
        parts=(
            project.name,
            f"{summary} {describe_place(pipeline.ref, pipeline.sha, _find_merge_request(ctx, pipeline))}",
        ),
        paragraphs=[
            summary,
            "\n".join(facts),
            *(f"Failed job: {stage}: {job} ( {page}/-/jobs/{id_} )" for stage, job, id_ in failed),
        ],
        view=f"{page}/-/pipelines/{pipeline.id}",
        container=project,
        headers={
            "X-GitLab-Pipeline-Id": str(pipeline.id),
            "X-GitLab-Pipeline-Ref": pipeline.ref,
            "X-GitLab-Pipeline-Status": pipeline.status,
        },
    )
    for recipient in audience.list_recipients():
        address = get_address(ctx.world, recipient.user, project)
        yield messages.write(ctx, message.with_headers({"Bcc": address}), address, recipient.user.id)


def _get_result(ctx: ReadContext, pipeline: Pipeline) -> Result:
    """Return the result of a pipeline; one that succeeds after a failed one on the same ref fixes it."""
    if pipeline.status != "success":
        return "failed"
    siblings = ctx.world.pipelines.where("ref", (pipeline.project_id, pipeline.ref)).in_reverse()
    earlier = (
        other.status
        for other in siblings
        if other.id < pipeline.id and other.tag == pipeline.tag and other.status in ("success", "failed")
    )
    return "fixed" if next(earlier, None) == "failed" else "success"


def _list_failed_jobs(ctx: ReadContext, pipeline: Pipeline) -> list[tuple[str, str, int]]:
    latest = ctx.world.jobs.where("latest", pipeline.id)
    return [(job.stage, job.name, job.id) for job in latest if job.status == "failed"]


def _find_merge_request(ctx: ReadContext, pipeline: Pipeline) -> int | None:
    merge_request = ctx.world.merge_requests.get(pipeline.merge_request_id or 0)
    return merge_request.iid if merge_request is not None else None
