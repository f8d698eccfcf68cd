"""Commits. Source: docs/platform/commits.md."""

from base64 import b64decode
from collections.abc import Sequence
from re import sub
from typing import Annotated, Final, Literal

import orjson
from typing_extensions import override

from fakeplat.api.notes.note_responses import commands_only_response, empty_response
from fakeplat.api.repository.commit_bodies import (
    ActionBody,
    CommitBody,
    check_commit_body,
    count_large,
    is_true,
    list_actions,
    read_branch,
    refuse_files,
)
from fakeplat.api.scopes import PROJECT_WITH_REPOSITORY, get_project
from fakeplat.core.operations.errors import BadRequest, Forbidden, NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged, Paging
from fakeplat.core.params.params import Moment, NotBlank, NotBlankIfSent, NotNull, Params, mutually_exclusive, requires
from fakeplat.core.release import Lifetime, Profile
from fakeplat.domain.notes import commit_notes, notes
from fakeplat.domain.people.namespaces import full_name
from fakeplat.domain.repository import cherry_picks, commit_actions, commit_signatures, commits, diffs, repositories
from fakeplat.domain.repository.cherry_picks import PickKind
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.domain.repository.commit_signatures import CommitSignature
from fakeplat.domain.repository.commits import CommitFilter, CommitRef, ProjectCommit
from fakeplat.domain.repository.diffs import DiffOfFile
from fakeplat.entities.repository.commits import (
    STATS,
    TRAILERS,
    UNIFIED,
    CommitBasic,
    CommitDetail,
    CommitNoteView,
    CommitSignatureView,
    CommitWithStats,
    DiffView,
    RefView,
)
from fakeplat.model.notes import Line, Note
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import (
    BODIES_OF_COMMITS_ARE_READ_LATE,
    COMMANDS_ARE_ALWAYS_REPORTED,
    COMMITS_ARE_NOT_COUNTED,
    COMMITS_CHECK_PAGINATION,
    COMMITS_MAY_BE_EMPTY,
    IMPOSSIBLE_REFS_ARE_REFUSED,
    JOBS_READ_REPOSITORIES,
    LOGS_FOLLOW_FILES,
    REFS_OF_COMMITS_ARE_NOT_COUNTED,
)
from fakeplat.policy.context import ReadContext, WriteContext

# As for branches, project and ability are checked before the parameters are validated.
area: Final = Area("Commits", login=Login.NEVER, located_first=True)

PATH: Final = "repository/commits"
COMMIT_PATH: Final = f"{PATH}/:sha"


def with_stats(_ctx: ReadContext, p: "CreateCommit | CommitBody | GetCommit", _result: object) -> tuple[str, ...]:
    """Return the view options: line counts, if the caller requested them."""
    wanted = is_true(p.stats, default=True) if isinstance(p, CommitBody) else p.stats
    return (STATS,) if wanted else ()


class ListCommits(Paged):
    """Filters and order of the list of commits."""

    ref_name: str | None = None
    since: Moment | None = None
    until: Moment | None = None
    path: str | None = None
    follow: Annotated[bool | None, Lifetime(since="18.10")] = None
    all: bool = False
    with_stats: bool = False
    first_parent: bool = False
    order: Literal["default", "topo"] = "default"
    author: Annotated[str | None, Lifetime(since="15.10")] = None
    trailers: Annotated[bool, Lifetime(since="<=14.10")] = False
    # Cursors need a feature flag that is off on the platform.
    pagination: Annotated[Literal["legacy", "keyset"], Lifetime(since=COMMITS_CHECK_PAGINATION.since)] = "legacy"


def _list_view(_ctx: ReadContext, p: ListCommits) -> type[CommitWithStats | CommitBasic]:
    return CommitWithStats if p.with_stats else CommitBasic


def _list_options(_ctx: ReadContext, p: ListCommits, _result: object) -> tuple[str, ...]:
    return (*((STATS,) if p.with_stats else ()), *((TRAILERS,) if p.trailers else ()))


