"""The integration through which a project takes alerts: its key, and what else becomes of an alert.

On the platform a page enables it, and the settings of incidents are a page of their own; here both are properties
of the service ``alerts``. Source: docs/contract.md ('Alerts, SCIM, pipelines'), docs/platform/alerts.md.
"""

from typing import Any, Final

from fakeplat.core.operations.errors import Forbidden, Unauthorized
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import Given, Integration, Property, register_integration
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import path_to

SLUG: Final = "alerts"
CREATE_ISSUE: Final = "create_issue"
AUTO_CLOSE: Final = "auto_close_incident"
SEND_EMAIL: Final = "send_email"
TOKEN: Final = "token"
_RESET: Final = "reset_token"
DEFAULTS: Final = {CREATE_ISSUE: False, AUTO_CLOSE: True, SEND_EMAIL: False}


def _settle(ctx: WriteContext, before: Given, given: Given) -> dict[str, Any]:
    """With a key: the one that was there, unless a new one is asked for."""
    keyless = given.get(_RESET) or not before.get(TOKEN)
    key = {TOKEN: ctx.random_hex("alerts key")} if keyless else {}
    return {**DEFAULTS, **before, **given, **key}


ALERTS: Final = register_integration(
    Integration(
        SLUG,
        "Alerts endpoint",
        (
            Property("active", bool, passing=True),
            Property(_RESET, bool, passing=True),
            *(Property(name, bool) for name in DEFAULTS),
        ),
        own=("url", TOKEN),
        settle=_settle,
    )
)


def has_incident_setting(world: World, project: Project, name: str) -> bool:
    """One of the settings of incidents."""
    service = services.find_service(world, project, SLUG)
    return bool((service.properties if service else {}).get(name, DEFAULTS[name]))


def authorize_key(world: World, project: Project, key: str | None) -> None:
    """Let in who has the key: 403 while the integration is off, 401 for any other key."""
    service = services.find_service(world, project, SLUG)
    if service is None or not service.active:
        where = f"{path_to(world, project.namespace_id)}/{project.path}"
        raise Forbidden(
            reason=f"the service alerts of {where} is off; PUT /projects/:id/services/alerts switches it on"
        )
    if key != service.properties[TOKEN]:
        raise Unauthorized(
            reason="the bearer key is missing" if key is None else "the bearer key is not this project's"
        )
