"""The endpoint for alerts: its checks, and how it stores a payload.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (9).
"""

from hashlib import sha1
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeplat.harness.fake import Fakeplat
from tests.api.alerts import ENDPOINT, SERVICE, AlertProject
from tests.worlds import create_site

pytestmark = pytest.mark.every_release

MEBI = 1024 * 1024
GOOD = b'{"title": "disk full"}'


def build_nested_payload(depth: int) -> bytes:
    """A payload whose deepest array is that many levels down, the payload itself being the first."""
    return b'{"title": "x", "deep": ' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def send_refused(taking: AlertProject, *request: Any, **rest: Any) -> int:
    """The status of a refusal, which has no body and changes nothing."""
    before = taking.site.platform.state
    answer = taking.post(*request, **rest)
    assert b"" == answer.body
    assert before is taking.site.platform.state
    return answer.status


def test_an_accepted_alert_has_an_empty_answer() -> None:
    """An accepted alert answers 200 with an empty body."""
    taking = AlertProject()
    answer = taking.post(GOOD)

    assert (200, b"") == (answer.status, answer.body)
    assert [(1, "disk full", "triggered", 1)] == [
        (alert.iid, alert.title, alert.status, alert.event_count) for alert in taking.alerts
    ]


ORDER = [
    # what is wrong from here on, the first of them decides
    ("project", 404),
    ("size", 400),
    ("inactive", 403),
    ("key", 401),
    ("title", 400),
    (None, 200),
]


@pytest.mark.parametrize(("first", "status"), ORDER)
def test_the_checks_come_in_this_order(first: str | None, status: int) -> None:
    """The endpoint checks project, size, depth, service, key and validity in this order."""
    names = [name for name, _ in ORDER]
    wrong = set(names[names.index(first) : -1])
    taking = AlertProject()
    payload: dict[str, Any] = {"title": "" if "title" in wrong else "x", "deep": []}
    body = build_nested_payload(101).replace(b'"x"', b'""') if "size" in wrong else orjson.dumps(payload)
    if "inactive" in wrong:
        taking.configure(active=False)
    path = "/acme/nowhere/alerts/notify.json" if "project" in wrong else ENDPOINT
    answer = taking.post(body, key="0" * 32 if "key" in wrong else None, path=path)

    assert (status, b"") == (answer.status, answer.body)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "Basic {key}"}, 401),
        ({"authorization": "Token {key}"}, 401),
        ({"private-token": "{key}"}, 401),
        ({"private-token": "root-token"}, 401),
        ({"authorization": "Bearer root-token"}, 401),
        ({"authorization": "bearer {key}"}, 200),
        ({"authorization": "Bearer {key}", "private-token": "no-such-token"}, 200),
    ],
)
def test_only_the_key_as_a_bearer_counts(headers: dict[str, str], status: int) -> None:
    """The endpoint accepts only its own key as a bearer token and no token of the API."""
    taking = AlertProject()
    sent = {name: value.format(key=taking.key) for name, value in headers.items()}
    answer = taking.site.ask("POST", ENDPOINT, body=GOOD, headers={**sent, "content-type": "application/json"})

    assert (status, b"") == (answer.status, answer.body)


def test_a_service_that_was_never_configured_is_off() -> None:
    """Alerts sent to a project that never configured the service get a 403."""
    answer = create_site().ask("POST", ENDPOINT, json={"title": "x"}, headers={"authorization": "Bearer x"})

    assert (403, b"") == (answer.status, answer.body)


def test_a_new_key_makes_the_old_one_useless() -> None:
    """Resetting the key of an alert service makes the old one invalid."""
    taking = AlertProject()
    taking.configure(reset_token=True)

    assert 401 == send_refused(taking, GOOD)
    assert 200 == taking.post(GOOD, key=taking.properties["token"]).status


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"{", "application/json"),
        (b"\xff\xfe", "application/json"),
        (b'{"title": "x"', "application/json; charset=utf-8"),
        (b'{"title": "\\ud800"}', "application/json"),
        (b'{"title": "\\u0000"}', "application/json"),
        (b'{"title": "x", "free": [{"\\u0000": 1}]}', "application/json"),
        (b'{"title": NaN}', "application/json"),
        (b'["title"]', "application/json"),
        (b'"title"', "application/json"),
        (b"", "application/json"),
        (b"title=x", "application/x-www-form-urlencoded"),
        (GOOD, "text/plain"),
        (GOOD, ""),
        (b"{}", "application/json"),
        (b'{"title": null}', "application/json"),
        (b'{"title": ""}', "application/json"),
        (b'{"title": " \\t"}', "application/json"),
        (b'{"title": {"a": 1}}', "application/json"),
        (b'{"title": "x", "description": []}', "application/json"),
        (
            b'{"title": "x", "platform_environment_name": "a", "gitlab_environment_name": "b"}',
            "application/json",
        ),
    ],
)
def test_invalid_alerts_are_refused(body: bytes, content_type: str) -> None:
    """Malformed or invalid alerts answer 400 and are not stored."""
    assert 400 == send_refused(AlertProject(), body, content_type=content_type)


