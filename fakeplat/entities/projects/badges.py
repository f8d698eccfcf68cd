"""Views of badges."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.projects import badges
from fakeplat.model.projects import Badge, Project
from fakeplat.policy.context import ReadContext

# Options are strings because they are part of the cache key of a view.
RENDERED_FOR = "project:"


class BadgeBasic(Entity[Badge]):
    """The URLs of a badge; an option contains the id of the project for which they are rendered."""

    ctx: ReadContext

    name = attr()
    link_url = attr()
    image_url = attr()

    @computed
    def rendered_link_url(self) -> str:
        return badges.render_url(self.ctx, self.record.link_url, self._project)

    @computed
    def rendered_image_url(self) -> str:
        return badges.render_url(self.ctx, self.record.image_url, self._project)

    @property
    def _project(self) -> Project | None:
        ids = (int(option.removeprefix(RENDERED_FOR)) for option in self.options if option.startswith(RENDERED_FOR))
        return next((self.ctx.world.projects[id_] for id_ in ids), None)


class BadgePreview(BadgeBasic):
    """A badge that is rendered without being stored."""

    # All previews would have the same id, so views of them must not be cached by it.
    cached_by_id = False


class BadgeView(BadgeBasic):
    """A badge of a project or group."""

    id = attr()

    @computed
    def kind(self) -> str:
        return self.record.source[0]
