"""Integrations of projects and groups, which the API of 13.5 calls services.

Each declared integration has the operations below, with the parameters of its declaration.
Source: docs/platform/integrations.md, docs/decisions/rulings.md (31).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest, InvalidParams, NotFound, RouteNotFound, Unprocessable
from fakeplat.core.operations.operation import Area, Login, OperationOptions
from fakeplat.core.params.params import Params, binder_of
from fakeplat.core.release import EVERYTHING, Lifetime, Profile
from fakeplat.domain.integrations import inheritance, slash_commands
from fakeplat.domain.integrations.catalog import INTEGRATIONS
from fakeplat.domain.integrations.later_integrations import JIRA_CLOUD_APP
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import Integration
from fakeplat.entities.projects.services import ServiceBasic, ServiceView
from fakeplat.model.hooks import Service
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import (
    INTEGRATIONS_HAVE_THEIR_NAME,
    UNCONFIGURED_INTEGRATIONS_ARE_MISSING,
    UNCONFIGURED_INTEGRATIONS_CANNOT_BE_DELETED,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Integrations", login=Login.ALWAYS, located_first=True)
INHERITANCE: Final = "use_inherited_settings"


# Declarations of integrations are constants, so each class is built only once in a release.
@cache
def build_service_params(integration: Integration, profile: Profile = EVERYTHING) -> type[Params]:
    """Return the parameters class of an integration in a release, built from its declaration."""
    properties = integration.list_properties(profile)
    return _build_params(
        integration.slug,
        {
            # A required one has to be sent, but a null is a matter of the integration's rules.
            **{prop.name: prop.kind | None for prop in properties},  # type: ignore[operator]  # kinds are types
            **{flag: _kind_of_flag(integration, flag) for flag in integration.list_flags(profile)},
            INHERITANCE: Annotated[bool | None, Lifetime("17.3")],
        },
        {prop.name for prop in properties if prop.is_required(profile)},
    )


def _kind_of_flag(integration: Integration, flag: str) -> object:
    is_strict = flag in integration.strict_flags or flag in integration.later_flags
    return bool | None if is_strict else object


def _build_params(name: str, types: Mapping[str, object], required: set[str]) -> type[Params]:
    # Class attributes are the defaults of parameters; a parameter without one is required.
    defaults = {kind: None for kind in types if kind not in required}
    return type(name, (Params,), {"__annotations__": types, "__module__": __name__, **defaults})


UpdateService: Final = _build_params(
    "UpdateService",
    {
        # Any type, because properties of two integrations may share a name without sharing a type.
        **{
            name: object
            for integration in INTEGRATIONS.values()
            for name in (*(prop.name for prop in integration.properties), *integration.flags, *integration.later_flags)
        },
        INHERITANCE: Annotated[object, Lifetime("17.3")],
    },
    set(),
)
"""The parameters of all integrations; they are bound again once the integration is known."""


@area.operation(
    "GET", "services", scope=PROJECT, ability=Ability.ADMIN_SERVICES, view=ServiceBasic, many=True, paging=None
)
def list_services(ctx: ReadContext, project: Project) -> Sequence[Service]:
    """List the active integrations of a project."""
    return services.list_active(ctx.world, project)


def _check_slug(ctx: ReadContext, slug: str) -> Integration:
    integration = services.find_integration(ctx.instance, slug)
    if integration is None:
        parameter = "slug" if ctx.profile.has(INTEGRATIONS_HAVE_THEIR_NAME) else "service_slug"
        raise InvalidParams(f"{parameter} does not have a valid value", reason=f"no integration is called {slug!r}")
    return integration


@area.operation(
    "GET", "services/:slug", scope=PROJECT, ability=Ability.ADMIN_SERVICES, view=ServiceView, refusals=(400,)
)
def get_service(ctx: ReadContext, project: Project, slug: str) -> Service | dict[str, Any]:
    """Get the settings of an integration."""
    _check_slug(ctx, slug)
    service = services.find_service(ctx.world, project, slug)
    if service is None and ctx.profile.has(UNCONFIGURED_INTEGRATIONS_ARE_MISSING):
        raise _missing(ctx, slug)
    # An integration that was never configured is 200 with nulls, not 404 (ruling 31).
    return service or ServiceView(services.unconfigured_service(project, slug), ctx).values()


_UPDATING: Final[OperationOptions] = {
    "ability": Ability.ADMIN_SERVICES,
    "params": UpdateService,
    "view": ServiceView,
    "refusals": (400, 404, 422),
}


@area.operation("PUT", "services/:slug", scope=PROJECT, **_UPDATING)
def update_service(ctx: WriteContext, project: Project, slug: str, p: Params) -> Service:
    """Create or update an integration."""
    return _update(ctx, project, slug, p)


def _update(ctx: WriteContext, owner: Routable, slug: str, p: Params) -> Service:
    integration = services.find_integration(ctx.instance, slug)
    if integration is None:
        # On the platform each integration has a PUT route of its own, so an unknown slug is no route.
        raise RouteNotFound(reason=f"no integration has the slug {slug!r}")
    params = binder_of(build_service_params(integration, ctx.profile)).bind(p.given()).given()
    before = services.find_service(ctx.world, owner, slug)
    _check_availability(ctx, owner, integration, is_new=before is None)
    is_inheriting = before is not None and before.inherit_from_id is not None
    if params.pop(INHERITANCE, is_inheriting):
        return inheritance.use_inherited(ctx, owner, integration)
    service = services.update(ctx, owner, integration, params)
    inheritance.propagate(ctx, service)
    return service


def _check_availability(ctx: ReadContext, owner: Routable, integration: Integration, *, is_new: bool) -> None:
    if not services.is_available(ctx.world, owner, integration):
        reason = f"{describe(ctx.world, owner)} cannot have the integration {integration.slug}"
        raise BadRequest("400 Integration not available", reason=reason)
    if is_new and integration.is_installed_elsewhere:
        raise Unprocessable(f"You cannot create the {integration.title} integration from the API")


def _missing(ctx: ReadContext, slug: str) -> NotFound:
    word = "Integration" if ctx.profile.has(INTEGRATIONS_HAVE_THEIR_NAME) else "Service"
    return NotFound(word, reason=f"the integration {slug} was never configured")


def _get_configured(ctx: ReadContext, owner: Routable, slug: str) -> Service:
    integration = _check_slug(ctx, slug)
    service = services.find_service(ctx.world, owner, slug)
    if service is None or not services.is_available(ctx.world, owner, integration):
        raise _missing(ctx, slug)
    return service


def _delete(ctx: WriteContext, owner: Routable, slug: str) -> None:
    if ctx.profile.has(UNCONFIGURED_INTEGRATIONS_CANNOT_BE_DELETED):
        _get_configured(ctx, owner, slug)
    integration = _check_slug(ctx, slug)
    if integration is JIRA_CLOUD_APP:
        raise Unprocessable(f"You cannot disable the {integration.title} integration from the API")
    inheritance.propagate(ctx, services.delete(ctx, owner, integration))


@area.operation(
    "DELETE", "services/:slug", scope=PROJECT, ability=Ability.ADMIN_SERVICES, refusals=(400, 404, 412, 422)
)
def delete_service(ctx: WriteContext, project: Project, slug: str) -> None:
    """Disable an integration and delete its settings."""
    _delete(ctx, project, slug)


_LISTING: Final[OperationOptions] = {
    "ability": Ability.ADMIN_SERVICES,
    "view": ServiceBasic,
    "many": True,
    "paging": None,
}


@area.operation("GET", "integrations", scope=PROJECT, **_LISTING, since="14.4")
def list_integrations(ctx: ReadContext, project: Project) -> Sequence[Service]:
    """List the active integrations of a project (newer path)."""
    return services.list_active(ctx.world, project)


@area.operation("GET", "integrations", scope=GROUP, **_LISTING, since="17.9")
def list_group_integrations(ctx: ReadContext, group: Group) -> Sequence[Service]:
    """List the active integrations of a group."""
    return services.list_active(ctx.world, group)


_READING: Final[OperationOptions] = {"ability": Ability.ADMIN_SERVICES, "view": ServiceView, "refusals": (400, 404)}


@area.operation("GET", "integrations/:slug", scope=PROJECT, **_READING, since="14.4")
def get_integration(ctx: ReadContext, project: Project, slug: str) -> Service:
    """Get the settings of an integration (newer path); 404 if it was never configured."""
    return _get_configured(ctx, project, slug)


@area.operation("GET", "integrations/:slug", scope=GROUP, **_READING, since="17.9")
def get_group_integration(ctx: ReadContext, group: Group, slug: str) -> Service:
    """Get the settings of an integration of a group."""
    _refuse_in_groups(ctx, slug)
    return _get_configured(ctx, group, slug)


def _refuse_in_groups(ctx: ReadContext, slug: str) -> None:
    if _check_slug(ctx, slug).is_for_projects_only:
        raise BadRequest("400 Integration not available", reason=f"only projects have the integration {slug}")


@area.operation("PUT", "integrations/:slug", scope=PROJECT, **_UPDATING, since="14.4")
def update_integration(ctx: WriteContext, project: Project, slug: str, p: Params) -> Service:
    """Create or update an integration (newer path)."""
    return _update(ctx, project, slug, p)


@area.operation("PUT", "integrations/:slug", scope=GROUP, **_UPDATING, since="17.9")
def update_group_integration(ctx: WriteContext, group: Group, slug: str, p: Params) -> Service:
    """Create or update an integration of a group, which its projects and subgroups inherit."""
    return _update(ctx, group, slug, p)


_DELETING: Final[OperationOptions] = {"ability": Ability.ADMIN_SERVICES, "refusals": (400, 404, 412, 422)}


@area.operation("DELETE", "integrations/:slug", scope=PROJECT, **_DELETING, since="14.4")
def delete_integration(ctx: WriteContext, project: Project, slug: str) -> None:
    """Disable an integration and delete its settings (newer path)."""
    _delete(ctx, project, slug)


@area.operation("DELETE", "integrations/:slug", scope=GROUP, **_DELETING, since="17.9")
def delete_group_integration(ctx: WriteContext, group: Group, slug: str) -> None:
    """Disable an integration of a group, and those that inherit its settings."""
    _refuse_in_groups(ctx, slug)
    _delete(ctx, group, slug)


class _ChatUser(Params):
    """What a chat sends about the user of a command."""

    team_id: str | None = None
    team_domain: str | None = None
    user_id: str | None = None
    user_name: str | None = None


class SlashCommand(_ChatUser):
    """What a chat sends about a command and its user."""

    token: str
    text: str | None = None


class SlackCommand(_ChatUser):
    """What Slack sends about a command to its app."""

    text: str
    token: str | None = None
    command: str | None = None


commands: Final = Area("Integrations", login=Login.NEVER)
_COMMAND: Final[OperationOptions] = {"params": SlashCommand, "status": 200, "refusals": (400, 404)}


@commands.operation("POST", "projects/:id/services/mattermost_slash_commands/trigger", **_COMMAND)
def trigger_mattermost_slash_command(ctx: WriteContext, id: str, p: SlashCommand) -> dict[str, Any]:
    """Execute a slash command of Mattermost."""
    return _run_command(ctx, id, slash_commands.MATTERMOST, p)


@commands.operation("POST", "projects/:id/services/slack_slash_commands/trigger", **_COMMAND)
def trigger_slack_slash_command(ctx: WriteContext, id: str, p: SlashCommand) -> dict[str, Any]:
    """Execute a slash command of Slack."""
    return _run_command(ctx, id, slash_commands.SLACK, p)


@commands.operation("POST", "projects/:id/integrations/mattermost_slash_commands/trigger", **_COMMAND, since="14.4")
def trigger_integration_mattermost_command(ctx: WriteContext, id: str, p: SlashCommand) -> dict[str, Any]:
    """Execute a slash command of Mattermost (newer path)."""
    return _run_command(ctx, id, slash_commands.MATTERMOST, p)


@commands.operation("POST", "projects/:id/integrations/slack_slash_commands/trigger", **_COMMAND, since="14.4")
def trigger_integration_slack_command(ctx: WriteContext, id: str, p: SlashCommand) -> dict[str, Any]:
    """Execute a slash command of Slack (newer path)."""
    return _run_command(ctx, id, slash_commands.SLACK, p)


def _run_command(ctx: WriteContext, reference: str, slug: str, p: SlashCommand) -> dict[str, Any]:
    response = slash_commands.trigger(ctx, reference, slug, p.given())
    if response is None:
        # The same for unknown projects, so that their names do not become known.
        word = "Integration" if ctx.profile.has(INTEGRATIONS_HAVE_THEIR_NAME) else "Service"
        raise NotFound(word, reason=f"no active integration {slug} of a project {reference!r} has this token")
    return response


@commands.operation("POST", "slack/trigger", params=SlackCommand, status=200, refusals=(400, 404))
def trigger_slack_command(ctx: WriteContext, p: SlackCommand) -> dict[str, Any]:
    """Execute a command of the app for Slack; 404 unless the token is that of the settings."""
    response = slash_commands.trigger_app(ctx, p.given())
    if response is None:
        raise NotFound(reason="the token is not slack_app_verification_token of the application settings")
    return response
