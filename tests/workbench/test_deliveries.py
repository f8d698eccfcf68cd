"""The delivery log and the outbox of a world, most of them without a server."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from fakeplat.model.outgoing import OutgoingMail, OutgoingRequest
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.deliveries import Deliveries, Delivery, DeliveryCriteria, DeliveryResult
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.options import Options

LOCAL = "http://127.0.0.1:8000/hook"
AWAY = "https://bot.example.test/hook"
NO_EGRESS = "nothing is sent to other machines; --allow-egress allows it"
MEGABYTE = 1024 * 1024


class Transport:
    """Collects deliveries instead of sending them."""

    def __init__(self) -> None:
        self.sent: list[Delivery] = []

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Never call it; whoever looks at the log does it."""

    def send(self, delivery: Delivery, finish: Any) -> None:
        del finish
        self.sent.append(delivery)


@pytest.fixture
def bench() -> Workbench:
    return Options(scenario="empty").bench()


@pytest.fixture
def sending(bench: Workbench) -> Workbench:
    bench.transport = Transport()
    return bench


def list_deliveries(bench: Workbench) -> list[Delivery]:
    assert isinstance(bench.transport, Transport)
    return bench.transport.sent


def build_request(url: str = LOCAL, trigger: str = "push_hooks", body: bytes = b"{}", **rest: Any) -> OutgoingRequest:
    return OutgoingRequest(rest.pop("receiver", ("hook", 7)), trigger, url, body, **rest)


def send(bench: Workbench, *requests: OutgoingRequest) -> Deliveries:
    with bench.platform.acting() as ctx:
        for outgoing in requests:
            ctx.send(outgoing)
    return bench.deliveries


def test_nothing_is_sent_before_the_commit(sending: Workbench) -> None:
    """A change that fails sends no delivery."""
    with suppress(ZeroDivisionError), sending.platform.acting() as ctx:
        ctx.send(build_request())
        _ = 1 / 0
    assert [] == [*sending.deliveries]


@pytest.mark.parametrize(
    ("outgoing", "state", "error"),
    [
        (build_request(), "held_back", "the world is not served, so nothing is sent"),
        (build_request(AWAY), "held_back", NO_EGRESS),
        (build_request(AWAY, blocked="URL 'https://bot' is blocked: no"), "failed", "URL 'https://bot' is blocked: no"),
        (build_request(body=b"x" * (25 * MEGABYTE + 1)), "failed", "Gitlab::Json::LimitedEncoder::LimitExceeded"),
        (build_request("http://a.test/my path/"), "failed", 'bad URI(is not URI?): "http://a.test/my path/"'),
        (build_request("http://a.test:x/"), "failed", 'bad URI(is not URI?): "http://a.test:x/"'),
        (build_request("http:///a"), "failed", 'bad URI(is not URI?): "http:///a"'),
        (build_request("http://[::1/"), "failed", 'bad URI(is not URI?): "http://[::1/"'),
        (build_request("http://ä.test/"), "failed", 'URI must be ascii only "http://ä.test/"'),
        (
            build_request("ftp://a.test/"),
            "failed",
            "URL 'ftp://a.test/' is blocked: Only allowed schemes are http, https",
        ),
    ],
    ids=["unserved", "away", "blocked", "large", "blank", "port", "no host", "bracket", "not ascii", "scheme"],
)
def test_what_is_not_sent_says_why(bench: Workbench, outgoing: OutgoingRequest, state: str, error: str) -> None:
    """A delivery that the platform refuses is failed, and one that fakeplat does not send is held back."""
    delivery = send(bench, outgoing).wait_for("push")
    assert (state, error, None, None) == (delivery.state, delivery.error, delivery.status, delivery.duration)


