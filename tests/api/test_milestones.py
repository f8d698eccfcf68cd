"""Milestones of projects and groups.

Source: docs/platform/milestones.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.issue_fields import GROUP_MILESTONE, ISSUE_BASIC, PROJECT_MILESTONE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)

# From then on Reporters manage milestones.
BEFORE_REPORTERS = pytest.mark.fakeplat(releases="<15.0")
pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

SITE, DOCS, NOTES, ACME, TOOLS, KIT = (
    "projects/acme%2Fsite",
    "projects/acme%2Fdocs",
    "projects/ada%2Fnotes",
    "groups/acme",
    "groups/acme%2Ftools",
    "projects/acme%2Ftools%2Fkit",
)
MISSING: Outcome = (404, {"message": "404 Not found"})
CONTAINERS = pytest.mark.parametrize("container", [SITE, ACME])
TAKEN = "already being used for another group or project milestone."


def create_milestone(fake: Fakeplat, container: str = SITE, /, title: str = "M1", **body: Any) -> dict[str, Any]:
    reply = fake.as_user("ada").post(f"{container}/milestones", json={"title": title, **body})
    assert 201 == reply.status, reply.text
    new_milestone: dict[str, Any] = reply.json()
    return new_milestone


@pytest.mark.parametrize(
    ("container", "fields", "page"),
    [(SITE, PROJECT_MILESTONE, "acme/site"), (ACME, GROUP_MILESTONE, "groups/acme")],
)
def test_a_new_milestone(fakeplat: Fakeplat, container: str, fields: set[str], page: str) -> None:
    """A new milestone is active and names its project or group in each view."""
    new_milestone = create_milestone(
        fakeplat, container, description="text", start_date="2020-12-01", due_date="2020-12-24"
    )
    calls = fakeplat.as_user("gus")

    assert fields == set(new_milestone)
    assert {
        "iid": 1,
        "title": "M1",
        "description": "text",
        "state": "active",
        "start_date": "2020-12-01",
        "due_date": "2020-12-24",
        "expired": False,
        "web_url": f"{fakeplat.url}/{page}/-/milestones/1",
    }.items() <= new_milestone.items()
    assert [new_milestone] == calls.get(f"{container}/milestones").json()
    assert (200, new_milestone) == outcome(calls.get(f"{container}/milestones/{new_milestone['id']}"))


@CONTAINERS
def test_a_milestone_without_description(fakeplat: Fakeplat, container: str) -> None:
    """The description of a milestone is null unless it was given."""
    assert create_milestone(fakeplat, container)["description"] is None


@CONTAINERS
def test_a_time_as_a_date_keeps_the_date(fakeplat: Fakeplat, container: str) -> None:
    """A datetime given as due_date keeps the date part."""
    assert "2020-12-24" == create_milestone(fakeplat, container, due_date="2020-12-24T10:11:12Z")["due_date"]


@pytest.mark.fakeplat(clock="virtual")
def test_milestones_expire(fakeplat: Fakeplat) -> None:
    """Expired is what was due before today."""
    own = f"{SITE}/milestones/{create_milestone(fakeplat, due_date='2020-11-20')['id']}"
    assert not fakeplat.as_user("ada").get(own).json()["expired"]
    fakeplat.clock.advance("1d")

    assert fakeplat.as_user("ada").get(own).json()["expired"]


@CONTAINERS
def test_what_is_no_date_is_none(fakeplat: Fakeplat, container: str) -> None:
    """Dates are texts for the platform, and a text that is no date leaves the milestone without one."""
    milestone = create_milestone(fakeplat, container, due_date="soon", start_date="2020-02-30")
    assert (None, None) == (milestone["due_date"], milestone["start_date"])


@CONTAINERS
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("title is missing")),
        ({"title": "x", "due_date": ["2020-12-24"]}, invalid("due_date is invalid")),
        ({"title": "x", "start_date": {}}, invalid("start_date is invalid")),
        ({"title": "M1"}, (400, {"message": f'Failed to create milestone {{:title=>["{TAKEN}"]}}'})),
    ],
)
def test_creating_is_refused(fakeplat: Fakeplat, container: str, body: Any, expected: Outcome) -> None:
    """A title that is not taken is needed; the failure reads as Ruby prints it."""
    create_milestone(fakeplat, container)

    assert expected == refusal(fakeplat, "ada", "POST", f"{container}/milestones", json=body)


@pytest.mark.parametrize(("first", "second"), [(ACME, SITE), (SITE, ACME), (ACME, KIT), (KIT, ACME)])
def test_titles_are_shared_with_the_group(fakeplat: Fakeplat, first: str, second: str) -> None:
    """A title is taken by the group's and its projects' milestones, both ways."""
    create_milestone(fakeplat, first)

    expected = (400, {"message": f'Failed to create milestone {{:title=>["{TAKEN}"]}}'})
    assert expected == refusal(fakeplat, "ada", "POST", f"{second}/milestones", json={"title": "M1"})


def test_projects_have_titles_of_their_own(fakeplat: Fakeplat) -> None:
    """Two projects of a group may have milestones of the same title and iid."""
    assert (1, 1) == (create_milestone(fakeplat, SITE)["iid"], create_milestone(fakeplat, DOCS)["iid"])


@pytest.mark.parametrize(
    ("viewer", "container", "expected"),
    [
        (None, DOCS, UNAUTHORIZED),
        ("eve", SITE, resource_not_found("Project")),
        ("eve", DOCS, FORBIDDEN),
        ("gus", SITE, FORBIDDEN),
        pytest.param("rep", SITE, FORBIDDEN, marks=BEFORE_REPORTERS),
        (None, ACME, UNAUTHORIZED),
        ("ext", TOOLS, resource_not_found("Group")),
        ("eve", ACME, FORBIDDEN),
        ("gus", ACME, FORBIDDEN),
        pytest.param("rep", ACME, FORBIDDEN, marks=BEFORE_REPORTERS),
    ],
)
def test_milestones_are_for_developers(
    fakeplat: Fakeplat, viewer: str | None, container: str, expected: Outcome
) -> None:
    """Below Developer milestones cannot be changed."""
    own = f"{container}/milestones/{create_milestone(fakeplat, container)['id']}"

    assert expected == refusal(fakeplat, viewer, "POST", f"{container}/milestones", json={"title": "x"})
    assert expected == refusal(fakeplat, viewer, "PUT", own, json={"title": "x"})
    assert expected == refusal(fakeplat, viewer, "DELETE", own)


@CONTAINERS
def test_developers_manage_milestones(fakeplat: Fakeplat, container: str) -> None:
    """A Developer creates, edits and deletes milestones."""
    calls = fakeplat.as_user("dev")
    reply = calls.post(f"{container}/milestones", json={"title": "x"})
    own = f"{container}/milestones/{reply.json()['id']}"

    assert 201 == reply.status
    assert 200 == calls.put(own, json={"title": "y"}).status
    assert (204, None) == outcome(calls.delete(own))
    assert MISSING == refusal(fakeplat, "rep", "GET", own)


@pytest.mark.parametrize(("viewer", "expected"), [(None, 401), ("eve", 200), ("gus", 200)])
def test_reading_milestones_requires_a_login(fakeplat: Fakeplat, viewer: str | None, expected: int) -> None:
    """Milestones ask for a login, even in public projects."""
    own = f"{DOCS}/milestones/{create_milestone(fakeplat, DOCS)['id']}"

    for path in (f"{DOCS}/milestones", own, f"{own}/issues"):
        assert expected == fakeplat.as_user(viewer).get(path).status


@CONTAINERS
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_missing_milestones(fakeplat: Fakeplat, container: str, method: str) -> None:
    """A milestone of another place is not found, nor is one that does not exist."""
    elsewhere = create_milestone(fakeplat, NOTES)["id"]
    for id_ in (99999, elsewhere):
        body = {"json": {"title": "x"}} if method == "PUT" else {}
        assert MISSING == refusal(fakeplat, "ada", method, f"{container}/milestones/{id_}", **body)
    assert invalid("milestone_id is invalid") == refusal(fakeplat, "ada", "GET", f"{container}/milestones/x")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"one", "Two", "done"}),
        ("state=active", {"one", "Two"}),
        ("state=closed", {"done"}),
        ("state=all", {"one", "Two", "done"}),
        ("iids[]=1&iids[]=3", {"one", "done"}),
        ("iids[]=77", set()),
        ("iids=", {"one", "Two", "done"}),
        ("title=Two", {"Two"}),
        ("title=two", set()),
        ("search=TWO", {"Two"}),
        ("search=first", {"one"}),
        ("include_parent_milestones=true", {"one", "Two", "done", "above"}),
        ("include_parent_milestones=true&iids[]=3", {"one", "Two", "done", "above"}),
        ("include_parent_milestones=false&iids[]=3", {"done"}),
    ],
)
def test_lists(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """Filters of lists; milestones of the groups above come on request, and then iids are no filter."""
    create_milestone(fakeplat, ACME, "above")
    create_milestone(fakeplat, SITE, "one", description="The first")
    create_milestone(fakeplat, SITE, "Two")
    done = create_milestone(fakeplat, SITE, "done")["id"]
    fakeplat.as_user("ada").put(f"{SITE}/milestones/{done}", json={"state_event": "close"})

    assert expected == set(names(fakeplat.as_user("gus").get(f"{SITE}/milestones?{query}").json(), "title"))


def test_a_bad_state(fakeplat: Fakeplat) -> None:
    """Milestones are active or closed."""
    expected = invalid("state does not have a valid value")
    assert expected == refusal(fakeplat, "ada", "GET", f"{SITE}/milestones?state=opened")


@CONTAINERS
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"title": "New"}, {"title": "New"}),
        ({"title": "M1"}, {}),
        ({"description": "New"}, {"description": "New"}),
        ({"due_date": "2020-12-31"}, {"due_date": "2020-12-31"}),
        ({"due_date": ""}, {"due_date": None}),
        ({"due_date": "soon"}, {"due_date": None}),
        ({"start_date": "2020-12-02"}, {"start_date": "2020-12-02"}),
        ({"state_event": "close"}, {"state": "closed"}),
        ({"state_event": "activate"}, {}),
    ],
)
def test_a_milestone_changes(fakeplat: Fakeplat, container: str, body: Any, expected: Any) -> None:
    """An update of a milestone changes only what is sent."""
    new_milestone = create_milestone(fakeplat, container, start_date="2020-12-01", due_date="2020-12-24")
    reply = fakeplat.as_user("dev").put(f"{container}/milestones/{new_milestone['id']}", json=body)

    assert (200, new_milestone | expected) == (reply.status, reply.json() | {"updated_at": new_milestone["updated_at"]})


def test_milestones_are_activated_again(fakeplat: Fakeplat) -> None:
    """A closed one becomes active."""
    own = f"{SITE}/milestones/{create_milestone(fakeplat)['id']}"
    fakeplat.as_user("dev").put(own, json={"state_event": "close"})

    assert "active" == fakeplat.as_user("dev").put(own, json={"state_event": "activate"}).json()["state"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"state_event": "reopen"}, invalid("state_event does not have a valid value")),
        ({"title": "M2"}, (400, {"message": f'Failed to update milestone {{:title=>["{TAKEN}"]}}'})),
    ],
)
def test_changing_is_refused(fakeplat: Fakeplat, body: Any, expected: Outcome) -> None:
    """Invalid changes of a milestone are refused and change nothing."""
    create_milestone(fakeplat, SITE, "M2")
    own = f"{SITE}/milestones/{create_milestone(fakeplat)['id']}"

    assert expected == refusal(fakeplat, "ada", "PUT", own, json=body)


def test_nothing_to_change(fakeplat: Fakeplat) -> None:
    """Updating a milestone requires at least one parameter."""
    status, body = refusal(fakeplat, "ada", "PUT", f"{SITE}/milestones/{create_milestone(fakeplat)['id']}", json={})
    parameters, _, rest = body["error"].partition(" are missing, ")

    assert (400, {"title", "description", "due_date", "start_date", "state_event"}) == (
        status,
        set(parameters.split(", ")),
    )
    assert "at least one parameter must be provided" == rest


def test_deleting_a_milestone_clears_it_from_its_issues(fakeplat: Fakeplat) -> None:
    """Issues of a deleted milestone have none."""
    milestone_id, calls = create_milestone(fakeplat)["id"], fakeplat.as_user("ada")
    calls.post(f"{SITE}/issues", json={"title": "One", "milestone_id": milestone_id})
    calls.delete(f"{SITE}/milestones/{milestone_id}")

    assert calls.get(f"{SITE}/issues/1").json()["milestone"] is None


@CONTAINERS
def test_a_milestone_that_changed_since_is_not_deleted(fakeplat: Fakeplat, container: str) -> None:
    """Deleting a milestone that changed since the client's time answers 412."""
    own = f"{container}/milestones/{create_milestone(fakeplat, container)['id']}"

    assert STALE == refusal(fakeplat, "ada", "DELETE", own, headers=LONG_AGO)


