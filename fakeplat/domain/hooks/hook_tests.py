"""Tests of webhooks: a sample of an event, built from the project's newest records.

Source: docs/platform/webhooks.md ('Tests of project hooks').
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidParams, Unprocessable
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.hooks import webhooks
from fakeplat.domain.hooks.triggers import Payload
from fakeplat.domain.notes import noteables
from fakeplat.domain.repository import repositories
from fakeplat.domain.wikis import pages, wikis
from fakeplat.model.hooks import Hook
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES, Push
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_SAMPLE_COMMITS: Final = 3
_WITHOUT_SAMPLE: Final = ("feature_flag_events", "confidential_note_events")


@frozen
class _Sample:
    """A kind of samples: the event's name in the delivery, how a payload is built, and what a project lacks for it."""

    trigger: str
    build: Callable[[WriteContext, Project], Payload | None]
    lack: str


def send_sample(ctx: WriteContext, project: Project, hook: Hook, trigger: str) -> None:
    """Send a sample of an event to a webhook.

    400 for an unknown event, 422 if the project has no record to build a sample from.
    """
    sample = _SAMPLES.get(trigger)
    if trigger in _WITHOUT_SAMPLE:
        raise Unprocessable("Testing not available for this hook")
    if sample is None:
        raise InvalidParams("trigger does not have a valid value", reason=f"there is no event {trigger!r}")
    payload = sample.build(ctx, project)
    if payload is None:
        raise Unprocessable(sample.lack)
    webhooks.send(ctx, hook, sample.trigger, payload)


def _build_push(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.pushes import build_push
    from fakeplat.git.walk import Selection, walk_by_date

    git = repositories.open_repository(ctx.world, project)
    head = git.branches().get(project.default_branch or "")
    if head is None:
        return None
    latest = [commit.sha for commit in islice(walk_by_date(git.objects, Selection((head,))), _SAMPLE_COMMITS)]
    user_id = ctx.user.id if ctx.user else None
    push = Push(project.id, f"{BRANCHES}{project.default_branch}", latest[-1], head, user_id)
    return build_push(ctx, project, push)


def _build_note(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.notes import build_note_event

    notes = (
        note
        for record in (
            *noteables.ISSUE.in_project(ctx.world, project),
            *noteables.MERGE_REQUEST.in_project(ctx.world, project),
        )
        for note in ctx.world.notes.where("comments", noteables.subject_of(record))
    )
    note = min(notes, key=lambda note: note.id, default=None)
    return None if note is None else build_note_event(ctx, project, note)


def _build_issue(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.issues import build_issue_event

    issue = _first(ctx.world.issues, project)
    return None if issue is None else build_issue_event(ctx, issue, ctx.user, {}, None)


def _build_merge_request(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.merge_requests import build_merge_request_event

    merge_request = _first(ctx.world.merge_requests, project)
    return None if merge_request is None else build_merge_request_event(ctx, merge_request, ctx.user, {}, None)


def _first(table: Any, project: Project) -> Any:
    ids = iterate_bits(table.bits("facts", ("project", project.id)))
    return next((table[id_] for id_ in ids), None)


def _build_job(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.ci import build_job_event

    job = next(iter(ctx.world.jobs.where("facts", (project.id, "all"))), None)
    return None if job is None else build_job_event(ctx, job)


def _build_pipeline(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.ci import build_pipeline_event

    pipeline = next(iter(ctx.world.pipelines.where("facts", (project.id, "all")).in_reverse()), None)
    return None if pipeline is None else build_pipeline_event(ctx, pipeline)


def _build_deployment(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.deployments import build_deployment_event

    deployment = _last(ctx.world, "deployments", project)
    return None if deployment is None else build_deployment_event(ctx, deployment)


def _build_release(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.deployments import build_release_event

    release = _last(ctx.world, "releases", project)
    return None if release is None else build_release_event(ctx, release, "create")


def _last(world: World, table: str, project: Project) -> Any:
    rows: Sequence[Any] = getattr(world, table).where("project", project.id)
    return rows[-1] if rows else None


def _build_wiki_page(ctx: WriteContext, project: Project) -> Payload | None:
    from fakeplat.domain.hooks.payloads.wiki_pages import build_wiki_page_event

    page = next(iter(pages.list_pages(wikis.open_repository(ctx.world, project))), None)
    return None if page is None else build_wiki_page_event(ctx, project, page, "create", ctx.user)


_SAMPLES: Final[Mapping[str, _Sample]] = {
    "push_events": _Sample("push_hooks", _build_push, "Ensure the project has at least one commit."),
    "tag_push_events": _Sample("tag_push_hooks", _build_push, "Ensure the project has at least one commit."),
    "note_events": _Sample("note_hooks", _build_note, "Ensure the project has notes."),
    "issues_events": _Sample("issue_hooks", _build_issue, "Ensure the project has issues."),
    "confidential_issues_events": _Sample("confidential_issue_hooks", _build_issue, "Ensure the project has issues."),
    "merge_requests_events": _Sample(
        "merge_request_hooks", _build_merge_request, "Ensure the project has merge requests."
    ),
    "job_events": _Sample("job_hooks", _build_job, "Ensure the project has CI jobs."),
    "pipeline_events": _Sample("pipeline_hooks", _build_pipeline, "Ensure the project has CI pipelines."),
    "wiki_page_events": _Sample("wiki_page_hooks", _build_wiki_page, "Ensure the wiki is enabled and has pages."),
    "deployment_events": _Sample("deployment_hooks", _build_deployment, "Ensure the project has deployments."),
    "releases_events": _Sample("release_hooks", _build_release, "Ensure the project has releases."),
}
