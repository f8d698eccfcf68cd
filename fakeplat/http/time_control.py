"""Control routes: the clock of a world. Source: docs/contract.md ('Worlds and control routes')."""

from fakeplat.core.stamps import moment, span, stamp
from fakeplat.http.calls import Call, Refused, Result, control
from fakeplat.workbench.bench import Bench


@control("GET", "clock")
async def get_clock(call: Call) -> Result:
    """Say what time it is."""
    clock = call.bench.platform.clock
    return 200, {"now": stamp(clock.now()), "kind": clock.kind}


@control("POST", "clock")
async def move_clock(call: Call) -> Result:
    """Let time pass."""
    given = call.body("now", "advance")
    if len(given) != 1:
        raise Refused(400, "say either now or advance")
    platform = call.bench.platform
    try:
        if "advance" in given:
            platform.advance(span(given["advance"]))
        else:
            _set_now(call.bench, moment(str(given["now"])))
    except (ValueError, TypeError) as error:
        raise Refused(400, str(error)) from None
    return await get_clock(call)


def _set_now(bench: Bench, to: int) -> None:
    if to < bench.platform.clock.now():
        raise ValueError("time does not go back; restore a snapshot instead")
    bench.platform.advance_to(to)


@control("POST", "settle")
async def settle(call: Call) -> Result:
    """Let time pass until nothing is due."""
    call.body()
    call.bench.platform.settle()
    return await get_clock(call)
