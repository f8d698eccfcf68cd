"""Deliveries to webhooks on a tape, and sent again from there."""

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fakeplat.cli.server import Recording, open_world
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.http.server import WorldServer
from fakeplat.model.outgoing import OutgoingRequest
from fakeplat.tape.formats.tape import (
    Exchange,
    Head,
    InvalidTape,
    RecordedDelivery,
    Tape,
    delivery_line,
    exchange_line,
    head_line,
    parse,
    read,
    schema,
    write,
)
from fakeplat.tape.redaction.exchanges import Redactor
from fakeplat.tape.replay.delivery_replay import DeliveryReplay
from fakeplat.tape.replay.replayer import Replay
from fakeplat.workbench.options import Options

UPSTREAM = "https://git.example.test"
HEADERS = {"Content-Type": "application/json", "X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": "top-secret-word"}
ANSWERED = RecordedDelivery(
    "hook:7",
    "push_hooks",
    "POST",
    "http://127.0.0.1:1/",
    HEADERS,
    b'{"ref":"r"}',
    Response(200, (("A", "b"),), b"ok"),
    line=3,
)
FAILED = RecordedDelivery("service:3", "note_hooks", "POST", "http://127.0.0.1:1/", {}, b"\xff", error="no", line=4)


def parse_line(delivery: RecordedDelivery) -> dict[str, Any]:
    return dict(json.loads(delivery_line(delivery)))


def build_exchange(path: str) -> Exchange:
    return Exchange(Request("GET", path, origin=UPSTREAM), Response(200, (), b"{}"))


def test_a_delivery_is_a_line_of_its_own(tmp_path: Path) -> None:
    """A delivery is a line of the tape, with or without a response, that fits the schema and is written again."""
    head = head_line(Head(UPSTREAM, "2020-11-20T09:00:00.000Z"))
    content = head + exchange_line(build_exchange("/api/v4/user")) + delivery_line(ANSWERED) + delivery_line(FAILED)
    tape = parse(content)
    assert ((ANSWERED, FAILED), 1) == (tape.deliveries, len(tape))
    for delivery in tape.deliveries:
        Draft202012Validator(schema()).validate(parse_line(delivery))
    write(tape, tmp_path / "tape")
    assert tape == read(tmp_path / "tape")


def test_a_wrong_delivery_is_refused() -> None:
    """An invalid delivery on a tape is refused with its line and path."""
    wrong = head_line(Head(UPSTREAM, "2020-11-20T09:00:00.000Z")) + delivery_line(ANSWERED).replace(b"hook:7", b"hook")
    with pytest.raises(InvalidTape, match=r"tape:2: \$\.delivery\.receiver"):
        parse(wrong)


def test_secrets_of_a_delivery_are_replaced() -> None:
    """The token and URL credentials of a delivery are replaced, also where the receiver repeats the token."""
    secret = RecordedDelivery(
        "hook:7",
        "push_hooks",
        "POST",
        "http://bot:hidden-password@127.0.0.1:1/?x=top-secret-word",
        HEADERS,
        b'{"private_token":"another-secret"}',
        Response(401, (), b"top-secret-word is wrong"),
    )
    clean = Redactor().redact_delivery(secret)
    assert {**HEADERS, "X-Gitlab-Token": "<token:1>"} == clean.headers
    assert "http://bot:<password:1>@127.0.0.1:1/?x=<token:1>" == clean.url
    assert b'{"private_token":"<pat:1>"}' == clean.body
    assert Response(401, (), b"<token:1> is wrong") == clean.response


async def test_a_server_records_its_deliveries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server records deliveries after the request that caused them, but only with the option."""
    monkeypatch.setattr(gc, "freeze", lambda: None)
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: None)
    for with_deliveries in (True, False):
        bench = Options(scenario="empty").bench()
        recording = Recording(tmp_path / "tape", with_deliveries=with_deliveries)
        async with open_world(WorldServer(), bench, 0, None, recording) as world:
            bench.platform.handle(Request("GET", "/api/v4/version", origin=world.url))
            with bench.platform.acting() as ctx:
                for url in (f"{world.url}/api/v4/version", "https://bot.example.test/"):
                    ctx.send(OutgoingRequest(("hook", 7), "push_hooks", url, b"{}", HEADERS))
            await asyncio.to_thread(bench.deliveries.join)
        tape = read(tmp_path / "tape")
        outcomes = sorted((each.response.status if each.response else 0, each.error) for each in tape.deliveries)
        held_back = (0, "nothing is sent to other machines; --allow-egress allows it")
        assert ([held_back, (405, None)] if with_deliveries else []) == outcomes
        assert all("<token:1>" == each.headers["X-Gitlab-Token"] for each in tape.deliveries)
        assert ["/api/v4/version"] == [each.request.path for each in tape if each.request.method == "GET"]


async def test_a_replayed_tape_sends_its_deliveries_again() -> None:
    """Replay sends each delivery once after its exchange, with the origin of the replaying server."""
    body = f'{{"url":"{UPSTREAM}/acme"}}'.encode()
    content = head_line(Head(UPSTREAM, "2020-11-20T09:00:00.000Z"))
    for path in ("/api/v4/user", "/api/v4/version"):
        content += exchange_line(build_exchange(path))
        content += delivery_line(RecordedDelivery("hook:7", "push_hooks", "POST", f"http://away.test{path}", {}, body))
    tape = parse(content)
    replay, deliveries = Replay(tape), DeliveryReplay(tape, "http://127.0.0.1:5")
    replay.on_exchange = deliveries.follow
    for path in ("/api/v4/version", "/api/v4/user", "/api/v4/user"):
        replay.handle(Request("GET", path, origin="http://127.0.0.1:5"))
    sent = [(delivery.url, delivery.json, delivery.receiver, delivery.state) for delivery in deliveries.log]
    await deliveries.close()
    url = {"url": "http://127.0.0.1:5/acme"}
    assert [
        (f"http://away.test{path}", url, ("hook", 7), "held_back") for path in ("/api/v4/version", "/api/v4/user")
    ] == sent


def test_a_tape_without_deliveries_is_as_before() -> None:
    """A tape that is created without deliveries has none."""
    assert () == Tape(Head(UPSTREAM, "2020-11-20T09:00:00.000Z"), ()).deliveries
