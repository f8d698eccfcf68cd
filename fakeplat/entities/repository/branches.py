"""Views of branches. Source: docs/platform/branches.md."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.repository import branches, protection, repositories
from fakeplat.domain.repository.branches import Branch
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.entities import urls
from fakeplat.entities.repository.commits import CommitBasic
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext


class BranchView(Entity[Branch]):
    """A branch with its head commit."""

    # A branch has no id: it is a name in its project's repository.
    cached_by_id = False
    ctx: ReadContext

    name = attr()

    @computed
    def commit(self) -> CommitBasic:
        git = repositories.open_repository(self.ctx.world, self.project)
        commit: CommitBasic = self.ctx.render(
            CommitBasic, ProjectCommit(self.project, git.objects.commit(self.record.sha))
        )
        return commit

    @computed
    def merged(self) -> bool:
        return branches.is_merged(self.ctx, self.project, self.record)

    @computed
    def protected(self) -> bool:
        return bool(protection.list_branch_rules(self.ctx.world, self.project, self.record.name))

    @computed
    def developers_can_push(self) -> bool:
        # The pair tells whether Developers may push and whether they may merge.
        return protection.developer_access(self.ctx.world, self.project, self.record.name)[0]

    @computed
    def developers_can_merge(self) -> bool:
        return protection.developer_access(self.ctx.world, self.project, self.record.name)[1]

    @computed
    def can_push(self) -> bool:
        return protection.can_push(self.ctx, self.project, self.record.name)

    @computed
    def default(self) -> bool:
        return self.record.name == self.project.default_branch

    @computed
    def web_url(self) -> str:
        return urls.tree_url(self.ctx, self.project, self.record.name)

    @property
    def project(self) -> Project:
        """The project of the branch."""
        return self.ctx.world.projects[self.record.project_id]
