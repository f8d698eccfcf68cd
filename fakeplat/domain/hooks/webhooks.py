"""Who gets an event by a webhook, and the requests that bring it.

Source: docs/platform/webhooks.md ('3.5 Receivers', '3.6 Delivery').
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from fakeplat.core.regexps import compile_regexp
from fakeplat.core.release import parse_release
from fakeplat.domain.hooks import hooks
from fakeplat.domain.hooks.triggers import Payload, Trigger, is_silent
from fakeplat.domain.repository import protection
from fakeplat.model.hooks import SYSTEM, Hook
from fakeplat.model.namespaces import Group
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.features import has_feature
from fakeplat.policy.levels import ancestors

SYSTEM_TRIGGER: Final = "system_hooks"
FLAGS: Final[Mapping[str, str]] = {
    "push_hooks": "push_events",
    "tag_push_hooks": "tag_push_events",
    "issue_hooks": "issues_events",
    "confidential_issue_hooks": "confidential_issues_events",
    "note_hooks": "note_events",
    "confidential_note_hooks": "confidential_note_events",
    "merge_request_hooks": "merge_requests_events",
    "job_hooks": "job_events",
    "pipeline_hooks": "pipeline_events",
    "wiki_page_hooks": "wiki_page_events",
    "deployment_hooks": "deployment_events",
    "feature_flag_hooks": "feature_flag_events",
    "release_hooks": "releases_events",
    "member_hooks": "member_events",
    "subgroup_hooks": "subgroup_events",
    "repository_update_hooks": "repository_update_events",
}
"""The flags by which webhooks get events."""
_OF_SYSTEM_HOOKS: Final = ("push_hooks", "tag_push_hooks", "merge_request_hooks", "repository_update_hooks")
_EVERY_SYSTEM_HOOK: Final = ""
# Tags in a text must not end a script in which a page shows it.
_ESCAPED: Final = ((b"&", b"\\u0026"), (b"<", b"\\u003c"), (b">", b"\\u003e"))
_LINE_BREAKS: Final = re.compile(r"[\r\n]")


class _Webhooks:
    """The webhooks of projects, of the instance and of groups, as receivers of a project's events."""

    def wants(self, world: World, project: Project, trigger: Trigger) -> bool:
        """Return whether any webhook may get an event of a project."""
        # Asked for each event of each world, nearly all of which have no webhook.
        return bool(world.hooks.all_ids()) and next(_list_receivers(world, project, trigger), None) is not None

    def receive(self, ctx: WriteContext, project: Project, trigger: Trigger, payload: Payload) -> None:
        """Send an event to the webhooks that get it."""
        _send_to_all(ctx, _list_receivers(ctx.world, project, trigger, str(payload.get("ref"))), trigger, payload)


WEBHOOK_RECEIVERS: Final = _Webhooks()


def _list_receivers(world: World, project: Project, trigger: Trigger, ref: str | None = None) -> Iterator[Hook]:
    """Yield the webhooks that get an event of a project; without a ``ref``, branch filters are ignored."""
    for hook in _select(world, ("project", project.id), trigger):
        if trigger != "push_hooks" or ref is None or _passes_filter(hook, ref):
            yield hook
    if trigger in _OF_SYSTEM_HOOKS:
        yield from _select(world, SYSTEM, trigger)
    if has_feature(world, "premium", project):
        yield from _list_hooks_above(world, project.namespace_id, trigger)


def _list_hooks_above(world: World, namespace_id: int | None, trigger: str) -> Iterator[Hook]:
    """Yield the webhooks of a group and of those above it that get an event, by their ids."""
    groups = [group for group in ancestors(world, namespace_id) if isinstance(group, Group)]
    found = [hook for group in groups for hook in _select(world, ("group", group.id), trigger)]
    yield from sorted(found, key=lambda hook: hook.id)


def _select(world: World, source: tuple[str, int] | str, trigger: str) -> Iterator[Hook]:
    flag = FLAGS.get(trigger)
    for hook in world.hooks.where("source", source):
        if trigger == _EVERY_SYSTEM_HOOK or (flag is not None and getattr(hook, flag)):
            yield hook


