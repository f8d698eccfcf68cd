"""Webhooks about pushes. Source: docs/platform/webhooks.md ('3.4 Pushes')."""

from collections.abc import Iterator, Sequence

from fakeplat.domain.hooks import events, triggers, webhooks
from fakeplat.model.repository import BRANCHES, TAGS, ZERO_SHA, Push
from fakeplat.policy.context import WriteContext

_Change = tuple[bool, bool, bool]
"""Whether a push concerns a tag, creates its ref, and removes it."""


def execute_pushes(ctx: WriteContext, pushes: Sequence[Push]) -> None:
    """Send the events of one push: branches first, then tags, then all of it to system hooks."""
    visible = [push for push in pushes if push.ref.startswith((BRANCHES, TAGS))]
    if not visible:
        return
    for push in _list_announced(visible, ctx.world.settings.push_event_hooks_limit):
        _execute(ctx, push)
    project = ctx.world.projects[visible[0].project_id]
    webhooks.execute_of_instance(ctx, events.REPOSITORY_UPDATE, project, visible)


def _list_announced(pushes: Sequence[Push], limit: int) -> Iterator[Push]:
    """Yield the refs that are announced one by one: those with the same fate, unless there are too many."""
    groups: dict[_Change, list[Push]] = {}
    # Sorting is stable: within branches and tags, the order of the push stays.
    for push in sorted(pushes, key=lambda push: push.ref.startswith(TAGS)):
        groups.setdefault(_classify(push), []).append(push)
    for group in groups.values():
        if len(group) <= limit:
            yield from group


def _classify(push: Push) -> _Change:
    return push.ref.startswith(TAGS), push.before == ZERO_SHA, push.after == ZERO_SHA


def _execute(ctx: WriteContext, push: Push) -> None:
    event = events.TAG_PUSH if push.ref.startswith(TAGS) else events.PUSH
    project = ctx.world.projects[push.project_id]
    triggers.execute(ctx, project, event, project, push)
