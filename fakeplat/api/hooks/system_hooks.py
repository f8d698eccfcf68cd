"""System hooks, which administrators manage. Source: docs/platform/webhooks.md."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final

from fakeplat.api.hooks.hooks import NewerHookAttributes, VariableValue
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login, Reading
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.hooks import events, hooks, webhooks
from fakeplat.domain.purging import purge
from fakeplat.entities.hooks import SystemHookView
from fakeplat.model.hooks import Hook
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import SYSTEM_HOOKS_ARE_READ, SYSTEM_HOOKS_ARE_RECORDS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("System hooks", login=Login.ALWAYS, located_first=True)
_ADMIN: Final = Ability.ADMIN_SYSTEM_HOOKS
_ONE: Final = "hooks/:hook_id"
_HOOK: Final = NO_SCOPE / Segment(
    _ONE, kind="integer", locate=lambda ctx, id_: hooks.get_hook(ctx.world, None, id_), word="hook"
)


class CommonSystemHookAttributes(NewerHookAttributes):
    """What system hooks have beside the URL."""

    token: str | None = None
    push_events: bool | None = None
    tag_push_events: bool | None = None
    merge_requests_events: bool | None = None
    repository_update_events: bool | None = None
    enable_ssl_verification: bool | None = None
    push_events_branch_filter: Annotated[str | None, Lifetime(since="<=18.9")] = None


class SystemHookAttributes(CommonSystemHookAttributes):
    """A system hook."""

    url: str


class SystemHookChanges(CommonSystemHookAttributes):
    """Changes of a system hook."""

    url: str | None = None


@area.operation("GET", "hooks", ability=_ADMIN, params=Paged, view=SystemHookView, many=True)
def list_system_hooks(ctx: ReadContext) -> Sequence[Hook]:
    """List the system hooks."""
    return hooks.list_hooks(ctx.world, None)


@area.operation("POST", "hooks", ability=_ADMIN, params=SystemHookAttributes, view=SystemHookView, refusals=(400, 422))
def create_system_hook(ctx: WriteContext, p: SystemHookAttributes) -> Hook:
    """Add a system hook."""
    return hooks.create(ctx, None, **p.hook_fields())


def _plan_sample(ctx: ReadContext, records: Sequence[Hook], _p: Params) -> Callable[[WriteContext], None] | None:
    """Return a function that sends the sample, in the releases whose GET does so."""
    if ctx.profile.has(SYSTEM_HOOKS_ARE_READ):
        return None
    hook = records[0]
    return lambda write_ctx: webhooks.send(write_ctx, hook, events.SYSTEM_TRIGGER, webhooks.build_system_sample())


@area.operation(
    "GET",
    "",
    name="test_system_hook",
    scope=_HOOK,
    ability=_ADMIN,
    view=SystemHookView,
    reading=Reading(effect=_plan_sample),
)
def get_system_hook(ctx: ReadContext, hook: Hook) -> Hook | dict[str, Any]:
    """Get a system hook; earlier releases send a sample to it, and return that."""
    if ctx.profile.has(SYSTEM_HOOKS_ARE_READ):
        return hook
    ctx.expire_at_once()
    return webhooks.build_system_sample()


@area.operation("POST", "", name="trigger_system_hook", scope=_HOOK, ability=_ADMIN, since="<=15.4")
def trigger_system_hook(ctx: WriteContext, hook: Hook) -> dict[str, Any]:
    """Send a sample to a system hook, and return it."""
    sample = webhooks.build_system_sample()
    webhooks.send(ctx, hook, events.SYSTEM_TRIGGER, sample)
    return sample


@area.operation(
    "PUT",
    "",
    name="update_system_hook",
    scope=_HOOK,
    ability=_ADMIN,
    params=SystemHookChanges,
    view=SystemHookView,
    since="17.1",
    refusals=(422,),
)
def update_system_hook(ctx: WriteContext, hook: Hook, p: SystemHookChanges) -> Hook:
    """Update a system hook."""
    return hooks.update(ctx, hook, **p.hook_fields())


_URL_VARIABLE: Final = "url_variables/:key"
_CUSTOM_HEADER: Final = "custom_headers/:key"
_VARIABLES: Final[dict[str, Any]] = {"scope": _HOOK, "ability": _ADMIN, "since": "<=18.9"}


@area.operation("PUT", _URL_VARIABLE, params=VariableValue, status=204, refusals=(422,), **_VARIABLES)
def update_hook_url_variable(ctx: WriteContext, hook: Hook, key: str, p: VariableValue) -> None:
    """Set a variable of the URL of a system hook."""
    hooks.set_variable(ctx, hook, "url_variables", key, p.value)


@area.operation("DELETE", _URL_VARIABLE, refusals=(404, 422), **_VARIABLES)
def delete_hook_url_variable(ctx: WriteContext, hook: Hook, key: str) -> None:
    """Delete a variable of the URL of a system hook."""
    hooks.delete_variable(ctx, hook, "url_variables", key)


@area.operation("PUT", _CUSTOM_HEADER, params=VariableValue, status=204, refusals=(422,), **_VARIABLES)
def update_hook_custom_header(ctx: WriteContext, hook: Hook, key: str, p: VariableValue) -> None:
    """Set a header of the requests of a system hook."""
    hooks.set_variable(ctx, hook, "custom_headers", key, p.value)


@area.operation("DELETE", _CUSTOM_HEADER, refusals=(404,), **_VARIABLES)
def delete_hook_custom_header(ctx: WriteContext, hook: Hook, key: str) -> None:
    """Delete a header of the requests of a system hook."""
    hooks.delete_variable(ctx, hook, "custom_headers", key)


@area.operation("DELETE", _ONE, ability=_ADMIN, refusals=(404, 412))
def delete_system_hook(ctx: WriteContext, hook_id: int) -> None:
    """Delete a system hook."""
    try:
        hook = hooks.get_hook(ctx.world, None, hook_id)
    except RecordNotFound as refusal:
        if ctx.profile.has(SYSTEM_HOOKS_ARE_RECORDS):
            raise
        raise NotFound("System hook", reason=refusal.why) from None
    ctx.check_unmodified_since(hook.updated_at)
    purge(ctx, hook)
