"""The Cargo registry of a project, which a feature of the platform switches on.

The platform only has its configuration. Source: docs/platform/packages.md (Cargo).
"""

from typing import Any, Final

from fakeplat.api.packages.access import build_visitor_scope
from fakeplat.core.operations.operation import Area, Login
from fakeplat.domain.instance import features
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

area: Final = Area("Packages (Cargo)", login=Login.NEVER, deploy_tokens=True)
_FLAG: Final = "package_registry_cargo_support"


@area.operation(
    "GET",
    "packages/cargo/config.json",
    scope=build_visitor_scope(),
    ability=Ability.READ_PACKAGE,
    since="<=18.9",
    job_token=True,
    refusals=(401, 404),
)
def get_package_cargo_config_json(ctx: ReadContext, project: Project) -> dict[str, Any]:
    """Get the configuration of the Cargo registry: where it is, and whether it asks for a token."""
    features.check_enabled(ctx.world, _FLAG, project)
    url = urls.api_url(ctx, f"projects/{project.id}/packages/cargo")
    return {"dl": url, "api": url, "auth-required": project.visibility != "public"}