def test_depth() -> None:
    """A hundred levels are taken, one more is not, nor are very many."""
    taking = AlertProject()

    assert 200 == taking.post(build_nested_payload(100)).status
    assert 400 == send_refused(taking, build_nested_payload(101))
    assert 400 == send_refused(taking, build_nested_payload(100_000))


def test_size() -> None:
    """A text just below a mebibyte is taken, one of a mebibyte is not; a body over ten is cut off."""
    taking = AlertProject()

    assert 200 == taking.send(text="x" * (MEBI - 1000))
    assert 400 == send_refused(taking, orjson.dumps({"title": "x", "text": "x" * MEBI}))
    assert 400 == send_refused(taking, orjson.dumps({"title": "x", "many": [0] * 140_000}))
    assert 400 == send_refused(taking, orjson.dumps({"title": "x", **{f"k{n}": n for n in range(30_000)}}))
    assert 413 == send_refused(taking, b" " * (10 * MEBI + 1))


@pytest.mark.parametrize(
    "path", ["/acme/site/alerts/notify", "/acme/site/alerts", "/acme/alerts/notify.json", "/alerts/notify.json"]
)
def test_other_paths_are_no_endpoint(path: str) -> None:
    """Alerts sent to any path but the endpoint get a 404."""
    assert 404 == AlertProject().post(GOOD, path=path).status


def test_a_project_deep_in_groups() -> None:
    """Every project has an endpoint, whatever its path; its letters' case does not matter."""
    site = create_site()
    site.group("acme/tools", owner="ada")
    site.project("acme/tools/kit", creator="ada")
    integration = site.ask("PUT", "projects/acme%2Ftools%2Fkit/services/alerts", "ada", json={"active": True}).json
    headers = {"authorization": f"Bearer {integration['properties']['token']}"}

    assert "http://localhost/acme/tools/kit/alerts/notify.json" == integration["properties"]["url"]
    assert 200 == site.ask("POST", "/Acme/tools/kit/alerts/notify.json", json={"title": "x"}, headers=headers).status
    assert 401 == site.ask("POST", "/acme/tools/kit/alerts/notify.json", json={"title": "x"}).status


FIELDS = [
    # said, field, kept
    ({"title": "t" * 200}, "title", "t" * 200),
    ({"title": "t" * 201}, "title", "t" * 197 + "..."),
    ({"title": 7}, "title", "7"),
    ({"title": True}, "title", "true"),
    ({"description": "d" * 1001}, "description", "d" * 997 + "..."),
    ({"description": None}, "description", None),
    ({}, "description", None),
    ({"service": "s" * 101}, "service", "s" * 97 + "..."),
    ({"monitoring_tool": "m" * 101}, "monitoring_tool", "m" * 97 + "..."),
    ({"severity": "HIGH"}, "severity", "high"),
    ({"severity": "info"}, "severity", "info"),
    ({"severity": "unknown"}, "severity", "unknown"),
    ({"severity": "worst"}, "severity", "critical"),
    ({"severity": 3}, "severity", "critical"),
    ({}, "severity", "critical"),
    ({"hosts": "a.example"}, "hosts", ("a.example",)),
    ({"hosts": ["a", ["b", ["c"]], 7, None]}, "hosts", ("a", "b", "c", "7")),
    ({"hosts": ["h" * 200, "i" * 200, "j"]}, "hosts", ("h" * 200, "i" * 55)),
    ({"hosts": {"a": 1}}, "hosts", ()),
    ({}, "hosts", ()),
    ({"start_time": "2020-11-19T10:00:00+02:00"}, "started_at", "2020-11-19T08:00:00.000Z"),
    ({"start_time": "when it began"}, "started_at", "2020-11-20T09:00:00.001Z"),
    ({"start_time": 1605776400}, "started_at", "2020-11-20T09:00:00.001Z"),
    ({}, "started_at", "2020-11-20T09:00:00.001Z"),
    ({"end_time": "2020-11-20T10:00:00Z"}, "ended_at", None),
    ({"fingerprint": "abc"}, "fingerprint", sha1(b"abc").hexdigest()),
    ({"fingerprint": 12}, "fingerprint", sha1(b"12").hexdigest()),
    ({"fingerprint": ["a", ["b"], 3]}, "fingerprint", sha1(b"ab3").hexdigest()),
    ({"fingerprint": ""}, "fingerprint", None),
    ({"fingerprint": []}, "fingerprint", None),
    ({}, "fingerprint", None),
]


