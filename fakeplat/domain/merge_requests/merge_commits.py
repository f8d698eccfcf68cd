"""The commits of a merge, as each merge method makes them.

Source: docs/platform/merge-requests.md ('PUT .../:iid/merge').
"""

from typing import TYPE_CHECKING

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.merge_requests import diff_versions
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.repositories import person
from fakeplat.model.merge_requests import DiffRefs, MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.users import User
from fakeplat.policy.context import Doing

if TYPE_CHECKING:
    from fakeplat.git.objects import Objects


@frozen
class Made:
    """The commits of a merge: where the target goes, the merge commit and the squashed one, where there are such."""

    target: str
    merge: str | None
    squash: str | None


@frozen
class MergeCommits:
    """Makes the commits of one merge."""

    cx: Doing
    project: Project
    merge_request: MergeRequest
    refs: DiffRefs
    by: User

    def made(self, message: str) -> Made:
        """The commits, made now; ``message`` is what a merge commit says."""
        from fakeplat.git import writing

        squashed = self._squashed() if self.merge_request.squash else None
        source = squashed or self.refs.head
        if self.project.merge_method == "ff":
            return Made(source, None, squashed)
        merged = writing.merge(self._objects, self.refs.start, source, message, person(self.cx, self.by))
        return Made(merged, merged, squashed)

    def _squashed(self) -> str:
        from fakeplat.git import writing

        world, one = self.cx.world, self.merge_request
        commits = diff_versions.commits(world, one, self.refs)
        wanted = one.squash_commit_message
        if len(commits) == 1 and wanted in (None, commits[0].commit.message):
            return self.refs.head
        author = world.users.get(one.author_id) or self.by
        message = wanted or one.title
        return writing.squash(
            self._objects,
            self.refs.base,
            self.refs.head,
            message,
            person(self.cx, author),
            person(self.cx, self.by),
        )

    @property
    def _objects(self) -> "Objects":
        return repositories.opened(self.cx.world, self.project).objects
