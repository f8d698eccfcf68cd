"""Events of labels, milestones, states and weights of issues. Source: docs/platform/issues.md ('Resource events')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.company import COMPANY
from tests.api.planning_records import DOCS, MISSING, SITE, create_record, get_json, issue, label, milestone
from tests.api.requests import UNAUTHORIZED, Outcome, names, outcome, refusal, resource_not_found

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]
ONE = f"{SITE}/issues/1"


def update_issue(fake: Fakeplat, by: str = "ada", /, **body: Any) -> None:
    assert 200 == fake.as_user(by).put(ONE, json=body).status


def list_events(fake: Fakeplat, kind: str) -> list[Any]:
    return list(get_json(fake, f"{ONE}/resource_{kind}_events"))


def test_label_events_are_recorded(fakeplat: Fakeplat) -> None:
    """Each label of an issue that is added or removed creates an event of its user."""
    for name in ("bug", "late", "new"):
        label(fakeplat, name)
    issue(fakeplat, labels="bug,late")
    update_issue(fakeplat, "rep", labels="late,new")
    update_issue(fakeplat, "ada", add_labels="late", remove_labels="new")
    events = list_events(fakeplat, "label")
    seen = [(event["user"]["username"], event["label"]["name"], event["action"]) for event in events]

    assert [("ada", "bug", "add"), ("ada", "late", "add")] == seen[:2]
    assert {("rep", "new", "add"), ("rep", "bug", "remove")} == set(seen[2:4])
    assert [("ada", "new", "remove")] == seen[4:]
    assert {"id", "user", "created_at", "resource_type", "resource_id", "label", "action"} == set(events[0])
    later = {"description_html", "text_color"}
    assert {"id", "name", "color", "description"} == set(events[0]["label"]) - later
    assert ("Issue", get_json(fakeplat, ONE)["id"]) == (events[0]["resource_type"], events[0]["resource_id"])
    assert sorted(names(events, "id")) == names(events, "id")


def test_replacing_a_milestone_is_one_addition(fakeplat: Fakeplat) -> None:
    """Taking it away is told of the one that was there; each event tells the issue's state."""
    first, second = (milestone(fakeplat, title) for title in ("v1", "v2"))
    issue(fakeplat, milestone_id=first["id"])
    update_issue(fakeplat, milestone_id=second["id"])
    update_issue(fakeplat, state_event="close")
    update_issue(fakeplat, milestone_id=0)
    events = list_events(fakeplat, "milestone")

    assert [("v1", "add", "opened"), ("v2", "add", "opened"), ("v2", "remove", "closed")] == [
        (event["milestone"]["title"], event["action"], event["state"]) for event in events
    ]
    assert {"id", "user", "created_at", "resource_type", "resource_id", "milestone", "action", "state"} == set(
        events[0]
    )


STATES = [
    # from, what is done, the state after it, the events of it
    ("opened", "close", "closed", ["closed"]),
    ("opened", "reopen", "opened", []),
    ("opened", None, "opened", []),
    ("closed", "close", "closed", []),
    ("closed", "reopen", "opened", ["reopened"]),
    ("closed", None, "closed", []),
]


@pytest.mark.parametrize(("before", "event", "after", "expected"), STATES)
def test_from_every_state_by_every_event(
    fakeplat: Fakeplat, before: str, event: str | None, after: str, expected: list[str]
) -> None:
    """Closing a closed issue, or reopening an open one, is 200 and no event; closed_at and closed_by follow."""
    issue(fakeplat)
    if before == "closed":
        update_issue(fakeplat, "rep", state_event="close")
    update_issue(fakeplat, "dev", **({"title": "other"} if event is None else {"state_event": event}))
    now = get_json(fakeplat, ONE)
    closers = {"opened": None, "closed": "rep" if before == "closed" else "dev"}

    assert (after, after == "closed") == (now["state"], now["closed_at"] is not None)
    assert closers[after] == (now["closed_by"]["username"] if now["closed_by"] else None)
    assert (["closed"] if before == "closed" else []) + expected == names(list_events(fakeplat, "state"), "state")


@pytest.mark.fakeplat(releases="<18.9")
def test_a_state_event_has_user_and_state(fakeplat: Fakeplat) -> None:
    """A state event contains only its user, time, resource and state."""
    issue(fakeplat)
    update_issue(fakeplat, "rep", state_event="close")
    (event,) = list_events(fakeplat, "state")

    assert {"id", "user", "created_at", "resource_type", "resource_id", "state"} == set(event)
    assert "rep" == event["user"]["username"]


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_weights_are_followed_on_paid_tiers(fakeplat: Fakeplat) -> None:
    """On paid tiers each changed weight creates an event."""
    issue(fakeplat, weight=2)
    for weight in (3, 3, None):
        update_issue(fakeplat, weight=weight)
    events = list_events(fakeplat, "weight")

    assert [2, 3, None] == names(events, "weight")
    assert {"id", "user", "created_at", "issue_id", "weight"} == set(events[0])


