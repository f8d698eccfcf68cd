"""Push events of users. Source: docs/platform/hooks-and-events.md ('Events')."""

from typing import TYPE_CHECKING, Final

from fakeplat.core.store.records import evolve_record
from fakeplat.domain import events
from fakeplat.domain.repository import repositories
from fakeplat.model.activity import PushData
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA, Push
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

# The limit of the platform's column, in characters and with the three dots.
_LONGEST_TITLE: Final = 70


def record_push(ctx: WriteContext, push: Push) -> None:
    """Record a push as an event of its user."""
    user = ctx.world.users.get(push.user_id) if push.user_id is not None else None
    if user is not None and push.ref_count and push.ref.startswith((BRANCHES, TAGS)):
        project = ctx.world.projects[push.project_id]
        events.record_event(ctx, user, "pushed", project, push=_push_data(ctx, project, push))


def _push_data(ctx: WriteContext, project: Project, push: Push) -> PushData:
    is_branch, exists = push.ref.startswith(BRANCHES), push.after != ZERO_SHA
    bare = PushData(
        commit_count=0,
        action="removed" if not exists else "created" if push.before == ZERO_SHA else "pushed",
        ref_type="branch" if is_branch else "tag",
    )
    if push.ref_count > 1:
        return evolve_record(bare, ref_count=push.ref_count)
    git = repositories.open_repository(ctx.world, project)
    return evolve_record(
        bare,
        # Tags count as one commit, and deletions as none.
        commit_count=_count_commits(git, project, push) if exists and is_branch else int(exists),
        commit_from=None if push.before == ZERO_SHA else push.before,
        commit_to=push.after if exists else None,
        ref=push.ref.removeprefix(BRANCHES).removeprefix(TAGS),
        commit_title=_shorten_title(git.commit(push.ref).message) if exists else None,
    )


def _count_commits(git: "Git", project: Project, push: Push) -> int:
    """Return the number of commits pushed: since the branch's previous commit, or since the default branch."""
    from fakeplat.git.history import History

    default = git.find_branch(project.default_branch)
    before = default if push.before == ZERO_SHA else push.before
    if before is None or (push.ref == f"{BRANCHES}{project.default_branch}" and push.before == ZERO_SHA):
        return git.count(push.after)
    # A range of refs cannot express this: after a forced push the previous commit may be unreachable from every ref.
    history = History.of(git.objects)
    pushed_ancestors, known_ancestors = (history.ancestors(git.objects, sha) for sha in (push.after, before))
    return (pushed_ancestors & ~known_ancestors).bit_count()


def _shorten_title(message: str) -> str:
    first = message.strip().partition("\n")[0]
    return first if len(first) <= _LONGEST_TITLE else f"{first[: _LONGEST_TITLE - 3]}..."
