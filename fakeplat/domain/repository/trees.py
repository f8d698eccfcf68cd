"""Entries of directories with the commits that last changed them.

Source: docs/platform/later-releases.md.
"""

from typing import TYPE_CHECKING

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.repository import repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.model.projects import Project
from fakeplat.model.world import World

if TYPE_CHECKING:
    from fakeplat.git.records import Entry


@frozen
class CommittedEntry:
    """An entry of a directory at a revision, whose last commit can be asked for."""

    entry: "Entry"
    project: Project
    revision: str

    @property
    def sha(self) -> str:
        """What identifies the entry among those of a page."""
        return self.entry.sha

    def find_last_commit(self, world: World) -> ProjectCommit | None:
        """Return the newest commit that changed the entry."""
        last = repositories.open_repository(world, self.project).last_commit(self.revision, self.entry.path)
        return None if last is None else ProjectCommit(self.project, last)