def test_weights_are_not_followed_on_the_free_tier(fakeplat: Fakeplat) -> None:
    """On the free tier weight events answer 404."""
    issue(fakeplat)
    for path in ("resource_weight_events", "resource_weight_events/1"):
        assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "GET", f"{ONE}/{path}")


@pytest.mark.parametrize("kind", ["label", "milestone", "state"])
def test_single_events_are_found_by_id_under_their_issue(fakeplat: Fakeplat, kind: str) -> None:
    """The list's own; another issue's is not there."""
    issue(fakeplat, labels="bug", milestone_id=milestone(fakeplat, "v1")["id"])
    issue(fakeplat)
    update_issue(fakeplat, state_event="close")
    (event,) = list_events(fakeplat, kind)
    name = f"resource_{kind}_events"

    assert event == get_json(fakeplat, f"{ONE}/{name}/{event['id']}", "gus")
    for path, by, expected in (
        (f"{ONE}/{name}/1", "ada", MISSING),
        (f"{SITE}/issues/2/{name}/{event['id']}", "ada", MISSING),
        (f"{SITE}/issues/9/{name}", "ada", MISSING),
        (f"{ONE}/{name}", None, UNAUTHORIZED),
        (f"{ONE}/{name}", "eve", resource_not_found("Project")),
    ):
        assert expected == refusal(fakeplat, by, "GET", path), path


def test_deleted_records_are_null(fakeplat: Fakeplat) -> None:
    """Labels and users that were deleted since; a promoted label is its group's; a milestone takes its events along."""
    bug, late, v1 = label(fakeplat, "bug"), label(fakeplat, "late"), milestone(fakeplat, "v1")
    label(fakeplat, "late", "groups/acme")
    issue(fakeplat, SITE, "dev", labels="bug,late", milestone_id=v1["id"])
    for path in (f"labels/{bug['id']}", f"milestones/{v1['id']}"):
        assert 204 == fakeplat.as_user("ada").delete(f"{SITE}/{path}").status
    promoted = fakeplat.as_user("ada").put(f"{SITE}/labels/{late['id']}/promote").json()
    fakeplat.as_user("root").delete(f"users/{fakeplat.world.user('dev').id}")
    events = list_events(fakeplat, "label")

    assert [None, promoted["id"]] == [event["label"] and event["label"]["id"] for event in events]
    assert [] == list_events(fakeplat, "milestone")
    assert [None, None] == names(events, "user")


def test_events_of_hidden_labels_and_milestones_are_not_listed(fakeplat: Fakeplat) -> None:
    """Events of a label or milestone of a private project are left out for who cannot see it; a single one is 404.

    As on the platform, hidden label events still count in the headers, hidden milestone events do not.
    """
    label(fakeplat, "bug")
    issue(fakeplat, labels="bug", milestone_id=milestone(fakeplat, "v1")["id"])
    moved = create_record(fakeplat, f"{ONE}/move", to_project_id=fakeplat.world.project("acme/docs").id)
    target = f"{DOCS}/issues/{moved['iid']}"

    for kind, named, total in (("label", "name", "1"), ("milestone", "title", "0")):
        path = f"{target}/resource_{kind}_events"
        (event,) = get_json(fakeplat, path)
        assert event[kind][named] in ("bug", "v1")
        listed = fakeplat.as_user("eve").get(path)
        assert (200, [], total) == (listed.status, listed.json(), listed.headers["X-Total"])
        assert resource_not_found(f"Resource{kind.title()}Event") == outcome(
            fakeplat.as_user("eve").get(f"{path}/{event['id']}")
        )
        assert event == get_json(fakeplat, f"{path}/{event['id']}")