@pytest.mark.fakeplat(releases="<14.0")
@pytest.mark.parametrize(("viewer", "expected"), [("rep", {"open", "secret"}), ("gus", {"open"})])
@CONTAINERS
def test_issues_of_a_milestone(fakeplat: Fakeplat, container: str, viewer: str, expected: set[str]) -> None:
    """A milestone lists the issues that the caller sees."""
    milestone_id, calls = create_milestone(fakeplat, container)["id"], fakeplat.as_user("ada")
    calls.post(f"{SITE}/issues", json={"title": "open", "milestone_id": milestone_id})
    calls.post(f"{SITE}/issues", json={"title": "secret", "milestone_id": milestone_id, "confidential": True})
    calls.post(f"{SITE}/issues", json={"title": "other"})
    issues = fakeplat.as_user(viewer).get(f"{container}/milestones/{milestone_id}/issues").json()

    assert (expected, ISSUE_BASIC) == (set(names(issues, "title")), set(issues[0]))


@CONTAINERS
def test_issues_of_a_milestone_are_ordered_by_label_priority(fakeplat: Fakeplat, container: str) -> None:
    """Issues of a milestone are ordered by label priority, then newest first."""
    milestone_id, calls = create_milestone(fakeplat, container)["id"], fakeplat.as_user("ada")
    for name, priority in (("urgent", 1), ("soon", 5), ("some day", None)):
        calls.post(f"{SITE}/labels", json={"name": name, "color": "#112233", "priority": priority})
    for labels in ("soon", "", "some day,urgent", "some day"):
        body = {"title": labels or "none", "labels": labels, "milestone_id": milestone_id}
        assert 201 == calls.post(f"{SITE}/issues", json=body).status

    listed = calls.get(f"{container}/milestones/{milestone_id}/issues").json()
    assert ["some day,urgent", "soon", "some day", "none"] == names(listed, "title")


