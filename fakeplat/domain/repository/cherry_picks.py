"""Cherry-picks and reverts of commits onto a branch.

Source: docs/platform/commits.md ('Cherry-pick / revert').
"""

from enum import Enum
from typing import TYPE_CHECKING, Final

from fakeplat.core.operations.errors import ChangeNotApplicable
from fakeplat.domain import signals
from fakeplat.domain.repository import branches, change_checks, commit_actions, commits, repositories, size_limits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.repositories import git_person
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.behaviours import PICKS_BELONG_TO_WHO_PICKS
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.records import Commit

_NOT_APPLICABLE_TEXT: Final = (
    "Sorry, we cannot {verb} this {what} automatically. This {what} may already have been {participle}, "
    "or a more recent commit may have updated some of its content."
)


class PickKind(Enum):
    """Cherry-pick or revert, with the verb and its past participle."""

    CHERRY_PICK = ("cherry-pick", "cherry-picked")
    REVERT = ("revert", "reverted")


def apply_to_branch(
    ctx: WriteContext,
    project: Project,
    revision: str,
    branch: str,
    kind: PickKind,
    *,
    dry_run: bool,
    message: str | None = None,
) -> ProjectCommit | None:
    """Cherry-pick or revert a commit onto a branch; a dry run moves no ref and returns None.

    ``message``: the message of a cherry-pick, instead of one that names the commit.
    """
    # The platform's order: the permission (403), the commit (404), then the branch (400 or 404).
    commit_actions.authorize_push(ctx, project, branch)
    source = commits.get_commit(ctx.world, project, revision)
    onto = branches.get_branch(ctx.world, project, branch)
    size_limits.check_commits(ctx, project)
    # Even a dry run writes the commit, to find conflicts; without a ref it is never visible.
    sha = _create_commit(ctx, source, onto.sha, kind, dry_run=dry_run, message=message)
    if dry_run:
        return None
    change_checks.check_commit(ctx, project, branch, sha)
    repositories.move_refs(ctx, project, {BRANCHES + branch: sha}, ctx.user)
    if kind is PickKind.CHERRY_PICK:
        signals.commit_picked.send(ctx, project, source.commit.sha, branch, sha)
    return ProjectCommit(project, repositories.open_repository(ctx.world, project).objects.commit(sha))


def _create_commit(
    ctx: WriteContext, source: ProjectCommit, onto: str, kind: PickKind, *, dry_run: bool, message: str | None = None
) -> str:
    from fakeplat.git import writing
    from fakeplat.git.errors import MergeConflict, NothingToCommit

    objects = repositories.open_repository(ctx.world, source.project).objects
    commit, committer = source.commit, git_person(ctx, ctx.signed_in_user)
    try:
        if kind is PickKind.CHERRY_PICK:
            author = committer if ctx.profile.has(PICKS_BELONG_TO_WHO_PICKS) else None
            text = message or _pick_message(ctx, commit)
            return writing.cherry_pick(objects, onto, commit.sha, committer, message=text, author=author)
        return writing.revert(
            objects, onto, commit.sha, f'Revert "{commit.title}"\n\nThis reverts commit {commit.sha}', committer
        )
    except MergeConflict as conflict:
        reason = f"merge conflict: {conflict}"
        raise ChangeNotApplicable(_refusal_text(source, kind), "conflict", dry_run=dry_run, reason=reason) from conflict
    except NothingToCommit as empty:
        reason = "the branch would not change"
        raise ChangeNotApplicable(_refusal_text(source, kind), "empty", dry_run=dry_run, reason=reason) from empty


def _pick_message(ctx: WriteContext, commit: "Commit") -> str:
    message = f"{commit.message}\n\n(cherry picked from commit {commit.sha})"
    if not ctx.profile.has(PICKS_BELONG_TO_WHO_PICKS):
        return message
    return f"{message}\n\nCo-authored-by: {commit.author.name} <{commit.author.email}>"


def _refusal_text(source: ProjectCommit, kind: PickKind) -> str:
    verb, participle = kind.value
    # A commit with several parents is assumed to be a merge request's.
    return _NOT_APPLICABLE_TEXT.format(
        verb=verb, participle=participle, what="merge request" if len(source.commit.parents) > 1 else "commit"
    )
