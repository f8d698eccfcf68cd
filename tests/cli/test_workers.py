"""`fakeplat serve --workers` serves further worlds in processes of their own. Source: docs/test-bench.md."""

import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.cli.commands import fakeplat
from tests.clients.server import TIMEOUT, serving

KEY = {"X-Fakeplat-Key": "a-key-for-tests"}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("workers")
    key = folder / "key"
    key.write_text(KEY["X-Fakeplat-Key"], "utf-8")
    with serving(folder, "--workers", "2", "--control-key-file", str(key)) as ready:
        yield ready["url"]


def control(method: str, url: str, body: Any = None) -> requests.Response:
    return requests.request(method, url, json=body, headers=KEY, timeout=TIMEOUT)


def open_world(url: str, **options: Any) -> dict[str, Any]:
    response = control("POST", f"{url}/_fakeplat/worlds", options)
    assert 201 == response.status_code, response.text
    world: dict[str, Any] = response.json()
    return world


def list_ids(url: str) -> list[int]:
    return [world["id"] for world in control("GET", f"{url}/_fakeplat/worlds").json()]


def create_issue(url: str) -> requests.Response:
    path = f"{url}/api/v4/projects/acme%2Fsite/issues"
    return requests.post(path, {"title": "New"}, headers={"PRIVATE-TOKEN": "ada-token"}, timeout=TIMEOUT)


def count_issues(url: str) -> str:
    path = f"{url}/api/v4/projects/acme%2Fsite/issues"
    return requests.get(path, headers={"PRIVATE-TOKEN": "ada-token"}, timeout=TIMEOUT).headers["X-Total"]


def find_process(url: str) -> int:
    """Return the process that listens on the port of a URL, on Linux."""
    port = int(url.rpartition(":")[2])
    lines = Path("/proc/net/tcp").read_text("utf-8").splitlines()[1:]
    rows = [line.split() for line in lines]
    inode = next(row[9] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "0A")
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if link.readlink().name == f"socket:[{inode}]":
                return int(link.parts[2])
        except OSError:
            continue
    raise LookupError(f"no process listens on port {port}")


def test_worlds_of_workers_are_isolated_and_have_their_scenario(url: str) -> None:
    """A world of a worker has the options it was opened with, and what is written to it is in no other world."""
    first, second = open_world(url), open_world(url, instance={"version": "16.11"})
    before = count_issues(second["url"])
    assert 201 == create_issue(first["url"]).status_code
    assert before == count_issues(second["url"]) == count_issues(url)
    assert str(int(before) + 1) == count_issues(first["url"])
    response = requests.get(f"{second['url']}/api/v4/version", headers={"PRIVATE-TOKEN": "ada-token"}, timeout=TIMEOUT)
    assert response.json()["version"].startswith("16.11")


def test_every_world_lists_the_worlds_of_the_server(url: str) -> None:
    """The first world and those of both workers give the same list, in which each world is once."""
    worlds = [open_world(url) for _ in range(3)]
    ids = list_ids(url)
    assert len(set(ids)) == len(ids)
    assert {1, *(world["id"] for world in worlds)} <= set(ids)
    for world in worlds:
        assert ids == list_ids(world["url"])
        described = control("GET", f"{worlds[0]['url']}/_fakeplat/worlds/{world['id']}").json()
        assert world["url"] == described["url"]
        assert "starter" == described["scenario"]


def test_worlds_are_spread_over_the_workers(url: str) -> None:
    """Two worlds that are opened one after the other run in two processes, and neither in that of the first world."""
    for id_ in list_ids(url)[1:]:
        control("DELETE", f"{url}/_fakeplat/worlds/{id_}")
    first, second = open_world(url), open_world(url)
    assert 3 == len({find_process(address) for address in (url, first["url"], second["url"])})


def test_worlds_wait_for_the_workers(tmp_path: Path, unused_tcp_port: int) -> None:
    """A world that is opened while the workers still start runs in one of them."""
    url = f"http://127.0.0.1:{unused_tcp_port}"
    with ThreadPoolExecutor(1) as threads:
        opening = threads.submit(open_at_once, url)
        with serving(tmp_path, "--port", str(unused_tcp_port), "--workers", "1"):
            assert find_process(url) != find_process(opening.result(TIMEOUT)["url"])


