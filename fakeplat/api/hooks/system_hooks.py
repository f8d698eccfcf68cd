"""System hooks, which administrators manage. Source: docs/platform/webhooks.md."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from fakeplat.api.hooks.hooks import NewerHookAttributes
from fakeplat.core.operations.errors import NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Params
from fakeplat.domain.hooks import events, hooks, webhooks
from fakeplat.domain.purging import purge
from fakeplat.entities.hooks import SystemHookView
from fakeplat.model.hooks import Hook
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("System hooks", login=Login.ALWAYS, located_first=True)
_ADMIN: Final = Ability.ADMIN_SYSTEM_HOOKS
_ONE: Final = "hooks/:hook_id"
_HOOK: Final = NO_SCOPE / Segment(
    _ONE, kind="integer", locate=lambda ctx, id_: hooks.get_hook(ctx.world, None, id_), word="hook"
)


class SystemHookAttributes(NewerHookAttributes):
    """A system hook."""

    url: str
    token: str | None = None
    push_events: bool | None = None
    tag_push_events: bool | None = None
    merge_requests_events: bool | None = None
    repository_update_events: bool | None = None
    enable_ssl_verification: bool | None = None


@area.operation("GET", "hooks", ability=_ADMIN, params=Paged, view=SystemHookView, many=True)
def list_system_hooks(ctx: ReadContext) -> Sequence[Hook]:
    """List the system hooks."""
    return hooks.list_hooks(ctx.world, None)


@area.operation("POST", "hooks", ability=_ADMIN, params=SystemHookAttributes, view=SystemHookView, refusals=(400,))
def create_system_hook(ctx: WriteContext, p: SystemHookAttributes) -> Hook:
    """Add a system hook."""
    return hooks.create(ctx, None, **p.hook_fields())


def _plan_sample(_ctx: ReadContext, records: Sequence[Hook], _p: Params) -> Callable[[WriteContext], None]:
    """Return a function that sends the sample."""
    hook = records[0]
    return lambda write_ctx: webhooks.send(write_ctx, hook, events.SYSTEM_TRIGGER, webhooks.build_system_sample())


# A GET that sends: later releases have a POST for it.
@area.operation("GET", "", name="test_system_hook", scope=_HOOK, ability=_ADMIN, read_effect=_plan_sample)
def send_system_hook_test(ctx: ReadContext, _hook: Hook) -> dict[str, Any]:
    """Send a sample to a system hook, and return it."""
    ctx.expire_at_once()
    return webhooks.build_system_sample()


@area.operation("DELETE", _ONE, ability=_ADMIN, refusals=(404, 412))
def delete_system_hook(ctx: WriteContext, hook_id: int) -> None:
    """Delete a system hook."""
    try:
        hook = hooks.get_hook(ctx.world, None, hook_id)
    except RecordNotFound as refusal:
        raise NotFound("System hook", reason=refusal.why) from None
    ctx.check_unmodified_since(hook.updated_at)
    purge(ctx, hook)
