"""Queries about the users of a project, which another server answers. Source: docs/platform/analytics.md."""

from typing import Any, Final, NoReturn
from urllib.parse import urlsplit

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.errors import BadGateway, NotFoundWithMessage, UnauthorizedWithMessage
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import decide
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

area: Final = Area("Usage data", login=Login.ALWAYS)


class CubeQuery(Params):
    """What is asked, and how."""

    query: dict[str, Any]
    queryType: str = "multi"  # noqa: N815  # the platform's own name
    include_token: bool = False


def _ask(ctx: ReadContext, project: Project) -> NoReturn:
    """Refuse as the platform does without a server, or with one that does not answer."""
    settings = ctx.world.settings
    is_set_up = settings.product_analytics_enabled and settings.cube_api_base_url and settings.cube_api_key
    if not (is_set_up and has_feature(ctx.world, "ultimate", project)):
        raise NotFoundWithMessage("Product Analytics is not enabled", reason="settings name no server")
    decision = decide(ctx, Ability.READ_DEPENDENCY, project)
    if not decision.allowed:
        raise UnauthorizedWithMessage("Access Denied", reason=decision.why)
    host = urlsplit(settings.cube_api_base_url or "").netloc
    raise BadGateway(f"Connection Error: Failed to open TCP connection to {host}", reason="nothing is sent there")


@area.operation(
    "POST",
    "product_analytics/request/load",
    scope=PROJECT,
    params=CubeQuery,
    refusals=(401, 404, 502),
    since="16.11",
)
def create_product_analytic_request_load(ctx: WriteContext, project: Project, p: CubeQuery) -> NoReturn:  # noqa: ARG001  # nobody is asked
    """Send a query to the server of product analytics."""
    _ask(ctx, project)


@area.operation(
    "POST",
    "product_analytics/request/dry-run",
    scope=PROJECT,
    params=CubeQuery,
    refusals=(401, 404, 502),
    since="16.11",
)
def create_product_analytic_request_dry_run(ctx: WriteContext, project: Project, p: CubeQuery) -> NoReturn:  # noqa: ARG001  # nobody is asked
    """Check a query for the server of product analytics."""
    _ask(ctx, project)


@area.operation(
    "POST",
    "product_analytics/request/meta",
    scope=PROJECT,
    refusals=(401, 404, 502),
    since="16.11",
)
def create_product_analytic_request_meta(ctx: WriteContext, project: Project) -> NoReturn:
    """Get what the server of product analytics can be asked."""
    _ask(ctx, project)
