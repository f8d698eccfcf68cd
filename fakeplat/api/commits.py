"""Commits. Source: docs/platform/specification.md ('Commits'), docs/platform/commits.md."""

from base64 import b64decode
from collections.abc import Sequence
from re import sub
from typing import Annotated, Any, Final, Literal

import orjson

from fakeplat.api.note_responses import empty_response
from fakeplat.api.scopes import PROJECT_WITH_REPOSITORY, find_project
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, NotBlank, NotBlankIfSent, Params, mutually_exclusive, requires
from fakeplat.domain.notes import commit_notes, notes
from fakeplat.domain.people.namespaces import full_name
from fakeplat.domain.repository import cherry_picks as picking
from fakeplat.domain.repository import commit_actions as committing
from fakeplat.domain.repository import commits, diffs, repositories
from fakeplat.domain.repository.cherry_picks import PickKind
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.domain.repository.commits import CommitRef, Criteria, ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.entities.commits import STATS, CommitBasic, CommitDetail, CommitNoteView, CommitWithStats, RefView
from fakeplat.entities.diffs import DiffView
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Commits", login=Login.NEVER, located_first=True)

PATH: Final = "repository/commits"
ONE: Final = f"{PATH}/:sha"


def with_stats(ctx: ReadContext, p: Any, result: object) -> tuple[str, ...]:
    """The view's options where the numbers of lines are asked for."""
    del ctx, result
    return (STATS,) if p.stats else ()


class ListCommits(Paged):
    """Which commits to list."""

    ref_name: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    path: str | None = None
    all: bool = False
    with_stats: bool = False
    first_parent: bool = False
    order: Literal["default", "topo"] = "default"


def _listed_as(ctx: ReadContext, p: ListCommits) -> type[Entity[Any]]:
    del ctx
    return CommitWithStats if p.with_stats else CommitBasic


def _listed_with(ctx: ReadContext, p: ListCommits, result: object) -> tuple[str, ...]:
    del ctx, result
    return (STATS,) if p.with_stats else ()


@area.operation(
    "GET",
    PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListCommits,
    view=_listed_as,
    many=True,
    options=_listed_with,
)
def list_commits(ctx: ReadContext, project: Project, p: ListCommits) -> Sequence[ProjectCommit]:
    """List the commits of a branch, a tag or a range, newest first."""
    criteria = Criteria(
        p.ref_name or commits.HEAD, p.path or "", p.since, p.until, p.all, p.first_parent, order=p.order
    )
    return commits.list_commits(ctx, project, criteria)


class FileAction(Params):
    """What happens to a file in a commit."""

    action: Literal["create", "update", "move", "delete", "chmod"]
    file_path: str
    previous_path: str | None = None
    content: str | None = None
    encoding: Literal["text", "base64"] = "text"
    last_commit_id: str | None = None
    execute_filemode: bool | None = None

    rules = (
        requires("action", "previous_path", equals="move"),
        requires("action", "content", equals="update"),
        requires("action", "execute_filemode", equals="chmod"),
    )


class CreateCommit(Params):
    """A commit with its actions."""

    branch: Annotated[str, NotBlank]
    commit_message: Annotated[str, NotBlankIfSent]
    actions: Annotated[list[FileAction], NotBlankIfSent]
    start_branch: Annotated[str | None, NotBlank] = None
    start_sha: Annotated[str | None, NotBlank] = None
    start_project: str | None = None
    author_email: str | None = None
    author_name: str | None = None
    stats: bool = True
    force: bool = False

    rules = (mutually_exclusive("start_branch", "start_sha"),)


@area.operation(
    "POST",
    PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateCommit,
    view=CommitDetail,
    options=with_stats,
    refusals=(400, 403, 404),
)
def create_commit(ctx: WriteContext, project: Project, p: CreateCommit) -> ProjectCommit:
    """Create a commit with one or more actions on files."""
    start = _start_project(ctx, project, p.start_project)
    committing.authorize_push(ctx, project, p.branch)
    new = NewCommit(
        p.branch,
        p.commit_message,
        [_action(one) for one in p.actions],
        p.start_branch,
        p.start_sha,
        start,
        p.force,
        p.author_name,
        p.author_email,
    )
    return committing.commit(ctx, project, new)


def _start_project(ctx: WriteContext, project: Project, reference: str | None) -> Project | None:
    """The project whose history is gone on from: this one, or the one that it was forked from."""
    if not reference:
        return None
    found = find_project(ctx, reference)
    if found.id in (project.id, project.forked_from_id):
        return found
    name = f"{full_name(ctx.world, ctx.world.namespaces[project.namespace_id])} / {project.name}"
    reason = f"{reference} is not what {name} was forked from"
    raise Forbidden(f"Project is not included in the fork network for {name}", reason=reason)


