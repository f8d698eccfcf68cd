"""External status checks and rules that protect packages."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import CommaList, Params
from fakeplat.domain.projects import status_checks
from fakeplat.entities.projects.status_checks import ExternalStatusCheckView, PackageProtectionRuleView
from fakeplat.model.merge_requests import ExternalStatusCheck
from fakeplat.model.packages import PackageProtectionRule
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Projects", login=Login.ALWAYS)
_PATH: Final = "external_status_checks"


@area.operation(
    "GET",
    _PATH,
    scope=PROJECT,
    params=Paged,
    view=ExternalStatusCheckView,
    many=True,
    tier="ultimate",
    since="14.1",
    refusals=(401,),
)
def list_external_status_checks(ctx: ReadContext, project: Project) -> Sequence[ExternalStatusCheck]:
    """List the external status checks of a project."""
    status_checks.authorize(ctx, project)
    return status_checks.list_checks(ctx.world, project)


class CreateStatusCheck(Params):
    """A new external status check."""

    name: str
    external_url: str
    shared_secret: str | None = None
    protected_branch_ids: CommaList[int] | None = None


@area.operation(
    "POST",
    _PATH,
    scope=PROJECT,
    params=CreateStatusCheck,
    view=ExternalStatusCheckView,
    tier="ultimate",
    since="14.1",
    refusals=(401, 422),
)
def create_external_status_check(ctx: WriteContext, project: Project, p: CreateStatusCheck) -> ExternalStatusCheck:
    """Create an external status check in a project."""
    status_checks.authorize(ctx, project)
    branch_ids = tuple(p.protected_branch_ids or ())
    return status_checks.create(
        ctx, project, p.name, p.external_url, protected_branch_ids=branch_ids, hmac=bool(p.shared_secret)
    )


@area.operation(
    "GET",
    "packages/protection/rules",
    scope=PROJECT,
    ability=Ability.ADMIN_PROJECT,
    view=PackageProtectionRuleView,
    many=True,
    paging=None,
    since="17.6",
)
def list_package_protection_rules(ctx: ReadContext, project: Project) -> Sequence[PackageProtectionRule]:
    """List the rules that protect the packages of a project."""
    return ctx.world.package_protection_rules.where("project", project.id)
