"""Registration of runners, which they do with a registration token. Source: docs/platform/runners.md."""

from typing import Annotated, Any, Final, NoReturn

from fakeplat.api.ci.runners import runner_fields
from fakeplat.api.scopes import get_group, get_project
from fakeplat.core.operations.errors import NotAvailable
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Moment, Params, mutually_exclusive, requires
from fakeplat.core.release import Lifetime
from fakeplat.domain.ci import runners
from fakeplat.domain.purging import purge
from fakeplat.entities.ci.runners import ResetTokenView, RunnerRegistration
from fakeplat.model.ci import Runner, RunnerAccessLevel, RunnerType
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import (
    REGISTERED_RUNNERS_HAVE_NO_VERSION,
    RUNNER_TOKENS_HAVE_TIMES,
    VERIFICATION_IS_A_CONTACT,
    VERIFICATION_SHOWS_RUNNERS,
)
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Runners", login=Login.NEVER)
creation_area: Final = Area("Runners", login=Login.ALWAYS, write_scopes=("create_runner",))
_PLACE: Final = ("runner_type", "group_id", "project_id")
_TOKEN_TIMES: Final = ("token_expires_at", "token_rotation_deadline")


class RegisterRunner(Params):
    """A registration token, and what the runner may do and says of itself."""

    token: str
    description: str | None = None
    info: dict[str, object] | None = None
    active: bool | None = None
    locked: bool | None = None
    access_level: RunnerAccessLevel | None = None
    run_untagged: bool | None = None
    tag_list: CommaList[str] | None = None
    maximum_timeout: int | None = None
    paused: Annotated[bool | None, Lifetime(since="14.8")] = None
    maintenance_note: Annotated[str | None, Lifetime(since="14.10")] = None
    maintainer_note: Annotated[str | None, Lifetime(since="14.8")] = None

    rules = (mutually_exclusive("active", "paused"), mutually_exclusive("maintainer_note", "maintenance_note"))


@area.operation("POST", "runners", params=RegisterRunner, view=RunnerRegistration, refusals=(400, 403, 410))
def register_runner(ctx: WriteContext, p: RegisterRunner) -> Runner:
    """Register a runner of the instance, a group or a project, according to the token."""
    attributes = {name: value for name, value in p.given().items() if name not in ("token", "info")}
    # What is blank counts as not sent; false does not.
    stated: dict[str, Any] = {name: value for name, value in attributes.items() if value not in (None, "", [])}
    details: dict[str, Any] = {**runners.read_details(p.info or {}), "ip_address": _address(ctx)}
    if ctx.profile.has(REGISTERED_RUNNERS_HAVE_NO_VERSION):
        details = {name: value for name, value in details.items() if name == "name"}
    return runners.register(ctx, p.token, **runner_fields(stated), **details)


def _address(ctx: WriteContext) -> str | None:
    return None if ctx.request is None else ctx.request.remote_ip


class AuthenticateRunner(Params):
    """The token of a runner."""

    token: str


class VerifyRunner(AuthenticateRunner):
    """The token of a runner, and the machine that uses it."""

    system_id: Annotated[str | None, Lifetime(since="<=15.10")] = None


@area.operation("POST", "runners/verify", params=VerifyRunner, view=RunnerRegistration, status=200, refusals=(403,))
def verify_runner(ctx: WriteContext, p: VerifyRunner) -> Runner | RawBody:
    """Check the token of a runner."""
    runner = runners.get_by_token(ctx, p.token)
    manager = runners.ensure_manager(ctx, runner, p.system_id)
    shown = ctx.profile.has(VERIFICATION_SHOWS_RUNNERS)
    # In some releases a runner that a user created counts as contacted only when it asks for jobs.
    is_created = shown and runner.token.startswith(runners.CREATED_TOKEN_PREFIX)
    if not is_created or ctx.profile.has(VERIFICATION_IS_A_CONTACT):
        runner = runners.record_contact(ctx, runner, _address(ctx), {})
        runners.record_manager_contact(ctx, manager, _address(ctx), {})
    return runner if shown else RawBody(b"200", JSON)


@area.operation("GET", "runners/router/discovery", refusals=(403, 501), since="18.7")
def get_runner_router_discovery(ctx: ReadContext) -> NoReturn:
    """Get the address of the job router, which the instance does not run, as a runner."""
    token = ctx.request.headers.get("runner-token") if ctx.request else None
    runners.get_by_token(ctx, token or "")
    raise NotAvailable("Job Router is not available. Please contact your administrator.")