def _action(p: FileAction) -> Action:
    content = None if p.content is None else decode_content(p.content, p.encoding)
    previous = (p.previous_path or "") if p.action == "move" else ""
    return Action(p.action, p.file_path, content, previous, bool(p.execute_filemode), p.last_commit_id or "")


def decode_content(content: str, encoding: str | None) -> bytes:
    """A file's bytes from text or base64. What is no base64 in it is passed over, as the platform does."""
    if encoding != "base64":
        return content.encode(errors="replace")
    letters = sub(r"[^A-Za-z0-9+/]", "", content.partition("=")[0])
    whole = letters[:-1] if len(letters) % 4 == 1 else letters
    return b64decode(whole + "=" * (-len(whole) % 4))


class GetCommit(Params):
    """What else to show of a commit."""

    stats: bool = True


@area.operation(
    "GET",
    ONE,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=GetCommit,
    view=CommitDetail,
    options=with_stats,
    refusals=(404,),
)
def get_commit(ctx: ReadContext, project: Project, sha: str) -> ProjectCommit:
    """Get a commit by hash, branch or tag."""
    return commits.get_commit(ctx.world, project, sha)


class ListRefs(Paged):
    """Which refs to list."""

    type: Literal["branch", "tag", "all"] = "all"


@area.operation(
    "GET",
    f"{ONE}/refs",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListRefs,
    view=RefView,
    many=True,
    refusals=(404,),
)
def list_commit_refs(ctx: ReadContext, project: Project, sha: str, p: ListRefs) -> Sequence[CommitRef]:
    """List the branches and tags that contain a commit."""
    found = commits.refs_to(ctx.world, commits.get_commit(ctx.world, project, sha))
    return [ref for ref in found if p.type in ("all", ref.type)]


@area.operation(
    "GET",
    f"{ONE}/diff",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=Paged,
    view=DiffView,
    many=True,
    refusals=(404,),
)
def list_commit_diffs(ctx: ReadContext, project: Project, sha: str) -> Sequence[DiffOfFile]:
    """List the file differences of a commit."""
    found = commits.get_commit(ctx.world, project, sha)
    return diffs.limit_diffs(ctx.world, repositories.open_repository(ctx.world, project).commit_diff(found.commit.sha))


class PickCommit(Params):
    """The branch that a commit is put upon."""

    branch: Annotated[str, NotBlank]
    dry_run: bool = False


@area.operation(
    "POST",
    f"{ONE}/cherry_pick",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=PickCommit,
    view=CommitBasic,
    also=(200,),
    refusals=(400, 403, 404),
)
def cherry_pick_commit(ctx: WriteContext, project: Project, sha: str, p: PickCommit) -> ProjectCommit | RawBody:
    """Cherry-pick a commit onto a branch."""
    return _done(picking.apply_to_branch(ctx, project, sha, p.branch, PickKind.CHERRY_PICK, dry_run=p.dry_run))


@area.operation(
    "POST",
    f"{ONE}/revert",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=PickCommit,
    view=CommitBasic,
    also=(200,),
    refusals=(400, 403, 404),
)
def revert_commit(ctx: WriteContext, project: Project, sha: str, p: PickCommit) -> ProjectCommit | RawBody:
    """Revert a commit on a branch."""
    return _done(picking.apply_to_branch(ctx, project, sha, p.branch, PickKind.REVERT, dry_run=p.dry_run))


def _done(made: ProjectCommit | None) -> ProjectCommit | RawBody:
    """The new commit, or that a dry run went well (200)."""
    return made or RawBody(orjson.dumps({"dry_run": "success"}), JSON, (("Cache-Control", "no-cache"),))


@area.operation(
    "GET",
    f"{ONE}/comments",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=Paged,
    view=CommitNoteView,
    many=True,
    refusals=(404,),
)
def list_commit_comments(ctx: ReadContext, project: Project, sha: str) -> Sequence[Note]:
    """List the comments on a commit, oldest first."""
    return commit_notes.list_commit_notes(ctx, commits.get_commit(ctx.world, project, sha))


class CreateComment(Params):
    """A comment, perhaps on a line of the diff."""

    note: str
    path: str | None = None
    line: int | None = None
    line_type: Literal["new", "old"] = "new"

    rules = (requires("path", "line"),)


@area.operation(
    "POST",
    f"{ONE}/comments",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateComment,
    view=CommitNoteView,
    refusals=(400, 403, 404),
)
def create_commit_comment(ctx: WriteContext, project: Project, sha: str, p: CreateComment) -> Note | RawBody:
    """Comment on a commit, or on one of its lines."""
    found = commits.get_commit(ctx.world, project, sha)
    about = Line(p.path, p.line, p.line_type) if p.path and p.line is not None else None
    said = commit_notes.add_comment(ctx, found, p.note, about)
    return said.note or empty_response(ctx, said, f"Failed to save note {notes.EMPTY}")
