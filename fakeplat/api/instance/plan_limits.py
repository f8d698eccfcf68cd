"""Limits of the plan of the instance. Source: docs/platform/settings.md ('Limits of plans')."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from fakeplat.core.operations.errors import InvalidParams, NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import SECOND
from fakeplat.domain import settings
from fakeplat.entities.instance.plan_limits import JOBS, LATER_PACKAGES, VARIABLES, WEBHOOKS, PlanLimitsView
from fakeplat.model.settings import Settings
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The administrator is checked before the parameters.
area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)
_DEFAULT: Final = "default"
_PAID_PLANS: Final = ("free", "bronze", "silver", "premium", "gold", "ultimate")
_SINCE: Final = "13.10"


_RECORDED: Final = ("enforcement_limit", "notification_limit", "storage_size_limit")


class PlanParams(Params):
    """The plan whose limits are shown."""

    plan_name: str = _DEFAULT


class UpdatePlanLimits(Params):
    """The plan, and limits that change."""

    plan_name: str
    ci_instance_level_variables: Annotated[int | None, Lifetime(since=VARIABLES)] = None
    ci_pipeline_size: Annotated[int | None, Lifetime(since=JOBS)] = None
    ci_active_jobs: Annotated[int | None, Lifetime(since=JOBS)] = None
    ci_active_pipelines: Annotated[int | None, Lifetime(since=JOBS, until=VARIABLES)] = None
    ci_project_subscriptions: Annotated[int | None, Lifetime(since=JOBS)] = None
    ci_pipeline_schedules: Annotated[int | None, Lifetime(since=JOBS)] = None
    ci_needs_size_limit: Annotated[int | None, Lifetime(since=JOBS)] = None
    ci_registered_group_runners: Annotated[int | None, Lifetime(since=JOBS)] = None
    ci_registered_project_runners: Annotated[int | None, Lifetime(since=JOBS)] = None
    conan_max_file_size: int | None = None
    dotenv_size: Annotated[int | None, Lifetime(since=VARIABLES)] = None
    dotenv_variables: Annotated[int | None, Lifetime(since=VARIABLES)] = None
    enforcement_limit: Annotated[int | None, Lifetime(since=VARIABLES)] = None
    generic_packages_max_file_size: int | None = None
    helm_max_file_size: Annotated[int | None, Lifetime(since=LATER_PACKAGES)] = None
    maven_max_file_size: int | None = None
    notification_limit: Annotated[int | None, Lifetime(since=VARIABLES)] = None
    npm_max_file_size: int | None = None
    nuget_max_file_size: int | None = None
    pipeline_hierarchy_size: Annotated[int | None, Lifetime(since=JOBS)] = None
    pypi_max_file_size: int | None = None
    storage_size_limit: Annotated[int | None, Lifetime(since=JOBS)] = None
    terraform_module_max_file_size: Annotated[int | None, Lifetime(since=LATER_PACKAGES)] = None
    web_hook_calls: Annotated[int | None, Lifetime(since=WEBHOOKS)] = None
    web_hook_calls_low: Annotated[int | None, Lifetime(since=WEBHOOKS)] = None
    web_hook_calls_mid: Annotated[int | None, Lifetime(since=WEBHOOKS)] = None


@area.operation(
    "GET",
    "application/plan_limits",
    ability=Ability.ADMIN_SETTINGS,
    params=PlanParams,
    view=PlanLimitsView,
    since=_SINCE,
    refusals=(400, 404),
)
def get_plan_limits(ctx: ReadContext, p: PlanParams) -> Settings:
    """Get the limits of a plan."""
    _require_plan(ctx, p.plan_name)
    return ctx.world.settings


@area.operation(
    "PUT",
    "application/plan_limits",
    ability=Ability.ADMIN_SETTINGS,
    params=UpdatePlanLimits,
    view=PlanLimitsView,
    since=_SINCE,
    refusals=(400, 404),
)
def update_plan_limits(ctx: WriteContext, p: UpdatePlanLimits) -> Settings:
    """Update the limits of a plan."""
    _require_plan(ctx, p.plan_name)
    changes = {name: value for name, value in p.given().items() if name != "plan_name" and value is not None}
    return settings.change(ctx, {**changes, "limits_history": _record_changes(ctx, changes)})


def _record_changes(ctx: WriteContext, changes: Mapping[str, int]) -> Mapping[str, Sequence[Mapping[str, object]]]:
    """Return who set the limits of storage to what, the latest last."""
    user, history = ctx.signed_in_user, ctx.world.settings.limits_history
    change = {"user_id": user.id, "username": user.username, "timestamp": ctx.now() // SECOND}
    new = {name: [*history.get(name, ()), {**change, "value": changes[name]}] for name in _RECORDED if name in changes}
    return {**history, **new}


def _require_plan(ctx: ReadContext, name: str) -> None:
    """Refuse a plan that there is not: 400 for one that no instance of the tier has, 404 for any other."""
    if name == _DEFAULT:
        return
    if name not in _PAID_PLANS or not ctx.instance.has("premium"):
        raise InvalidParams("plan_name does not have a valid value", reason=f"there is no plan {name!r}")
    raise NotFound("Plan", reason="only the hosted offering has other plans than the default one")
