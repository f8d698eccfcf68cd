"""The Unleash API, with which applications read the feature flags of a project.

Source: docs/platform/feature-flags.md ('Unleash').
"""

from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.deployments import unleash
from fakeplat.entities.deployments.feature_flags import UnleashFeatureView
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

# The instance id is the credential. What applications report of themselves is not read.
area: Final = Area("Feature flags", login=Login.NEVER, located_first=True, raw_body=True)
_OK: Final = 200


class UnleashClient(Params):
    """The application: its instance id and its environment. The headers of Unleash's clients beat both."""

    instance_id: str | None = None
    app_name: str | None = None


@area.operation("GET", "feature_flags/unleash/:project_id", params=UnleashClient, refusals=(401,))
def get_unleash(ctx: ReadContext, project_id: str, p: UnleashClient) -> int:
    """Check the instance id of an application."""
    return _accept(ctx, project_id, p)


@area.operation("GET", "feature_flags/unleash/:project_id/features", params=UnleashClient, refusals=(401,))
def list_unleash_features(ctx: ReadContext, project_id: str, p: UnleashClient) -> dict[str, Any]:
    """List the feature flags of an application's environment, for clients of Unleash 2."""
    return _present_features(ctx, project_id, p)


@area.operation("GET", "feature_flags/unleash/:project_id/client/features", params=UnleashClient, refusals=(401,))
def list_unleash_client_features(ctx: ReadContext, project_id: str, p: UnleashClient) -> dict[str, Any]:
    """List the feature flags of an application's environment."""
    return _present_features(ctx, project_id, p)


@area.operation(
    "POST",
    "feature_flags/unleash/:project_id/client/register",
    params=UnleashClient,
    status=_OK,
    reads=True,
    refusals=(401,),
)
def register_unleash_client(ctx: ReadContext, project_id: str, p: UnleashClient) -> int:
    """Accept the registration of an application."""
    return _accept(ctx, project_id, p)


@area.operation(
    "POST",
    "feature_flags/unleash/:project_id/client/metrics",
    params=UnleashClient,
    status=_OK,
    reads=True,
    refusals=(401,),
)
def create_unleash_metrics(ctx: ReadContext, project_id: str, p: UnleashClient) -> int:
    """Accept the metrics of an application."""
    return _accept(ctx, project_id, p)


def _accept(ctx: ReadContext, project_id: str, p: UnleashClient) -> int:
    _get_project(ctx, project_id, p)
    # The platform stores nothing here, and its body is the status.
    return _OK


def _present_features(ctx: ReadContext, project_id: str, p: UnleashClient) -> dict[str, Any]:
    project = _get_project(ctx, project_id, p)
    environment = _read_header(ctx, "unleash-appname") or p.app_name
    features = unleash.list_features(ctx.world, project, environment)
    return {"version": 1, "features": [ctx.render(UnleashFeatureView, feature) for feature in features]}


def _get_project(ctx: ReadContext, project_id: str, p: UnleashClient) -> Project:
    return unleash.get_project(ctx.world, project_id, _read_header(ctx, "unleash-instanceid") or p.instance_id)


def _read_header(ctx: ReadContext, name: str) -> str | None:
    return ctx.request.headers.get(name) if ctx.request else None
