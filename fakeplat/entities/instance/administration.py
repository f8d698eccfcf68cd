"""What administrators see: features, statistics, messages, audit events.

Source: docs/platform/version-and-metadata.md.
"""

from typing import Any, Final, cast
from urllib.parse import quote

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.instance import appearances
from fakeplat.domain.instance.feature_definitions import DEFINITIONS, FeatureDefinition
from fakeplat.entities.urls import SYSTEM
from fakeplat.model.activity import AuditEvent
from fakeplat.model.instance import OPTED_OUT, Appearance, BatchedMigration, BroadcastMessage, Feature
from fakeplat.policy.context import ReadContext


class AppearanceView(Entity[Appearance]):
    """The appearance. Images are paths from the root."""

    ctx: ReadContext

    title = attr()
    pwa_name = attr(since="<=16.5")
    pwa_short_name = attr(since="<=16.5")
    description = attr()
    pwa_description = attr(since="<=16.5")

    @computed
    def logo(self) -> str | None:
        return self._image("logo")

    @computed_if(since="<=16.5")
    def pwa_icon(self) -> str | None:
        return self._image("pwa_icon")

    @computed
    def header_logo(self) -> str | None:
        return self._image("header_logo")

    @computed
    def favicon(self) -> str | None:
        return self._image("favicon")

    new_project_guidelines = attr()
    member_guidelines = attr(since="<=17.11")
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


class FeatureDefinitionView(Entity[FeatureDefinition]):
    """What the platform says of one of its features."""

    # Definitions are not stored, and have no ids.
    cached_by_id = False

    name = attr()
    introduced_by_url = attr()
    rollout_issue_url = attr()
    milestone = attr()
    log_state_changes = attr()
    type = attr()
    group = attr()
    default_enabled = attr()


_ORGANIZATION: Final = "Organizations::Organization"
_ORGANIZATION_ID: Final = 1
_KINDS: Final = {
    "User": "user_ids",
    "Group": "group_ids",
    "Project": "project_ids",
    "Namespaces::UserNamespace": "namespace_ids",
    "Repository": "repositories",
    "Ci::Runner": "runner_ids",
    _ORGANIZATION: "organizations",
}
"""The fields of a feature that name actors, by the class that the platform shows before their ids."""


class FeatureView(Entity[Feature]):
    """A feature with its open gates; the first one, for everybody, is always shown."""

    # A feature without gates is not stored, and has no id.
    cached_by_id = False

    ctx: ReadContext

    name = attr()
    state = attr()

    @computed
    def gates(self) -> list[dict[str, Any]]:
        feature = self.record
        actors = [
            f"{kind}:{_ORGANIZATION_ID if kind == _ORGANIZATION else actor}{suffix}"
            for prefix, suffix in (("", ""), (OPTED_OUT, ":opt_out"))
            for kind, field in _KINDS.items()
            for actor in getattr(feature, f"{prefix}{field}")
        ]
        optional = {
            "groups": list(feature.feature_groups),
            "actors": actors,
            "percentage_of_actors": feature.percentage_of_actors,
            "percentage_of_time": feature.percentage_of_time,
        }
        gates = [{"key": key, "value": value} for key, value in optional.items() if value]
        return [{"key": "boolean", "value": feature.enabled}, *gates]

    @computed_if(since="14.0")
    def definition(self) -> FeatureDefinitionView | None:
        found = DEFINITIONS.get(self.record.name)
        return cast(FeatureDefinitionView | None, self.ctx.render(FeatureDefinitionView, found))


class BroadcastMessageView(Entity[BroadcastMessage]):
    """A broadcast message, which everybody sees."""

    ctx: ReadContext

    id = attr()
    message = attr()
    starts_at = attr()
    ends_at = attr()
    color = attr()
    font = attr()
    target_access_levels = attr(since="14.8")
    target_path = attr()
    broadcast_type = attr()
    theme = attr(since="<=17.11")
    dismissable = attr()

    @computed
    def active(self) -> bool:
        started = self.ctx.has_passed(from_iso(self.record.starts_at))
        # The end is inclusive: the message is over one millisecond later.
        ended = self.ctx.has_passed(from_iso(self.record.ends_at) + 1)
        return started and not ended


_CHANGED: Final = ("from", "to")


class AuditEventView(Entity[AuditEvent]):
    """An audit event."""

    id = attr()
    author_id = attr()
    entity_id = attr()
    entity_type = attr()

    @computed
    def details(self) -> dict[str, Any]:
        details = dict(self.record.details)
        # What changed is always shown as text.
        return {**details, **{name: _as_text(details[name]) for name in _CHANGED if name in details}}

    created_at = attr()


def _as_text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


class BatchedMigrationView(Entity[BatchedMigration]):
    """A migration that changes the rows of a table in batches."""

    id = attr()
    job_class_name = attr()
    table_name = attr()
    status = attr()
    progress = attr()
    created_at = attr()
    estimated_time_remaining = attr(since="18.9")
