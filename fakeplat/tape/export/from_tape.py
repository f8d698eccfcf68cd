"""From a tape to a scenario: the world in which the recorded session could have begun.

What a GET shows was there unless the session made it before; of what the session changed before anybody looked, the
changed fields are unknown. Who did what nobody was shown to be allowed is taken to have been allowed it, which is
counted with what was left out.
"""

from collections import Counter
from typing import Any, Final

from fakeplat.model.levels import Level
from fakeplat.tape.export import record_kinds as kinds
from fakeplat.tape.export import recorded_requests as asked
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.placeholder_repositories import add_placeholder_repositories
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.record_kinds import NAMESPACE, PROJECT, USER
from fakeplat.tape.export.scenario_builder import BuiltScenario, build_scenario
from fakeplat.tape.formats.tape import Exchange, Tape

_READS: Final = ("GET", "HEAD")
_SECTIONS: Final = {PROJECT: ("projects", "path_with_namespace"), NAMESPACE: ("groups", "full_path")}


def scenario_from_tape(tape: Tape) -> BuiltScenario:
    """The scenario of a tape; ScenarioError where none can be made of it."""
    seen = observe_tape(tape)
    began = tape.head.fakeplat
    composed = build_scenario(seen, tape.head.recorded_at if began is None else began.clock.get("start"))
    people = composed.said.setdefault("users", [])
    there = {user["username"] for user in people}
    people.extend({"username": name} for name in dict.fromkeys(tape.head.users.values()) if name not in there)
    assumed = _assumed(tape, seen, composed.said) + add_placeholder_repositories(
        seen, composed.said.get("projects", [])
    )
    return prune(BuiltScenario(composed.said, composed.left_out + assumed))


def observe_tape(tape: Tape) -> Observations:
    """What the answers of a tape show of what was there before it."""
    seen = Observations()
    for exchange in tape:
        _take_in(seen, exchange, _asker(tape, exchange))
    return seen


def _asker(tape: Tape, exchange: Exchange) -> str | None:
    return tape.head.users.get(asked.requester_of(exchange.request) or "")


def _take_in(seen: Observations, exchange: Exchange, asker: str | None) -> None:
    request, response = exchange.request, exchange.response
    if not 200 <= response.status < 300:
        return
    body = asked.json_or_none(response.body)
    if request.method == "GET":
        seen.answered(request.path, request.query, body, asker)
    elif request.method != "HEAD":
        seen.began = seen.began or exchange.at
        seen.wrote(request.method, request.path, asked.parse_parameters(request), response.status, body, asker)


def _assumed(tape: Tape, seen: Observations, said: dict[str, Any]) -> Counter[str]:
    """Give people what they must have had; gives what was assumed."""
    admins = {user["username"] for user in said["users"] if user.get("is_admin")} | {"root"}
    found: Counter[str] = Counter()
    for exchange in tape:
        asker, owner = _asker(tape, exchange), kinds.owner_in_path(exchange.request.path)
        if asker is None or asker in admins or owner is None or exchange.response.status >= 300:
            continue
        writes = exchange.request.method not in _READS
        if owner[0] == USER and writes:
            next(user for user in said["users"] if user["username"] == asker)["is_admin"] = True
            admins.add(asker)
            found[f"assumed: {asker} is an administrator"] += 1
        elif owner[0] != USER and (place := _place(seen, said, owner)) is not None:
            _admit(said, place, asker, writes, found)
    return found


def _place(seen: Observations, said: dict[str, Any], owner: kinds.Owner) -> dict[str, Any] | None:
    """What is said of the project or group that a path goes through."""
    section, named = _SECTIONS[owner[0]]
    record = seen.get(owner[0], int(owner[1])) if owner[1].isdecimal() else None
    path = owner[1] if record is None else record.get(named)
    return next((entry for entry in said.get(section, ()) if entry[named] == path), None)


def _admit(said: dict[str, Any], place: dict[str, Any], asker: str, writes: bool, found: Counter[str]) -> None:
    """Make somebody a member of whom nobody showed what they are; a reader only where reading needs it.

    Where the members of a project were listed, theirs is a membership of the group.
    """
    path = place.get("path_with_namespace") or place["full_path"]
    space = path.rpartition("/")[0]
    above = [group for group in said.get("groups", ()) if f"{path}/".startswith(f"{group['full_path']}/")]
    known = [member for one in (place, *above) for member in one.get("members", ())]
    if asker in (space, *(member.get("username") for member in known)):
        return
    if not writes and place.get("visibility") != "private":
        return
    level = Level.MAINTAINER if writes else Level.REPORTER
    into = next((group for group in above if group["full_path"] == space), place) if "members" in place else place
    into.setdefault("members", []).append({"username": asker, "access_level": int(level)})
    found[f"assumed: {asker} is {level.name.lower()} of {into.get('full_path') or path}"] += 1
