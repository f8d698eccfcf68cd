"""What the tests of webhooks send: the arguments of an event's payload, from the records of a project.

Source: docs/platform/webhooks.md ('Tests of project hooks').
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, TypeVar

from fakeplat.core.store.bitsets import iterate_bits_descending
from fakeplat.core.store.table import Record, Table
from fakeplat.core.timestamps import DAY, to_iso_date
from fakeplat.domain.hooks.payloads.deployments import ReleaseAction
from fakeplat.domain.hooks.payloads.emoji import AwardAction
from fakeplat.domain.hooks.payloads.issues import IssueAction
from fakeplat.domain.hooks.payloads.merge_requests import MergeRequestAction
from fakeplat.domain.hooks.payloads.milestones import MilestoneAction
from fakeplat.domain.hooks.payloads.notes import NoteAction
from fakeplat.domain.hooks.payloads.wiki_pages import WikiPageAction
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.notes import NOTE
from fakeplat.domain.repository import repositories
from fakeplat.domain.wikis import pages, wikis
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.ci import Job, Pipeline
from fakeplat.model.issues import Award, Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.notes import Note
from fakeplat.model.people import Token, User
from fakeplat.model.planning import Milestone
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.model.repository import BRANCHES, TAGS, Push
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_SAMPLE_COMMITS: Final = 3
_SAMPLE_TAG: Final = "v1.0.0"
_TOKEN_NAME: Final = "pat_for_webhook_event"


R = TypeVar("R", bound=Record)


def find_push(ctx: WriteContext, project: Project) -> tuple[Project, Push] | None:
    """Return a push of the last commits of the default branch."""
    return _find_push(ctx, project, f"{BRANCHES}{project.default_branch}")


def find_tag_push(ctx: WriteContext, project: Project) -> tuple[Project, Push] | None:
    """Return a push of the last commits of the default branch, as one of the last tag."""
    tags = list(repositories.open_repository(ctx.world, project).tags())
    return _find_push(ctx, project, f"{TAGS}{tags[-1] if tags else _SAMPLE_TAG}")


def _find_push(ctx: WriteContext, project: Project, ref: str) -> tuple[Project, Push] | None:
    from fakeplat.git.walk import Selection, walk_by_date

    git = repositories.open_repository(ctx.world, project)
    head = git.find_branch(project.default_branch)
    if head is None:
        return None
    latest = [commit.sha for commit in islice(walk_by_date(git.objects, Selection((head,))), _SAMPLE_COMMITS)]
    user_id = ctx.user.id if ctx.user else None
    return project, Push(project.id, ref, latest[-1], head, user_id)


def find_milestone(ctx: WriteContext, project: Project) -> tuple[Milestone, MilestoneAction] | None:
    """Return the first milestone of a project, as a new one."""
    milestones = ctx.world.milestones.where("source", ("project", project.id))
    return (milestones[0], "create") if milestones else None


def find_note(ctx: WriteContext, project: Project) -> tuple[Project, Note, NoteAction] | None:
    """Return the newest comment on an issue or merge request."""
    note = _find_last_note(ctx.world, project)
    return None if note is None else (project, note, "create")


def find_award(ctx: WriteContext, project: Project) -> tuple[Project, Award, Note, Any, AwardAction] | None:
    """Return an award of the caller for the newest comment of the project."""
    note = _find_last_note(ctx.world, project)
    if note is None:
        return None
    user_id, now = ctx.user.id if ctx.user else 0, ctx.now_iso
    award = Award(1, (NOTE, note.id), user_id, "thumbsup", now, now)
    return project, award, note, noteables.find_record(ctx.world, note.subject), "award"


def _find_last_note(world: World, project: Project) -> Note | None:
    return max(_list_notes(world, project), key=lambda note: note.id, default=None)


def _list_notes(world: World, project: Project) -> Iterator[Note]:
    """Yield the comments on the issues and merge requests of a project."""
    for noteable in (noteables.ISSUE, noteables.MERGE_REQUEST):
        for record in noteable.in_project(world, project):
            yield from world.notes.where("comments", noteables.subject_of(record))


def find_issue(ctx: WriteContext, project: Project) -> tuple[None, Issue, User | None, IssueAction] | None:
    """Return the newest issue, as a new one."""
    issue = _find_last(ctx.world.issues, project)
    return None if issue is None else (None, issue, ctx.user, "open")


def find_merge_request(
    ctx: WriteContext, project: Project
) -> tuple[None, MergeRequest, User | None, MergeRequestAction] | None:
    """Return the newest merge request, as a new one."""
    merge_request = _find_last(ctx.world.merge_requests, project)
    return None if merge_request is None else (None, merge_request, ctx.user, "open")


def _find_last(table: Table[R], project: Project) -> R | None:
    ids = iterate_bits_descending(table.bits("facts", ("project", project.id)))
    return next((table[id_] for id_ in ids), None)


def find_job(ctx: WriteContext, project: Project) -> tuple[Job] | None:
    """Return the newest job."""
    job = ctx.world.jobs.newest("facts", (project.id, "all"))
    return None if job is None else (job,)


def find_pipeline(ctx: WriteContext, project: Project) -> tuple[Pipeline] | None:
    """Return the newest pipeline."""
    pipeline = ctx.world.pipelines.newest("facts", (project.id, "all"))
    return None if pipeline is None else (pipeline,)


def find_release(ctx: WriteContext, project: Project) -> tuple[Release, ReleaseAction] | None:
    """Return the newest release, as if it was created."""
    releases = ctx.world.releases.where("project", project.id)
    return (releases[-1], "create") if releases else None


def find_wiki_page(ctx: WriteContext, project: Project) -> tuple[Project, WikiPage, WikiPageAction, User | None] | None:
    """Return the first page of the wiki, as if it was created."""
    page = next(iter(pages.list_pages(wikis.open_repository(ctx.world, project))), None)
    return None if page is None else (project, page, "create", ctx.user)


def find_access_token(ctx: WriteContext, project: Project) -> tuple[Project, Token]:
    """Return an access token that does not exist and expires in two days; its user is the first bot of the project."""
    users = (token.user_id for token in ctx.world.tokens.where("project", project.id) if token.kind == "project")
    user_id = next(users, None)
    ends = to_iso_date(ctx.now() + 2 * DAY)
    return project, Token(1, user_id, "project", "", ctx.now_iso, name=_TOKEN_NAME, expires_at=ends)
