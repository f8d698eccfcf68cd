"""The log of a webhook, and sending its requests again. Source: docs/platform/webhooks.md ('1.8 Log of a webhook')."""

from collections.abc import Callable
from typing import Any, Final

import orjson
import pytest

from fakeplat.core.timestamps import DAY
from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.deliveries import Delivery, DeliveryResult
from tests.api.company import COMPANY
from tests.api.deliveries import URL, Deliveries, create
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, refusal

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="17.4", tier="premium", clock="virtual")
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
NOT_FOUND: Final = (404, {"message": "404 Not found"})
STATUSES: Final = ("200", "400", "404", "500", "502", "internal error")


class Receiver:
    """Answers each request with the next of some statuses; None is no answer."""

    def __init__(self, *statuses: int | None, headers: dict[str, str] | None = None, body: str = "") -> None:
        self.statuses = list(statuses)
        self.headers = headers or {}
        self.body = body

    def call_soon(self, callback: Callable[[], None]) -> None:
        """Call it at once."""
        callback()

    def send(self, delivery: Delivery, finish: Callable[[Delivery, DeliveryResult], None]) -> None:
        """Answer at once."""
        status = self.statuses.pop(0)
        if status is None:
            finish(delivery, DeliveryResult("failed", "execution expired", duration=10.0))
        else:
            finish(delivery, DeliveryResult("delivered", None, status, self.headers, self.body, 0.25))


def add_hook(fake: Fakeplat, path: str = SITE, **fields: Any) -> str:
    """Add a webhook for issues; return the path of its log."""
    hook = create(fake, f"{path}/hooks", url=URL, issues_events=True, push_events=False, **fields)
    return f"{path}/hooks/{hook['id']}/events"


def serve(fake: Fakeplat, receiver: Receiver) -> None:
    """Let a receiver answer what the world sends."""
    fake.bench.connect(receiver, allows_egress=True)


def log_of(fake: Fakeplat, path: str, **query: str) -> list[Any]:
    """Return the log of a webhook."""
    reply = fake.as_user("ada").get(path, params=query)
    assert 200 == reply.status, reply.json()
    rows: list[Any] = reply.json()
    return rows


@pytest.fixture
def log(fakeplat: Fakeplat) -> str:
    """A webhook with one request for each status."""
    path = add_hook(fakeplat)
    serve(fakeplat, Receiver(200, 400, 404, 500, 502, None, 200, 200, 200, 200, 200))
    for status in STATUSES:
        create(fakeplat, f"{SITE}/issues", title=status)
    return path


@pytest.mark.parametrize("owner", [SITE, ACME])
def test_the_fields_of_an_entry(fakeplat: Fakeplat, owner: str) -> None:
    """An entry has the request and the answer; the token, the user's own headers and e-mail addresses are redacted."""
    path = add_hook(fakeplat, owner, token="secret", custom_headers=[{"key": "X-Own", "value": "private"}])
    sent = Deliveries(fakeplat)
    serve(fakeplat, Receiver(200, headers={"Content-Type": "text/plain"}, body="thanks"))
    create(fakeplat, f"{SITE}/issues", title="One", description="ada@example.test")
    (request,) = sent.take()
    (entry,) = log_of(fakeplat, path)
    redacted = request.body.replace(b'"ada@example.test"', b'"[REDACTED]"')
    assert redacted != request.body

    expected = {
        "id": fakeplat.hooks[0].id,
        "url": URL,
        "trigger": "issue_hooks",
        "request_headers": {**request.headers, "X-Gitlab-Token": "[REDACTED]", "X-Own": "[REDACTED]"},
        "request_data": orjson.loads(redacted),
        "response_headers": {"Content-Type": "text/plain"},
        "response_body": "thanks",
        "execution_duration": 0.25,
        "response_status": "200",
        "created_at": fakeplat.hooks[0].time,
    }
    assert expected == entry
    assert "[REDACTED]" == entry["request_data"]["user"]["email"]


def test_what_is_secret_in_the_url(fakeplat: Fakeplat) -> None:
    """The log shows the names of a URL's variables, and stars for the user and the password."""
    path = f"{SITE}/hooks"
    hook = create(
        fakeplat,
        path,
        url="https://me:word@receiver.example.com/{key}",
        url_variables=[{"key": "key", "value": "hidden"}],
        issues_events=True,
    )
    create(fakeplat, f"{SITE}/issues", title="One")

    assert ["https://*****:*****@receiver.example.com/{key}"] == [
        entry["url"] for entry in log_of(fakeplat, f"{path}/{hook['id']}/events")
    ]


def test_what_is_not_sent_is_an_internal_error(fakeplat: Fakeplat) -> None:
    """A request without an answer has the status ``internal error``, and neither headers nor a body."""
    path = add_hook(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)

    assert ["internal error", {}, "", 0.0] == [
        entry[name] for name in ("response_status", "response_headers", "response_body", "execution_duration")
    ]


