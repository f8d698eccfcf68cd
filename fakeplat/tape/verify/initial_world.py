"""The initial world of a tape, on a new platform."""

from collections.abc import Mapping
from typing import Any

from attrs import field

from fakeplat import scenario as scenarios
from fakeplat.core.clock import Kind
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.people import tokens
from fakeplat.platform import Platform
from fakeplat.scenario import Reference
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.formats.tape import Tape


@frozen
class InitialWorld:
    """What a user wants to be different in the initial world: another scenario or seed, and keys of the instance."""

    scenario: Reference | None = None
    seed: int | None = None
    instance: Mapping[str, Any] = field(factory=dict)


def initial_platform(tape: Tape, wanted: InitialWorld = InitialWorld()) -> Platform:  # noqa: B008  # frozen
    """Create a platform with the world of a scenario, of the recorded fakeplat, or of what the tape shows.

    The clock is virtual (or auto, if the recorded one was) and starts when the tape starts. Users who signed in with a
    cookie have the session ``<username>-session``. Raises ScenarioError if a scenario is missing or cannot be loaded.
    """
    platform = _create_platform(tape, wanted)
    signed_in = {name for placeholder, name in tape.head.users.items() if placeholder.startswith("cookie:")}
    users = [user for user in platform.view.users.all() if user.username in signed_in]
    if users:
        with platform.acting() as ctx:
            for user in users:
                tokens.create(ctx, user, "session", value=f"{user.username}-session")
    return platform


def _create_platform(tape: Tape, wanted: InitialWorld) -> Platform:
    initial, scenario, seed, instance = tape.head.fakeplat, wanted.scenario, wanted.seed, wanted.instance
    if scenario is not None:
        return scenarios.create_platform(scenarios.get_scenario(scenario), seed=seed, instance=instance)
    if initial is None:
        return scenarios.create_platform(
            scenarios.get_scenario(scenario_from_tape(tape).scenario), seed=seed, instance=instance
        )
    # A recorded real clock becomes a virtual one, so that the replay does not depend on the time of day.
    kind: Kind = "auto" if initial.clock.get("kind") == "auto" else "virtual"
    platform = scenarios.create_platform(
        scenarios.get_scenario(initial.scenario),
        seed=initial.seed if seed is None else seed,
        instance={**initial.instance, **instance},
        kind=kind,
    )
    platform.clock.set(from_iso(initial.clock.get("start", tape.head.recorded_at)))
    return platform
