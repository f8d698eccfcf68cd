"""Payloads of pushes to branches and tags, and of updates of repositories."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from fakeplat.domain import urls
from fakeplat.domain.hooks.payloads import blocks
from fakeplat.domain.hooks.payloads.blocks import Block, Later, later
from fakeplat.domain.repository import protection, repositories, tags
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA, Push
from fakeplat.policy.context import ReadContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

_MAX_COMMITS: Final = 20
_FIRST_COMMITS: Final = 100


def build_push(ctx: ReadContext, project: Project, push: Push) -> Block:
    """Return the payload of a push to a branch."""
    git = repositories.open_repository(ctx.world, project)
    shas, total = _list_commits(git, project, push)
    return _build(
        ctx,
        project,
        push,
        kind="push",
        checkout_sha=None if push.after == ZERO_SHA else push.after,
        message=None,
        commits=_build_commits(ctx, project, git, shas),
        total=total,
    )


def build_tag_push(ctx: ReadContext, project: Project, push: Push) -> Block:
    """Return the payload of the creation, change or deletion of a tag."""
    git = repositories.open_repository(ctx.world, project)
    tag = None if push.after == ZERO_SHA else tags.get_tag(ctx.world, project, push.ref.removeprefix(TAGS))
    shas = [tag.commit] if tag is not None and tag.commit else []
    return _build(
        ctx,
        project,
        push,
        kind="tag_push",
        checkout_sha=tag.commit if tag is not None else None,
        message=None if tag is None else tag.message or "",
        commits=_build_commits(ctx, project, git, shas),
        total=len(shas),
    )


def build_tag_push_sample(ctx: ReadContext, project: Project, push: Push) -> Block:
    """Return the payload of a test: the commits of a push to the default branch, as one of a tag."""
    tag = tags.find_tag(ctx.world, project, push.ref.removeprefix(TAGS))
    payload = {**build_push(ctx, project, push), "object_kind": "tag_push", "event_name": "tag_push"}
    return payload if tag is None else {**payload, "checkout_sha": tag.commit}


def _build(
    ctx: ReadContext,
    project: Project,
    push: Push,
    *,
    kind: str,
    checkout_sha: str | None,
    message: str | None,
    commits: list[Block],
    total: int,
) -> Block:
    user = blocks.find_user(ctx, push.user_id)
    return {
        "object_kind": kind,
        "event_name": kind,
        "before": push.before,
        "after": push.after,
        "ref": push.ref,
        "checkout_sha": checkout_sha,
        "message": message,
        "user_id": user.id if user else None,
        "user_name": user.name if user else None,
        "user_username": user.username if user else None,
        "user_email": user.public_email if user else "",
        "user_avatar": urls.user_avatar_url(ctx, user) if user else None,
        "project_id": project.id,
        "project": blocks.build_project(ctx, project),
        "commits": commits,
        "total_commits_count": total,
        # The platform does not pass them on.
        "push_options": {},
        "repository": blocks.build_long_repository(ctx, project),
        **blocks.read_later(ctx, _PUSH, push),
    }


def _is_protected(ctx: ReadContext, push: Push) -> bool:
    is_tag = push.ref.startswith(TAGS)
    name = push.ref.removeprefix(TAGS if is_tag else BRANCHES)
    return protection.is_protected(ctx.world, ctx.world.projects[push.project_id], name, tag=is_tag)


_PUSH: Final[Mapping[str, Later[Push]]] = {"ref_protected": later("<=17.10", _is_protected)}


def _list_commits(git: "Git", project: Project, push: Push) -> tuple[list[str], int]:
    """Return the last commits of a push, oldest first, and how many there are."""
    from fakeplat.git.history import History
    from fakeplat.git.walk import Selection, walk_by_date

    if push.after == ZERO_SHA:
        return [], 0
    default = git.find_branch(project.default_branch)
    is_new = push.before == ZERO_SHA
    if is_new and push.ref == f"{BRANCHES}{project.default_branch}":
        # Of the first push to the default branch the platform takes the newest commits, and does not turn them round.
        newest = [commit.sha for commit in islice(walk_by_date(git.objects, Selection((push.after,))), _FIRST_COMMITS)]
        return newest[-_MAX_COMMITS:], git.count(push.after)
    known = default if is_new else push.before
    hidden = (known,) if known else ()
    newest = [
        commit.sha for commit in islice(walk_by_date(git.objects, Selection((push.after,), hidden)), _MAX_COMMITS)
    ]
    history = History.of(git.objects)
    pushed = history.ancestors(git.objects, push.after)
    total = (pushed & ~history.ancestors(git.objects, known)).bit_count() if known else pushed.bit_count()
    return newest[::-1], total


def _build_commits(ctx: ReadContext, project: Project, git: "Git", shas: Sequence[str]) -> list[Block]:
    return [
        blocks.build_commit_with_files(ctx, ProjectCommit(project, git.commit(sha)), git.commit_diff(sha))
        for sha in shas
    ]


def build_repository_update(ctx: ReadContext, project: Project, pushes: Sequence[Push]) -> dict[str, Any]:
    """Return the payload about all refs of one push, for system hooks."""
    user = blocks.find_user(ctx, pushes[0].user_id)
    return {
        "event_name": "repository_update",
        "user_id": user.id if user else None,
        "user_name": user.name if user else None,
        "user_email": user.email if user else None,
        "user_avatar": urls.user_avatar_url(ctx, user) if user else None,
        "project_id": project.id,
        "project": blocks.build_project(ctx, project),
        "changes": [{"before": push.before, "after": push.after, "ref": push.ref} for push in pushes],
        "refs": list(dict.fromkeys(push.ref for push in pushes)),
    }
