"""The world in which a tape's session began, on a platform of its own."""

from fakeplat import scenario as scenarios
from fakeplat.core.clock import Kind
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.people import tokens
from fakeplat.platform import Platform
from fakeplat.scenario import Reference
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.formats.tape import Tape


def initial_platform(tape: Tape, scenario: Reference | None = None, seed: int | None = None) -> Platform:
    """The world of a scenario, or that in which the recorded fake began, or what the tape shows of another server's.

    The clock is virtual (or auto, if the recorded one was) and starts where the tape does. Who was signed in with a
    cookie has the session ``<username>-session``. ScenarioError where a scenario is not there or makes no world.
    """
    found = _platform(tape, scenario, seed)
    signed_in = {name for placeholder, name in tape.head.users.items() if placeholder.startswith("cookie:")}
    users = [user for user in found.view.users.all() if user.username in signed_in]
    if users:
        with found.acting() as ctx:
            for user in users:
                tokens.create(ctx, user, "session", value=f"{user.username}-session")
    return found


def _platform(tape: Tape, scenario: Reference | None, seed: int | None) -> Platform:
    began = tape.head.fakeplat
    if scenario is not None:
        return scenarios.create_platform(scenarios.find_scenario(scenario), seed=seed)
    if began is None:
        return scenarios.create_platform(scenarios.find_scenario(scenario_from_tape(tape).said), seed=seed)
    kind: Kind = "auto" if began.clock.get("kind") == "auto" else "virtual"
    wanted = began.seed if seed is None else seed
    found = scenarios.create_platform(
        scenarios.find_scenario(began.scenario), seed=wanted, instance=began.instance, kind=kind
    )
    found.clock.set(from_iso(began.clock.get("start", tape.head.recorded_at)))
    return found
