"""Callbacks around a request in a served world: they may use any client, and never keep a session from ending."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from threading import Event
from typing import Any

import gitlab
import httpx
import pytest
import requests

import fakeplat
from fakeplat.harness.fake import Fakeplat
from fakeplat.harness.harness import Harness
from fakeplat.workbench.options import Options
from tests.harness.test_plugin import run, session

__all__ = ["session"]

ISSUE = "projects/acme%2Fsite/issues/1"
ADA = {"PRIVATE-TOKEN": "ada-token"}


def delete_with_httpx(world: Fakeplat) -> None:
    httpx.delete(f"{world.api_url}/{ISSUE}", headers=ADA, timeout=5)


def delete_with_requests(world: Fakeplat) -> None:
    requests.delete(f"{world.api_url}/{ISSUE}", headers=ADA, timeout=5)


def delete_with_python_gitlab(world: Fakeplat) -> None:
    gitlab.Gitlab(world.url, private_token="ada-token", timeout=5).projects.get("acme/site").issues.delete(1)


def delete_with_an_asynchronous_client(world: Fakeplat) -> None:
    async def delete() -> None:
        async with httpx.AsyncClient(headers=ADA, timeout=5) as client:
            await client.delete(f"{world.api_url}/{ISSUE}")

    asyncio.run(delete())


def delete_without_network(world: Fakeplat) -> None:
    world.as_user("ada").delete(ISSUE)


CLIENTS = [
    delete_with_httpx,
    delete_with_requests,
    delete_with_python_gitlab,
    delete_with_an_asynchronous_client,
    delete_without_network,
]


@pytest.mark.parametrize("delete", CLIENTS)
def test_a_callback_may_use_any_client(fakeplat: Fakeplat, delete: Callable[[Fakeplat], None]) -> None:
    """A callback around a request over the network can use a synchronous client of the same world."""
    fakeplat.before("update_issue", delete)
    reply = httpx.put(f"{fakeplat.api_url}/{ISSUE}", headers=ADA, json={"title": "x"}, timeout=5)
    assert 404 == reply.status_code
    assert ["delete_issue", "update_issue"] == [
        entry.operation for entry in fakeplat.requests if entry.operation != "get_project"
    ]


@pytest.mark.parametrize("delete", CLIENTS)
def test_a_callback_of_a_request_without_network_may_use_any_client(
    fakeplat: Fakeplat, delete: Callable[[Fakeplat], None]
) -> None:
    """A callback around a request without network can send requests to the server over the network."""
    fakeplat.after("get_issue", delete)
    assert [200, 404] == [fakeplat.as_user("ada").get(ISSUE).status for _ in range(2)]


@pytest.mark.parametrize("delete", CLIENTS)
async def test_a_callback_of_an_asynchronous_client_may_use_any_client(
    fakeplat: Fakeplat, delete: Callable[[Fakeplat], None]
) -> None:
    """A callback blocks neither the server's event loop nor that of an asynchronous client."""
    transports: list[Any] = [None, fakeplat.httpx_transport(), httpx.ASGITransport(fakeplat.asgi)]
    fakeplat.snapshot()
    for transport in transports:
        fakeplat.after("get_issue", delete)
        async with httpx.AsyncClient(transport=transport, base_url=fakeplat.url, headers=ADA) as client:
            replies = [await client.get(f"/api/v4/{ISSUE}") for _ in range(2)]
        assert [200, 404] == [reply.status_code for reply in replies]
        fakeplat.restore()


