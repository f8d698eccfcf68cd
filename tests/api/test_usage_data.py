"""Usage data of the instance, and the features that guard them. Source: docs/platform/version-and-metadata.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import FEATURE_TARGETS_ARE_LISTS, TOKENS_TRACK_USAGE_EVENTS, USAGE_EVENTS_ARE_TRACKED
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, outcome, refusal
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
NOT_FOUND: Outcome = (404, {"message": "404 Not Found"})
TRACKED: Outcome = (200, 200)
NO_CSRF_TOKEN: Outcome = (403, {"message": "403 Forbidden - Invalid CSRF token is provided"})


@pytest.mark.parametrize("path", ["increment_counter", "increment_unique_users", "track_event"])
def test_everybody_who_is_signed_in_reports_events(fakeplat: Fakeplat, path: str) -> None:
    """Known and unknown events are answered with the status as the body; one without a name is refused."""
    whole = f"usage_data/{path}"

    assert TRACKED == outcome(fakeplat.as_user("eve").post(whole, json={"event": "diff_searches"}))
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", whole, json={"event": "x"})
    assert invalid("event is missing") == refusal(fakeplat, "eve", "POST", whole)


def test_up_to_fifty_events_are_reported_at_once(fakeplat: Fakeplat) -> None:
    """A list of more than fifty events is refused."""
    path, event = "usage_data/track_events", {"event": "x", "additional_properties": {"lang": "eng"}}
    text = "Maximum 50 events allowed in one request."

    assert TRACKED == outcome(fakeplat.as_user("eve").post(path, json={"events": [event] * 50}))
    assert (400, {"message": text}) == refusal(fakeplat, "eve", "POST", path, json={"events": [event] * 51})
    assert invalid("events[0][event] is missing") == refusal(fakeplat, "eve", "POST", path, json={"events": [{}]})


@by_release(USAGE_EVENTS_ARE_TRACKED, "expected", {"13.6": NOT_FOUND, "13.7": NO_CSRF_TOKEN})
def test_the_feature_of_events_was_off_at_first(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Before 13.7 the operation is hidden; later releases take events from the platform's own pages at first."""
    assert expected == refusal(fakeplat, "eve", "POST", "usage_data/increment_counter", json={"event": "x"})