@area.operation(
    "GET",
    PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListCommits,
    view=_list_view,
    many=True,
    paging=Paging(uncounted=COMMITS_ARE_NOT_COUNTED, open_ended=True),
    options=_list_options,
    refusals=(400,),
)
def list_commits(ctx: ReadContext, project: Project, p: ListCommits) -> Sequence[ProjectCommit]:
    """List the commits of a branch, a tag or a range, newest first."""
    if p.ref_name and ctx.profile.has(IMPOSSIBLE_REFS_ARE_REFUSED) and commits.is_impossible_revision(p.ref_name):
        raise BadRequest("ref_name is invalid", reason=f"nothing in a repository can be named {p.ref_name!r}")
    criteria = CommitFilter(
        p.ref_name or commits.HEAD,
        p.path or "",
        p.since,
        p.until,
        p.all,
        p.first_parent,
        order=p.order,
        author=p.author or "",
        follow=p.follow is not False and ctx.profile.has(LOGS_FOLLOW_FILES),
    )
    return commits.list_commits(ctx, project, criteria)


class FileAction(Params):
    """A change of a file in a commit."""

    # Within an array the platform looks for blanks only, before it compares a null with the values.
    action: Annotated[Literal["create", "update", "move", "delete", "chmod"], NotNull]
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
    """A new commit with its file actions."""

    branch: Annotated[str, NotBlank]
    # If not sent, these two are only missing, while a branch is required not to be blank even then.
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

    @classmethod
    @override
    def in_release(cls, profile: Profile) -> type[Params]:
        return CommitBody if profile.has(BODIES_OF_COMMITS_ARE_READ_LATE) else cls


@area.operation(
    "POST",
    PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateCommit,
    view=CommitDetail,
    options=with_stats,
    refusals=(400, 403, 404, 429),
)
def create_commit(ctx: WriteContext, project: Project, p: CreateCommit | CommitBody) -> ProjectCommit:
    """Create a commit with one or more actions on files."""
    if isinstance(p, CommitBody):
        return _commit_body(ctx, project, p)
    # The platform's order: 404 and 403 for the start project precede the 403 for pushing.
    start = _find_start_project(ctx, project, p.start_project)
    commit_actions.authorize_push(ctx, project, p.branch)
    new = NewCommit(
        p.branch,
        p.commit_message,
        [_build_action(action) for action in p.actions],
        p.start_branch,
        p.start_sha,
        start,
        p.force,
        p.author_name,
        p.author_email,
    )
    return commit_actions.commit(ctx, project, new)


def _commit_body(ctx: WriteContext, project: Project, body: CommitBody) -> ProjectCommit:
    count_large(ctx)
    refuse_files(body)
    branch = read_branch(body)
    commit_actions.authorize_push(ctx, project, branch)
    check_commit_body(body, may_be_empty=ctx.profile.has(COMMITS_MAY_BE_EMPTY))
    new = NewCommit(
        branch,
        str(body.commit_message),
        [_read_action(action) for action in list_actions(body)],
        body.start_branch,
        body.start_sha,
        _find_start_project(ctx, project, str(body.start_project or "")),
        is_true(body.force, default=False),
        body.author_name,
        body.author_email,
    )
    return commit_actions.commit(ctx, project, new)


def _read_action(action: ActionBody) -> Action:
    content, encoding = action.get("content"), action.get("encoding", "text")
    return Action(
        action["action"],
        str(action["file_path"]),
        None if content is None else decode_content(str(content), encoding),
        str(action.get("previous_path") or "") if action["action"] == "move" else "",
        is_true(action.get("execute_filemode"), default=False),
        str(action.get("last_commit_id") or ""),
    )