@pytest.mark.parametrize(("access", "viewer", "expected"), [("disabled", "ada", []), ("private", "eve", [])])
def test_issues_that_are_closed_to_the_caller_are_not_listed(
    fakeplat: Fakeplat, access: str, viewer: str, expected: list[str]
) -> None:
    """A milestone is shown all the same."""
    milestone_id, calls = create_milestone(fakeplat, DOCS)["id"], fakeplat.as_user("ada")
    calls.post(f"{DOCS}/issues", json={"title": "One", "milestone_id": milestone_id})
    assert ["One"] == names(fakeplat.as_user(viewer).get(f"{DOCS}/milestones/{milestone_id}/issues").json(), "title")
    calls.put(DOCS, json={"issues_access_level": access})
    reply = fakeplat.as_user(viewer).get(f"{DOCS}/milestones/{milestone_id}/issues")

    assert (200, expected) == (reply.status, names(reply.json(), "title"))


def test_milestones_of_other_containers_are_not_assigned(fakeplat: Fakeplat) -> None:
    """An issue takes milestones of its project and of the groups above."""
    above, elsewhere = create_milestone(fakeplat, ACME)["id"], create_milestone(fakeplat, NOTES)["id"]
    calls = fakeplat.as_user("ada")
    assigned = [
        calls.post(f"{KIT}/issues", json={"title": "One", "milestone_id": id_}).json()["milestone"]
        for id_ in (above, elsewhere)
    ]

    assert above == assigned[0]["id"]
    assert GROUP_MILESTONE == set(assigned[0])
    assert assigned[1] is None


