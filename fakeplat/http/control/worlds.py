"""Control routes: the worlds of a server, and their snapshots.

Source: docs/contract.md ('Worlds and control routes').
"""

from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.operations.http_messages import Response
from fakeplat.core.release import VERSION
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.timestamps import to_iso
from fakeplat.http.control.declaration import WORLD_HEADER, ControlError, ControlRequest, Key, Result, control
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import INSTANCE_KEYS, ROOT_TOKEN, Options, serving_port

if TYPE_CHECKING:
    from fakeplat.http.server import RunningWorld, WorldServer


@control("GET", "health", answer="Health")
async def health(call: ControlRequest) -> Result:
    """Report that the server runs, and which scenario and seed this world has."""
    bench = call.bench
    return 200, {"status": "ok", "version": VERSION, "scenario": bench.scenario, "seed": bench.seed}


@control("POST", "reset", status=204)
async def reset(call: ControlRequest) -> Result:
    """Reset the world to its scenario."""
    call.body()
    call.bench.reset()
    return 204, None


@control("GET", "snapshots", answer="[Snapshot]")
async def list_snapshots(call: ControlRequest) -> Result:
    """List the snapshots."""
    return 200, [{"name": name, "time": to_iso(snapshot.now)} for name, snapshot in call.bench.snapshots.items()]


_SNAPSHOT: Final = {"name": Key("Name of the snapshot. Default: snapshot-1, snapshot-2 …", example="before")}


@control("POST", "snapshots", body=_SNAPSHOT, status=201, answer="SnapshotName")
@control("POST", "snapshots/:name", status=201, answer="SnapshotName")
async def make_snapshot(call: ControlRequest) -> Result:
    """Take a snapshot."""
    name = call.texts.get("name") or call.body(*_SNAPSHOT).get("name") or call.bench.unused_snapshot_name()
    if not isinstance(name, str):
        raise ControlError(400, f"'name' must be text, not {name!r}")
    call.bench.snapshot(name)
    return 201, {"name": name}


@control("GET", "snapshots/:name", answer="Snapshot")
async def get_snapshot(call: ControlRequest) -> Result:
    """Get a snapshot."""
    _check_snapshot(call)
    name = call.texts["name"]
    return 200, {"name": name, "time": to_iso(call.bench.snapshots[name].now)}


@control("DELETE", "snapshots/:name", status=204)
async def delete_snapshot(call: ControlRequest) -> Result:
    """Delete a snapshot."""
    _check_snapshot(call)
    del call.bench.snapshots[call.texts["name"]]
    return 204, None


@control("POST", "snapshots/:name/restore", status=204)
async def restore(call: ControlRequest) -> Result:
    """Restore a snapshot."""
    _check_snapshot(call)
    call.bench.restore(call.texts["name"])
    return 204, None


def _check_snapshot(call: ControlRequest) -> None:
    if call.texts["name"] not in call.bench.snapshots:
        raise ControlError(404, f"no snapshot {call.texts['name']!r}")


@control("POST", "load", body="Fragment", answer="Changes")
async def load(call: ControlRequest) -> Result:
    """Add the records of a scenario fragment; the response lists what it created and changed."""
    from fakeplat.scenario import ScenarioError
    from fakeplat.workbench.changes import diff_worlds

    fragment, before = call.json(), call.bench.platform.state
    if not isinstance(fragment, dict):
        raise ControlError(400, "the body is not a JSON object")
    try:
        call.bench.load(fragment)
    except ScenarioError as error:
        raise ControlError(400, str(error)) from None
    return 200, diff_worlds(before, call.bench.platform.state).as_dict()


_SINCE: Final = {"since": Key("Name of the snapshot to compare with.", example="before", required=True)}


@control("GET", "diff", query=_SINCE, answer="Changes")
async def diff(call: ControlRequest) -> Result:
    """List the records that changed since a snapshot."""
    from fakeplat.workbench.changes import diff_worlds

    name = call.query(*_SINCE).get("since")
    if name is None:
        raise ControlError(400, "'since' is missing: the snapshot to compare with, as in ?since=NAME")
    if name not in call.bench.snapshots:
        raise ControlError(404, f"no snapshot {name!r}")
    return 200, diff_worlds(call.bench.snapshots[name].state, call.bench.platform.state).as_dict()


