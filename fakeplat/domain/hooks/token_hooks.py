"""Webhooks of projects and groups about their access tokens. Source: docs/platform/webhooks.md ('Later events')."""

from fakeplat.domain.hooks.events import RESOURCE_ACCESS_TOKEN, is_silent
from fakeplat.domain.people import tokens
from fakeplat.model.people import Token
from fakeplat.model.projects import Project
from fakeplat.policy.context import WriteContext


def execute_expiring_token(ctx: WriteContext, token: Token) -> None:
    """Send the event of a token of a project or group that expires soon."""
    if is_silent(ctx):
        return
    from fakeplat.domain.hooks.triggers import execute
    from fakeplat.domain.hooks.webhooks import execute_of_group

    container = tokens.container_of(ctx.world, token)
    if isinstance(container, Project):
        execute(ctx, container, RESOURCE_ACCESS_TOKEN, container, token)
    else:
        execute_of_group(ctx, container, RESOURCE_ACCESS_TOKEN, container, token)
