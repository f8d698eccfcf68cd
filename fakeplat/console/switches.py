"""Pages with switches: the clock, faults, snapshots, and what changed since one. Forms need no script."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.console.pages import TOOLS, ConsoleRequest, PageError, page, see_other
from fakeplat.console.rendering import render
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import from_iso, parse_duration, to_iso
from fakeplat.workbench.changes import diff_worlds
from fakeplat.workbench.fault_responses import USUAL_STATUSES
from fakeplat.workbench.faults import LOSSES
from fakeplat.workbench.keywords import InvalidOption

_CLOCK: Final = f"{TOOLS}clock"
_FAULTS: Final = f"{TOOLS}faults"
_SNAPSHOTS: Final = f"{TOOLS}snapshots"
_TEXTS: Final = ("operation", "path", "method", "latency")
_NUMBERS: Final = {"nth": int, "retry_after": int, "chance": float}


@page("GET", "/_fakeplat/console/clock")
def show_clock(call: ConsoleRequest) -> Response:
    """Show the world's time, and the forms that move it."""
    return _render_clock(call)


@page("POST", "/_fakeplat/console/clock")
def move_clock(call: ConsoleRequest) -> Response:
    """Advance the clock by a duration, to a time, or until nothing is scheduled."""
    try:
        _move(call)
    except (ValueError, TypeError, OverflowError, RuntimeError) as error:
        return _render_clock(call, str(error), 400)
    return see_other(_CLOCK)


def _move(call: ConsoleRequest) -> None:
    platform, form = call.bench.platform, call.form
    if "settle" in form:
        platform.settle()
    elif "now" in form:
        now = from_iso(form["now"])
        if now < platform.clock.now():
            raise ValueError("time cannot go back; restore a snapshot instead")
        platform.advance_to(now)
    else:
        platform.advance(parse_duration(form.get("advance", "")))


def _render_clock(call: ConsoleRequest, error: str = "", status: int = 200) -> Response:
    return render(call, "clock.html", status, error=error, form=call.form)


@page("GET", "/_fakeplat/console/faults")
def show_faults(call: ConsoleRequest) -> Response:
    """Show the declared faults, and the form for another one."""
    return _render_faults(call)


@page("POST", "/_fakeplat/console/faults")
def add_fault(call: ConsoleRequest) -> Response:
    """Declare a fault."""
    try:
        call.bench.interceptors.faults.add(_parse_declaration(call.form))
    except (InvalidOption, ValueError) as error:
        return _render_faults(call, str(error), 400)
    return see_other(_FAULTS)


def _parse_declaration(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the keys of a fault; empty fields count as absent."""
    declaration: dict[str, Any] = {name: form[name] for name in _TEXTS if form.get(name)}
    for name, kind in _NUMBERS.items():
        if form.get(name):
            try:
                declaration[name] = kind(form[name])
            except ValueError:
                raise InvalidOption(f"fault: {name} must be a number, not {form[name]!r}") from None
    what, _, value = form.get("outcome", "").partition(":")
    if what == "status":
        declaration["status"] = parse_number(value)
    elif what and what != "latency":  # which has a field of its own
        declaration[what] = value
    return declaration | ({"once": True} if form.get("once") else {})


@page("POST", "/_fakeplat/console/faults/remove")
def remove_fault(call: ConsoleRequest) -> Response:
    """Remove a fault, or all of them."""
    faults = call.bench.interceptors.faults
    if "id" not in call.form:
        faults.clear()
    elif (number := parse_number(call.form["id"])) in [fault.id for fault in faults.list()]:
        faults.remove(number or 0)
    return see_other(_FAULTS)


def _render_faults(call: ConsoleRequest, error: str = "", status: int = 200) -> Response:
    return render(
        call,
        "faults.html",
        status,
        error=error,
        form=call.form,
        faults=call.bench.interceptors.faults.list(),
        statuses=USUAL_STATUSES,
        losses=LOSSES,
        operations=sorted({operation.name for operation in OPERATIONS}),
    )


@page("GET", "/_fakeplat/console/snapshots")
def show_snapshots(call: ConsoleRequest) -> Response:
    """Show the snapshots, and the forms that take, restore and delete them."""
    snapshots = [(name, to_iso(snapshot.now)) for name, snapshot in call.bench.snapshots.items()]
    return render(call, "snapshots.html", snapshots=snapshots)


@page("POST", "/_fakeplat/console/snapshots")
def take_snapshot(call: ConsoleRequest) -> Response:
    """Take a snapshot."""
    call.bench.snapshot(call.form.get("name") or call.bench.unused_snapshot_name())
    return see_other(_SNAPSHOTS)


@page("POST", "/_fakeplat/console/snapshots/restore")
def restore_snapshot(call: ConsoleRequest) -> Response:
    """Restore a snapshot."""
    call.bench.restore(_snapshot_name(call, call.form))
    return see_other(_SNAPSHOTS)


@page("POST", "/_fakeplat/console/snapshots/delete")
def delete_snapshot(call: ConsoleRequest) -> Response:
    """Delete a snapshot."""
    del call.bench.snapshots[_snapshot_name(call, call.form)]
    return see_other(_SNAPSHOTS)


@page("POST", "/_fakeplat/console/reset")
def reset(call: ConsoleRequest) -> Response:
    """Reset the world to its scenario."""
    call.bench.reset()
    return see_other(_SNAPSHOTS)


def _snapshot_name(call: ConsoleRequest, source: Mapping[str, str], key: str = "name") -> str:
    name = source.get(key, "")
    if name not in call.bench.snapshots:
        raise PageError(404, f"there is no snapshot {name!r}")
    return name


@page("GET", "/_fakeplat/console/changes")
def show_changes(call: ConsoleRequest) -> Response:
    """Show which records were created, changed and deleted since a snapshot; without one, since the start."""
    if call.query.get("since"):
        before = call.bench.snapshots[_snapshot_name(call, call.query, "since")]
    else:
        before = call.bench.initial_state
    diff = diff_worlds(before.state, call.bench.platform.state)
    since = call.query.get("since", "")
    return render(call, "changes.html", diff=diff, since=since, snapshots=list(call.bench.snapshots))
