"""The control routes, `/_fakeplat/…`. Source: contract, 'Worlds and control routes'.

They act on the world whose port was asked, but `/worlds`, which act on the server.
"""

from collections.abc import Awaitable, Callable, Mapping
from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, cast

import orjson

from fakeplat.core.body import parse_query
from fakeplat.core.errors import Refusal
from fakeplat.core.ids import number_of
from fakeplat.core.messages import JSON, Request, Response
from fakeplat.core.release import VERSION
from fakeplat.core.router import Router
from fakeplat.core.stamps import moment, span, stamp
from fakeplat.http.origins import host_name, is_loopback
from fakeplat.workbench.bench import Bench
from fakeplat.workbench.criteria import Wanted
from fakeplat.workbench.journal import Journaled
from fakeplat.workbench.keywords import UnusableOption, refuse_unknown
from fakeplat.workbench.naming import NoSuchOperation
from fakeplat.workbench.options import Options
from fakeplat.workbench.tokens import Unmintable, mint

if TYPE_CHECKING:
    from fakeplat.http.hall import Hall

ROOT_TOKEN: Final = "root-token"
_KEY_HEADER: Final = "x-fakeplat-key"


class Refused(Exception):
    """A control request that cannot be met: 400, 403, 404 or 409."""

    def __init__(self, status: int, text: str, allow: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.allow = allow


class Call:
    """One control request: the server, the world, the texts of the path, the query, the body's keys."""

    def __init__(self, hall: "Hall", bench: Bench, texts: Mapping[str, str], request: Request) -> None:
        self.hall = hall
        self.bench = bench
        self.texts = texts
        self.request = request

    def body(self, *known: str) -> dict[str, Any]:
        """The JSON object that was sent; other keys than the known ones are refused."""
        try:
            found = orjson.loads(self.request.body) if self.request.body.strip() else {}
        except orjson.JSONDecodeError as error:
            raise Refused(400, f"the body is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise Refused(400, "the body is no JSON object")
        refuse_unknown(found, known, "body")
        return found

    def query(self, *known: str) -> dict[str, str]:
        """The query; other names than the known ones are refused."""
        found = {name: str(value) for name, value in parse_query(self.request.query).items()}
        refuse_unknown(found, known, "query")
        return found


Result = tuple[int, Any]
Handler = Callable[[Call], Awaitable[Result]]


class Route:
    """A method, a path and what is done there."""

    def __init__(self, method: str, path: str, handler: Handler) -> None:
        self.method = method
        self.path = path
        self.handler = handler


class Control:
    """The control routes of one world."""

    def __init__(self, hall: "Hall", bench: Bench) -> None:
        self.hall = hall
        self.bench = bench

    async def __call__(self, request: Request) -> Response:
        """Answer a control request."""
        try:
            self._guard(request)
            status, result = await self._through(request)
        except Refused as refused:
            headers = (("Allow", ", ".join(refused.allow)),) if refused.allow else ()
            return _json(refused.status, {"error": refused.text}, headers)
        except (UnusableOption, Unmintable, NoSuchOperation) as error:
            return _json(400, {"error": str(error)})
        return _json(status, result)

    async def _through(self, request: Request) -> Result:
        route, texts, allowed = _ROUTER.match(request.method, request.path)
        if route is None:
            if allowed:
                raise Refused(405, f"{request.path} takes {', '.join(allowed)}", allowed)
            raise Refused(404, f"no control route {request.path}")
        try:
            return await route.handler(Call(self.hall, self.bench, texts, request))
        except Refusal as refusal:
            raise Refused(400, str(refusal.payload)) from None

    def _guard(self, request: Request) -> None:
        origin = request.headers.get("origin")
        if origin is not None and origin != request.origin:
            raise Refused(403, f"control routes are not for pages of {origin}")
        if self.hall.key is not None:
            if not compare_digest(request.headers.get(_KEY_HEADER, "").encode(), self.hall.key.encode()):
                raise Refused(403, "the control routes ask for the key in X-Fakeplat-Key")
            return
        if not (_is_local(request.peer) and is_loopback(host_name(request.headers.get("host", "")))):
            raise Refused(403, "control routes are for this machine; --control-key-file lets others in")


def _is_local(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False


def _json(status: int, value: object, headers: tuple[tuple[str, str], ...] = ()) -> Response:
    if status == 204:
        return Response(204, headers)
    return Response(status, (("Content-Type", JSON), *headers), orjson.dumps(value))


async def _health(call: Call) -> Result:
    bench = call.bench
    return 200, {"status": "ok", "version": VERSION, "scenario": bench.scenario, "seed": bench.seed}


async def _reset(call: Call) -> Result:
    call.body()
    call.bench.reset()
    return 204, None


async def _list_snapshots(call: Call) -> Result:
    return 200, [{"name": name, "time": stamp(at.now)} for name, at in call.bench.snapshots.items()]


async def _make_snapshot(call: Call) -> Result:
    name = call.texts.get("name") or call.body("name").get("name") or f"snapshot-{len(call.bench.snapshots) + 1}"
    call.bench.snapshot(str(name))
    return 201, {"name": name}


async def _drop_snapshot(call: Call) -> Result:
    _known_snapshot(call)
    del call.bench.snapshots[call.texts["name"]]
    return 204, None


async def _restore(call: Call) -> Result:
    _known_snapshot(call)
    call.bench.restore(call.texts["name"])
    return 204, None


async def _get_snapshot(call: Call) -> Result:
    _known_snapshot(call)
    name = call.texts["name"]
    return 200, {"name": name, "time": stamp(call.bench.snapshots[name].now)}


def _known_snapshot(call: Call) -> None:
    if call.texts["name"] not in call.bench.snapshots:
        raise Refused(404, f"no snapshot {call.texts['name']!r}")


async def _list_worlds(call: Call) -> Result:
    return 200, [
        {"id": served.id, "url": served.url, "scenario": served.bench.scenario} for served in call.hall.worlds.values()
    ]


async def _open_world(call: Call) -> Result:
    given = call.body("scenario", "seed", "instance", "clock", "base_url")
    served = await call.hall.open(_bench(given), base_url=given.get("base_url"))
    return 201, {"id": served.id, "url": served.url, "root_token": ROOT_TOKEN}


def _bench(given: dict[str, Any]) -> Bench:
    from fakeplat.scenario import ScenarioError

    wanted = {name: given[name] for name in ("scenario", "seed", "instance", "clock") if given.get(name) is not None}
    if not isinstance(wanted.get("seed", 0), int):
        raise Refused(400, "seed is no whole number")
    try:
        return Options(**wanted).bench()
    except ScenarioError as error:
        raise Refused(400, str(error)) from None


async def _get_world(call: Call) -> Result:
    served = _world(call)
    return 200, {"id": served.id, "url": served.url, "scenario": served.bench.scenario}


async def _close_world(call: Call) -> Result:
    served = _world(call)
    if served.bench is call.bench:
        raise Refused(409, "a world cannot close itself; ask another world's port")
    await call.hall.close(served.id)
    return 204, None


def _world(call: Call) -> Any:
    text = call.texts["id"]
    served = call.hall.worlds.get(number_of(text) or 0)
    if served is None:
        raise Refused(404, f"no world {text!r}")
    return served


async def _get_clock(call: Call) -> Result:
    clock = call.bench.platform.clock
    return 200, {"now": stamp(clock.now()), "kind": clock.kind}


async def _move_clock(call: Call) -> Result:
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
    return await _get_clock(call)


def _set_now(bench: Bench, to: int) -> None:
    if to < bench.platform.clock.now():
        raise ValueError("time does not go back; restore a snapshot instead")
    bench.platform.advance_to(to)


async def _settle(call: Call) -> Result:
    call.body()
    call.bench.platform.settle()
    return await _get_clock(call)


async def _list_requests(call: Call) -> Result:
    return 200, [entry.as_dict() for entry in _chosen(call)]


def _chosen(call: Call) -> list[Journaled]:
    given = call.query(*Wanted.__optional_keys__)
    status = given.get("status", "0")
    if number_of(status.removesuffix("xx")) is None:
        raise Refused(400, "status is no number")
    return call.bench.journal.find(**cast(Wanted, given))


async def _clear_requests(call: Call) -> Result:
    call.bench.journal.clear()
    return 204, None


async def _list_faults(call: Call) -> Result:
    return 200, [armed.as_dict() for armed in call.bench.meddling.faults.list()]


async def _add_fault(call: Call) -> Result:
    from fakeplat.workbench.faults import KEYS

    faults = call.bench.meddling.faults
    return 201, faults.get(faults.add(call.body(*KEYS))).as_dict()


async def _clear_faults(call: Call) -> Result:
    call.bench.meddling.faults.clear()
    return 204, None


async def _get_fault(call: Call) -> Result:
    return 200, call.bench.meddling.faults.get(_fault_id(call)).as_dict()


async def _drop_fault(call: Call) -> Result:
    call.bench.meddling.faults.remove(_fault_id(call))
    return 204, None


def _fault_id(call: Call) -> int:
    number = number_of(call.texts["id"])
    if number is None or number not in [armed.id for armed in call.bench.meddling.faults.list()]:
        raise Refused(404, f"no fault {call.texts['id']!r}")
    return number


async def _diff(call: Call) -> Result:
    from fakeplat.workbench.changes import difference

    name = call.query("since").get("since")
    if name is None:
        raise Refused(400, "say since which snapshot: ?since=NAME")
    if name not in call.bench.snapshots:
        raise Refused(404, f"no snapshot {name!r}")
    return 200, difference(call.bench.snapshots[name].state, call.bench.platform.state).as_dict()


async def _mint(call: Call) -> Result:
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


async def _export(call: Call) -> Result:
    from fakeplat.scenario import export

    return 200, export(call.bench.platform)


async def _openapi(call: Call) -> Result:
    from fakeplat.workbench.openapi import document

    return 200, document(call.bench.platform.view.instance, call.request.origin)


async def _coverage(call: Call) -> Result:
    from fakeplat.workbench.coverage import table

    del call
    return 200, table()


_ROUTES: Final = [
    Route("GET", "/_fakeplat/health", _health),
    Route("POST", "/_fakeplat/reset", _reset),
    Route("GET", "/_fakeplat/snapshots", _list_snapshots),
    Route("POST", "/_fakeplat/snapshots", _make_snapshot),
    Route("GET", "/_fakeplat/snapshots/:name", _get_snapshot),
    Route("POST", "/_fakeplat/snapshots/:name", _make_snapshot),
    Route("DELETE", "/_fakeplat/snapshots/:name", _drop_snapshot),
    Route("POST", "/_fakeplat/snapshots/:name/restore", _restore),
    Route("GET", "/_fakeplat/worlds", _list_worlds),
    Route("POST", "/_fakeplat/worlds", _open_world),
    Route("GET", "/_fakeplat/worlds/:id", _get_world),
    Route("DELETE", "/_fakeplat/worlds/:id", _close_world),
    Route("GET", "/_fakeplat/clock", _get_clock),
    Route("POST", "/_fakeplat/clock", _move_clock),
    Route("POST", "/_fakeplat/settle", _settle),
    Route("GET", "/_fakeplat/requests", _list_requests),
    Route("DELETE", "/_fakeplat/requests", _clear_requests),
    Route("GET", "/_fakeplat/faults", _list_faults),
    Route("POST", "/_fakeplat/faults", _add_fault),
    Route("DELETE", "/_fakeplat/faults", _clear_faults),
    Route("GET", "/_fakeplat/faults/:id", _get_fault),
    Route("DELETE", "/_fakeplat/faults/:id", _drop_fault),
    Route("POST", "/_fakeplat/tokens", _mint),
    Route("GET", "/_fakeplat/diff", _diff),
    Route("GET", "/_fakeplat/scenario", _export),
    Route("GET", "/_fakeplat/openapi.json", _openapi),
    Route("GET", "/_fakeplat/coverage", _coverage),
]
_ROUTER: Final = Router(_ROUTES)
