"""Tests of webhooks: a sample of an event. Source: docs/platform/webhooks.md ('Tests of project hooks')."""

from fakeplat.core.operations.errors import InvalidParams, Unprocessable
from fakeplat.domain.hooks import samples, webhooks
from fakeplat.domain.hooks.events import EVENTS_BY_FLAG, call_builder
from fakeplat.model.hooks import Hook
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext


def send_sample(ctx: WriteContext, project: Project, hook: Hook, flag: str) -> None:
    """Send a sample of the event of a flag to a webhook.

    400 for an unknown event, 422 if it has no sample, or the project no record to build it from.
    """
    event = EVENTS_BY_FLAG.get(flag)
    if event is None or hook.kind not in event.kinds:
        raise InvalidParams("trigger does not have a valid value", reason=f"there is no event {flag!r}")
    if event.sample is None:
        raise Unprocessable("Testing not available for this hook")
    arguments = getattr(samples, event.sample.find)(ctx, project)
    if arguments is None:
        raise Unprocessable(event.sample.missing)
    webhooks.send(ctx, hook, event.trigger, call_builder(event.sample.build or event.build, ctx, *arguments))
