"""Control routes: the journal, faults and tokens of a world. Source: docs/contract.md ('Worlds and control routes')."""

from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.http.control.declaration import ControlError, ControlRequest, Key, Result, control
from fakeplat.http.control.paging import PAGE, take_page, wait_for
from fakeplat.workbench.criteria import RequestFilter
from fakeplat.workbench.tokens import create_token

if TYPE_CHECKING:
    from fakeplat.workbench.played_jobs import PlayedJobs


@control("GET", "requests", query="RequestFilter", answer="[Request]")
async def list_requests(call: ControlRequest) -> Result:
    """List the requests in the journal, optionally filtered, a page of them, or as soon as there is one."""
    criteria: Any = call.query(*RequestFilter.__optional_keys__, *PAGE)
    page, journal = take_page(criteria), call.bench.journal
    status = criteria.get("status", "0")
    if parse_number(status.removesuffix("xx")) is None:
        raise ControlError(400, f"status: {status!r} is not a number or a class such as 4xx")

    await wait_for(journal.watch(page.after or 0, **criteria), journal.listening, page.wait)
    return 200, [entry.as_dict() for entry in page.select(journal.find(**criteria), lambda entry: entry.number)]


@control("DELETE", "requests", status=204)
async def clear_requests(call: ControlRequest) -> Result:
    """Clear the journal."""
    call.bench.journal.clear()
    return 204, None


@control("GET", "faults", answer="[Fault]")
async def list_faults(call: ControlRequest) -> Result:
    """List the declared faults."""
    return 200, [fault.as_dict() for fault in call.bench.interceptors.faults.list()]


@control("POST", "faults", body="NewFault", status=201, answer="Fault")
async def add_fault(call: ControlRequest) -> Result:
    """Declare a fault."""
    from fakeplat.workbench.faults import KEYS

    faults = call.bench.interceptors.faults
    return 201, faults.get(faults.add(call.body(*KEYS))).as_dict()


@control("DELETE", "faults", status=204)
async def clear_faults(call: ControlRequest) -> Result:
    """Remove all faults."""
    call.bench.interceptors.faults.clear()
    return 204, None


@control("GET", "faults/:id", answer="Fault")
async def get_fault(call: ControlRequest) -> Result:
    """Get a fault."""
    return 200, call.bench.interceptors.faults.get(_fault_id(call)).as_dict()


@control("DELETE", "faults/:id", status=204)
async def remove_fault(call: ControlRequest) -> Result:
    """Remove a fault."""
    call.bench.interceptors.faults.remove(_fault_id(call))
    return 204, None


def _fault_id(call: ControlRequest) -> int:
    number = parse_number(call.texts["id"])
    if number is None or number not in [fault.id for fault in call.bench.interceptors.faults.list()]:
        raise ControlError(404, f"no fault {call.texts['id']!r}")
    return number


def _played_jobs(call: ControlRequest) -> "PlayedJobs":
    from fakeplat.workbench.played_jobs import PlayedJobs

    return PlayedJobs(call.bench.platform)


@control("GET", "pipelines", answer="[JobOutcome]")
async def list_job_outcomes(call: ControlRequest) -> Result:
    """List the declarations of how jobs are played."""
    return 200, _played_jobs(call).list()


@control("PUT", "pipelines", body="[JobOutcome]", answer="[JobOutcome]")
async def replace_job_outcomes(call: ControlRequest) -> Result:
    """Replace the declarations of how jobs are played: by a list, or by a single one."""
    declarations = call.json()
    jobs = _played_jobs(call)
    jobs.replace(declarations if isinstance(declarations, list) else [declarations])
    return 200, jobs.list()


_TOKEN: Final = {
    "user": Key("Username of the user whom the token is for.", example="dev", required=True),
    "kind": Key("personal, oauth, impersonation, session, project, group or job. Default: personal.", example="oauth"),
    "scopes": Key("Scopes of the token. Default: all.", "array", ["read_api"]),
    "expires_at": Key("Day on which it expires.", example="2021-01-31"),
    "project": Key("Full path of the project, for the kind project.", example="acme/site"),
    "group": Key("Full path of the group, for the kind group.", example="acme"),
    "job": Key("Id of a running job, for the kind job.", "integer", 7),
    "name": Key("Name of the token.", example="ci"),
}


@control("POST", "tokens", body=_TOKEN, status=201, answer="Token")
async def mint_token(call: ControlRequest) -> Result:
    """Create a token of any kind for a user."""
    params = call.body(*_TOKEN)
    if not isinstance(params.get("user"), str):
        raise ControlError(400, "'user' must be the username that the token is for")
    value = create_token(
        call.bench.platform,
        params["user"],
        params.get("kind", "personal"),
        scopes=params.get("scopes"),
        expires_at=params.get("expires_at"),
        project=params.get("project"),
        group=params.get("group"),
        job=params.get("job"),
        name=params.get("name", ""),
    )
    return 201, {"token": value, "user": params["user"], "kind": params.get("kind", "personal")}
