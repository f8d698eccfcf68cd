"""Slash commands of chats. No chat user is known, as accounts are connected on a page, so each is asked to do that.

Source: docs/platform/integrations.md.
"""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.domain.integrations.message_parts import format_links
from fakeplat.domain.people import namespaces
from fakeplat.domain.projects import services
from fakeplat.policy.context import WriteContext

SLACK: Final = "slack-slash-commands"
MATTERMOST: Final = "mattermost-slash-commands"
_CHAT_USER: Final = ("team_id", "team_domain", "user_id", "user_name")
_NO_PROJECT: Final = "GitLab error: project or alias not found"
_COMMANDS: Final = (
    "issue show <id>",
    "issue new <title> *`⇧ Shift`*+*`↵ Enter`* <description>",
    "issue search <your query>",
    "issue move <issue_id> *`to`* <project_path>",
    "issue close <id>",
    "issue comment <id> *`⇧ Shift`*+*`↵ Enter`* <comment>",
    "deploy <environment> to <target-environment>",
    "run <command> <arguments>",
)
_UNKNOWN: Final = ":sweat_smile: Couldn't identify you, nor can I authorize you!"


def trigger(ctx: WriteContext, reference: str, slug: str, params: Mapping[str, object]) -> dict[str, Any] | None:
    """Return the response to a command; None if the token is not that of an active integration of a project."""
    project = namespaces.find_project(ctx.world, reference)
    service = services.find_service(ctx.world, project, slug) if project is not None else None
    if service is None or not service.active or not _is_token(service.properties.get("token"), params["token"]):
        return None
    text = _ask_to_connect(ctx, params)
    return {"response_type": "ephemeral", "status": 200, "text": format_links(text) if slug == SLACK else text}


def trigger_app(ctx: WriteContext, params: Mapping[str, object]) -> dict[str, Any] | None:
    """Return the response to a command of the app for Slack; None if the token is not that of the settings.

    No workspace has installed the app, so no project or alias is found.
    """
    if not _is_token(ctx.world.settings.slack_app_verification_token, params.get("token")):
        return None
    text = _build_help(params) if params["text"] == "help" else _NO_PROJECT
    return {"response_type": "ephemeral", "status": 200, "text": text}


def _build_help(params: Mapping[str, object]) -> str:
    prefix = f"{params.get('command') or ''} [project name or alias]"
    return "\n".join(("*Available commands*", "", *(f"{prefix} {command}" for command in _COMMANDS), ""))


def _is_token(stored: object, sent: object) -> bool:
    return bool(stored) and stored == sent


def _ask_to_connect(ctx: WriteContext, params: Mapping[str, object]) -> str:
    if not all(params.get(name) for name in _CHAT_USER):
        return _UNKNOWN
    token = ctx.random_hex("chat name token", 25)
    page = f"{ctx.origin}/-/profile/chat_names/new?token={token}"
    return f":wave: Hi there! Before I do anything for you, please [connect your GitLab account]({page})."
