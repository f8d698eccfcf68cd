"""Grouping of repeated alerts.

Source: docs/platform/alerts.md, docs/decisions/rulings.md (10).
"""

from collections import Counter
from itertools import permutations
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api.alerts import AlertProject

pytestmark = pytest.mark.every_release

TIERS = ("free", "premium", "ultimate")
PAID = ("premium", "ultimate")
END = {"end_time": "2020-11-21T00:00:00Z"}
ENDED = "2020-11-21T00:00:00.000Z"
ALIKE = [{"hosts": ["a"], "start_time": "2020-11-20T08:00:00Z"}, {"hosts": "b"}, {"start_time": "2020-11-20T07:00:00Z"}]
MARKED = [{"fingerprint": "f", "description": "one"}, {"fingerprint": ["f"], "description": "two", "severity": "low"}]
OPEN, GONE = "triggered", "resolved"

STATES = [
    # tiers, what comes, (status, events) of each alert that is there then
    (PAID, ALIKE, [(OPEN, 3)]),
    (("free",), ALIKE, [(OPEN, 1)] * 3),
    (TIERS, MARKED, [(OPEN, 2)]),
    (TIERS, [*MARKED, {"fingerprint": "g"}], [(OPEN, 2), (OPEN, 1)]),
    (PAID, [{}, {"extra": 1}, {"extra": {"a": [1]}}, {"extra": {"a": [1]}}], [(OPEN, 1), (OPEN, 1), (OPEN, 2)]),
    (PAID, [{"a": 1, "b": 2}, {"b": 2, "a": 1}], [(OPEN, 2)]),
    (PAID, [{}, END], [(GONE, 1)]),
    (PAID, [{}, {}, {**END, "hosts": "x"}], [(GONE, 2)]),
    (PAID, [{}, END, {}], [(GONE, 1), (OPEN, 1)]),
    (PAID, [{}, END, END], [(GONE, 1), (OPEN, 1)]),
    (PAID, [{}, {"end_time": "soon"}], [(OPEN, 2)]),
    (PAID, [{}, {"severity": "low", **END}], [(OPEN, 1), (OPEN, 1)]),
    (("free",), [{}, END], [(OPEN, 1), (OPEN, 1)]),
    (TIERS, [*MARKED, {"fingerprint": "f", **END}], [(GONE, 2)]),
    (TIERS, [{"fingerprint": "f"}, {"fingerprint": "f", **END}, {"fingerprint": "f"}], [(GONE, 1), (OPEN, 1)]),
    (TIERS, [END], [(OPEN, 1)]),
    (TIERS, [{"fingerprint": "", "n": 1}, {"fingerprint": [], "n": 2}], [(OPEN, 1), (OPEN, 1)]),
    (TIERS, [{"fingerprint": 0, "n": 1}, {"fingerprint": "0", "n": 2}], [(OPEN, 2)]),
]


@pytest.mark.parametrize(
    ("tier", "sent", "expected"), [(tier, sent, expected) for tiers, sent, expected in STATES for tier in tiers]
)
def test_states(tier: str, sent: list[dict[str, Any]], expected: list[tuple[str, int]]) -> None:
    """Repeats are counted, an end resolves, what is resolved is never met again; without a fingerprint only if paid.

    Nothing, an empty text or array is no fingerprint; zero is one.
    """
    taking = AlertProject(tier)
    for payload in sent:
        assert 200 == taking.send(**payload)

    assert expected == [(alert.status, alert.event_count) for alert in taking.alerts]


@pytest.mark.parametrize("status", ["triggered", "acknowledged", "ignored"])
def test_a_repeat_changes_nothing_but_the_counter(status: str) -> None:
    """A repeated alert that is not resolved only increases its counter, without a note."""
    taking = AlertProject("premium")
    taking.send(fingerprint="f", description="first")
    set_alert_status(taking, taking.last, status)
    before, notes = taking.last, taking.notes(taking.last)
    taking.send(fingerprint="f", description="second", hosts="elsewhere", severity="low")

    assert [before.__class__(**{**list_fields(before), "event_count": 2})] == taking.alerts
    assert notes == taking.notes(taking.last)


def list_fields(alert: Any) -> dict[str, Any]:
    return {name: getattr(alert, name) for name in alert.__slots__ if name != "__weakref__"}


def set_alert_status(taking: AlertProject, alert: Any, status: Any, by: str = "dev") -> Any:
    from fakeplat.domain.alerts import alerts

    with taking.site.platform.acting(taking.site.person(by)) as ctx:
        return alerts.set_status(ctx, ctx.world.alerts[alert.id], status, ctx.signed_in_user)


