"""Deliveries to receivers that answer, and to those that do not. Facts: docs/platform/webhooks.md."""

import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.loop import LoopThread
from fakeplat.http.server import RunningWorld, WorldServer
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.deliveries import Deliveries
from fakeplat.workbench.options import Options
from tests.http.receivers import Receiver

HEADERS = {"Content-Type": "application/json", "X-Gitlab-Event": "Push Hook"}


@pytest.fixture(scope="module")
def loop() -> Iterator[LoopThread]:
    thread = LoopThread()
    yield thread
    thread.close()


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    receiving = Receiver()
    yield receiving
    receiving.close()


@pytest.fixture(scope="module")
def tls_receiver() -> Iterator[Receiver]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("self_signed.pem"))
    receiving = Receiver(context)
    yield receiving
    receiving.close()


@pytest.fixture(scope="module")
def server() -> WorldServer:
    return WorldServer(delivery_timeout=0.1)


@pytest.fixture
def served(loop: LoopThread, server: WorldServer, receiver: Receiver) -> Iterator[RunningWorld]:
    world = loop.run(server.open(Options(scenario="empty").bench()))
    receiver.received.clear()
    yield world
    if world.id in server.worlds:
        loop.run(server.close(world.id))


def send(bench: Workbench, *urls: str, hook: int = 1, **rest: Any) -> Deliveries:
    """Commit one change that sends a request to each URL."""
    with bench.platform.acting() as ctx:
        for url in urls:
            given = {"receiver": ("hook", hook), "trigger": "push_hooks", "body": b'{"ref":"r"}', "headers": HEADERS}
            ctx.send(OutgoingRequest(**{**given, "url": url, **rest}))
    return bench.deliveries


def test_a_delivery_arrives_as_it_was_handed_over(served: RunningWorld, receiver: Receiver) -> None:
    """A delivery is sent with its method, path, headers and body, and no user agent or content type."""
    send(served.bench, f"{receiver.url}/in?a=b%20c", headers={"X-Gitlab-Event": "Push Hook"}).join()
    ((method, path, headers, body),) = receiver.received
    assert ("POST", "/in?a=b%20c", b'{"ref":"r"}') == (method, path, body)
    assert "Push Hook" == headers["x-gitlab-event"]
    assert set() == {"user-agent", "content-type", "cookie"} & set(headers)


def test_the_answer_is_recorded(served: RunningWorld, receiver: Receiver) -> None:
    """The response to a delivery is recorded with status, capitalized headers and body."""
    delivery = send(served.bench, f"{receiver.url}/in").wait_for("push")
    assert ("delivered", 200, "ok", None) == (delivery.state, delivery.status, delivery.response_body, delivery.error)
    assert {"Content-Length": "2", "X-Served-By": "test"} == delivery.response_headers
    assert delivery.duration is not None


@pytest.mark.parametrize(
    ("user_info", "header"),
    [("demo:demo", "Basic ZGVtbzpkZW1v"), ("demo", "Basic ZGVtbzo="), ("a%40b:c", "Basic YUBiOmM=")],
)
def test_credentials_of_the_url_are_sent_as_a_header(
    served: RunningWorld, receiver: Receiver, user_info: str, header: str
) -> None:
    """Credentials in a URL are percent-decoded and sent as an Authorization header."""
    send(served.bench, f"http://{user_info}@127.0.0.1:{receiver.port}/in").join()
    assert ["/in"] == receiver.paths
    assert header == receiver.received[0].headers["authorization"]


@pytest.mark.parametrize(
    ("path", "status", "body"), [("error", 500, "ouch"), ("redirect", 302, ""), ("bytes", 200, "ok")]
)
def test_any_answer_counts_as_delivered(
    served: RunningWorld, receiver: Receiver, path: str, status: int, body: str
) -> None:
    """Any response counts as delivered; redirects are not followed, and invalid UTF-8 is left out."""
    delivery = send(served.bench, f"{receiver.url}/{path}").wait_for("push")
    assert ("delivered", status, body) == (delivery.state, delivery.status, delivery.response_body)
    assert [f"/{path}"] == receiver.paths


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("slow", "Net::ReadTimeout with #<TCPSocket:(closed)>"),
        ("hangs-up", "end of file reached"),
        ("truncated", "end of file reached"),
    ],
)
def test_a_broken_answer_fails_without_a_second_try(
    served: RunningWorld, receiver: Receiver, path: str, error: str
) -> None:
    """A broken response fails with the error of the platform's HTTP library and is not retried."""
    delivery = send(served.bench, f"{receiver.url}/{path}").wait_for("push")
    assert ("failed", error, None, "") == (delivery.state, delivery.error, delivery.status, delivery.response_body)
    assert [f"/{path}"] == receiver.paths


def test_an_answer_that_is_not_http_fails(served: RunningWorld, receiver: Receiver) -> None:
    """A response that is not HTTP fails with an error that shows the status line."""
    delivery = send(served.bench, f"{receiver.url}/nonsense").wait_for("push")
    assert ("failed", 'wrong status line: "220 mail.example.test ESMTP"') == (delivery.state, delivery.error)


def test_a_flood_is_cut_off(served: RunningWorld, receiver: Receiver) -> None:
    """Only the first megabyte of a response is recorded."""
    delivery = send(served.bench, f"{receiver.url}/flood").wait_for("push")
    assert ("delivered", 200, 1024 * 1024) == (delivery.state, delivery.status, len(delivery.response_body))


