"""Control routes: the worlds of a server, and their snapshots.

Source: docs/contract.md ('Worlds and control routes').
"""

from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.release import VERSION
from fakeplat.core.store.sorted_sequence import number_of
from fakeplat.core.timestamps import to_iso
from fakeplat.http.control.declaration import ControlError, ControlRequest, Result, control
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.options import Options

if TYPE_CHECKING:
    from fakeplat.http.server import RunningWorld

ROOT_TOKEN: Final = "root-token"


@control("GET", "health")
async def health(call: ControlRequest) -> Result:
    """Say that it runs."""
    bench = call.bench
    return 200, {"status": "ok", "version": VERSION, "scenario": bench.scenario, "seed": bench.seed}


@control("POST", "reset")
async def reset(call: ControlRequest) -> Result:
    """Make the world as the scenario made it."""
    call.body()
    call.bench.reset()
    return 204, None


@control("GET", "snapshots")
async def list_snapshots(call: ControlRequest) -> Result:
    """List the snapshots."""
    return 200, [{"name": name, "time": to_iso(at.now)} for name, at in call.bench.snapshots.items()]


@control("POST", "snapshots")
@control("POST", "snapshots/:name")
async def make_snapshot(call: ControlRequest) -> Result:
    """Remember this moment."""
    name = call.texts.get("name") or call.body("name").get("name") or f"snapshot-{len(call.bench.snapshots) + 1}"
    call.bench.snapshot(str(name))
    return 201, {"name": name}


@control("GET", "snapshots/:name")
async def get_snapshot(call: ControlRequest) -> Result:
    """Get a snapshot."""
    _known_snapshot(call)
    name = call.texts["name"]
    return 200, {"name": name, "time": to_iso(call.bench.snapshots[name].now)}


@control("DELETE", "snapshots/:name")
async def drop_snapshot(call: ControlRequest) -> Result:
    """Forget a snapshot."""
    _known_snapshot(call)
    del call.bench.snapshots[call.texts["name"]]
    return 204, None


@control("POST", "snapshots/:name/restore")
async def restore(call: ControlRequest) -> Result:
    """Come back to a snapshot."""
    _known_snapshot(call)
    call.bench.restore(call.texts["name"])
    return 204, None


def _known_snapshot(call: ControlRequest) -> None:
    if call.texts["name"] not in call.bench.snapshots:
        raise ControlError(404, f"no snapshot {call.texts['name']!r}")


@control("GET", "diff")
async def diff(call: ControlRequest) -> Result:
    """Say what changed since a snapshot."""
    from fakeplat.workbench.changes import diff_worlds

    name = call.query("since").get("since")
    if name is None:
        raise ControlError(400, "say since which snapshot: ?since=NAME")
    if name not in call.bench.snapshots:
        raise ControlError(404, f"no snapshot {name!r}")
    return 200, diff_worlds(call.bench.snapshots[name].state, call.bench.platform.state).as_dict()


@control("GET", "worlds")
async def list_worlds(call: ControlRequest) -> Result:
    """List the worlds."""
    return 200, [_shown(served) for served in call.hall.worlds.values()]


def _shown(served: "RunningWorld") -> dict[str, Any]:
    return {
        "id": served.id,
        "url": served.url,
        "listen_url": served.listening.url,
        "scenario": served.bench.scenario,
    }


@control("POST", "worlds")
async def open_world(call: ControlRequest) -> Result:
    """Open one more world."""
    given = call.body("scenario", "seed", "instance", "clock", "base_url")
    served = await call.hall.open(_bench(given), base_url=given.get("base_url"))
    elsewhere = {"listen_url": served.listening.url} if served.url != served.listening.url else {}
    return 201, {"id": served.id, "url": served.url, **elsewhere, "root_token": ROOT_TOKEN}


def _bench(given: dict[str, Any]) -> Workbench:
    from fakeplat.scenario import ScenarioError

    wanted = {name: given[name] for name in ("scenario", "seed", "instance", "clock") if given.get(name) is not None}
    for name in ("scenario", "clock", "instance"):
        _check_kind(name, wanted.get(name, {}), is_name=name != "instance")
    try:
        return Options(**wanted).bench()
    except (ScenarioError, OSError) as error:
        raise ControlError(400, str(error)) from None


def _check_kind(name: str, value: object, *, is_name: bool) -> None:
    if not isinstance(value, dict) and not (is_name and isinstance(value, str)):
        raise ControlError(400, f"{name}: {value!r} is not {'a name or ' if is_name else ''}an object")


@control("GET", "worlds/:id")
async def get_world(call: ControlRequest) -> Result:
    """Get a world."""
    served = _world(call)
    return 200, _shown(served)


@control("DELETE", "worlds/:id")
async def close_world(call: ControlRequest) -> Result:
    """Close a world."""
    served = _world(call)
    if served.bench is call.bench:
        raise ControlError(409, "a world cannot close itself; ask another world's port")
    await call.hall.close(served.id)
    return 204, None


def _world(call: ControlRequest) -> "RunningWorld":
    text = call.texts["id"]
    served = call.hall.worlds.get(number_of(text) or 0)
    if served is None:
        raise ControlError(404, f"no world {text!r}")
    return served
