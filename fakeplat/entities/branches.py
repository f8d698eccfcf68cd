"""What branches show. Source: docs/platform/branches.md."""

from fakeplat.core.operations.entity import Entity, attr, shown
from fakeplat.domain.repository import branches, protection, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.entities import urls
from fakeplat.entities.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context


class BranchView(Entity[Branch]):
    """A branch with the commit where it stands."""

    keyed = False
    cx: Context

    name = attr(str)

    @shown
    def commit(self) -> CommitBasic:
        git = repositories.opened(self.cx.world, self.project)
        found: CommitBasic = self.cx.show(CommitBasic, CommitOf(self.project, git.objects.commit(self.record.sha)))
        return found

    @shown
    def merged(self) -> bool:
        return branches.is_merged(self.cx, self.project, self.record)

    @shown
    def protected(self) -> bool:
        return bool(protection.branches_over(self.cx.world, self.project, self.record.name))

    @shown
    def developers_can_push(self) -> bool:
        return protection.developers_can(self.cx.world, self.project, self.record.name)[0]

    @shown
    def developers_can_merge(self) -> bool:
        return protection.developers_can(self.cx.world, self.project, self.record.name)[1]

    @shown
    def can_push(self) -> bool:
        return protection.may_push(self.cx, self.project, self.record.name)

    @shown
    def default(self) -> bool:
        return self.record.name == self.project.default_branch

    @shown
    def web_url(self) -> str:
        return urls.tree(self.cx, self.project, self.record.name)

    @property
    def project(self) -> Project:
        """The project that has it."""
        return self.cx.world.projects[self.record.project_id]
