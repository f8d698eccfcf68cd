"""Payloads of events of access tokens. Source: docs/platform/webhooks.md ('Later events')."""

from fakeplat.domain.hooks.payloads import blocks
from fakeplat.domain.hooks.payloads.blocks import Block
from fakeplat.domain.people import namespaces
from fakeplat.model.people import Group, Token
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import TOKEN_HOOKS_SHOW_USE
from fakeplat.policy.context import ReadContext


def build_expiring_token_event(ctx: ReadContext, container: Project | Group, token: Token) -> Block:
    """Return the payload of an access token of a project or group that expires soon."""
    last_use = {"last_used_at": blocks.format_time(token.last_used_at)} if ctx.profile.has(TOKEN_HOOKS_SHOW_USE) else {}
    return {
        "object_kind": "access_token",
        **_build_container(ctx, container),
        "object_attributes": {
            "user_id": token.user_id,
            "created_at": blocks.format_time(token.created_at),
            "id": token.id,
            "name": token.name,
            "expires_at": token.expires_at,
            **last_use,
        },
        "event_name": "expiring_access_token",
    }


def _build_container(ctx: ReadContext, container: Project | Group) -> Block:
    if isinstance(container, Project):
        return {"project": blocks.build_project(ctx, container)}
    return {
        "group": {
            "group_name": container.name,
            "group_path": container.path,
            "group_id": container.id,
            "full_path": namespaces.full_path(ctx.world, container),
        }
    }
