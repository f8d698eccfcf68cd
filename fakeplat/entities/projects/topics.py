"""Views of topics."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.projects import topics
from fakeplat.entities import urls
from fakeplat.model.topics import Topic
from fakeplat.policy.context import ReadContext


class TopicView(Entity[Topic]):
    """A topic, with the number of its projects."""

    ctx: ReadContext

    id = attr()
    name = attr()
    title = attr()
    description = attr()

    @computed
    def total_projects_count(self) -> int:
        return topics.count_projects(self.ctx.world, self.record)

    @computed
    def avatar_url(self) -> str | None:
        return urls.avatar_url(self.ctx, "projects/topic", self.record.id, self.record.avatar)
