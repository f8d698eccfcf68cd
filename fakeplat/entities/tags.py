"""What tags show. Source: docs/platform/tags.md."""

from typing import Any

from fakeplat.core.operations.entity import Entity, attr, constant, shown
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.domain.repository.tags import TagAt
from fakeplat.entities.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context


class TagView(Entity[TagAt]):
    """A tag with the commit that it leads to."""

    keyed = False
    cx: Context

    name = attr(str)
    message = attr(str | None)
    target = attr(str)

    @shown
    def commit(self) -> CommitBasic | None:
        if self.record.commit is None:
            return None
        git = repositories.opened(self.cx.world, self.project)
        found: CommitBasic = self.cx.show(CommitBasic, CommitOf(self.project, git.objects.commit(self.record.commit)))
        return found

    release = constant(None, dict[str, Any] | None)

    @shown
    def protected(self) -> bool:
        return bool(protection.tags_over(self.cx.world, self.project, self.record.name))

    @property
    def project(self) -> Project:
        """The project that has it."""
        return self.cx.world.projects[self.record.project_id]