def _find_start_project(ctx: WriteContext, project: Project, reference: str | None) -> Project | None:
    """Return the project to start from: this one or the one it was forked from; 403 for others."""
    if not reference:
        return None
    source = get_project(ctx, reference)
    if source.id in (project.id, project.forked_from_id):
        return source
    name = f"{full_name(ctx.world, ctx.world.namespaces[project.namespace_id])} / {project.name}"
    reason = f"{reference} is neither {name} nor the project that it was forked from"
    raise Forbidden(f"Project is not included in the fork network for {name}", reason=reason)


def _build_action(p: FileAction) -> Action:
    content = None if p.content is None else decode_content(p.content, p.encoding)
    # Other actions ignore `previous_path`, even if it was sent.
    previous = (p.previous_path or "") if p.action == "move" else ""
    return Action(p.action, p.file_path, content, previous, bool(p.execute_filemode), p.last_commit_id or "")


def decode_content(content: str, encoding: str | None) -> bytes:
    """Return a file's bytes from text or base64; invalid characters in base64 are ignored, as on the platform."""
    if encoding != "base64":
        # Text may contain lone surrogates, which UTF-8 cannot represent; they become question marks.
        return content.encode(errors="replace")
    # As in Ruby's decoder, the first ``=`` ends the data: of ``YQ==YQ==`` only the first letter is decoded.
    characters = sub(r"[^A-Za-z0-9+/]", "", content.partition("=")[0])
    # A single left-over character holds only 6 bits: no byte. Ruby drops it where Python raises an error.
    complete = characters[:-1] if len(characters) % 4 == 1 else characters
    # ``-n % 4`` is what n lacks to the next multiple of four; Python's decoder requires the padding.
    return b64decode(complete + "=" * (-len(complete) % 4))


class GetCommit(Params):
    """Optional parts of a commit."""

    stats: bool = True


@area.operation(
    "GET",
    COMMIT_PATH,
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=GetCommit,
    view=CommitDetail,
    options=with_stats,
    refusals=(404,),
    job_token=JOBS_READ_REPOSITORIES,
)
def get_commit(ctx: ReadContext, project: Project, sha: str) -> ProjectCommit:
    """Get a commit by hash, branch or tag."""
    return commits.get_commit(ctx.world, project, sha)


class ListRefs(Paged):
    """The kind of refs to list."""

    type: Literal["branch", "tag", "all"] = "all"


@area.operation(
    "GET",
    f"{COMMIT_PATH}/refs",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListRefs,
    view=RefView,
    many=True,
    paging=Paging(uncounted=REFS_OF_COMMITS_ARE_NOT_COUNTED),
    refusals=(404,),
)
def list_commit_refs(ctx: ReadContext, project: Project, sha: str, p: ListRefs) -> Sequence[CommitRef]:
    """List the branches and tags that contain a commit."""
    refs = commits.list_containing_refs(ctx.world, commits.get_commit(ctx.world, project, sha))
    return [ref for ref in refs if p.type in ("all", ref.type)]


class GetSequence(Params):
    """Which ancestors count."""

    first_parent: bool = False


@area.operation(
    "GET",
    f"{COMMIT_PATH}/sequence",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=GetSequence,
    since="16.9",
    refusals=(404,),
)
def get_repository_commit_sequence(ctx: ReadContext, project: Project, sha: str, p: GetSequence) -> dict[str, int]:
    """Get the number of a commit: how many commits its history has, itself included."""
    commit = commits.get_commit(ctx.world, project, sha)
    criteria = CommitFilter(commit.commit.sha, first_parent=p.first_parent)
    return {"count": len(commits.list_commits(ctx, project, criteria))}


class ListDiffs(Paged):
    """How to show the differences."""

    unidiff: Annotated[bool, Lifetime(since="16.5")] = False


def _diff_options(_ctx: ReadContext, p: ListDiffs, _result: object) -> tuple[str, ...]:
    return (UNIFIED,) if p.unidiff else ()