def test_a_compressed_answer_is_recorded_as_text(served: RunningWorld, receiver: Receiver) -> None:
    """A compressed response is recorded as text; requests accept gzip and deflate."""
    delivery = send(served.bench, f"{receiver.url}/compressed").wait_for("push")
    assert ("delivered", "größe") == (delivery.state, delivery.response_body)
    assert "gzip, deflate" == receiver.received[0].headers["accept-encoding"]


def test_a_compressed_answer_is_unpacked_no_further_than_it_is_recorded(
    served: RunningWorld, receiver: Receiver
) -> None:
    """Only one megabyte of a response that unpacks to 32 MB is recorded."""
    delivery = send(served.bench, f"{receiver.url}/bomb").wait_for("push")
    assert ("delivered", "x" * 1024 * 1024) == (delivery.state, delivery.response_body)


def test_a_dead_receiver_fails(served: RunningWorld) -> None:
    """A delivery to a port without a listener fails with the platform's text for a refused connection."""
    with socket.socket() as closed:  # bound, but not listening
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        delivery = send(served.bench, f"http://localhost:{port}/").wait_for("push")
    text = f'localhost:{port} (Connection refused - connect(2) for "localhost" port {port})'
    assert f"Failed to open TCP connection to {text}" == delivery.error


def test_plain_text_is_no_tls(served: RunningWorld) -> None:
    """A delivery to an https URL of a receiver without TLS fails."""
    delivery = send(served.bench, served.url.replace("http", "https")).wait_for("push")
    assert "failed" == delivery.state
    assert (delivery.error or "").startswith("SSL_connect returned=1 errno=0 state=error: ")


def test_deliveries_to_one_receiver_keep_their_order(served: RunningWorld, receiver: Receiver) -> None:
    """Deliveries to a receiver are sent in order, also after one that fails."""
    send(served.bench, *[f"{receiver.url}/{'hangs-up' if n == 3 else n}" for n in range(8)]).join()
    assert ["/0", "/1", "/2", "/hangs-up", "/4", "/5", "/6", "/7"] == receiver.paths


def test_receivers_do_not_wait_for_each_other(served: RunningWorld, receiver: Receiver) -> None:
    """A slow receiver delays only its own deliveries."""
    log = send(served.bench, f"{receiver.url}/held", f"{receiver.url}/later", hook=1)
    send(served.bench, f"{receiver.url}/in", hook=2)
    assert "/in" == log.wait_for(url="/in").url.removeprefix(receiver.url)
    assert ["pending", "pending", "delivered"] == [delivery.state for delivery in log]
    receiver.release()
    log.join()
    assert ["/held", "/in", "/later"] == sorted(receiver.paths)


def test_an_answer_does_not_wait_for_deliveries(served: RunningWorld, receiver: Receiver) -> None:
    """The server answers while a delivery waits for its receiver."""
    log = send(served.bench, f"{receiver.url}/slow")
    with socket.create_connection(("127.0.0.1", served.port)) as client:
        client.sendall(b"GET /api/v4/version HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert b"401" in client.recv(1000)
    assert ["pending"] == [delivery.state for delivery in log]


def test_a_closed_world_holds_back_what_is_under_way(
    loop: LoopThread, server: WorldServer, served: RunningWorld, receiver: Receiver
) -> None:
    """Closing a world holds back its deliveries in progress and later ones."""
    log = send(served.bench, f"{receiver.url}/slow", f"{receiver.url}/in")
    send(served.bench, f"{receiver.url}/slow", hook=2)
    loop.run(server.close(served.id))
    send(served.bench, f"{receiver.url}/in")
    texts = {(delivery.state, delivery.error) for delivery in log}
    assert {("held_back", "the server stopped before it was sent")} == texts
    assert "/in" not in receiver.paths


def test_egress_of_a_server_is_that_of_its_worlds(loop: LoopThread) -> None:
    """The worlds of a server that allows egress allow it, too."""
    server = WorldServer(allows_egress=True)
    world = loop.run(server.open(Options(scenario="empty").bench()))
    assert world.bench.allows_egress
    loop.run(server.close_all())


def test_a_log_from_before_the_server_is_sent_from_then_on(
    loop: LoopThread, server: WorldServer, receiver: Receiver
) -> None:
    """Deliveries from before a world is served stay held back, and later ones are sent."""
    bench = Options(scenario="empty").bench()
    log = send(bench, f"{receiver.url}/in")
    world = loop.run(server.open(bench))
    send(bench, f"{receiver.url}/in").join()
    loop.run(server.close(world.id))
    assert ["held_back", "delivered"] == [delivery.state for delivery in log]


def test_a_redelivery_is_a_delivery_of_its_own(served: RunningWorld, receiver: Receiver) -> None:
    """A redelivery sends the same request again as a new delivery with the next attempt number."""
    log = send(served.bench, f"{receiver.url}/in")
    for attempt in (2, 3):
        assert attempt == log.redeliver(1).attempt
    log.join()
    assert [("/in", b'{"ref":"r"}')] * 3 == [(request.path, request.body) for request in receiver.received]


@pytest.mark.parametrize("verifies", [True, False])
def test_tls_is_verified_unless_the_hook_says_otherwise(
    served: RunningWorld, tls_receiver: Receiver, verifies: bool
) -> None:
    """A self-signed certificate fails unless the hook disables verification."""
    delivery = send(served.bench, tls_receiver.url, verifies_tls=verifies).wait_for("push")
    error = "SSL_connect returned=1 errno=0 state=error: certificate verify failed (self signed certificate)"
    assert (None if not verifies else error) == delivery.error
    assert ("failed" if verifies else "delivered") == delivery.state