@pytest.mark.parametrize("kind", ["label", "milestone", "state", "weight"])
@pytest.mark.fakeplat(tier="premium")
def test_lists_of_events_have_pages(fakeplat: Fakeplat, kind: str) -> None:
    """Resource events are paged and require a login."""
    stages = [milestone(fakeplat, title)["id"] for title in ("v1", "v2")]
    issue(fakeplat, labels="bug,late", milestone_id=stages[0], weight=1)
    for change in ({"milestone_id": stages[1], "weight": 2}, {"state_event": "close"}, {"state_event": "reopen"}):
        assert 200 == fakeplat.as_user("ada").put(ONE, json=change).status
    path = f"{ONE}/resource_{kind}_events"
    events = get_json(fakeplat, path)
    page = fakeplat.as_user("ada").get(f"{path}?page=2&per_page=1")

    assert 2 == len(events)
    assert (200, [events[1]], "2") == (page.status, page.json(), page.headers["X-Total"])
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", f"{path}/{events[0]['id']}")


def test_scenarios_create_no_events(fakeplat: Fakeplat) -> None:
    """A scenario's issues have no history but what the scenario says."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "issues": [{"title": "x", "labels": ["bug"]}]}]})
    assert [[], [], []] == [list_events(fakeplat, kind) for kind in ("label", "milestone", "state")]


def test_events_go_with_their_issue(fakeplat: Fakeplat) -> None:
    """Deleting an issue deletes its resource events."""
    issue(fakeplat, labels="bug", milestone_id=milestone(fakeplat, "v1")["id"])
    update_issue(fakeplat, state_event="close")
    assert 204 == fakeplat.as_user("ada").delete(ONE).status
    world = fakeplat.bench.platform.view

    assert [0, 0, 0] == [len(table) for table in (world.label_events, world.milestone_events, world.state_events)]


def test_cached_lists_are_updated(fakeplat: Fakeplat) -> None:
    """A list that was asked for before tells the next event, and a label's new name."""
    bug = label(fakeplat, "bug")
    issue(fakeplat, labels="bug")
    assert 1 == len(list_events(fakeplat, "label"))
    update_issue(fakeplat, labels="")
    assert 2 == len(list_events(fakeplat, "label"))
    fakeplat.as_user("ada").put(f"{SITE}/labels/{bug['id']}", json={"new_name": "defect"})

    assert ["defect", "defect"] == [event["label"]["name"] for event in list_events(fakeplat, "label")]
    expected: Outcome = (200, list_events(fakeplat, "label"))
    assert expected == outcome(fakeplat.as_user("gus").get(f"{ONE}/resource_label_events"))


SPRINTS = {
    "extends": "starter",
    "groups": [
        {"path": "acme", "iterations": [{"title": "One", "start_date": "2020-11-16", "due_date": "2020-11-27"}]}
    ],
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "issues": [
                {
                    "iid": 1,
                    "resource_iteration_events": [
                        {"user": "dev", "iteration": "One", "action": "add", "created_at": "2020-11-19T09:00:00.000Z"},
                        {"user": "rep", "iteration": None, "action": "remove"},
                    ],
                }
            ],
        }
    ],
}


@pytest.mark.fakeplat(scenario=SPRINTS, tier="premium")
def test_iteration_events_are_recorded(fakeplat: Fakeplat) -> None:
    """Scenarios declare the events; the iteration is null once it is deleted, and the export has them again."""
    path = f"{ONE}/resource_iteration_events"
    events = fakeplat.as_user("rep").get(path).json()
    (iteration,) = fakeplat.as_user("rep").get("groups/acme/iterations").json()

    assert {"id", "user", "created_at", "resource_type", "resource_id", "iteration", "action"} == set(events[0])
    assert [iteration, None] == names(events, "iteration")
    assert [("dev", "add"), ("rep", "remove")] == [(event["user"]["username"], event["action"]) for event in events]
    assert ("Issue", fakeplat.as_user("rep").get(ONE).json()["id"]) == (
        events[0]["resource_type"],
        events[0]["resource_id"],
    )
    assert events[0] == fakeplat.as_user("rep").get(f"{path}/{events[0]['id']}").json()
    assert MISSING == refusal(fakeplat, "rep", "GET", f"{path}/1")
    projects = export_world(fakeplat.bench.platform)["projects"]
    issues = next(row for row in projects if row["path_with_namespace"] == "acme/site")["issues"]
    iteration_events = next(row for row in issues if row["iid"] == 1)["resource_iteration_events"]
    assert [("One", "add"), (None, "remove")] == [(event["iteration"], event["action"]) for event in iteration_events]


@pytest.mark.fakeplat(scenario=SPRINTS, tier="free")
def test_iteration_events_are_paid(fakeplat: Fakeplat) -> None:
    """Below premium iteration events are not found."""
    expected = (404, {"message": "404 Not Found"})
    assert expected == refusal(fakeplat, "rep", "GET", f"{ONE}/resource_iteration_events")
