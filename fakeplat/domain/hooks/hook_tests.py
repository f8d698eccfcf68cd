"""Tests of webhooks: a sample of an event. Source: docs/platform/webhooks.md ('Tests of project hooks')."""

from typing import Final

from fakeplat.core.operations.errors import InvalidParams, Unprocessable
from fakeplat.domain.hooks import samples, webhooks
from fakeplat.domain.hooks.events import EVENTS_BY_FLAG, HookEvent, Sample, call_builder
from fakeplat.domain.people.namespaces import list_projects_within
from fakeplat.domain.repository.repositories import is_empty
from fakeplat.model.hooks import Hook
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import HOOKS_ARE_TESTED_SO_OFTEN, USERS_TEST_HOOKS_SO_OFTEN
from fakeplat.policy.context import WriteContext

_TESTS_OF_A_HOOK: Final = 3
_NO_COMMITS: Final = "Ensure the group has a project with commits."


def send_sample(ctx: WriteContext, project: Project, hook: Hook, flag: str) -> None:
    """Send a sample of the event of a flag to a webhook.

    400 for an unknown event, 422 if it has no sample, or the project no record to build it from.
    """
    event, sample = _get_event(hook, flag)
    _count_test(ctx, project, hook)
    _send_sample(ctx, project, hook, event, sample)


def _send_sample(ctx: WriteContext, project: Project, hook: Hook, event: HookEvent[...], sample: Sample) -> None:
    arguments = getattr(samples, sample.find)(ctx, project)
    if arguments is None:
        raise Unprocessable(sample.missing)
    webhooks.send(ctx, hook, event.trigger, call_builder(sample.build or event.build, ctx, *arguments))


def send_sample_of_group(ctx: WriteContext, group: Group, hook: Hook, flag: str) -> None:
    """Send a sample of the event of a flag to a webhook of a group, from the first project that is not empty."""
    event, sample = _get_event(hook, flag)
    _count_test(ctx, group, hook)
    projects = list_projects_within(ctx.world, group)
    project = next((project for project in projects if not is_empty(ctx.world, project)), None)
    if project is None:
        raise Unprocessable(_NO_COMMITS)
    _send_sample(ctx, project, hook, event, sample)


def _count_test(ctx: WriteContext, owner: Project | Group, hook: Hook) -> None:
    """Count a test of a webhook; 429 above the limit."""
    if ctx.profile.has(USERS_TEST_HOOKS_SO_OFTEN):
        limit = ctx.world.settings.web_hook_test_limit
        ctx.count_action("web_hook_test", (owner.id, ctx.signed_in_user.id), limit)
    elif ctx.profile.has(HOOKS_ARE_TESTED_SO_OFTEN):
        ctx.count_action("web_hook_test", hook.id, _TESTS_OF_A_HOOK)


def _get_event(hook: Hook, flag: str) -> tuple[HookEvent[...], Sample]:
    event = EVENTS_BY_FLAG.get(flag)
    if event is None or hook.kind not in event.kinds:
        raise InvalidParams("trigger does not have a valid value", reason=f"there is no event {flag!r}")
    if event.sample is None:
        raise Unprocessable("Testing not available for this hook")
    return event, event.sample
