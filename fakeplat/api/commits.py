"""Commits. Source: docs/platform/specification.md ('Commits'), docs/platform/commits.md."""

from base64 import b64decode
from collections.abc import Sequence
from re import sub
from typing import Annotated, Any, Final, Literal

import orjson

from fakeplat.api.note_answers import emptied
from fakeplat.api.scopes import PROJECT_WITH_REPOSITORY, find_project
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.messages import JSON, Raw
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Moment, NotBlank, NotBlankIfSent, Params, mutually_exclusive, requires
from fakeplat.domain.notes import commit_notes, notes
from fakeplat.domain.people.namespaces import full_name
from fakeplat.domain.repository import commits, committing, diffs, picking, repositories
from fakeplat.domain.repository.commits import CommitOf, Criteria, Ref
from fakeplat.domain.repository.committing import Action, NewCommit
from fakeplat.domain.repository.diffs import Shown
from fakeplat.domain.repository.picking import Way
from fakeplat.entities.commits import STATS, CommitBasic, CommitDetail, CommitNoteView, CommitWithStats, RefView
from fakeplat.entities.diffs import DiffView
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Commits", login=Login.NEVER, located_first=True)

PATH: Final = "repository/commits"
ONE: Final = f"{PATH}/:sha"


def with_stats(cx: Context, p: Any, result: object) -> tuple[str, ...]:
    """The view's options where the numbers of lines are asked for."""
    del cx, result
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


def _listed_as(cx: Context, p: ListCommits) -> type[Entity[Any]]:
    del cx
    return CommitWithStats if p.with_stats else CommitBasic


def _listed_with(cx: Context, p: ListCommits, result: object) -> tuple[str, ...]:
    del cx, result
    return (STATS,) if p.with_stats else ()


@area.operation(
    "GET",
    PATH,
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=ListCommits,
    shows=_listed_as,
    many=True,
    options=_listed_with,
)
def list_commits(cx: Context, project: Project, p: ListCommits) -> Sequence[CommitOf]:
    """List the commits of a branch, a tag or a range, newest first."""
    criteria = Criteria(
        p.ref_name or commits.HEAD, p.path or "", p.since, p.until, p.all, p.first_parent, order=p.order
    )
    return commits.listed(cx, project, criteria)


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
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=CreateCommit,
    shows=CommitDetail,
    options=with_stats,
    refuses=(400, 403, 404),
)
def create_commit(cx: Doing, project: Project, p: CreateCommit) -> CommitOf:
    """Create a commit with one or more actions on files."""
    start = _start_project(cx, project, p.start_project)
    committing.demand_push(cx, project, p.branch)
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
    return committing.commit(cx, project, new)


def _start_project(cx: Doing, project: Project, reference: str | None) -> Project | None:
    """The project whose history is gone on from: this one, or the one that it was forked from."""
    if not reference:
        return None
    found = find_project(cx, reference)
    if found.id in (project.id, project.forked_from_id):
        return found
    name = f"{full_name(cx.world, cx.world.namespaces[project.namespace_id])} / {project.name}"
    reason = f"{reference} is not what {name} was forked from"
    raise Forbidden(f"Project is not included in the fork network for {name}", reason=reason)


def _action(p: FileAction) -> Action:
    content = None if p.content is None else decoded(p.content, p.encoding)
    previous = (p.previous_path or "") if p.action == "move" else ""
    return Action(p.action, p.file_path, content, previous, bool(p.execute_filemode), p.last_commit_id or "")


def decoded(content: str, encoding: str | None) -> bytes:
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
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=GetCommit,
    shows=CommitDetail,
    options=with_stats,
    refuses=(404,),
)
def get_commit(cx: Context, project: Project, sha: str) -> CommitOf:
    """Get a commit by hash, branch or tag."""
    return commits.get(cx.world, project, sha)


class ListRefs(Paged):
    """Which refs to list."""

    type: Literal["branch", "tag", "all"] = "all"


@area.operation(
    "GET",
    f"{ONE}/refs",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=ListRefs,
    shows=RefView,
    many=True,
    refuses=(404,),
)
def list_commit_refs(cx: Context, project: Project, sha: str, p: ListRefs) -> Sequence[Ref]:
    """List the branches and tags that contain a commit."""
    found = commits.refs_to(cx.world, commits.get(cx.world, project, sha))
    return [ref for ref in found if p.type in ("all", ref.type)]


@area.operation(
    "GET",
    f"{ONE}/diff",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=Paged,
    shows=DiffView,
    many=True,
    refuses=(404,),
)
def list_commit_diffs(cx: Context, project: Project, sha: str) -> Sequence[Shown]:
    """List the file differences of a commit."""
    found = commits.get(cx.world, project, sha)
    return diffs.limited(cx.world, repositories.opened(cx.world, project).commit_diff(found.commit.sha))


class PutUpon(Params):
    """The branch that a commit is put upon."""

    branch: Annotated[str, NotBlank]
    dry_run: bool = False


@area.operation(
    "POST",
    f"{ONE}/cherry_pick",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=PutUpon,
    shows=CommitBasic,
    also=(200,),
    refuses=(400, 403, 404),
)
def cherry_pick_commit(cx: Doing, project: Project, sha: str, p: PutUpon) -> CommitOf | Raw:
    """Cherry-pick a commit onto a branch."""
    return _done(picking.put_upon(cx, project, sha, p.branch, Way.CHERRY_PICK, dry_run=p.dry_run))


@area.operation(
    "POST",
    f"{ONE}/revert",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=PutUpon,
    shows=CommitBasic,
    also=(200,),
    refuses=(400, 403, 404),
)
def revert_commit(cx: Doing, project: Project, sha: str, p: PutUpon) -> CommitOf | Raw:
    """Revert a commit on a branch."""
    return _done(picking.put_upon(cx, project, sha, p.branch, Way.REVERT, dry_run=p.dry_run))


def _done(made: CommitOf | None) -> CommitOf | Raw:
    """The new commit, or that a dry run went well (200)."""
    return made or Raw(orjson.dumps({"dry_run": "success"}), JSON, (("Cache-Control", "no-cache"),))


@area.operation(
    "GET",
    f"{ONE}/comments",
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=Paged,
    shows=CommitNoteView,
    many=True,
    refuses=(404,),
)
def list_commit_comments(cx: Context, project: Project, sha: str) -> Sequence[Note]:
    """List the comments on a commit, oldest first."""
    return commit_notes.of(cx, commits.get(cx.world, project, sha))


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
    under=PROJECT_WITH_REPOSITORY,
    may=May.DOWNLOAD_CODE,
    takes=CreateComment,
    shows=CommitNoteView,
    refuses=(400, 403, 404),
)
def create_commit_comment(cx: Doing, project: Project, sha: str, p: CreateComment) -> Note | Raw:
    """Comment on a commit, or on one of its lines."""
    found = commits.get(cx.world, project, sha)
    about = Line(p.path, p.line, p.line_type) if p.path and p.line is not None else None
    said = commit_notes.say(cx, found, p.note, about)
    return said.note or emptied(cx, said, f"Failed to save note {notes.EMPTY}")
