"""What the tests of webhooks send: the arguments of an event's payload, from the records of a project.

Source: docs/platform/webhooks.md ('Tests of project hooks').
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, TypeVar

from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.table import Record, Table
from fakeplat.domain.hooks.payloads.deployments import ReleaseAction
from fakeplat.domain.hooks.payloads.emoji import AwardAction
from fakeplat.domain.hooks.payloads.milestones import MilestoneAction
from fakeplat.domain.hooks.payloads.notes import NoteAction
from fakeplat.domain.hooks.payloads.wiki_pages import WikiPageAction
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.domain.repository import repositories
from fakeplat.domain.wikis import pages, wikis
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.deployments import Deployment
from fakeplat.model.issues import Award, Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.repository import BRANCHES, Push
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_SAMPLE_COMMITS: Final = 3


R = TypeVar("R", bound=Record)


def find_push(ctx: WriteContext, project: Project) -> tuple[Project, Push] | None:
    """Return a push of the last commits of the default branch."""
    from fakeplat.git.walk import Selection, walk_by_date

    git = repositories.open_repository(ctx.world, project)
    head = git.find_branch(project.default_branch)
    if head is None:
        return None
    latest = [commit.sha for commit in islice(walk_by_date(git.objects, Selection((head,))), _SAMPLE_COMMITS)]
    user_id = ctx.user.id if ctx.user else None
    return project, Push(project.id, f"{BRANCHES}{project.default_branch}", latest[-1], head, user_id)


def find_milestone(ctx: WriteContext, project: Project) -> tuple[Milestone, MilestoneAction] | None:
    """Return the first milestone of a project, as a new one."""
    milestones = ctx.world.milestones.where("source", ("project", project.id))
    return (milestones[0], "create") if milestones else None


def find_note(ctx: WriteContext, project: Project) -> tuple[Project, Note, NoteAction] | None:
    """Return the first comment on an issue or merge request."""
    note = min(_list_notes(ctx.world, project), key=lambda note: note.id, default=None)
    return None if note is None else (project, note, "create")


def find_award(ctx: WriteContext, project: Project) -> tuple[Project, Award, Note, Any, AwardAction] | None:
    """Return an award of the caller for the last comment of the project."""
    note = max(_list_notes(ctx.world, project), key=lambda note: note.id, default=None)
    if note is None:
        return None
    user_id, now = ctx.user.id if ctx.user else 0, ctx.now_iso
    award = Award(1, (NOTE, note.id), user_id, "thumbsup", now, now)
    return project, award, note, noteables.find_record(ctx.world, note.subject), "award"


def _list_notes(world: World, project: Project) -> Iterator[Note]:
    """Yield the comments on the issues and merge requests of a project."""
    for noteable in (noteables.ISSUE, noteables.MERGE_REQUEST):
        for record in noteable.in_project(world, project):
            yield from world.notes.where("comments", noteables.subject_of(record))


def find_issue(ctx: WriteContext, project: Project) -> tuple[None, Issue, User | None, None] | None:
    """Return the first issue, without an action."""
    issue = _find_first(ctx.world.issues, project)
    return None if issue is None else (None, issue, ctx.user, None)


def find_merge_request(ctx: WriteContext, project: Project) -> tuple[None, MergeRequest, User | None, None] | None:
    """Return the first merge request, without an action."""
    merge_request = _find_first(ctx.world.merge_requests, project)
    return None if merge_request is None else (None, merge_request, ctx.user, None)


def _find_first(table: Table[R], project: Project) -> R | None:
    ids = iterate_bits(table.bits("facts", ("project", project.id)))
    return next((table[id_] for id_ in ids), None)


def find_job(ctx: WriteContext, project: Project) -> tuple[Job] | None:
    """Return the first job."""
    job = next(iter(ctx.world.jobs.where("facts", (project.id, "all"))), None)
    return None if job is None else (job,)


def find_pipeline(ctx: WriteContext, project: Project) -> tuple[Pipeline] | None:
    """Return the newest pipeline."""
    pipeline = ctx.world.pipelines.newest("facts", (project.id, "all"))
    return None if pipeline is None else (pipeline,)


def find_deployment(ctx: WriteContext, project: Project) -> tuple[Deployment] | None:
    """Return the newest deployment."""
    deployment = _find_last(ctx.world.deployments, project)
    return None if deployment is None else (deployment,)


def find_release(ctx: WriteContext, project: Project) -> tuple[Release, ReleaseAction] | None:
    """Return the newest release, as if it was created."""
    release = _find_last(ctx.world.releases, project)
    return None if release is None else (release, "create")


def _find_last(table: Table[R], project: Project) -> R | None:
    rows = table.where("project", project.id)
    return rows[-1] if rows else None


def find_wiki_page(ctx: WriteContext, project: Project) -> tuple[Project, WikiPage, WikiPageAction, User | None] | None:
    """Return the first page of the wiki, as if it was created."""
    page = next(iter(pages.list_pages(wikis.open_repository(ctx.world, project))), None)
    return None if page is None else (project, page, "create", ctx.user)