def test_a_callback_may_use_another_world(fakeplat: Fakeplat, fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """A callback of one world can send requests to another world of the session."""
    with fakeplat_factory() as other:
        fakeplat.before("get_issue", lambda _: delete_with_httpx(other))
        httpx.get(f"{fakeplat.api_url}/{ISSUE}", headers=ADA, timeout=5)
        assert [(200, 204)] == [(fakeplat.requests[-1].status, other.requests[-1].status)]


def test_requests_of_a_callback_over_the_network_trigger_nothing(fakeplat: Fakeplat) -> None:
    """Requests of a callback over the network trigger no faults and no callbacks and are not counted by them."""

    def rename(world: Fakeplat) -> None:
        httpx.put(f"{world.api_url}/{ISSUE}", headers=ADA, json={"title": "theirs"}, timeout=5)

    fakeplat.before("update_issue", rename, nth=None)
    fakeplat.faults.add(operation="update_issue", status=503, nth=2)
    replies = [
        httpx.put(f"{fakeplat.api_url}/{ISSUE}", headers=ADA, json={"title": title}, timeout=5) for title in "ab"
    ]
    assert [200, 503] == [reply.status_code for reply in replies]
    assert [200, 200, 200, 503] == [entry.status for entry in fakeplat.requests]


@pytest.mark.parametrize("loss", ["lost_reply", "truncated"])
def test_a_fault_applies_to_a_request_with_a_callback(fakeplat: Fakeplat, loss: str) -> None:
    """A connection fault also applies to a request with a callback."""
    fakeplat.before("get_issue", lambda world: world.as_user("ada").get("version"))
    fakeplat.faults.add(operation="get_issue", connection=loss)
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{fakeplat.api_url}/{ISSUE}", headers=ADA, timeout=5)


def test_another_thread_is_intercepted_during_a_callback(fakeplat: Fakeplat) -> None:
    """A fault applies to a request of another thread that is sent during a callback."""
    began, ended = Event(), Event()

    def wait(_: Fakeplat) -> None:
        began.set()
        ended.wait(5)

    fakeplat.before("get_version", wait)
    fakeplat.faults.add(operation="get_issue", status=503)

    async def collect_statuses() -> tuple[int, int]:
        async with httpx.AsyncClient(headers=ADA) as client:
            version = asyncio.create_task(client.get(f"{fakeplat.api_url}/version"))
            await asyncio.to_thread(began.wait, 5)
            status = fakeplat.as_user("ada").get(ISSUE).status
            ended.set()
            return status, (await version).status_code

    assert (503, 200) == asyncio.run(collect_statuses())


def test_a_failure_in_a_callback_over_the_network_fails_the_test(session: pytest.Pytester) -> None:
    """`pytest.fail` and exceptions in a callback on the server's thread fail the test."""
    result = run(
        session,
        """
        import pytest, httpx
        def test_fail(fakeplat):
            fakeplat.before("get_version", lambda world: pytest.fail("as planned"))
            assert httpx.get(fakeplat.api_url + "/version", headers={"PRIVATE-TOKEN": "ada-token"}).status_code == 200
        def test_error(fakeplat):
            fakeplat.before("get_version", lambda world: {}["nothing"])
            assert httpx.get(fakeplat.api_url + "/version", headers={"PRIVATE-TOKEN": "ada-token"}).status_code == 200
        """,
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*Failed: as planned*", "*KeyError: 'nothing'*"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_one_interrupt_ends_a_session_whose_callback_never_returns(session: pytest.Pytester) -> None:
    """A single Ctrl-C ends a pytest session whose callback hangs, with status 2."""
    # The main thread is interrupted, as by a terminal: with a signal to the process, the system may choose another one.
    # A signal that comes just before the thread begins to read interrupts nothing until the timeout.
    session.makepyfile(
        """
        import httpx, signal, threading
        # What a shell starts in the background ignores the signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def test_it(fakeplat):
            def wait(world):
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                threading.Event().wait()
            fakeplat.before("get_version", wait)
            httpx.get(fakeplat.api_url + "/version", headers={"PRIVATE-TOKEN": "ada-token"}, timeout=5)
        """
    )
    arguments = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(session.path)]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=session.path, timeout=50, check=False)
    assert (2, True) == (done.returncode, "KeyboardInterrupt" in done.stdout)


def test_stop_gives_up_when_the_loop_is_blocked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Stopping a world whose server thread is blocked returns after a timeout and logs a message."""
    monkeypatch.setattr("fakeplat.harness.loop._PATIENCE", 0.05)
    harness, blocked = Harness(), Event()
    worlds = [harness.start(Options()) for _ in range(2)]
    harness._loop.loop.call_soon_threadsafe(blocked.wait)
    for world in worlds:
        harness.stop(world)
    harness.close()
    assert "a server did not stop in time; its thread is left behind" in caplog.text
    blocked.set()
    monkeypatch.undo()
    harness._loop._is_blocked = False
    harness.close()
    assert not harness._loop._thread.is_alive()


def test_a_callback_and_a_deferred_world_are_freed() -> None:
    """A stopped world has released its callbacks."""
    with fakeplat.start() as world:
        world.before("get_version", lambda each: each.as_user("ada").get("user"))
        assert 200 == httpx.get(f"{world.api_url}/version", headers=ADA).status_code
        platform = world.bench.platform
    assert platform.middleware is None
