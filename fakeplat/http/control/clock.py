"""Control routes: the clock of a world. Source: docs/contract.md ('Worlds and control routes')."""

from fakeplat.core.timestamps import from_iso, parse_duration, to_iso
from fakeplat.http.control.declaration import ControlError, ControlRequest, Result, control
from fakeplat.workbench.bench import Workbench


@control("GET", "clock")
async def get_clock(call: ControlRequest) -> Result:
    """Say what time it is."""
    clock = call.bench.platform.clock
    return 200, {"now": to_iso(clock.now()), "kind": clock.kind}


@control("POST", "clock")
async def move_clock(call: ControlRequest) -> Result:
    """Let time pass."""
    given = call.body("now", "advance")
    if len(given) != 1:
        raise ControlError(400, "say either now or advance")
    platform = call.bench.platform
    try:
        if "advance" in given:
            platform.advance(parse_duration(given["advance"]))
        else:
            _set_now(call.bench, from_iso(str(given["now"])))
    except (ValueError, TypeError) as error:
        raise ControlError(400, str(error)) from None
    return await get_clock(call)


def _set_now(bench: Workbench, to: int) -> None:
    if to < bench.platform.clock.now():
        raise ValueError("time does not go back; restore a snapshot instead")
    bench.platform.advance_to(to)


@control("POST", "settle")
async def settle(call: ControlRequest) -> Result:
    """Let time pass until nothing is due."""
    call.body()
    call.bench.platform.settle()
    return await get_clock(call)
