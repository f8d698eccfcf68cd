"""The commits of a merge, depending on the project's merge method.

Source: docs/platform/merge-requests.md ('PUT .../:iid/merge').
"""

from typing import TYPE_CHECKING

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import message_templates
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.repositories import git_person
from fakeplat.domain.reviews import diff_versions
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.people import User
from fakeplat.model.projects import Project, SquashOption
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects


def choose_squash_option(world: World, merge_request: MergeRequest) -> SquashOption:
    """Return how merges into the target branch squash: as the rule of exactly that branch says, or as the project."""
    key = (merge_request.project_id, merge_request.target_branch)
    branch = world.protected_branches.find("name", key)
    if branch is not None and branch.squash_option is not None:
        return branch.squash_option
    return world.projects[merge_request.project_id].squash_option


def is_squashed(world: World, merge_request: MergeRequest) -> bool:
    """Return whether merging makes one commit of all: as the merge request says, unless that is decided for it."""
    decided = {"always": True, "never": False}
    return decided.get(choose_squash_option(world, merge_request), merge_request.squash)


@frozen
class CreatedCommits:
    """The commits of a merge: the new head of the target, and the merge and squash commits, if any."""

    target: str
    merge: str | None
    squash: str | None


@frozen
class MergeCommits:
    """Creates the commits of one merge."""

    ctx: WriteContext
    project: Project
    merge_request: MergeRequest
    refs: DiffRefs
    by: User

    def create(self, message: str) -> CreatedCommits:
        """Create the commits; ``message`` is for the merge commit, if the merge method has one."""
        from fakeplat.git import writing

        squashed = self._squash() if is_squashed(self.ctx.world, self.merge_request) else None
        source = squashed or self.refs.head
        # Only ff has no merge commit: rebase_merge also requires an up-to-date source, but still merges it.
        if self.project.merge_method == "ff":
            return CreatedCommits(source, None, squashed)
        merged = writing.merge(self._objects, self.refs.start, source, message, git_person(self.ctx, self.by))
        return CreatedCommits(merged, merged, squashed)

    def _squash(self) -> str:
        from fakeplat.git import writing

        world, merge_request = self.ctx.world, self.merge_request
        commits = diff_versions.list_commits(world, merge_request, self.refs)
        custom_message = merge_request.squash_commit_message
        # Squashing a single commit changes nothing unless it gets another message.
        if len(commits) == 1 and custom_message in (None, commits[0].commit.message):
            return self.refs.head
        author = world.users.get(merge_request.author_id) or self.by
        message = custom_message or message_templates.squash_message(self.ctx, self.project, merge_request)
        # The author of the merge request is the author of the squashed commit, the merger is its committer.
        return writing.squash(
            self._objects,
            self.refs.base,
            self.refs.head,
            message,
            git_person(self.ctx, author),
            git_person(self.ctx, self.by),
        )

    @property
    def _objects(self) -> "Objects":
        return repositories.open_repository(self.ctx.world, self.project).objects
