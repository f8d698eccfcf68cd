"""Control routes: the journal, faults and tokens of a world. Source: docs/contract.md ('Worlds and control routes')."""

from typing import cast

from fakeplat.core.store.ids import number_of
from fakeplat.http.calls import Call, Refused, Result, control
from fakeplat.workbench.criteria import Wanted
from fakeplat.workbench.journal import Journaled
from fakeplat.workbench.tokens import mint


@control("GET", "requests")
async def list_requests(call: Call) -> Result:
    """Read the journal."""
    return 200, [entry.as_dict() for entry in _chosen(call)]


def _chosen(call: Call) -> list[Journaled]:
    given = call.query(*Wanted.__optional_keys__)
    status = given.get("status", "0")
    if number_of(status.removesuffix("xx")) is None:
        raise Refused(400, "status is no number")
    return call.bench.journal.find(**cast(Wanted, given))


@control("DELETE", "requests")
async def clear_requests(call: Call) -> Result:
    """Forget the journal."""
    call.bench.journal.clear()
    return 204, None


@control("GET", "faults")
async def list_faults(call: Call) -> Result:
    """List the faults."""
    return 200, [armed.as_dict() for armed in call.bench.meddling.faults.list()]


@control("POST", "faults")
async def add_fault(call: Call) -> Result:
    """Declare a fault."""
    from fakeplat.workbench.faults import KEYS

    faults = call.bench.meddling.faults
    return 201, faults.get(faults.add(call.body(*KEYS))).as_dict()


@control("DELETE", "faults")
async def clear_faults(call: Call) -> Result:
    """Take all faults away."""
    call.bench.meddling.faults.clear()
    return 204, None


@control("GET", "faults/:id")
async def get_fault(call: Call) -> Result:
    """Get a fault."""
    return 200, call.bench.meddling.faults.get(_fault_id(call)).as_dict()


@control("DELETE", "faults/:id")
async def drop_fault(call: Call) -> Result:
    """Take a fault away."""
    call.bench.meddling.faults.remove(_fault_id(call))
    return 204, None


def _fault_id(call: Call) -> int:
    number = number_of(call.texts["id"])
    if number is None or number not in [armed.id for armed in call.bench.meddling.faults.list()]:
        raise Refused(404, f"no fault {call.texts['id']!r}")
    return number


@control("POST", "tokens")
async def mint_token(call: Call) -> Result:
    """Mint a token."""
    given = call.body("user", "kind", "scopes", "expires_at", "project", "name")
    if not isinstance(given.get("user"), str):
        raise Refused(400, "say whose token: user is a username")
    value = mint(
        call.bench.platform,
        given["user"],
        given.get("kind", "personal"),
        scopes=given.get("scopes"),
        expires_at=given.get("expires_at"),
        project=given.get("project"),
        name=given.get("name", ""),
    )
    return 201, {"token": value, "user": given["user"], "kind": given.get("kind", "personal")}
