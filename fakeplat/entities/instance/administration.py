"""Views of the instance's appearance and features."""

from typing import Any
from urllib.parse import quote

from fakeplat.core.operations.entity import Entity, attr, computed, constant
from fakeplat.core.release import since
from fakeplat.domain.instance import appearances
from fakeplat.entities.urls import SYSTEM
from fakeplat.model.appearances import Appearance
from fakeplat.model.features import Feature
from fakeplat.policy.context import ReadContext


class AppearanceView(Entity[Appearance]):
    """The appearance. Images are paths from the root."""

    ctx: ReadContext

    title = attr()
    description = attr()

    @computed
    def logo(self) -> str | None:
        return self._image("logo")

    @computed
    def header_logo(self) -> str | None:
        return self._image("header_logo")

    @computed
    def favicon(self) -> str | None:
        return self._image("favicon")

    new_project_guidelines = attr()
    profile_image_guidelines = attr()
    header_message = attr()
    footer_message = attr()
    message_background_color = attr()
    message_font_color = attr()
    email_header_and_footer_enabled = attr()

    def _image(self, name: str) -> str | None:
        id_ = getattr(self.record, name)
        file = self.ctx.world.files.get(id_) if id_ is not None else None
        return f"{SYSTEM}/{appearances.KIND}/{name}/{self.record.id}/{quote(file.filename)}" if file else None


class FeatureView(Entity[Feature]):
    """A feature with its open gates; the first one, for everybody, is always shown."""

    # A feature without gates is not stored, and has no id.
    cached_by_id = False

    name = attr()
    state = attr()

    @computed
    def gates(self) -> list[dict[str, Any]]:
        feature = self.record
        actors = [
            *(f"User:{id_}" for id_ in feature.user_ids),
            *(f"Group:{id_}" for id_ in feature.group_ids),
            *(f"Project:{id_}" for id_ in feature.project_ids),
        ]
        optional = {
            "groups": list(feature.feature_groups),
            "actors": actors,
            "percentage_of_actors": feature.percentage_of_actors,
            "percentage_of_time": feature.percentage_of_time,
        }
        gates = [{"key": key, "value": value} for key, value in optional.items() if value]
        return [{"key": "boolean", "value": feature.enabled}, *gates]

    definition = constant(None, str | None, when=since("14.0"))
