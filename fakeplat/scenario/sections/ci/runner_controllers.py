"""Runner controllers in scenarios, with their tokens and scopes."""

from typing import Final

from fakeplat.core.schema.shapes import NULLABLE_TEXT
from fakeplat.domain.ci import runner_controllers
from fakeplat.model.ci import RunnerController, RunnerControllerScope, RunnerControllerToken
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section, own_fields
from fakeplat.scenario.section import ALERTS, SCENARIO, EntryData


def _create_token(entry: Entry) -> RunnerControllerToken:
    token = runner_controllers.create_token(entry.ctx, entry.owner)
    values = {"created_at": entry.since, "updated_at": entry.since, **entry.select(own_fields(RunnerControllerToken))}
    return entry.world.runner_controller_tokens.change(token, **values)


def _create_scope(entry: Entry) -> RunnerControllerScope:
    table, token = entry.world.runner_controller_scopes, entry.values.get("runner")
    runner = None if token is None else entry.world.runners.find("token", token)
    if token is not None and runner is None:
        entry.fail(f"unknown runner {token!r}", "runner")
    times = {"created_at": entry.since, "updated_at": entry.since, **entry.select(("created_at", "updated_at"))}
    return table.add(
        RunnerControllerScope(table.next_id(), entry.owner.id, runner_id=None if runner is None else runner.id, **times)
    )


def _serialize_runner(world: World, scope: RunnerControllerScope) -> EntryData:
    return {} if scope.runner_id is None else {"runner": world.runners[scope.runner_id].token}


SECTION: Final = derive_section(
    "runner_controllers",
    RunnerController,
    within=(SCENARIO,),
    add=runner_controllers.create,
    kind="runner_controller",
    name_key="description",
)
TOKENS: Final = derive_section(
    "controller_tokens",
    RunnerControllerToken,
    within=("runner_controller",),
    create=_create_token,
    name_key="token",
    always=("token",),
)
SCOPES: Final = derive_section(
    "controller_scopes",
    RunnerControllerScope,
    within=("runner_controller",),
    rank=ALERTS,
    further_keys={"runner": NULLABLE_TEXT},
    descriptions={"runner": "The token of the runner. Default: all runners of the instance."},
    create=_create_scope,
    parts=_serialize_runner,
)
