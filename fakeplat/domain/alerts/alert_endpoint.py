"""The alerts integration of a project: its key, and the incident settings.

On the platform these are settings of two pages; here both are properties of the service ``alerts``.
Source: docs/contract.md ('Alerts, SCIM, pipelines'), docs/platform/alerts.md.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import Forbidden, Unauthorized
from fakeplat.domain.projects import services
from fakeplat.domain.projects.services import Integration, Params, Property, register_integration
from fakeplat.model.alerts import PayloadMapping
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import namespace_path

SLUG: Final = "alerts"
CREATE_ISSUE: Final = "create_issue"
AUTO_CLOSE: Final = "auto_close_incident"
SEND_EMAIL: Final = "send_email"
TOKEN: Final = "token"
_RESET: Final = "reset_token"
DEFAULTS: Final = {CREATE_ISSUE: False, AUTO_CLOSE: True, SEND_EMAIL: False}


def _merge_properties(ctx: WriteContext, before: Params, params: Params) -> dict[str, Any]:
    """Keep the key, or create one if there is none or a reset is requested. Null counts as not sent."""
    params = {name: value for name, value in params.items() if value is not None}
    needs_key = params.get(_RESET) or not before.get(TOKEN)
    key = {TOKEN: ctx.random_hex("alerts key")} if needs_key else {}
    return {**DEFAULTS, **before, **params, **key}


ALERTS: Final = register_integration(
    Integration(
        SLUG,
        "Alerts endpoint",
        (
            Property("active", bool, transient=True),
            Property(_RESET, bool, transient=True),
            *(Property(name, bool) for name in DEFAULTS),
        ),
        fields=("url", TOKEN, *DEFAULTS),
        shows_unset=True,
        flags=("alert_events",),
        merge_properties=_merge_properties,
        is_for_projects_only=True,
    )
)


def incident_settings(world: World, project: Project) -> Mapping[str, Any]:
    """Return the incident settings of a project."""
    service = services.find_service(world, project, SLUG)
    return DEFAULTS if service is None else {**DEFAULTS, **service.properties}


def authorize_key(world: World, project: Project, key: str | None) -> Sequence[PayloadMapping]:
    """Check the key of an alert request: 403 while the integration is inactive, 401 for a wrong key.

    Return no mappings, which this endpoint does not have.
    """
    service = services.find_service(world, project, SLUG)
    # The platform's order: an inactive integration is reported even for a wrong key.
    if service is None or not service.active:
        path = f"{namespace_path(world, project.namespace_id)}/{project.path}"
        raise Forbidden(
            reason=f"the service alerts of {path} is inactive; activate it with PUT /projects/:id/services/alerts"
        )
    if key != service.properties[TOKEN]:
        raise Unauthorized(
            reason="the bearer key is missing" if key is None else "the bearer key is not this project's"
        )
    return ()