def _passes_filter(hook: Hook, ref: str) -> bool:
    pattern, branch = hook.push_events_branch_filter, ref.removeprefix(BRANCHES)
    if not pattern or hook.branch_filter_strategy == "all_branches":
        return True
    if hook.branch_filter_strategy == "regex":
        return compile_regexp(pattern).is_in(branch)
    return protection.matches(pattern, branch)


def execute_of_group(ctx: WriteContext, group: Group, trigger: str, build: Callable[[], Payload]) -> None:
    """Send an event of a group to the webhooks of the group and of those above it (premium)."""
    if is_silent(ctx) or not has_feature(ctx.world, "premium", group):
        return
    receivers = list(_list_hooks_above(ctx.world, group.id, trigger))
    if receivers:
        _send_to_all(ctx, receivers, trigger, build())


def execute_of_system(ctx: WriteContext, build: Callable[[], Payload], trigger: str = _EVERY_SYSTEM_HOOK) -> None:
    """Send an event of the instance to all system hooks, or to those with the flag of a trigger."""
    if is_silent(ctx):
        return
    receivers = list(_select(ctx.world, SYSTEM, trigger))
    if receivers:
        _send_to_all(ctx, receivers, SYSTEM_TRIGGER, build())


def _send_to_all(ctx: WriteContext, receivers: Iterable[Hook], trigger: str, payload: Payload) -> None:
    body = _encode(payload)
    for hook in receivers:
        ctx.send(_build_request(ctx, hook, SYSTEM_TRIGGER if hook.kind == "system" else trigger, body))


def send(ctx: WriteContext, hook: Hook, trigger: str, payload: Payload) -> None:
    """Send an event to one webhook, whatever its flags are."""
    _send_to_all(ctx, [hook], trigger, payload)


def _encode(payload: Payload) -> bytes:
    body = orjson.dumps(payload)
    for sign, escape in _ESCAPED:
        body = body.replace(sign, escape)
    return body


def _build_request(ctx: WriteContext, hook: Hook, trigger: str, body: bytes) -> OutgoingRequest:
    return OutgoingRequest(
        receiver=("hook", hook.id),
        trigger=trigger,
        url=_fill_in_variables(hook),
        body=body,
        headers=dict(_headers(ctx, hook, trigger)),
        verifies_tls=hook.enable_ssl_verification,
        blocked=_explain_blocked_request(ctx.world, hook),
    )


def _fill_in_variables(hook: Hook) -> str:
    url = hook.url
    for variable in hook.url_variables:
        url = url.replace(f"{{{variable.key}}}", variable.value)
    return url


def _headers(ctx: WriteContext, hook: Hook, trigger: str) -> Iterator[tuple[str, str]]:
    yield "Content-Type", "application/json"
    yield "User-Agent", f"GitLab/{ctx.instance.version}"
    yield "X-Gitlab-Event", event_name(trigger)
    if hook.token:
        yield "X-Gitlab-Token", _LINE_BREAKS.sub("", hook.token)
    for name, since, value in _NEWER_HEADERS:
        if ctx.instance.release >= parse_release(since):
            yield name, value(ctx)
    for header in hook.custom_headers:
        yield header.key, _LINE_BREAKS.sub("", header.value)


def _new_uuid(ctx: WriteContext) -> str:
    digits = ctx.random_hex("webhook", 16)
    return "-".join((digits[:8], digits[8:12], f"4{digits[13:16]}", f"a{digits[17:20]}", digits[20:]))


_NEWER_HEADERS: Final[tuple[tuple[str, str, Callable[[WriteContext], str]], ...]] = (
    ("X-Gitlab-Event-UUID", "14.8", _new_uuid),
    ("X-Gitlab-Instance", "15.5", lambda ctx: ctx.origin),
    ("X-Gitlab-Webhook-UUID", "16.2", _new_uuid),
    ("Idempotency-Key", "17.4", _new_uuid),
)
"""Headers of later releases: name, the first release that sends it, value."""


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