def test_long_answers_are_cut(fakeplat: Fakeplat) -> None:
    """The log keeps 8 KB of a body, and 1 KB of each of 50 headers."""
    path = add_hook(fakeplat)
    headers = {f"X-{number}": "v" * 2_000 for number in range(60)}
    serve(fakeplat, Receiver(200, headers=headers, body="b" * 10_000))
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)

    assert [8_192, 50, 1_024] == [
        len(entry["response_body"]),
        len(entry["response_headers"]),
        len(entry["response_headers"]["X-0"]),
    ]


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("400", ["400"]),
        ("successful", ["200"]),
        ("client_failure", ["404", "400"]),
        ("server_failure", ["internal error", "502", "500"]),
        ("successful,404", ["404", "200"]),
        ("201", []),
    ],
)
def test_the_filter_by_status(fakeplat: Fakeplat, log: str, status: str, expected: list[str]) -> None:
    """The log is filtered by statuses and their categories; what failed inside counts as the server's failure."""
    assert expected == [entry["response_status"] for entry in log_of(fakeplat, log, status=status)]


def test_pages_of_the_log(fakeplat: Fakeplat, log: str) -> None:
    """The latest requests come first, in pages of at most 20."""
    reply = fakeplat.as_user("ada").get(log, params={"page": "2", "per_page": "4"})
    assert (["400", "200"], "2", "6") == (
        [entry["response_status"] for entry in reply.json()],
        reply.headers["X-Page"],
        reply.headers["X-Total"],
    )
    assert invalid("per_page does not have a valid value") == refusal(fakeplat, "ada", "GET", f"{log}?per_page=21")
    assert invalid("per_page has a value not allowed") == refusal(fakeplat, "ada", "GET", f"{log}?per_page=0")
    assert invalid("status does not have a valid value") == refusal(fakeplat, "ada", "GET", f"{log}?status=invalid")


def test_the_log_goes_back_seven_days(fakeplat: Fakeplat, log: str) -> None:
    """The log is listed from the beginning of the day seven days ago."""
    fakeplat.bench.platform.advance(7 * DAY)
    assert 6 == len(log_of(fakeplat, log))
    fakeplat.bench.platform.advance(DAY)

    assert [] == log_of(fakeplat, log)


def test_who_reads_the_log(fakeplat: Fakeplat, log: str) -> None:
    """The log is for those who manage the webhook; that of another webhook is separate."""
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", log)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", log)
    assert NOT_FOUND == refusal(fakeplat, "ada", "GET", f"{SITE}/hooks/99999/events")
    assert [] == log_of(fakeplat, add_hook(fakeplat))


@pytest.mark.parametrize("owner", [SITE, ACME])
def test_a_request_is_sent_again(fakeplat: Fakeplat, owner: str) -> None:
    """A resent request has what was logged, the idempotency key of the first one, and a new id of the event."""
    path = add_hook(fakeplat, owner)
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)
    sent = Deliveries(fakeplat)
    reply = fakeplat.as_user("ada").post(f"{path}/{entry['id']}/resend")
    (request,) = sent.take()

    assert (201, {"response_status": None}) == (reply.status, reply.json())
    assert entry["request_data"] == orjson.loads(request.body)
    assert "issue_hooks" == request.trigger
    key, uuid = "Idempotency-Key", "X-Gitlab-Event-UUID"
    assert [True, False] == [entry["request_headers"][name] == request.headers[name] for name in (key, uuid)]
    assert 2 == len(log_of(fakeplat, path))


def test_what_is_not_sent_again(fakeplat: Fakeplat) -> None:
    """A request is not sent again if it is not in the log, or if the webhook has another URL now."""
    path = add_hook(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)
    sent = Deliveries(fakeplat)
    resend = f"{path}/{entry['id']}/resend"
    assert NOT_FOUND == refusal(fakeplat, "ada", "POST", f"{path}/99999/resend")
    assert NOT_FOUND == refusal(fakeplat, "ada", "POST", f"{add_hook(fakeplat)}/{entry['id']}/resend")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", resend)
    fakeplat.as_user("ada").put(path.removesuffix("/events"), json={"url": f"{URL}/new"})
    message = "The hook URL has changed, and this log entry cannot be retried"

    assert (422, {"message": message}) == refusal(fakeplat, "ada", "POST", resend)
    assert [] == sent.take()


def test_in_silent_mode_nothing_is_sent_again(fakeplat: Fakeplat) -> None:
    """In silent mode a request is not sent again."""
    path = add_hook(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)
    fakeplat.as_user("root").put("application/settings", json={"silent_mode_enabled": True})

    expected = (422, {"message": "Silent mode enabled"})
    assert expected == refusal(fakeplat, "ada", "POST", f"{path}/{entry['id']}/resend")


def test_the_limit_of_resending(fakeplat: Fakeplat) -> None:
    """A user sends five requests of a project's webhooks again in a minute."""
    path = add_hook(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)
    resend = f"{path}/{entry['id']}/resend"
    for _ in range(5):
        assert 201 == fakeplat.as_user("ada").post(resend).status

    message = {"message": {"error": "This endpoint has been requested too many times. Try again later."}}
    assert (429, message) == refusal(fakeplat, "ada", "POST", resend)
    assert 201 == fakeplat.as_user("root").post(resend).status


@pytest.mark.fakeplat(version="19.3")
def test_the_settings_limit_resending(fakeplat: Fakeplat) -> None:
    """From 19.3 on the settings say how many requests a user sends again in a minute."""
    fakeplat.as_user("root").put("application/settings", json={"web_hook_event_resend_limit": 1})
    path = add_hook(fakeplat)
    create(fakeplat, f"{SITE}/issues", title="One")
    (entry,) = log_of(fakeplat, path)

    statuses = [fakeplat.as_user("ada").post(f"{path}/{entry['id']}/resend").status for _ in range(2)]
    assert [201, 429] == statuses