def open_at_once(url: str) -> dict[str, Any]:
    """Open a world as soon as the server listens; TimeoutError if it never does."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        try:
            return open_world(url)
        except requests.ConnectionError:
            time.sleep(0.002)
    raise TimeoutError(f"nothing listens at {url}")


def test_a_world_of_a_worker_opens_another(url: str) -> None:
    """A request to the port of a worker's world opens one that all others know."""
    world = open_world(open_world(url)["url"])
    assert world["id"] in list_ids(url)


def test_closing_a_world_of_a_worker(url: str) -> None:
    """A closed world accepts no connection and is unknown; a world of a worker cannot close itself, others can."""
    asked, other = open_world(url), open_world(url)
    itself = control("DELETE", f"{asked['url']}/_fakeplat/worlds/{asked['id']}")
    refusal = {"error": "a world cannot close itself; send the request to the port of another world"}
    assert (409, refusal) == (itself.status_code, itself.json())
    assert 204 == control("DELETE", f"{asked['url']}/_fakeplat/worlds/{other['id']}").status_code
    with pytest.raises(requests.ConnectionError):
        count_issues(other["url"])
    unknown = control("GET", f"{url}/_fakeplat/worlds/{other['id']}")
    assert (404, {"error": f"no world '{other['id']}'"}) == (unknown.status_code, unknown.json())


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"seed": "x"}, "seed: 'x' is not a whole number"),
        ({"scenario": "none-such"}, None),
        ({"seeds": 1}, None),
    ],
    ids=["value", "scenario", "key"],
)
def test_refusals_are_those_of_a_server_without_workers(
    url: str, tmp_path: Path, body: dict[str, Any], error: str | None
) -> None:
    """A worker refuses a world that cannot be opened with the texts of any server, and no world is added."""
    before = list_ids(url)
    with serving(tmp_path) as ready:
        alone = control("POST", f"{ready['url']}/_fakeplat/worlds", body)
    response = control("POST", f"{url}/_fakeplat/worlds", body)
    assert (400, alone.json()) == (response.status_code, response.json())
    assert error in (None, response.json()["error"])
    assert before == list_ids(url)


def test_the_key_protects_the_worlds_of_workers(url: str) -> None:
    """Without the key of the server, a world of a worker refuses control requests as the first one does."""
    world = open_world(url)
    for address in (url, world["url"]):
        assert 403 == requests.get(f"{address}/_fakeplat/worlds", timeout=TIMEOUT).status_code


def test_a_worker_that_ends_is_replaced(url: str) -> None:
    """The worlds of a worker that is killed are gone, all others live on, and a new one is opened in its place."""
    first, second = open_world(url), open_world(url)
    os.kill(find_process(first["url"]), signal.SIGKILL)
    with pytest.raises(requests.ConnectionError):
        count_issues(first["url"])
    assert 200 == control("GET", f"{second['url']}/_fakeplat/health").status_code
    world = open_world(url)
    assert 201 == create_issue(world["url"]).status_code
    assert first["id"] not in list_ids(url)
    assert second["id"] in list_ids(url)


def test_workers_and_tls_exclude_each_other(tmp_path: Path) -> None:
    """Each worker would have an authority of its own, so the two options are refused together."""
    result = fakeplat("serve", "--workers", "2", "--tls", tmp_path / "ca.pem")
    assert 2 == result.returncode
    assert "--workers and --tls exclude each other" in result.stderr


def test_workers_end_with_their_server(tmp_path: Path) -> None:
    """After a clean stop no worker listens any more."""
    with serving(tmp_path, "--workers", "1") as ready:
        response = requests.post(f"{ready['url']}/_fakeplat/worlds", data=json.dumps({}), timeout=TIMEOUT)
        world = response.json()
    with pytest.raises(requests.ConnectionError):
        count_issues(world["url"])
