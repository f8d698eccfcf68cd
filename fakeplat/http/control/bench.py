"""Control routes: the journal, faults and tokens of a world. Source: docs/contract.md ('Worlds and control routes')."""

from typing import cast

from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.http.control.declaration import ControlError, ControlRequest, Result, control
from fakeplat.workbench.criteria import RequestFilter
from fakeplat.workbench.journal import JournalEntry
from fakeplat.workbench.tokens import create_token


@control("GET", "requests")
async def list_requests(call: ControlRequest) -> Result:
    """Read the journal."""
    return 200, [entry.as_dict() for entry in _chosen(call)]


def _chosen(call: ControlRequest) -> list[JournalEntry]:
    given = call.query(*RequestFilter.__optional_keys__)
    status = given.get("status", "0")
    if number_of(status.removesuffix("xx")) is None:
        raise ControlError(400, "status is no number")
    return call.bench.journal.find(**cast(RequestFilter, given))


@control("DELETE", "requests")
async def clear_requests(call: ControlRequest) -> Result:
    """Forget the journal."""
    call.bench.journal.clear()
    return 204, None


@control("GET", "faults")
async def list_faults(call: ControlRequest) -> Result:
    """List the faults."""
    return 200, [armed.as_dict() for armed in call.bench.interceptors.faults.list()]


@control("POST", "faults")
async def add_fault(call: ControlRequest) -> Result:
    """Declare a fault."""
    from fakeplat.workbench.faults import KEYS

    faults = call.bench.interceptors.faults
    return 201, faults.get(faults.add(call.body(*KEYS))).as_dict()


@control("DELETE", "faults")
async def clear_faults(call: ControlRequest) -> Result:
    """Take all faults away."""
    call.bench.interceptors.faults.clear()
    return 204, None


@control("GET", "faults/:id")
async def get_fault(call: ControlRequest) -> Result:
    """Get a fault."""
    return 200, call.bench.interceptors.faults.get(_fault_id(call)).as_dict()


@control("DELETE", "faults/:id")
async def drop_fault(call: ControlRequest) -> Result:
    """Take a fault away."""
    call.bench.interceptors.faults.remove(_fault_id(call))
    return 204, None


def _fault_id(call: ControlRequest) -> int:
    number = number_of(call.texts["id"])
    if number is None or number not in [armed.id for armed in call.bench.interceptors.faults.list()]:
        raise ControlError(404, f"no fault {call.texts['id']!r}")
    return number


@control("POST", "tokens")
async def mint_token(call: ControlRequest) -> Result:
    """Mint a token."""
    given = call.body("user", "kind", "scopes", "expires_at", "project", "name")
    if not isinstance(given.get("user"), str):
        raise ControlError(400, "say whose token: user is a username")
    value = create_token(
        call.bench.platform,
        given["user"],
        given.get("kind", "personal"),
        scopes=given.get("scopes"),
        expires_at=given.get("expires_at"),
        project=given.get("project"),
        name=given.get("name", ""),
    )
    return 201, {"token": value, "user": given["user"], "kind": given.get("kind", "personal")}
