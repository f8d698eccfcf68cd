"""Views of pipelines. Source: docs/platform/specification.md ('Merge request'), docs/platform/pipelines-jobs.md."""

from typing import Any, Final

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.people import namespaces
from fakeplat.entities.people.users import UserBasic
from fakeplat.model.pipelines import Pipeline
from fakeplat.policy.context import ReadContext

FAVICONS: Final = "/assets/ci_favicons"

_TEXTS: Final = {
    "waiting_for_resource": ("waiting", "waiting for resource"),
    "success": ("passed", "passed"),
    "manual": ("blocked", "waiting for manual action"),
    "scheduled": ("delayed", "waiting for delayed job"),
}
"""Text and label of a status, if they differ from its name."""
_ICONS: Final = {"waiting_for_resource": "pending"}


class PipelineBasic(Entity[Pipeline]):
    """A pipeline in a list, or as part of another record."""

    ctx: ReadContext

    id = attr()
    sha = attr()
    ref = attr()
    status = attr()
    created_at = attr()
    updated_at = attr()

    @computed
    def web_url(self) -> str:
        return f"{self.ctx.origin}{self._path}"

    @property
    def _path(self) -> str:
        project = self.ctx.world.projects[self.record.project_id]
        return f"/{namespaces.project_path(self.ctx.world, project)}/-/pipelines/{self.record.id}"


class PipelineView(PipelineBasic):
    """A single pipeline."""

    before_sha = attr()
    tag = attr()
    yaml_errors = attr()

    @computed
    def user(self) -> UserBasic | None:
        id_ = self.record.user_id
        user: UserBasic | None = self.ctx.render(UserBasic, self.ctx.world.users.get(id_) if id_ is not None else None)
        return user

    started_at = attr()
    finished_at = attr()
    committed_at = attr()
    duration = attr()

    @computed
    def coverage(self) -> str | None:
        # The platform sends this number as text.
        return None if self.record.coverage is None else f"{self.record.coverage}"

    @computed
    def detailed_status(self) -> dict[str, Any]:
        status = self.record.status
        text, label = _TEXTS.get(status, (status, status))
        icon = _ICONS.get(status, status)
        return {
            "icon": f"status_{icon}",
            "text": text,
            "label": label,
            # A class of style sheets, which has dashes where the status has underscores.
            "group": status.replace("_", "-"),
            "tooltip": label,
            "has_details": True,
            "details_path": self._path,
            "illustration": None,
            "favicon": f"{FAVICONS}/favicon_status_{icon}.png",
        }
