"""Webhooks of projects and groups, and system hooks."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import build_fields, fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.hooks import hooks
from fakeplat.domain.people.members import Container
from fakeplat.model.hooks import Hook
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, EntryData, Section
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields(Hook, without=("id", "source"))
_OF_SYSTEM_HOOKS: Final = (
    "url",
    "created_at",
    "updated_at",
    "token",
    "enable_ssl_verification",
    "push_events",
    "tag_push_events",
    "merge_requests_events",
    "repository_update_events",
    "branch_filter_strategy",
    "custom_webhook_template",
    "url_variables",
    "custom_headers",
)
_SYSTEM_FIELDS: Final = {name: shape for name, shape in _FIELDS.items() if name in _OF_SYSTEM_HOOKS}
_HOOK_FIELDS: Final = {name: shape for name, shape in _FIELDS.items() if name != "repository_update_events"}


def _create(entry: Entry) -> Hook:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return hooks.create(entry.ctx, entry.owner, **{**times, **build_fields(Hook, entry.select(_FIELDS))})


def _export(world: World, owner: Container | None) -> Iterable[tuple[Hook, EntryData]] | None:
    return [(hook, _serialize(hook)) for hook in hooks.list_hooks(world, owner)] or None


def _serialize(hook: Hook) -> EntryData:
    data = serialization.non_default_fields(hook, _FIELDS)
    return serialization.remove_defaults(data, updated_at=hook.created_at)


def _export_system_hooks(world: World, _owner: Any) -> Iterable[tuple[Hook, EntryData]] | None:
    always = ("push_events", "repository_update_events")
    rows = [
        (hook, serialization.non_default_fields(hook, _SYSTEM_FIELDS, always)) for hook in hooks.list_hooks(world, None)
    ]
    return [
        (
            hook,
            serialization.remove_defaults(
                data, updated_at=hook.created_at, push_events=False, repository_update_events=True
            ),
        )
        for hook, data in rows
    ] or None


SECTION: Final = Section(
    "hooks",
    within=("group", "project"),
    rank=FURTHER,
    keys=Object(_HOOK_FIELDS, required=("url",)),
    create=_create,
    export=_export,
)
SYSTEM_HOOKS: Final = Section(
    "system_hooks",
    within=(SCENARIO,),
    rank=FURTHER,
    keys=Object(_SYSTEM_FIELDS, required=("url",)),
    create=_create,
    export=_export_system_hooks,
)