@pytest.mark.parametrize("status", ["triggered", "acknowledged", "ignored"])
def test_an_end_resolves_whatever_is_not_resolved(status: str) -> None:
    """A payload with an end time resolves the alert at that time, noted by the alert bot."""
    taking = AlertProject()
    taking.send(fingerprint="f")
    set_alert_status(taking, taking.last, status)
    taking.send(fingerprint="f", **END)

    assert [("resolved", ENDED)] == [(alert.status, alert.ended_at) for alert in taking.alerts]
    assert ("alert-bot", "changed the status to **Resolved**") == taking.notes(taking.last)[-1]


def test_projects_do_not_share_alerts() -> None:
    """The same fingerprint in another project is another alert with numbers of its own."""
    taking = AlertProject()
    taking.site.project("acme/other", creator="ada")
    integration = taking.site.ask("PUT", "projects/acme%2Fother/services/alerts", "ada", json={"active": True}).json
    body = orjson.dumps({"title": "x", "fingerprint": "f"})
    taking.post(body)
    taking.post(body, key=integration["properties"]["token"], path="/acme/other/alerts/notify.json")

    assert [1, 1] == [alert.iid for alert in taking.alerts]
    assert 2 == len({alert.project_id for alert in taking.alerts})


# the rule, written anew

EXTRAS = st.sampled_from([{}, {"extra": 1}, {"extra": {"a": [1, None]}}, {"extra": True}, {"service": "web"}])
TITLES = st.sampled_from([{"title": "disk full"}, {"title": "disk gone"}])
TIMES = st.sampled_from(
    [{}, {"start_time": "2020-11-20T01:00:00Z"}, {"hosts": ["a"]}, {"hosts": "b", "start_time": "x"}]
)
MARKS = st.sampled_from([{}, {}, {"fingerprint": "f"}, {"fingerprint": ["f", "g"]}, {"fingerprint": "fg"}])
BEGINNINGS = st.builds(lambda *parts: {k: v for part in parts for k, v in part.items()}, EXTRAS, TITLES, TIMES, MARKS)
ANY = st.builds(lambda payload, end: {**payload, **end}, BEGINNINGS, st.sampled_from([{}, {}, END]))
WORLDS = {tier: AlertProject(tier) for tier in TIERS}


def compute_identity(tier: str, payload: dict[str, Any]) -> object:
    """Return the key by which an alert is grouped, or None if it is grouped with no other."""
    mark = payload.get("fingerprint")
    if mark:
        return "mark", mark if isinstance(mark, str) else "".join(mark)
    if tier == "free":
        return None
    compared = {name: value for name, value in payload.items() if name not in ("start_time", "end_time", "hosts")}
    return "payload", orjson.dumps(compared, option=orjson.OPT_SORT_KEYS)


def predict_event_counts(tier: str, sent: list[dict[str, Any]]) -> Counter[object]:
    """Return how often each open alert was sent, by the rule."""
    met: Counter[object] = Counter()
    for number, payload in enumerate(sent):
        known = compute_identity(tier, payload)
        if known in met and "end_time" in payload:
            del met[known]
        else:
            met[known if known is not None else number] += 1
    return met


def count_events(tier: str, sent: list[dict[str, Any]]) -> list[int]:
    """The counters of the open alerts, when all was sent."""
    taking = WORLDS[tier]
    start = taking.site.platform.snapshot()
    for payload in sent:
        assert 200 == taking.post(orjson.dumps(payload)).status
    counts = sorted(alert.event_count for alert in taking.alerts if alert.status != "resolved")
    taking.site.platform.restore(start)
    return counts


@given(st.sampled_from(TIERS), st.lists(ANY, max_size=8))
def test_as_many_are_open_as_the_rule_says(tier: str, sent: list[dict[str, Any]]) -> None:
    """Any sequence of payloads leaves as many open alerts as the grouping rule predicts."""
    assert sorted(predict_event_counts(tier, sent).values()) == count_events(tier, sent)


@given(st.sampled_from(TIERS), st.lists(BEGINNINGS, min_size=2, max_size=4))
def test_the_order_of_arrivals_does_not_matter(tier: str, sent: list[dict[str, Any]]) -> None:
    """Payloads without end times leave the same open alerts in every order of arrival."""
    assert 1 == len({tuple(count_events(tier, list(order))) for order in permutations(sent)})


@given(st.sampled_from(TIERS), BEGINNINGS, BEGINNINGS, BEGINNINGS)
def test_being_the_same_is_an_equivalence(tier: str, a: dict[str, Any], b: dict[str, Any], c: dict[str, Any]) -> None:
    """Being grouped together is an equivalence of payloads where alerts are grouped at all."""

    def alike(first: dict[str, Any], other: dict[str, Any]) -> bool:
        return [2] == count_events(tier, [first, other])

    assert alike(a, b) == alike(b, a)
    assert not (alike(a, b) and alike(b, c)) or alike(a, c)
    assert alike(a, a) == (compute_identity(tier, a) is not None)