def test_promoting(fakeplat: Fakeplat) -> None:
    """A new milestone of the group takes the place of a project's; outside a group it is refused."""
    milestone_id, own = create_milestone(fakeplat)["id"], create_milestone(fakeplat, NOTES)["id"]
    calls = fakeplat.as_user("ada")
    calls.put(
        f"{SITE}/milestones/{milestone_id}", json={"due_date": "2020-12-24", "description": "x", "state_event": "close"}
    )
    old = calls.get(f"{SITE}/milestones/{milestone_id}").json()
    reply = calls.post(f"{SITE}/milestones/{milestone_id}/promote")

    assert (True, GROUP_MILESTONE) == (reply.status in (200, 201), set(reply.json()))
    kept = ("title", "description", "state", "due_date", "start_date")
    assert [old[name] for name in kept] == [reply.json()[name] for name in kept]
    assert milestone_id != reply.json()["id"]
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{SITE}/milestones/{milestone_id}")
    assert ["M1"] == names(calls.get(f"{ACME}/milestones").json(), "title")
    assert refusal(fakeplat, "ada", "POST", f"{NOTES}/milestones/{own}/promote")[0] in (403, 404)
    assert MISSING == refusal(fakeplat, "ada", "POST", f"{SITE}/milestones/99999/promote")


