"""Views of tags. Source: docs/platform/tags.md."""

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.domain.repository import protection, repositories
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.repository.tags import ProjectTag
from fakeplat.entities.repository.commits import CommitBasic, format_time
from fakeplat.model.projects import Project
from fakeplat.model.releases import Release
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext


class TagReleaseView(Entity[Release]):
    """The release of a tag."""

    tag_name = attr()
    description = attr()


class TagView(Entity[ProjectTag]):
    """A tag with the commit it points to."""

    cached_by_id = False
    ctx: ReadContext

    name = attr()
    message = attr()
    target = attr()

    @computed
    def commit(self) -> CommitBasic | None:
        # A tag can point to a tree or a blob.
        if self.record.commit is None:
            return None
        git = repositories.open_repository(self.ctx.world, self.project)
        commit: CommitBasic = self.ctx.render(
            CommitBasic, ProjectCommit(self.project, git.objects.commit(self.record.commit))
        )
        return commit

    @computed_if(when=lambda view: view.shows_release)
    def release(self) -> TagReleaseView | None:
        release = self.ctx.world.releases.find("tag", (self.record.project_id, self.record.name))
        view: TagReleaseView | None = self.ctx.render(TagReleaseView, release)
        return view

    @computed
    def protected(self) -> bool:
        return bool(protection.list_tag_rules(self.ctx.world, self.project, self.record.name))

    @computed_if(since="16.11")
    def created_at(self) -> str | None:
        # Only annotated tags know when they were made.
        return None if self.record.tagger is None else format_time(self.record.tagger)

    @property
    def shows_release(self) -> bool:
        """Whether the caller may read the releases of the project."""
        return can(self.ctx, Ability.READ_RELEASE, self.project)

    @property
    def project(self) -> Project:
        """The project of the tag."""
        return self.ctx.world.projects[self.record.project_id]
