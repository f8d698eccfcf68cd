"""Bots that receive deliveries, and what a test sees of them."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import pytest
from typing_extensions import override

from fakeplat.model.outgoing import OutgoingMail, OutgoingRequest
from tests.harness.test_plugin import run, session

__all__ = ["session"]

ISSUES = "projects/acme%2Fsite/issues"


class Bot(ThreadingHTTPServer):
    """Greets new issues with a comment, and only then answers the hook."""

    api_url = ""

    def greet(self, payload: Any) -> None:
        url = f"{self.api_url}/{ISSUES}/{payload['object_attributes']['iid']}/notes"
        headers = {"PRIVATE-TOKEN": "dev-token", "Content-Type": "application/json"}
        with urlopen(Request(url, b'{"body": "Hello"}', headers)) as response:
            response.read()


class Handler(BaseHTTPRequestHandler):
    server: Bot

    def do_POST(self) -> None:
        self.server.greet(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    @override
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def bot() -> Iterator[Bot]:
    server = Bot(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def send_new_issue(url: str) -> Callable[[Any], None]:
    """What a webhook for issues does: it sends the last issue."""

    def send(world: Any) -> None:
        issue = world.as_user("ada").get(f"{ISSUES}?per_page=1").json()[0]
        body = json.dumps({"object_attributes": {"iid": issue["iid"]}}).encode()
        with world.bench.platform.acting() as ctx:
            ctx.send(OutgoingRequest(("hook", 1), "issue_hooks", url, body, {"X-Gitlab-Event": "Issue Hook"}))

    return send


@pytest.mark.parametrize("clock", ["real", "virtual", "auto"])
def test_a_bot_answers_a_hook_with_a_call(fakeplat_factory: Any, bot: Bot, clock: str) -> None:
    """A bot can call the API while it handles a webhook, under each kind of clock."""
    with fakeplat_factory(clock=clock) as fake:
        bot.api_url = fake.api_url
        fake.after("create_issue", send_new_issue(f"http://127.0.0.1:{bot.server_port}/"))
        iid = fake.as_user("ada").post(ISSUES, json={"title": "New"}).json()["iid"]
        assert 204 == fake.hooks.wait_for("issue").status
        (note,) = fake.as_user("ada").get(f"{ISSUES}/{iid}/notes").json()
        assert ("Hello", "dev") == (note["body"], note["author"]["username"])
        fake.requests.one(operation="create_issue_note", status=201)


async def test_an_asynchronous_test_waits_for_a_hook(fakeplat: Any, bot: Bot) -> None:
    """An asynchronous test waits for a webhook without blocking its event loop."""
    bot.api_url = fakeplat.api_url
    fakeplat.after("create_issue", send_new_issue(f"http://127.0.0.1:{bot.server_port}/"))
    fakeplat.as_user("ada").post(ISSUES, json={"title": "New"})
    assert 204 == (await fakeplat.hooks.until("issue")).status


def test_mails_stay_in_the_fixture(fakeplat: Any) -> None:
    """Emails are available in the fixture at once, and a reset clears them."""
    with fakeplat.bench.platform.acting() as ctx:
        ctx.send(OutgoingMail("ada@example.test", "Re: Broken link", "Hello"))
    assert ["Re: Broken link"] == [mail.subject for mail in fakeplat.mails.find(to="ada@example.test")]
    fakeplat.reset()
    assert [] == [*fakeplat.mails]


def test_a_failing_test_tells_what_was_not_delivered(session: pytest.Pytester) -> None:
    """The report of a failing test lists its own undelivered webhooks with the reason."""
    result = run(
        session,
        """
        import pytest
        from fakeplat.model.outgoing import OutgoingRequest
        @pytest.fixture(scope="module")
        def shared(fakeplat_factory):
            return fakeplat_factory()
        def send(world, trigger):
            with world.bench.platform.acting() as ctx:
                ctx.send(OutgoingRequest(("hook", 1), trigger, "https://bot.example.test/", b""))
        def test_earlier(shared):
            send(shared, "note_hooks")
        def test_fails(shared):
            shared.as_user("ada").get("version")
            send(shared, "push_hooks")
            assert 0
        @pytest.mark.fakeplat(allow_egress=True)
        def test_marker(fakeplat):
            assert fakeplat.bench.allows_egress
        def test_default(fakeplat):
            assert not fakeplat.bench.allows_egress
        """,
    )
    result.assert_outcomes(failed=1, passed=3)
    result.stdout.fnmatch_lines(["*- fakeplat deliveries -*", "held back push_hooks to https://bot.example.test/: *"])
    result.stdout.no_fnmatch_line("*note_hooks*bot.example.test*")