# burning down (paid)


def get_burndown(fake: Fakeplat, path: str, viewer: str | None = "ada") -> Any:
    reply = fake.as_user(viewer).get(f"{path}/burndown_events")
    assert 200 == reply.status, reply.text
    return reply.json()


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium", clock="virtual", start="2020-12-01T09:00:00Z")
@CONTAINERS
def test_the_burndown_lists_events_of_issues(fakeplat: Fakeplat, container: str) -> None:
    """The burndown lists created, closed and reopened issues with weights until the due date."""
    new_milestone = create_milestone(fakeplat, container, start_date="2020-12-01", due_date="2020-12-03")
    path = f"{container}/milestones/{new_milestone['id']}"
    first, second, _ = (
        fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": title, "milestone_id": id_, "weight": weight})
        for title, id_, weight in (
            ("One", new_milestone["id"], 3),
            ("Two", new_milestone["id"], None),
            ("Else", None, 1),
        )
    )
    for event, days in (("close", 1), ("reopen", 1), ("close", 2)):
        fakeplat.clock.advance(f"{days}d")
        fakeplat.as_user("ada").put(f"{SITE}/issues/{first.json()['iid']}", json={"state_event": event})
    burndown = get_burndown(fakeplat, path)

    assert {"created_at", "weight", "action"} == set(burndown[0])
    assert [("created", 3, "12-01"), ("closed", 3, "12-02"), ("reopened", 3, "12-03"), ("created", None, "12-01")] == [
        (event["action"], event["weight"], event["created_at"][5:10]) for event in burndown
    ]
    assert (first.json()["created_at"], second.json()["created_at"]) == (
        burndown[0]["created_at"],
        burndown[3]["created_at"],
    )


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_issues_closed_by_a_scenario_burn_down(fakeplat: Fakeplat) -> None:
    """Issues that a scenario closed burn down at their `closed_at`."""
    new_milestone = create_milestone(fakeplat, SITE, start_date="2020-12-01", due_date="2020-12-03")
    closed = {"title": "Done", "milestone": "M1", "state": "closed", "closed_at": "2020-12-02T00:00:00Z"}
    issues = [{**closed, "created_at": "2020-11-01T00:00:00Z"}]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "issues": issues}]})

    assert [("2020-11-01T00:00:00.000Z", "created"), ("2020-12-02T00:00:00.000Z", "closed")] == [
        (event["created_at"], event["action"])
        for event in get_burndown(fakeplat, f"{SITE}/milestones/{new_milestone['id']}")
    ]


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
@pytest.mark.parametrize("dates", [{}, {"start_date": "2020-12-01"}, {"due_date": "2020-12-01"}])
def test_without_both_dates_nothing_burns_down(fakeplat: Fakeplat, dates: dict[str, str]) -> None:
    """The burndown of a milestone without both dates is an empty list."""
    new_milestone = create_milestone(fakeplat, SITE, **dates)
    fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "One", "milestone_id": new_milestone["id"]})
    assert [] == get_burndown(fakeplat, f"{SITE}/milestones/{new_milestone['id']}")


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_only_visible_issues_burn_down(fakeplat: Fakeplat) -> None:
    """The burndown leaves out confidential issues and hidden projects."""
    new_milestone = create_milestone(fakeplat, ACME, start_date="2020-01-01", due_date="2030-01-01")
    for container, more in ((SITE, {}), (DOCS, {}), (DOCS, {"confidential": True})):
        fakeplat.as_user("ada").post(
            f"{container}/issues", json={"title": "x", "milestone_id": new_milestone["id"], **more}
        )
    path = f"{ACME}/milestones/{new_milestone['id']}"

    assert [3, 1] == [len(get_burndown(fakeplat, path, viewer)) for viewer in ("ada", "eve")]


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
@CONTAINERS
def test_roles_that_see_the_burndown(fakeplat: Fakeplat, container: str) -> None:
    """The burndown answers 401 anonymously and 404 where it is hidden."""
    new_milestone = create_milestone(fakeplat, container)
    path = f"{container}/milestones/{new_milestone['id']}/burndown_events"
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{container}/milestones/1/burndown_events")
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{DOCS}/milestones/{new_milestone['id']}/burndown_events")
    hidden = resource_not_found("Project") if container == SITE else (200, [])
    assert hidden == refusal(fakeplat, "eve", "GET", path) == refusal(fakeplat, "root", "GET", f"{path}?sudo=eve")