@control("GET", "worlds", answer="[World]", is_of_server=True)
async def list_worlds(call: ControlRequest) -> Result:
    """List the worlds."""
    return 200, describe_worlds(call.server)


def describe_worlds(server: "WorldServer") -> list[dict[str, Any]]:
    """Return what is told about the worlds of a server, with those of its workers."""
    others = () if server.workers is None else server.workers.list()
    return [*(serialize(world) for world in server.worlds.values()), *others]


def serialize(world: "RunningWorld") -> dict[str, Any]:
    """Return what is told about a world."""
    return {
        "id": world.id,
        "url": world.url,
        "listen_url": world.listener.url,
        "scenario": world.bench.scenario,
    }


_WORLD: Final = {
    "scenario": Key("Name of a scenario, or the scenario itself. Default: starter.", ("string", "object"), "starter"),
    "seed": Key("Number that all random values are derived from.", "integer", 7),
    "instance": Key("Keys of the instance.", "object", {"tier": "premium"}),
    "clock": Key("Kind of the clock, or kind, start and tick.", ("string", "object"), "virtual"),
    "base_url": Key("Origin in all URLs of responses.", example="https://git.example.test"),
    "port": Key("Port of the world. Default: 0, a free one.", "integer", 8123),
}


@control("POST", "worlds", body=_WORLD, status=201, answer="NewWorld", is_of_server=True)
async def open_world(call: ControlRequest) -> Result | Response:
    """Open another world, in the worker with the fewest if there are workers."""
    if call.server.workers is not None:
        return await call.server.workers.open(call.request)
    params = call.body(*_WORLD, within={"instance": INSTANCE_KEYS, "clock": ("start", "tick")})
    port, base_url = serving_port(params.get("port", 0)), params.get("base_url")
    try:
        world = await call.server.open(_create_bench(params), port=port, base_url=base_url, id_=_read_world(call))
    except OSError as error:
        raise ControlError(409, f"port: {error.strerror}") from None
    listen_url = {"listen_url": world.listener.url} if world.url != world.listener.url else {}
    return 201, {"id": world.id, "url": world.url, **listen_url, "root_token": ROOT_TOKEN}


def _create_bench(params: dict[str, Any]) -> Workbench:
    from fakeplat.scenario import ScenarioError

    options = {name: params[name] for name in ("scenario", "seed", "instance", "clock") if params.get(name) is not None}
    for name in ("scenario", "clock", "instance"):
        _check_type(name, options.get(name, {}), is_name=name != "instance")
    try:
        return Options(**options).bench()
    except (ScenarioError, OSError) as error:
        raise ControlError(400, str(error)) from None


def _check_type(name: str, value: object, *, is_name: bool) -> None:
    if not isinstance(value, dict) and not (is_name and isinstance(value, str)):
        raise ControlError(400, f"{name}: {value!r} is not {'a name or ' if is_name else ''}an object")


@control("GET", "worlds/:id", answer="World", is_of_server=True)
async def get_world(call: ControlRequest) -> Result:
    """Get a world."""
    id_ = _get_id(call)
    elsewhere = None if call.server.workers is None else call.server.workers.find(id_)
    return 200, elsewhere or serialize(_get_world(call))


@control("DELETE", "worlds/:id", status=204, is_of_server=True)
async def close_world(call: ControlRequest) -> Result | Response:
    """Close a world."""
    own = call.server.worlds.get(_get_id(call))
    # Closing the world that was asked would cancel this response.
    if _read_world(call) == _get_id(call) or (own is not None and own.bench is call.bench):
        raise ControlError(409, "a world cannot close itself; send the request to the port of another world")
    elsewhere = None if call.server.workers is None else await call.server.workers.close(_get_id(call))
    if elsewhere is not None:
        return elsewhere
    await call.server.close(_get_world(call).id)
    return 204, None


def _read_world(call: ControlRequest) -> int | None:
    """Return the world that a worker or its parent names: the one to open, or the one that was asked."""
    return parse_number(call.request.headers.get(WORLD_HEADER, ""))


def _get_id(call: ControlRequest) -> int:
    # No world has the id 0, so it stands for a text that is not a number.
    return parse_number(call.texts["id"]) or 0


def _get_world(call: ControlRequest) -> "RunningWorld":
    world = call.server.worlds.get(_get_id(call))
    if world is None:
        raise ControlError(404, f"no world {call.texts['id']!r}")
    return world