@pytest.mark.parametrize(
    ("host", "is_sent"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9:80", True),
        ("[::1]:80", True),
        ("localhost", True),
        ("bot.localhost:99", True),
        ("me:pw@localhost", True),
        ("LOCALHOST", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.example.test", False),
        ("localhost@example.test", False),
        ("2130706433", False),
        ("example.test", False),
    ],
)
def test_only_loopback_gets_deliveries(sending: Workbench, host: str, is_sent: bool) -> None:
    """Deliveries are sent only to loopback hosts, judged by the name without resolving it."""
    (delivery,) = send(sending, build_request(f"http://{host}/"))
    assert (None if is_sent else NO_EGRESS) == delivery.error
    assert is_sent is bool(list_deliveries(sending))


def test_egress_is_an_option() -> None:
    """With `allow_egress` deliveries to other machines are sent, too."""
    bench = Options(scenario="empty", allow_egress=True).bench()
    bench.transport = Transport()
    assert ["pending"] == [delivery.state for delivery in send(bench, build_request(AWAY))]


@pytest.mark.parametrize(
    ("url", "logged"),
    [
        ("http://user:pass@a.test/x", "http://*****:*****@a.test/x"),
        ("http://user@a.test/x", "http://*****@a.test/x"),
        ("http://a.test/x@y", "http://a.test/x@y"),
    ],
)
def test_credentials_are_masked_in_the_log(bench: Workbench, url: str, logged: str) -> None:
    """The log masks the user and password of a URL, and nothing that only looks like them."""
    assert [logged] == [delivery.url for delivery in send(bench, build_request(url))]


def test_a_delivery_shows_its_request(bench: Workbench) -> None:
    """A delivery shows its receiver, trigger, headers in any case, and its body as JSON if it is JSON."""
    log = send(
        bench, build_request(body=b'{"ref": "r"}', headers={"X-Gitlab-Event": "Push Hook"}), build_request(body=b"a=b")
    )
    assert ({"ref": "r"}, None) == (log[0].json, log[1].json)
    assert "Push Hook" == log[0].headers["x-gitlab-event"]
    assert (("hook", 7), "push_hooks", "POST", 1) == (log[0].receiver, log[0].trigger, log[0].method, log[0].attempt)
    text = "held back push_hooks to http://127.0.0.1:8000/hook: the world is not served, so nothing is sent"
    assert f"{text}\n{text}" == repr(log)


def test_deliveries_are_found_by_their_fields(bench: Workbench) -> None:
    """Deliveries are found by trigger without its suffix, receiver with or without id, URL and state."""
    log = send(bench, build_request(), build_request(AWAY, "note_hooks", receiver=("service", 3)))
    first, second = log
    assert [first] == log.find(trigger="push") == log.find(trigger="push_hooks") == log.find(receiver=("hook", 7))
    assert [second] == log.find(receiver="service") == log.find(receiver="service:3") == log.find(url="bot.example")
    assert [first, second] == log.find(state="held_back") == log[:]
    assert [] == log.find(status=200)


def test_a_watch_looks_at_each_delivery_once(sending: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for a delivery looks only at those that have ended since, also after the log was cleared."""
    looked_at: list[int] = []
    matches = DeliveryCriteria.matches

    def note(criteria: DeliveryCriteria, delivery: Delivery) -> bool:
        looked_at.append(delivery.id)
        return matches(criteria, delivery)

    deliveries = send(sending, build_request(), build_request(trigger="tag_push_hooks"))
    first, second = deliveries
    monkeypatch.setattr(DeliveryCriteria, "matches", note)
    has_match = deliveries.watch(0, trigger="push")
    assert not has_match()
    deliveries.finish(second, DeliveryResult("delivered", status=200))
    assert not has_match()
    deliveries.finish(first, DeliveryResult("delivered", status=200))
    assert has_match()
    assert not has_match()
    assert [second.id, first.id] == looked_at
    deliveries.clear()
    (third,) = send(sending, build_request())
    assert not deliveries.watch(third.id, trigger="push")()
    deliveries.finish(third, DeliveryResult("delivered", status=200))
    assert has_match()


@pytest.mark.parametrize(
    ("wrong", "text"), [({"trigger": "psuh"}, "did you mean push_hooks"), ({"colour": "red"}, "unknown key 'colour'")]
)
def test_a_misspelt_criterion_is_refused(bench: Workbench, wrong: Any, text: str) -> None:
    """A misspelt criterion for deliveries is refused instead of matching nothing."""
    with pytest.raises(InvalidOption, match=text):
        bench.deliveries.find(**wrong)


def test_waiting_ends_with_what_there_is(sending: Workbench) -> None:
    """Waiting ends with finished deliveries only, and its error lists all deliveries."""
    log = send(sending, build_request(), build_request(trigger="note_hooks"))
    log.finish(log[0], DeliveryResult("delivered", status=200))
    assert log[0] is log.wait_for("push", timeout=0)
    with pytest.raises(AssertionError) as failure:
        log.wait_for("note", timeout=0, nth=2)
    listed = "200 push_hooks to http://127.0.0.1:8000/hook\npending note_hooks to http://127.0.0.1:8000/hook"
    assert f"after 0 s: 0 of 2 deliveries (trigger='note')\n{listed}" == str(failure.value)
    with pytest.raises(AssertionError, match="are pending"):
        log.join(timeout=0)


async def test_asynchronous_tests_wait_too(bench: Workbench) -> None:
    """An asynchronous test waits for deliveries without blocking its event loop."""
    assert "push_hooks" == (await send(bench, build_request()).until("push")).trigger


def test_a_result_is_final(sending: Workbench) -> None:
    """The first result of a delivery is kept, and later results are ignored."""
    log = send(sending, build_request())
    for state in ("failed", "delivered"):
        log.finish(log[0], DeliveryResult(state))
    assert "failed" == log[0].state


def test_the_log_is_bounded(sending: Workbench) -> None:
    """The log drops the oldest deliveries over its size limit, responses included, and counts them."""
    log = send(sending, *[build_request(body=b"x" * 20 * MEGABYTE) for _ in range(4)])
    assert ([2, 3, 4], 1) == ([delivery.id for delivery in log], log.dropped)
    dropped = list_deliveries(sending)[0]
    log.finish(dropped, DeliveryResult("delivered", response_body="x" * 60 * MEGABYTE))
    assert [2, 3, 4] == [delivery.id for delivery in log]
    log.finish(log[2], DeliveryResult("delivered", response_body="x" * 20 * MEGABYTE))
    assert [3, 4] == [delivery.id for delivery in log]


def test_a_reset_clears_both_logs_and_stops_what_is_pending(sending: Workbench) -> None:
    """A reset clears deliveries and emails and holds pending ones back; restoring a snapshot keeps them."""
    sending.snapshot("before")
    (delivery,) = log = send(sending, build_request())
    with sending.platform.acting() as ctx:
        ctx.send(OutgoingMail("ada@example.test", "Subject", "Body"))
    sending.restore("before")
    assert (1, 1) == (len(log), len(sending.mails))
    sending.reset()
    assert (0, 0) == (len(log), len(sending.mails))
    assert ("held_back", "the world was reset") == (delivery.state, delivery.error)


def test_mails_are_found_by_recipient_and_subject(bench: Workbench) -> None:
    """Emails are found by the whole address and by a part of the subject."""
    with bench.platform.acting() as ctx:
        ctx.send(OutgoingMail("ada@example.test", "Re: Broken link", "Hello", {"In-Reply-To": "<1>"}, "mentioned"))
        ctx.send(OutgoingMail("mia@example.test", "Welcome", "Hi"))
    first, second = bench.mails
    assert [first] == bench.mails.find(to="ada@example.test") == bench.mails.find(subject="Broken")
    assert ("Hello", "<1>", "mentioned") == (first.body, first.headers["in-reply-to"], first.reason)
    assert [first, second] == bench.mails.find()
    assert "to ada@example.test: Re: Broken link\nto mia@example.test: Welcome" == repr(bench.mails)
    with pytest.raises(InvalidOption, match="unknown key 'frm'"):
        bench.mails.find(frm="x")  # type: ignore[call-arg]  # a misspelt criterion
    bench.mails.clear()
    assert "no mails" == repr(bench.mails)