class DeleteManager(AuthenticateRunner):
    """The token of a runner, and the machine that does not use it any more."""

    system_id: str


@area.operation("DELETE", "runners/managers", params=DeleteManager, refusals=(403, 404, 412), since="<=17.9")
def delete_runner_managers(ctx: WriteContext, p: DeleteManager) -> None:
    """Delete a manager of a runner by the token of the runner."""
    runner = runners.get_by_token(ctx, p.token)
    manager = runners.get_manager(ctx.world, runner, p.system_id)
    ctx.check_unmodified_since(manager.contacted_at or manager.created_at)
    runners.delete_manager(ctx, runner, manager)


@area.operation("DELETE", "runners", params=AuthenticateRunner, refusals=(403, 412))
def unregister_runner(ctx: WriteContext, p: AuthenticateRunner) -> None:
    """Delete a runner by its own token."""
    runner = runners.get_by_token(ctx, p.token)
    ctx.check_unmodified_since(runner.updated_at)
    purge(ctx, runner)


@area.operation(
    "POST",
    "runners/reset_authentication_token",
    params=AuthenticateRunner,
    view=ResetTokenView,
    refusals=(403,),
    since="<=14.8",
)
def reset_runner_authentication_token(ctx: WriteContext, p: AuthenticateRunner) -> Runner:
    """Replace the token with which a runner authenticates, by that token."""
    return runners.reset_token(ctx, runners.get_by_token(ctx, p.token))


class CreateCurrentUserRunner(Params):
    """A new runner of the instance, of a group or of a project."""

    runner_type: RunnerType
    group_id: int | None = None
    project_id: int | None = None
    description: str | None = None
    paused: bool = False
    locked: bool = False
    access_level: RunnerAccessLevel = "not_protected"
    run_untagged: bool = True
    tag_list: CommaList[str] | None = None
    maximum_timeout: int | None = None
    maintenance_note: str | None = None
    token_expires_at: Annotated[Moment | None, RUNNER_TOKENS_HAVE_TIMES] = None
    token_rotation_deadline: Annotated[Moment | None, RUNNER_TOKENS_HAVE_TIMES] = None

    rules = (
        requires("runner_type", "group_id", equals="group_type"),
        requires("runner_type", "project_id", equals="project_type"),
    )


@creation_area.operation(
    "POST",
    "user/runners",
    params=CreateCurrentUserRunner,
    view=RunnerRegistration,
    refusals=(400, 403, 404),
    since="15.11",
)
def create_current_user_runner(ctx: WriteContext, p: CreateCurrentUserRunner) -> Runner:
    """Create a runner, which then authenticates with the token in the response."""
    place = _authorize_place(ctx, p)
    times = _choose_token_times(ctx, p)
    runners.check_token_times(ctx, p.runner_type, times.get("token_expires_at"), times.get("token_rotation_deadline"))
    attributes = {name: value for name, value in p.given().items() if name not in (*_PLACE, *_TOKEN_TIMES)}
    fields = runner_fields({**attributes, "tag_list": p.tag_list or [], **times})
    fields["creator_id"], prefix = ctx.signed_in_user.id, runners.CREATED_TOKEN_PREFIX
    return runners.create(ctx, p.runner_type, token_prefix=prefix, **place, **fields)


def _authorize_place(ctx: WriteContext, p: CreateCurrentUserRunner) -> dict[str, Any]:
    """Return the group or project of a new runner, in which the caller has to be allowed to create one."""
    if p.runner_type == "group_type":
        group = get_group(ctx, str(p.group_id))
        authorize(ctx, Ability.ADMIN_GROUP, group)
        return {"group_id": group.id}
    if p.runner_type == "project_type":
        project = get_project(ctx, str(p.project_id))
        authorize(ctx, Ability.ADMIN_PROJECT, project)
        return {"projects": [project]}
    authorize(ctx, Ability.CREATE_INSTANCE_RUNNER)
    return {}


def _choose_token_times(ctx: ReadContext, p: CreateCurrentUserRunner) -> dict[str, str]:
    """Return the times of the token that were sent, which are a paid feature, and ignored without it."""
    sent = {name: value for name, value in p.given().items() if name in _TOKEN_TIMES and value is not None}
    return sent if ctx.instance.has("premium") else {}
