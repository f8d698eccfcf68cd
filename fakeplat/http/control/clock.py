"""Control routes: the clock of a world. Source: docs/contract.md ('Worlds and control routes')."""

from typing import Final

from fakeplat.core.timestamps import from_iso, parse_duration, to_iso
from fakeplat.http.control.declaration import ControlError, ControlRequest, Key, Result, control
from fakeplat.workbench.bench import Workbench


@control("GET", "clock", answer="Clock")
async def get_clock(call: ControlRequest) -> Result:
    """Return the world's time and the kind of its clock."""
    clock = call.bench.platform.clock
    return 200, {"now": to_iso(clock.now()), "kind": clock.kind}


_MOVE: Final = {
    "now": Key("Time to go to; it cannot be in the past.", example="2021-01-01T00:00:00Z"),
    "advance": Key("Duration to advance by, or seconds.", ("string", "number"), "1h30m"),
}


@control("POST", "clock", body=_MOVE, answer="Clock")
async def move_clock(call: ControlRequest) -> Result:
    """Move the clock, to ``now`` or by ``advance``."""
    params = call.body(*_MOVE)
    if len(params) != 1:
        raise ControlError(400, "pass either 'now' or 'advance'")
    platform = call.bench.platform
    try:
        if "advance" in params:
            platform.advance(parse_duration(params["advance"]))
        else:
            _set_now(call.bench, from_iso(str(params["now"])))
    except (ValueError, TypeError) as error:
        raise ControlError(400, str(error)) from None
    return await get_clock(call)


def _set_now(bench: Workbench, now: int) -> None:
    if now < bench.platform.clock.now():
        raise ValueError("time cannot go back; restore a snapshot instead")
    bench.platform.advance_to(now)


@control("POST", "settle", answer="Clock")
async def settle(call: ControlRequest) -> Result:
    """Advance the clock until no job is due."""
    call.body()
    call.bench.platform.settle()
    return await get_clock(call)