@CONTAINERS
def test_the_free_tier_has_no_burndown(fakeplat: Fakeplat, container: str) -> None:
    """On the free tier the burndown of a milestone answers 404."""
    new_milestone = create_milestone(fakeplat, container)
    path = f"{container}/milestones/{new_milestone['id']}/burndown_events"
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "GET", path)


# promoting


@BEFORE_REPORTERS
def test_promoting_requires_the_right_in_the_group(fakeplat: Fakeplat) -> None:
    """Maintainers of the project who are not Developers of the group may not."""
    new_milestone = create_milestone(fakeplat, DOCS)
    fakeplat.as_user("ada").post(f"{DOCS}/members", json={"user_id": fakeplat.world.user("eve").id, "access_level": 40})
    path = f"{DOCS}/milestones/{new_milestone['id']}/promote"
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path)
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", path)
    assert 200 == fakeplat.as_user("dev").post(path).status


@pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
def test_milestones_of_one_title_become_one(fakeplat: Fakeplat) -> None:
    """Promoting a milestone merges those of the same title in the group's projects."""
    here, there, below, own = (create_milestone(fakeplat, container) for container in (SITE, DOCS, KIT, NOTES))
    issue = fakeplat.as_user("ada").post(f"{DOCS}/issues", json={"title": "x"}).json()
    fakeplat.as_user("ada").put(f"{DOCS}/issues/{issue['iid']}", json={"milestone_id": there["id"]})
    board = fakeplat.as_user("ada").post(f"{DOCS}/boards", json={"name": "Work"}).json()
    fakeplat.as_user("ada").put(f"{DOCS}/boards/{board['id']}", json={"milestone_id": there["id"]})
    fakeplat.as_user("ada").post(f"{DOCS}/boards/{board['id']}/lists", json={"milestone_id": there["id"]})
    promoted = fakeplat.as_user("ada").post(f"{SITE}/milestones/{here['id']}/promote").json()
    ada = fakeplat.as_user("ada")

    assert MISSING == refusal(fakeplat, "ada", "GET", f"{DOCS}/milestones/{there['id']}")
    assert promoted == ada.get(f"{DOCS}/issues/{issue['iid']}").json()["milestone"]
    events = ada.get(f"{DOCS}/issues/{issue['iid']}/resource_milestone_events").json()
    assert [promoted["id"]] == [event["milestone"]["id"] for event in events]
    shown_board = ada.get(f"{DOCS}/boards/{board['id']}").json()
    assert (promoted["id"], [promoted["id"]]) == (
        shown_board["milestone"]["id"],
        [board_list["milestone"]["id"] for board_list in shown_board["lists"]],
    )
    assert (404, 200) == tuple(
        ada.get(f"{container}/milestones/{milestone['id']}").status
        for container, milestone in ((KIT, below), (NOTES, own))
    )
