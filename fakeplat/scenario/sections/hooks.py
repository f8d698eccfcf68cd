"""Webhooks of projects and groups, and system hooks."""

from typing import Final

from fakeplat.domain.hooks import hooks
from fakeplat.model.hooks import Hook
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import SCENARIO

_FIELDS: Final = own_fields(Hook)
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


HOOKS: Final = derive_section(
    "hooks", Hook, within=("group", "project"), keys=_HOOK_FIELDS, required=("url",), add=hooks.create
)
SYSTEM_HOOKS: Final = derive_section(
    "system_hooks",
    Hook,
    within=(SCENARIO,),
    keys=_SYSTEM_FIELDS,
    required=("url",),
    add=lambda ctx, **values: hooks.create(ctx, None, **values),
    rows=lambda world, _: hooks.list_hooks(world, None),
    always=("push_events", "repository_update_events"),
    defaults=lambda _: {"push_events": False, "repository_update_events": True},
)
