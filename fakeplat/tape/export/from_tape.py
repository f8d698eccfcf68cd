"""Export of a scenario from a tape: a world in which the recorded session could have started.

A record in the response to a GET existed before, unless the session created it. Of a record that the session changed
before it was shown, the changed fields are unknown. Users are assumed to have had the permissions that their successful
requests required; these assumptions are counted among the omissions.
"""

from collections import Counter
from typing import Final

from fakeplat.model.people import Level
from fakeplat.tape.export.field_mapping import Entry
from fakeplat.tape.export.placeholder_repositories import add_placeholder_repositories
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import BuiltScenario, build_scenario
from fakeplat.tape.formats.tape import Exchange, Tape
from fakeplat.tape.records import record_kinds, recorded_requests
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import NAMESPACE, PROJECT, USER

_READS: Final = ("GET", "HEAD")
_SECTIONS: Final = {PROJECT: ("projects", "path_with_namespace"), NAMESPACE: ("groups", "full_path")}


def scenario_from_tape(tape: Tape) -> BuiltScenario:
    """Build the scenario of a tape. Raises ScenarioError if it cannot be loaded."""
    observations = observe_tape(tape)
    initial = tape.head.fakeplat
    built = build_scenario(observations, tape.head.recorded_at if initial is None else initial.clock.get("start"))
    users = built.scenario.setdefault("users", [])
    known = {user["username"] for user in users}
    # The callers must exist even if no response shows them.
    users.extend({"username": name} for name in dict.fromkeys(tape.head.users.values()) if name not in known)
    assumed = _add_permissions(tape, observations, built.scenario) + add_placeholder_repositories(
        observations, built.scenario.get("projects", [])
    )
    return prune(BuiltScenario(built.scenario, built.left_out + assumed))


def observe_tape(tape: Tape) -> Observations:
    """Collect what the responses of a tape show of the world before it."""
    observations = Observations()
    for exchange in tape:
        _add_exchange(observations, exchange, _caller_of(tape, exchange))
    return observations


def _caller_of(tape: Tape, exchange: Exchange) -> str | None:
    return tape.head.users.get(recorded_requests.requester_of(exchange.request) or "")


def _add_exchange(observations: Observations, exchange: Exchange, caller: str | None) -> None:
    request, response = exchange.request, exchange.response
    if not 200 <= response.status < 300:
        return
    body = recorded_requests.json_or_none(response.body)
    if request.method == "GET":
        observations.add_response(request.path, request.query, body, caller)
    elif request.method != "HEAD":
        observations.first_write_at = observations.first_write_at or exchange.at
        observations.add_write(
            request.method, request.path, recorded_requests.parse_parameters(request), response.status, body, caller
        )


def _add_permissions(tape: Tape, observations: Observations, scenario: dict[str, list[Entry]]) -> Counter[str]:
    """Give users the permissions that they must have had; return the assumptions."""
    # Every world has the administrator root.
    admins = {user["username"] for user in scenario["users"] if user.get("is_admin")} | {"root"}
    assumptions: Counter[str] = Counter()
    for exchange in tape:
        caller, owner = _caller_of(tape, exchange), record_kinds.owner_in_path(exchange.request.path)
        if caller is None or caller in admins or owner is None or exchange.response.status >= 300:
            continue
        is_write = exchange.request.method not in _READS
        if owner[0] == USER and is_write:
            next(user for user in scenario["users"] if user["username"] == caller)["is_admin"] = True
            admins.add(caller)
            assumptions[f"assumed: {caller} is an administrator"] += 1
        elif owner[0] != USER and (container := _find_entry(observations, scenario, owner)) is not None:
            _add_member(scenario, container, caller, is_write, assumptions)
    return assumptions


def _find_entry(
    observations: Observations, scenario: dict[str, list[Entry]], owner: record_kinds.Owner
) -> Entry | None:
    """Return the scenario entry of the project or group at the beginning of a path."""
    section, key = _SECTIONS[owner[0]]
    record = observations.get(owner[0], int(owner[1])) if owner[1].isdecimal() else None
    path = owner[1] if record is None else record.get(key)
    return next((entry for entry in scenario.get(section, ()) if entry[key] == path), None)


def _add_member(
    scenario: dict[str, list[Entry]], container: Entry, caller: str, is_write: bool, assumptions: Counter[str]
) -> None:
    """Add a membership for a user who has none; for reading, only if the project or group is private.

    If the members of a project were listed, without the user, the membership is one of the group.
    """
    path = container.get("path_with_namespace") or container["full_path"]
    namespace = path.rpartition("/")[0]
    ancestors = [group for group in scenario.get("groups", ()) if f"{path}/".startswith(f"{group['full_path']}/")]
    members = [member for entry in (container, *ancestors) for member in entry.get("members", ())]
    # The owner of a personal namespace has access without being a member.
    if caller in (namespace, *(member.get("username") for member in members)):
        return
    if not is_write and container.get("visibility") != "private":
        return
    level = Level.MAINTAINER if is_write else Level.REPORTER
    target = (
        next((group for group in ancestors if group["full_path"] == namespace), container)
        if "members" in container
        else container
    )
    target.setdefault("members", []).append({"username": caller, "access_level": int(level)})
    assumptions[f"assumed: {caller} is {level.name.lower()} of {target.get('full_path') or path}"] += 1
