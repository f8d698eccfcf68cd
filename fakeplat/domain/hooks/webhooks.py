"""Who gets an event by a webhook, and the requests that bring it.

Source: docs/platform/webhooks.md ('3.5 Receivers', '3.6 Delivery').
"""

import hmac
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, ParamSpec

from attrs import evolve

from fakeplat.core.operations.http_messages import dump_json
from fakeplat.core.regexps import compile_regexp
from fakeplat.core.release import Behaviour
from fakeplat.core.timestamps import SECOND
from fakeplat.domain.hooks import hooks
from fakeplat.domain.hooks.custom_templates import fill_template
from fakeplat.domain.hooks.events import PUSH, SYSTEM_TRIGGER, HookEvent, Payload, is_silent
from fakeplat.domain.repository import protection
from fakeplat.model.hooks import SYSTEM, Hook
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    EVENT_UUID_HEADER,
    IDEMPOTENCY_KEY_HEADER,
    INSTANCE_HEADER,
    WEBHOOK_UUID_HEADER,
    WEBHOOKS_ARE_SIGNED,
)
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

P = ParamSpec("P")
# Tags in a text must not end a script in which a page shows it.
_ESCAPED: Final = ((b"&", b"\\u0026"), (b"<", b"\\u003c"), (b">", b"\\u003e"))
_IDEMPOTENCY_KEY: Final = "Idempotency-Key"
_LINE_BREAKS: Final = re.compile(r"[\r\n]")


class _Webhooks:
    """The webhooks of projects, of the instance and of groups, as receivers of a project's events."""

    def wants(self, world: World, project: Project, event: HookEvent[...]) -> bool:
        """Return whether any webhook may get an event of a project."""
        # Asked for each event of each world, nearly all of which have no webhook.
        return bool(world.hooks) and next(_list_receivers(world, project, event), None) is not None

    def receive(self, ctx: WriteContext, project: Project, event: HookEvent[...], payload: Payload) -> None:
        """Send an event to the webhooks that get it."""
        receivers = _list_receivers(ctx.world, project, event, str(payload.get("ref")))
        _send_to_all(ctx, receivers, event.trigger, payload)


WEBHOOK_RECEIVERS: Final = _Webhooks()


def _list_receivers(world: World, project: Project, event: HookEvent[...], ref: str | None = None) -> Iterator[Hook]:
    """Yield the webhooks that get an event of a project; without a ``ref``, branch filters are ignored."""
    for hook in _select(world, ("project", project.id), event):
        if event is not PUSH or ref is None or _passes_filter(hook, ref):
            yield hook
    yield from _select(world, SYSTEM, event)
    if has_feature(world, "premium", project):
        yield from _list_hooks_above(world, project.namespace_id, event)


def _list_hooks_above(world: World, namespace_id: int | None, event: HookEvent[...]) -> Iterator[Hook]:
    """Yield the webhooks of a group and of those above it that get an event, by their ids."""
    groups = [group for group in ancestors(world, namespace_id) if isinstance(group, Group)]
    found = [hook for group in groups for hook in _select(world, ("group", group.id), event)]
    yield from sorted(found, key=lambda hook: hook.id)


def _select(world: World, source: tuple[str, int] | str, event: HookEvent[...]) -> Iterator[Hook]:
    """Yield the webhooks of a source that have the flag of an event, if their kind has it at all."""
    for hook in world.hooks.where("source", source):
        if hook.kind in event.kinds and getattr(hook, event.flag):
            yield hook


def _passes_filter(hook: Hook, ref: str) -> bool:
    pattern, branch = hook.push_events_branch_filter, ref.removeprefix(BRANCHES)
    if not pattern or hook.branch_filter_strategy == "all_branches":
        return True
    if hook.branch_filter_strategy == "regex":
        return compile_regexp(pattern).is_in(branch)
    return protection.matches(pattern, branch)