@pytest.mark.parametrize(("keys", "field", "kept"), FIELDS)
def test_keys_of_a_payload_are_converted(keys: dict[str, Any], field: str, kept: Any) -> None:
    """Keys of a payload are cut, converted or replaced by defaults."""
    taking = AlertProject()
    assert 200 == taking.send(**keys)

    assert kept == getattr(taking.last, field)


@pytest.mark.parametrize("name", ["platform_environment_name", "gitlab_environment_name"])
@pytest.mark.parametrize(
    ("sent", "environment"), [("production", "production"), ("Production", None), ("stage", None), (7, None)]
)
def test_an_environment_is_found_by_its_exact_name(
    fakeplat: Fakeplat, name: str, sent: Any, environment: str | None
) -> None:
    """An alert belongs to the environment of exactly the sent name, else to none."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "environments": ["production"]}]})
    key = fakeplat.as_user("mia").put(SERVICE, json={"active": True}).json()["properties"]["token"]
    reply = fakeplat.as_user(None).post(
        fakeplat.url + ENDPOINT, json={"title": "x", name: sent}, headers={"Authorization": f"Bearer {key}"}
    )

    assert 200 == reply.status
    assert [environment] == [alert.environment for alert in fakeplat.world.project("acme/site").alerts]


def test_every_other_key_is_kept_and_shown(fakeplat: Fakeplat) -> None:
    """Other keys of a payload are stored unchanged and shown as details with dotted names."""
    key = fakeplat.as_user("mia").put(SERVICE, json={"active": True}).json()["properties"]["token"]
    others = {"n": 1.5, "t": "x", "no": None, "yes": True, "list": [1, {"a": []}], "in": {"a": {"b": 2}, "c": {}}}
    payload = {"title": "disk full", "severity": "low", "runbook": "https://runbook.test", **others}
    fakeplat.as_user(None).post(fakeplat.url + ENDPOINT, json=payload, headers={"Authorization": f"Bearer {key}"})
    (alert,) = fakeplat.world.project("acme/site").alerts

    assert payload == alert.payload
    assert {
        **{name: others[name] for name in ("n", "t", "no", "yes", "list")},
        "runbook": "https://runbook.test",
        "in.a.b": 2,
        "in.c": {},
    } == alert.details
    assert ("disk full", "low", "https://runbook.test", None) == (
        alert.title,
        alert.severity,
        alert.runbook,
        alert.issue_iid,
    )


def test_an_alert_has_a_page(fakeplat: Fakeplat) -> None:
    """The page of an alert is shown to Developers and not found by others."""
    fakeplat.as_user("mia").put(SERVICE, json={"active": True})
    alert = fakeplat.as_user("dev").post(f"{SERVICE}/test").json()

    assert f"{fakeplat.url}/acme/site/-/alert_management/1/details" == alert["web_url"]
    page = fakeplat.as_user("dev").get(alert["web_url"])
    assert (200, True) == (page.status, "Test alert" in page.text)
    assert [404] * 4 == [
        fakeplat.as_user("rep").get(alert["web_url"]).status,
        fakeplat.as_user(None).get(alert["web_url"]).status,
        fakeplat.as_user("dev").get(alert["web_url"].replace("/1/", "/2/")).status,
        fakeplat.as_user("dev").get(alert["web_url"].replace("/1/", "/x/")).status,
    ]


def test_a_test_alert_is_a_real_one(fakeplat: Fakeplat) -> None:
    """A test alert by a Developer is stored like any other one."""
    fakeplat.as_user("mia").put(SERVICE, json={"active": True})
    reply = fakeplat.as_user("dev").post(f"{SERVICE}/test")

    assert (201, "Test alert", "triggered") == (reply.status, reply.json()["title"], reply.json()["status"])
    assert [reply.json()["iid"]] == [alert.iid for alert in fakeplat.world.project("acme/site").alerts]


# whatever comes

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30).filter(lambda text: text.isprintable()),
    st.sampled_from(["2020-11-20T10:00:00Z", "9999-12-31T23:59:59-23:59", "0001-01-01", "critical", "x" * 400]),
)
KEYS = st.one_of(
    st.sampled_from(
        "title description start_time end_time service monitoring_tool hosts severity fingerprint version alerts "
        "platform_environment_name gitlab_environment_name runbook id status payload".split()
    ),
    st.text(max_size=4).filter(lambda text: text.isprintable()),
)
JSON_VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
PAYLOADS = st.dictionaries(KEYS, JSON_VALUES, max_size=8)
TITLED = PAYLOADS.map(lambda payload: {**payload, "title": "x"})
DEEP = st.integers(1, 400).map(build_nested_payload)
WIDE = st.integers(1, 200_000).map(lambda size: orjson.dumps({"title": "x", "wide": [0] * size}))
LONG = st.integers(1, 2 * MEBI).map(lambda size: orjson.dumps({"title": "x", "long": "é" * size}))
BODIES = st.one_of(
    PAYLOADS.map(orjson.dumps), TITLED.map(orjson.dumps), JSON_VALUES.map(orjson.dumps), DEEP, WIDE, LONG
)
WORLDS = {tier: AlertProject(tier, create_issue=True, send_email=True) for tier in ("free", "ultimate")}


@given(st.sampled_from(sorted(WORLDS)), st.lists(st.one_of(BODIES, st.binary(max_size=40)), min_size=1, max_size=3))
def test_arbitrary_bodies_are_accepted_or_refused(tier: str, bodies: list[bytes]) -> None:
    """Arbitrary bodies are accepted or refused without a server error."""
    taking = WORLDS[tier]
    start = taking.site.platform.snapshot()
    for body in bodies:
        before = taking.site.platform.state
        answer = taking.post(body)
        assert (answer.status, answer.body) in ((200, b""), (400, b""))
        assert answer.status == 200 or before is taking.site.platform.state
        taking.settle()
    assert [] == taking.site.platform.failures
    taking.site.platform.restore(start)


@given(TITLED.filter(lambda payload: b"\\u0000" not in orjson.dumps(payload)))
def test_every_payload_with_a_title_and_texts_is_kept_whole(payload: dict[str, Any]) -> None:
    """Any payload whose texts and environment are valid is stored completely."""
    texts = ("description", "service", "monitoring_tool")
    payload = {name: value for name, value in payload.items() if name not in (*texts, "gitlab_environment_name")}
    taking = WORLDS["free"]
    start = taking.site.platform.snapshot()

    assert 200 == taking.post(orjson.dumps(payload)).status
    assert payload == taking.last.payload
    taking.site.platform.restore(start)


@pytest.mark.parametrize("payload", [b"{}", b'{"title": null}', b'{"title": ""}', b'{"title": " "}'])
def test_a_title_is_required_as_documented(payload: bytes) -> None:
    """By default an alert without a title answers 400 (ruling 9)."""
    taking = AlertProject(documented=True)
    assert (400, []) == (send_refused(taking, payload), taking.alerts)


@pytest.mark.parametrize("payload", [b"{}", b'{"title": null}', b'{"title": ""}', b'{"title": " "}'])
def test_an_alert_without_a_title_gets_one_on_the_platform(payload: bytes) -> None:
    """On the platform an alert without a title is named `New: Incident` (ruling 9)."""
    taking = AlertProject(documented=False)
    assert (200, "New: Incident") == (taking.post(payload).status, taking.last.title)


def test_a_title_that_is_no_text_is_refused_on_both_sides() -> None:
    """An alert whose title is an object is refused by the documented and the real platform."""
    assert [400, 400] == [
        send_refused(AlertProject(documented=documented), b'{"title": {"a": 1}}') for documented in (True, False)
    ]
