"""The journal in the console: reasons, details, filters, and new requests as server-sent events."""

import asyncio
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from fakeplat.console import journal_pages, rendering
from fakeplat.core.operations.http_messages import Request, Response
from tests.console.conftest import Console, Document

REASON = "project acme/site (5001) is private and hidden from eve: eve has no role there"
SITE = "projects/acme%2Fsite"


def test_a_refused_request_is_shown_with_its_reason(console: Console) -> None:
    """A refused request is shown with the true reason, which the response hides."""
    console.ask("GET", SITE, "eve")
    assert f"1 404 GET /api/v4/{SITE} get_project eve personal {REASON}" in console.get("console/requests").text
    assert REASON in console.get().text


def test_warnings_are_shown(console: Console) -> None:
    """The list of requests shows warnings about unknown parameters."""
    console.ask("POST", f"{SITE}/issues", "ada", b'{"title": "A", "colour": 1}')
    assert "create_issue has no parameter colour" in console.get("console/requests").text


def test_requests_are_filtered(console: Console) -> None:
    """Requests are filtered by status, user, path and operation; an invalid filter gets 400 with the reason."""
    console.ask("GET", SITE, "eve")
    console.ask("GET", SITE, "ada")
    assert "1 requests." in console.get("console/requests?status=4xx").text
    assert "1 requests." in console.get("console/requests?user=ada&operation=get_project").text
    assert "No requests match these filters." in console.get("console/requests?path=groups/*").text
    refused = console.get("console/requests?status=soon")
    assert (400, True) == (refused.status, "status must be a number or a class such as 4xx" in refused.text)


def test_a_request_is_shown_with_headers_and_bodies(console: Console) -> None:
    """A request is shown with headers and bodies, and secrets in JSON and forms are asterisks."""
    body = {"title": "A", "password": "hunter2", "nested": [{"private_token": "abc-secret"}]}
    console.ask(
        "POST", f"{SITE}/issues?private_token=query-secret", "ada", json.dumps(body).encode(), cookie="c-secret"
    )
    console.ask(
        "PUT",
        f"{SITE}/issues/1",
        "ada",
        urlencode({"title": "B", "password": "form-secret"}).encode(),
        **{"content-type": "application/x-www-form-urlencoded"},
    )
    first, second = console.get("console/requests/1"), console.get("console/requests/2")
    for secret in ("hunter2", "abc-secret", "query-secret", "ada-token", "c-secret", "form-secret"):
        assert secret not in first.source + second.source, secret
    assert '"title": "A"' in first.text
    assert '"private_token": "***"' in first.text
    assert "title=B&password=***" in second.text
    assert '"message": "401 Unauthorized"' in first.text


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("application/json", b"{no json", "8 bytes that are not JSON"),
        ("application/octet-stream", b"\x00\xff", "2 bytes of application/octet-stream"),
        ("text/plain", b"hello", "hello"),
        ("", b"\x00", "1 bytes of data"),
    ],
)
def test_any_body_is_shown(console: Console, kind: str, body: bytes, text: str) -> None:
    """A text body is shown as it is, and other content by its size."""
    console.ask("POST", f"{SITE}/issues", "ada", body, **{"content-type": kind})
    assert text in console.get("console/requests/1").text


def send(console: Console, target: str, **headers: str) -> Request:
    path, _, query = target.partition("?")
    return Request("GET", f"/_fakeplat/{path}", query, {"host": "localhost", **headers}, origin="http://localhost")


def parse_events(response: Response) -> list[tuple[str, str]]:
    """Parse an event stream: (type, data) of each event."""
    blocks = response.body.decode().split("\n\n")
    parsed = [[line.partition(": ") for line in block.split("\n") if line] for block in blocks]
    return [
        (
            next(value for name, _, value in lines if name == "event"),
            "\n".join(value for name, _, value in lines if name == "data"),
        )
        for lines in parsed
        if any(name == "event" for name, _, _ in lines)
    ]


async def test_an_open_stream_gets_a_request_when_it_happens(console: Console) -> None:
    """An open event stream waits for the next request and sends its row with the reason."""
    pending = asyncio.create_task(console.control(send(console, "console/events?after=0")))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not pending.done()
    # On another thread, as the client of a synchronous test.
    await asyncio.to_thread(console.ask, "GET", SITE, "eve")
    response = await pending
    (kind, row), last = parse_events(response)
    assert ("text/event-stream; charset=utf-8", "request", ("position", "1")) == (
        dict(response.headers)["Content-Type"],
        kind,
        last,
    )
    assert REASON in Document(Response(200, (), row.encode())).text


async def test_a_request_is_rendered_once_for_all_streams(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row of a request is rendered once for all event streams."""
    rendered = []

    def render_part(template: str, **values: Any) -> str:
        rendered.append(template)
        return rendering.render_part(template, **values)

    monkeypatch.setattr(journal_pages, "render_part", render_part)
    console.ask("GET", SITE, "eve")
    bodies = [(await console.control(send(console, "console/events?after=0"))).body for _ in range(3)]
    assert (1, 1) == (len(set(bodies)), len(rendered))
    filtered = await console.control(send(console, "console/events?after=0&status=2xx"))
    assert [("position", "1")] == parse_events(filtered)


async def test_a_stream_goes_on_where_it_ended(console: Console) -> None:
    """An event stream continues after the position in Last-Event-ID."""
    for user in ("ada", "eve", "dev"):
        console.ask("GET", SITE, user)
    response = await console.control(send(console, "console/events?after=0", **{"last-event-id": "2"}))
    assert ["request", "position"] == [kind for kind, _ in parse_events(response)]
    assert ("position", "3") == parse_events(response)[-1]


async def test_a_stream_is_filtered(console: Console) -> None:
    """Requests that the filters exclude only advance the position of an event stream."""
    console.ask("GET", SITE, "ada")
    assert [("position", "1")] == parse_events(
        await console.control(send(console, "console/events?after=0&status=4xx"))
    )


async def test_a_stream_begins_again_after_a_reset(console: Console) -> None:
    """After a reset an event stream sends the new requests, whose numbers start again."""
    for _ in range(3):
        console.ask("GET", SITE, "ada")
    console.bench.reset()
    console.ask("GET", SITE, "eve")
    response = await console.control(send(console, "console/events?after=3"))
    assert (2, ("position", "1")) == (len(parse_events(response)), parse_events(response)[-1])


async def test_a_position_that_cannot_be_is_refused(console: Console) -> None:
    """A position in the event stream that is not a number gets 400."""
    assert 400 == (await console.control(send(console, "console/events?after=x"))).status


async def test_nobody_waits_after_the_stream_ended(console: Console) -> None:
    """A cancelled event stream leaves no waiter in the journal."""
    pending = asyncio.create_task(console.control(send(console, "console/events?after=0")))
    for _ in range(5):
        await asyncio.sleep(0)
    pending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pending
    assert (0, []) == (console.bench.journal._waiters, console.bench.journal._callbacks)