def execute_of_group(ctx: WriteContext, group: Group, event: HookEvent[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Send an event of a group to the webhooks of the group and of those above it (premium)."""
    is_sent = ctx.profile.has(event.lifetime) and has_feature(ctx.world, "premium", group)
    receivers = list(_list_hooks_above(ctx.world, group.id, event)) if is_sent and not is_silent(ctx) else []
    if receivers:
        _send_to_all(ctx, receivers, event.trigger, event.build_payload(ctx, *args, **kwargs))


def execute_of_instance(ctx: WriteContext, event: HookEvent[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Send an event to the system hooks that have its flag."""
    receivers = [] if is_silent(ctx) else list(_select(ctx.world, SYSTEM, event))
    if receivers:
        _send_to_all(ctx, receivers, SYSTEM_TRIGGER, event.build_payload(ctx, *args, **kwargs))


def execute_system_event(ctx: WriteContext, build: Callable[[], Payload]) -> None:
    """Send a system event, which no flag asks for, to all system hooks."""
    receivers = [] if is_silent(ctx) else ctx.world.hooks.where("source", SYSTEM)
    if receivers:
        _send_to_all(ctx, receivers, SYSTEM_TRIGGER, build())


def _send_to_all(ctx: WriteContext, receivers: Iterable[Hook], trigger: str, payload: Payload) -> None:
    body = _encode(payload)
    for hook in receivers:
        name = SYSTEM_TRIGGER if hook.kind == "system" else trigger
        ctx.send(_build_request(ctx, hook, name, body, payload))


def send(ctx: WriteContext, hook: Hook, trigger: str, payload: Payload) -> None:
    """Send an event to one webhook, whatever its flags are."""
    _send_to_all(ctx, [hook], trigger, payload)


def send_again(ctx: WriteContext, hook: Hook, earlier: OutgoingRequest, payload: Payload) -> None:
    """Send an event to a webhook again, under the key by which its receiver knows that it is the same."""
    # What is logged was made by the template already.
    plain = evolve(hook, custom_webhook_template=None)
    key = earlier.headers.get(_IDEMPOTENCY_KEY, "")
    ctx.send(_build_request(ctx, plain, earlier.trigger, _encode(payload), payload, key))


def _encode(payload: Payload) -> bytes:
    body = dump_json(payload)
    for sign, escape in _ESCAPED:
        body = body.replace(sign, escape)
    return body


def _build_request(
    ctx: WriteContext, hook: Hook, trigger: str, body: bytes, payload: Payload, key: str = ""
) -> OutgoingRequest:
    """Return the request that brings an event; with a ``key``, it is that of an earlier one."""
    blocked = _explain_blocked_request(ctx.world, hook)
    if hook.custom_webhook_template:
        try:
            body = _encode(fill_template(hook.custom_webhook_template, payload))
        except ValueError as error:
            body, blocked = b"{}", f"Error while parsing rendered custom webhook template: {error}"
    return OutgoingRequest(
        receiver=("hook", hook.id),
        trigger=trigger,
        url=fill_in_variables(hook),
        body=body,
        headers=dict(_headers(ctx, hook, trigger, body, key)),
        verifies_tls=hook.enable_ssl_verification,
        blocked=blocked,
        logged_url=hook.url,
    )


def fill_in_variables(hook: Hook) -> str:
    """Return the URL of a webhook with the values of its variables."""
    url = hook.url
    for variable in hook.url_variables:
        url = url.replace(f"{{{variable.key}}}", variable.value)
    return url


def _headers(ctx: WriteContext, hook: Hook, trigger: str, body: bytes, key: str) -> Iterator[tuple[str, str]]:
    yield "Content-Type", "application/json"
    yield "User-Agent", f"GitLab/{ctx.instance.version}"
    yield "X-Gitlab-Event", event_name(trigger)
    if hook.token:
        yield "X-Gitlab-Token", _LINE_BREAKS.sub("", hook.token)
    key = key or _new_uuid(ctx)
    for name, behaviour, value in _NEWER_HEADERS:
        if ctx.profile.has(behaviour):
            yield name, key if name == _IDEMPOTENCY_KEY else value(ctx)
    if ctx.profile.has(WEBHOOKS_ARE_SIGNED):
        yield from sign(hook.signing_token, key, ctx.now() // SECOND, body)
    for header in hook.custom_headers:
        yield header.key, _LINE_BREAKS.sub("", header.value)


def _new_uuid(ctx: WriteContext) -> str:
    return ctx.random_uuid("webhook")


def sign(token: str | None, key: str, timestamp: int, body: bytes) -> Iterator[tuple[str, str]]:
    """Yield the headers of Standard Webhooks; without a token there is no signature."""
    yield "webhook-id", key
    yield "webhook-timestamp", str(timestamp)
    if token:
        content = b"%s.%d.%s" % (key.encode(), timestamp, body)
        digest = hmac.new(b64decode(token.partition("_")[2]), content, "sha256").digest()
        yield "webhook-signature", f"v1,{b64encode(digest).decode()}"


_NEWER_HEADERS: Final[tuple[tuple[str, Behaviour, Callable[[WriteContext], str]], ...]] = (
    ("X-Gitlab-Event-UUID", EVENT_UUID_HEADER, _new_uuid),
    ("X-Gitlab-Instance", INSTANCE_HEADER, lambda ctx: ctx.origin),
    ("X-Gitlab-Webhook-UUID", WEBHOOK_UUID_HEADER, _new_uuid),
    (_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_HEADER, _new_uuid),
)
"""Headers of later releases: name, what makes them, value."""
SHOWN_HEADERS: Final = frozenset(
    ("Content-Type", "User-Agent", "X-Gitlab-Event", *(name for name, _, _ in _NEWER_HEADERS))
)
"""The headers whose values the platform's log shows; the others are the token and those that users choose."""


def event_name(trigger: str) -> str:
    """Return the name of an event in the header: ``Merge Request Hook`` for ``merge_request_hooks``."""
    return trigger.removesuffix("s").replace("_", " ").title()


def _explain_blocked_request(world: World, hook: Hook) -> str:
    """Return why a request is not sent; empty if it is. Settings may have changed since the webhook was saved."""
    reason = hooks.explain_blocked_url(world, hook)
    return f"URL '{hook.url}' is blocked: {reason}" if reason else ""


def build_system_sample() -> dict[str, Any]:
    """Return what the test of a system hook sends."""
    return {
        "event_name": "project_create",
        "name": "Ruby",
        "path": "ruby",
        "project_id": 1,
        "owner_name": "Someone",
        "owner_email": "example@gitlabhq.com",
    }