@by_release(TOKENS_TRACK_USAGE_EVENTS, "expected", {"17.2": NO_CSRF_TOKEN, "17.3": TRACKED})
def test_tokens_did_not_report_events_at_first(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Until tokens may report events, only a session with a token of its own may."""
    reply = fakeplat.as_user("eve").post("usage_data/increment_counter", json={"event": "x"})
    assert expected == outcome(reply)


def test_the_feature_of_events_is_switched_off(fakeplat: Fakeplat) -> None:
    """An administrator hides the operations by the feature ``usage_data_api``."""
    fakeplat.as_user("root").post("features/usage_data_api", json={"value": "false"})
    assert NOT_FOUND == refusal(fakeplat, "eve", "POST", "usage_data/track_event", json={"event": "x"})


def test_definitions_of_metrics_are_open(fakeplat: Fakeplat) -> None:
    """Visitors read the definitions of all metrics as YAML."""
    reply = fakeplat.as_user(None).get("usage_data/metric_definitions")

    assert (200, "application/yaml") == (reply.status, reply.headers["Content-Type"])
    assert reply.text.startswith("---\n- key_path: active_user_count\n  description: ")
    assert "\n- key_path: counts.issues\n" in reply.text


def test_the_service_ping_counts_what_is_there(fakeplat: Fakeplat) -> None:
    """The payload has the numbers of records; an instance that sends none has no payload."""
    root = fakeplat.as_user("root")
    data = root.get("usage_data/service_ping").json()
    view = fakeplat.bench.platform.view

    assert "2020-11-20T09:00:00.000Z" == data["recorded_at"]
    expected = (len(view.projects), len(view.issues), len(view.merge_requests))
    assert expected == tuple(data["counts"][name] for name in ("projects", "issues", "merge_requests"))
    headers = {"PRIVATE-TOKEN": fakeplat.token("root", scopes=["read_service_ping"])}
    statuses = [
        fakeplat.as_user(None).get(path, headers=headers).status for path in ("usage_data/service_ping", "todos")
    ]
    assert [200, 403] == statuses
    root.put("application/settings", json={"usage_ping_enabled": False})
    assert {} == root.get("usage_data/service_ping").json()


@pytest.mark.parametrize(
    ("path", "feature", "value"),
    [
        ("queries", "usage_data_queries_api", 'SELECT COUNT("boards"."id") FROM "boards"'),
        ("non_sql_metrics", "usage_data_non_sql_metrics", -3),
    ],
)
def test_features_open_further_usage_data(fakeplat: Fakeplat, path: str, feature: str, value: Any) -> None:
    """Two forms of the usage data are hidden, even from administrators, until their feature is on."""
    root, whole = fakeplat.as_user("root"), f"usage_data/{path}"
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", whole)
    root.post(f"features/{feature}", json={"value": "true"})

    assert value == root.get(whole).json()["counts"]["boards"]
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", whole)


def test_features_have_definitions(fakeplat: Fakeplat) -> None:
    """A feature that the platform defines shows its definition, also in the list of all of them."""
    root = fakeplat.as_user("root")
    definitions = root.get("features/definitions").json()
    expected = {
        "name": "usage_data_queries_api",
        "introduced_by_url": "https://gitlab.com/gitlab-org/gitlab/-/merge_requests/57016",
        "rollout_issue_url": None,
        "milestone": "13.11",
        "log_state_changes": None,
        "type": "ops",
        "group": "group::product intelligence",
        "default_enabled": False,
    }

    assert expected == next(row for row in definitions if row["name"] == expected["name"])
    assert expected == root.post("features/usage_data_queries_api", json={"value": "true"}).json()["definition"]
    assert root.post("features/unknown", json={"value": "true"}).json()["definition"] is None


def test_features_are_switched_for_later_kinds_of_actors(fakeplat: Fakeplat) -> None:
    """Later releases know namespaces of users, repositories and runners, several of each."""
    root = fakeplat.as_user("root")
    runner = root.post("user/runners", json={"runner_type": "instance_type"}).json()["id"]
    namespace = root.get("namespaces/dev").json()["id"]
    targets = {"namespace": "dev", "repository": "acme/site.git", "runner": str(runner), "user": "dev,eve"}
    targets["organization"] = "default"
    (gate,) = [
        gate
        for gate in root.post("features/new", json={"value": "true", **targets}).json()["gates"]
        if gate["key"] == "actors"
    ]
    users = [f"User:{fakeplat.world.user(name).id}" for name in ("dev", "eve")]
    others = [f"Namespaces::UserNamespace:{namespace}", "Repository:acme/site.git", f"Ci::Runner:{runner}"]

    others.append("Organizations::Organization:1")

    assert [*users, *others] == gate["value"]
    gates = root.post("features/new", json={"value": "false", **targets}).json()["gates"]
    assert ["boolean"] == names(gates, "key")


@by_release(
    FEATURE_TARGETS_ARE_LISTS,
    "expected",
    {"14.10": "off", "15.0": {"message": "400 Bad request - nobody is not found!"}},
)
def test_unknown_actors_were_ignored(fakeplat: Fakeplat, expected: object) -> None:
    """Before 15.0 an unknown user is ignored."""
    answer = fakeplat.as_user("root").post("features/new", json={"value": "true", "user": "nobody"}).json()
    assert expected == answer.get("state", answer)


@pytest.mark.parametrize("kind", ["user", "group", "namespace", "project", "organization", "repository", "runner"])
def test_unknown_actors_are_refused(fakeplat: Fakeplat, kind: str) -> None:
    """Later releases name the actor that is not found, and switch nothing."""
    body = {"value": "true", kind: "nobody"}
    expected = (400, {"message": "400 Bad request - nobody is not found!"})
    assert expected == refusal(fakeplat, "root", "POST", "features/new", json=body)


def test_experiments_are_for_those_who_make_the_hosted_offering(fakeplat_factory: Any) -> None:
    """Only members of the group of the hosted offering's makers list the experiments."""
    assert FORBIDDEN == refusal(fakeplat_factory(version="latest"), "root", "GET", "experiments")
    team = {"full_path": "gitlab-com", "members": {"dev": "guest"}}
    scenario = {"users": [{"username": "dev"}, {"username": "eve"}], "groups": [team]}
    hosted = fakeplat_factory(scenario=scenario, version="latest", hosted=True)

    assert [] == hosted.as_user("dev").get("experiments").json()
    assert FORBIDDEN == refusal(hosted, "eve", "GET", "experiments")