@area.operation(
    "GET",
    f"{COMMIT_PATH}/diff",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=ListDiffs,
    view=DiffView,
    many=True,
    options=_diff_options,
    refusals=(404,),
)
def list_commit_diffs(ctx: ReadContext, project: Project, sha: str) -> Sequence[DiffOfFile]:
    """List the file differences of a commit."""
    commit = commits.get_commit(ctx.world, project, sha)
    return diffs.limit_diffs(ctx.world, repositories.open_repository(ctx.world, project).commit_diff(commit.commit.sha))


class PickCommit(Params):
    """The branch to apply a commit to."""

    branch: Annotated[str, NotBlank]
    dry_run: bool = False


class CherryPickCommit(PickCommit):
    """The branch to apply a commit to, and the message of the new commit."""

    message: Annotated[str | None, Lifetime(since="14.0")] = None


@area.operation(
    "POST",
    f"{COMMIT_PATH}/cherry_pick",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=CherryPickCommit,
    view=CommitBasic,
    also=(200,),
    refusals=(400, 403, 404),
)
def cherry_pick_commit(ctx: WriteContext, project: Project, sha: str, p: CherryPickCommit) -> ProjectCommit | RawBody:
    """Cherry-pick a commit onto a branch."""
    return _render_picked(
        cherry_picks.apply_to_branch(
            ctx, project, sha, p.branch, PickKind.CHERRY_PICK, dry_run=p.dry_run, message=p.message
        )
    )


@area.operation(
    "POST",
    f"{COMMIT_PATH}/revert",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=PickCommit,
    view=CommitBasic,
    also=(200,),
    refusals=(400, 403, 404),
)
def revert_commit(ctx: WriteContext, project: Project, sha: str, p: PickCommit) -> ProjectCommit | RawBody:
    """Revert a commit on a branch."""
    return _render_picked(cherry_picks.apply_to_branch(ctx, project, sha, p.branch, PickKind.REVERT, dry_run=p.dry_run))


def _render_picked(commit: ProjectCommit | None) -> ProjectCommit | RawBody:
    """Return the new commit; a dry run that succeeded has none and answers 200."""
    return commit or RawBody(orjson.dumps({"dry_run": "success"}), JSON, (("Cache-Control", "no-cache"),))


@area.operation(
    "GET",
    f"{COMMIT_PATH}/comments",
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
    """A comment, optionally on a line of the diff."""

    note: str
    path: str | None = None
    line: int | None = None
    line_type: Literal["new", "old"] = "new"

    rules = (requires("path", "line"),)


@area.operation(
    "POST",
    f"{COMMIT_PATH}/comments",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    params=CreateComment,
    view=CommitNoteView,
    also=(202,),
    refusals=(400, 403, 404),
)
def create_commit_comment(ctx: WriteContext, project: Project, sha: str, p: CreateComment) -> Note | RawBody:
    """Comment on a commit, or on one of its lines."""
    commit = commits.get_commit(ctx.world, project, sha)
    line = Line(p.path, p.line, p.line_type) if p.path and p.line is not None else None
    result = commit_notes.add_comment(ctx, commit, p.note, line)
    # A text of quick actions only leaves no note.
    if result.note is not None:
        return result.note
    if ctx.profile.has(COMMANDS_ARE_ALWAYS_REPORTED):
        return commands_only_response(ctx, result)
    return empty_response(ctx, result, f"Failed to save note {notes.EMPTY}")


@area.operation(
    "GET",
    f"{COMMIT_PATH}/signature",
    scope=PROJECT_WITH_REPOSITORY,
    ability=Ability.DOWNLOAD_CODE,
    view=CommitSignatureView,
    refusals=(404, 501),
)
def get_commit_signature(ctx: ReadContext, project: Project, sha: str) -> CommitSignature:
    """Get the signature of a commit, and whether a user's key made it."""
    commit = commits.get_commit(ctx.world, project, sha)
    signature = commit_signatures.find_signature(ctx, commit)
    if signature is None:
        raise NotFound("Signature", reason=f"the commit {commit.commit.sha} has no signature that can be checked")
    return signature
