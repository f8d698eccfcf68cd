"""Webhooks about pushes. Source: docs/platform/webhooks.md ('3.4 Pushes')."""

from collections.abc import Iterator, Sequence
from typing import Final

from fakeplat.domain.hooks import triggers, webhooks
from fakeplat.model.repositories import BRANCHES, TAGS, ZERO_SHA, Push
from fakeplat.policy.context import WriteContext

REPOSITORY_UPDATE: Final = "repository_update_hooks"
_Change = tuple[str, str]


def execute_pushes(ctx: WriteContext, pushes: Sequence[Push]) -> None:
    """Send the events of one push: branches first, then tags, then all of it to system hooks."""
    visible = [push for push in pushes if push.ref.startswith((BRANCHES, TAGS))]
    if not visible:
        return
    for push in _list_announced(visible, ctx.world.settings.push_event_hooks_limit):
        _execute(ctx, push)
    webhooks.execute_of_system(ctx, lambda: _build_repository_update(ctx, visible), REPOSITORY_UPDATE)


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
    kind = TAGS if push.ref.startswith(TAGS) else BRANCHES
    return kind, "created" if push.before == ZERO_SHA else "removed" if push.after == ZERO_SHA else "pushed"


def _execute(ctx: WriteContext, push: Push) -> None:
    project = ctx.world.projects[push.project_id]
    is_tag = push.ref.startswith(TAGS)

    def build() -> triggers.Payload:
        from fakeplat.domain.hooks.payloads import pushes as payloads

        return (payloads.build_tag_push if is_tag else payloads.build_push)(ctx, project, push)

    triggers.execute(ctx, project, "tag_push_hooks" if is_tag else "push_hooks", build)


def _build_repository_update(ctx: WriteContext, pushes: Sequence[Push]) -> triggers.Payload:
    from fakeplat.domain.hooks.payloads.pushes import build_repository_update

    return build_repository_update(ctx, ctx.world.projects[pushes[0].project_id], pushes)
