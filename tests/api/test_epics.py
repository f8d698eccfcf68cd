"""Epics of groups, their issues and notes.

Source: ee/spec/requests/api/{epics,epic_issues}_spec.rb and ee/lib/ee/api/entities/epic.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import EPICS_ARE_LIMITED, EPICS_TAKE_ISSUES_FROM_ELSEWHERE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, invalid_record, names, outcome, refusal
from tests.by_release import by_release

pytestmark = [
    pytest.mark.every_release,
    pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z"),
]
EPICS, SITE = "groups/acme/epics", "projects/acme%2Fsite"
NOW = "2020-11-20T09:00:00.000Z"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
NO_ISSUE: Outcome = (
    404,
    {"message": "No matching issue found. Make sure that you are adding a valid issue URL."},
)


def create_epic(fake: Fakeplat, title: str = "Fly", by: str = "rep", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(EPICS, json={"title": title, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def get_epic(fake: Fakeplat, iid: int = 1, by: str = "rep") -> dict[str, Any]:
    return dict(fake.as_user(by).get(f"{EPICS}/{iid}").json())


def issue_id(fake: Fakeplat, iid: int) -> int:
    return int(fake.as_user("root").get(f"{SITE}/issues/{iid}").json()["id"])


def add_issue(fake: Fakeplat, epic: int, issue: int, by: str = "rep") -> Outcome:
    return outcome(fake.as_user(by).post(f"{EPICS}/{epic}/issues/{issue_id(fake, issue)}"))


@pytest.mark.fakeplat(releases="<14.9")
def test_an_epic_has_a_number_in_its_group(fakeplat: Fakeplat) -> None:
    """Reporters create epics; who administers it sees where its dates come from."""
    epic = create_epic(fakeplat, description="High", labels="urgent,new")

    group_id = fakeplat.world.group("acme").id
    user = epic.pop("author")
    assert "rep" == user["username"]
    assert {
        "id": epic["id"],
        "iid": 1,
        "group_id": group_id,
        "parent_id": None,
        "title": "Fly",
        "description": "High",
        "confidential": False,
        "start_date": None,
        "start_date_is_fixed": False,
        "start_date_fixed": None,
        "start_date_from_inherited_source": None,
        "start_date_from_milestones": None,
        "end_date": None,
        "due_date": None,
        "due_date_is_fixed": False,
        "due_date_fixed": None,
        "due_date_from_inherited_source": None,
        "due_date_from_milestones": None,
        "state": "opened",
        "web_edit_url": "/groups/acme/-/epics/1",
        "web_url": f"{fakeplat.url}/groups/acme/-/epics/1",
        "references": {"short": "&1", "relative": "&1", "full": "acme&1"},
        "created_at": NOW,
        "updated_at": NOW,
        "closed_at": None,
        "labels": ["new", "urgent"],
        "upvotes": 0,
        "downvotes": 0,
    } == epic
    assert 2 == create_epic(fakeplat)["iid"]


def test_guests_do_not_see_where_dates_come_from(fakeplat: Fakeplat) -> None:
    """Guests and anonymous callers do not see the sources of an epic's dates."""
    create_epic(fakeplat, due_date_fixed="2021-01-31", due_date_is_fixed=True)

    hidden = {"start_date_is_fixed", "start_date_fixed", "due_date_is_fixed", "due_date_fixed", "web_edit_url"}
    for user in ("gus", None):
        epic = fakeplat.as_user(user).get(f"{EPICS}/1").json()
        assert set() == hidden & epic.keys()
        assert ("2021-01-31", "2021-01-31") == (epic["due_date"], epic["end_date"])


def test_dates_count_only_if_they_are_fixed(fakeplat: Fakeplat) -> None:
    """The older names of the parameters set the same fields."""
    epic = create_epic(fakeplat, start_date="2020-12-01", end_date="2020-12-31")

    assert ("2020-12-01", None) == (epic["start_date_fixed"], epic["start_date"])
    reply = fakeplat.as_user("rep").put(f"{EPICS}/1", json={"start_date_is_fixed": True, "due_date_is_fixed": True})
    assert ("2020-12-01", "2020-12-31") == (reply.json()["start_date"], reply.json()["due_date"])


def test_other_dates_come_from_the_milestones_of_issues(fakeplat: Fakeplat) -> None:
    """The earliest start and the latest end, also of the epics below."""
    root = fakeplat.as_user("root")
    dates = [("2020-12-05", "2020-12-10"), ("2020-12-01", "2020-12-31")]
    for iid, (start, due) in zip((1, 2), dates, strict=True):
        milestone = root.post(f"{SITE}/milestones", json={"title": start, "start_date": start, "due_date": due}).json()
        root.put(f"{SITE}/issues/{iid}", json={"milestone_id": milestone["id"]})
    parent = create_epic(fakeplat)
    create_epic(fakeplat, parent_id=parent["id"])
    add_issue(fakeplat, 1, 1)
    add_issue(fakeplat, 2, 2)

    above, below = get_epic(fakeplat, 1), get_epic(fakeplat, 2)
    assert ("2020-12-01", "2020-12-31") == (above["start_date"], above["due_date"])
    assert ("2020-12-01", parent["id"]) == (below["start_date_from_milestones"], below["parent_id"])


def test_an_epic_is_changed_closed_and_reopened(fakeplat: Fakeplat) -> None:
    """System notes and events tell of it."""
    epic, rep = create_epic(fakeplat, labels="urgent"), fakeplat.as_user("rep")
    fakeplat.clock.advance("1h")
    changed = rep.put(f"{EPICS}/1", json={"title": "Soar", "add_labels": "new", "remove_labels": "urgent"}).json()
    closed = rep.put(f"{EPICS}/1", json={"state_event": "close"}).json()
    reopened = rep.put(f"{EPICS}/1", json={"state_event": "reopen"}).json()

    later = "2020-11-20T10:00"
    assert ("Soar", ["new"], later) == (changed["title"], changed["labels"], changed["updated_at"][:16])
    assert ("closed", later) == (closed["state"], closed["closed_at"][:16])
    assert ("opened", None) == (reopened["state"], reopened["closed_at"])
    notes = rep.get(f"{EPICS}/{epic['id']}/notes?sort=asc").json()
    assert {"changed title from **Fly** to **Soar**", "closed", "opened"} == set(names(notes, "body"))
    events = rep.get("events").json()
    assert [("reopened", "Epic"), ("closed", "Epic"), ("opened", "Epic")] == [
        (event["action_name"], event["target_type"]) for event in events
    ]


@pytest.mark.fakeplat(scenario={"extends": "starter", "settings": {"issues_create_limit": 1}}, tier="ultimate")
@by_release(EPICS_ARE_LIMITED, "status", {"15.7": 201, "15.8": 429})
def test_epics_are_limited_like_issues(fakeplat: Fakeplat, status: int) -> None:
    """Epics that may be created count by themselves for each user; those below others do, too."""
    limited = "This endpoint has been requested too many times. Try again later."
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", EPICS, json={"title": "x"})
    create_epic(fakeplat)
    for path in (EPICS, f"{EPICS}/1/epics"):
        reply = fakeplat.as_user("rep").post(path, json={"title": "x"})
        assert status == reply.status
        assert status == 201 or {"message": {"error": limited}} == reply.json()
    create_epic(fakeplat, by="mia")
    fakeplat.clock.advance("61s")
    create_epic(fakeplat)


def test_labels_of_epics_are_split_and_cleared(fakeplat: Fakeplat) -> None:
    """Each text of a list may have several titles; null is no label for a new epic and clears those it has."""
    epic = create_epic(fakeplat, labels=["urgent", "one, two", "&,?"])
    assert ["&", "?", "one", "two", "urgent"] == sorted(epic["labels"])
    assert [] == create_epic(fakeplat, labels=None)["labels"]
    assert [] == fakeplat.as_user("rep").put(f"{EPICS}/1", json={"labels": None}).json()["labels"]


FILTERS = [
    ("", [3, 2, 1]),
    ("sort=asc", [1, 2, 3]),
    ("order_by=updated_at", [1, 3, 2]),
    ("state=closed", [2]),
    ("state=opened", [3, 1]),
    ("search=HIGH", [1]),
    ("labels=urgent", [3, 1]),
    ("labels=urgent,new", [1]),
    ("labels=None", [2]),
    ("labels=any", [3, 1]),
    ("labels=other", []),
    ("author_id={mia}", [2]),
    ("created_after=2020-11-20T10:00:00Z", [3, 2]),
    ("created_before=2020-11-20T10:30:00Z", [2, 1]),
    ("updated_after=2020-11-20T12:00:00Z", [1]),
    ("per_page=1&page=2", [2]),
]


@pytest.mark.parametrize(("query", "expected"), FILTERS)
def test_epics_are_filtered_and_sorted(fakeplat: Fakeplat, query: str, expected: list[int]) -> None:
    """Epics are filtered and sorted on request; by default the newest comes first."""
    create_epic(fakeplat, labels="urgent,new")
    fakeplat.clock.advance("1h")
    create_epic(fakeplat, "Walk", by="mia")
    fakeplat.as_user("mia").put(f"{EPICS}/2", json={"state_event": "close"})
    fakeplat.clock.advance("1h")
    create_epic(fakeplat, "Run", labels="urgent")
    fakeplat.clock.advance("1h")
    fakeplat.as_user("rep").put(f"{EPICS}/1", json={"description": "high up"})

    reply = fakeplat.as_user("rep").get(f"{EPICS}?{query.format(mia=fakeplat.world.user('mia').id)}")
    assert expected == names(reply.json(), "iid")


def test_epics_of_subgroups_are_listed_too(fakeplat: Fakeplat) -> None:
    """A group lists the epics of its subgroups, and those of groups above on request."""
    create_epic(fakeplat)
    root, tools = fakeplat.as_user("root"), "groups/acme%2Ftools/epics"
    root.post(tools, json={"title": "Below"})

    def relative(path: str) -> list[str]:
        return [epic["references"]["relative"] for epic in root.get(path).json()]

    assert ["acme/tools&1", "&1"] == relative(EPICS)
    assert ["&1"] == relative(f"{EPICS}?include_descendant_groups=false")
    assert ["&1"] == relative(tools)
    assert ["&1", "acme&1"] == relative(f"{tools}?include_ancestor_groups=true")


def test_label_details_are_shown_on_request(fakeplat: Fakeplat) -> None:
    """With `with_labels_details` epics show labels as objects instead of titles."""
    create_epic(fakeplat, labels="new")

    (epic,) = fakeplat.as_user("rep").get(f"{EPICS}?with_labels_details=true").json()
    assert ["new"] == names(epic["labels"], "name")


def test_confidential_epics_are_for_reporters(fakeplat: Fakeplat) -> None:
    """Below Reporter confidential epics are refused and not listed."""
    epic = create_epic(fakeplat, confidential=True)

    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{EPICS}/1")
    assert [] == fakeplat.as_user("gus").get(EPICS).json()
    assert [1] == names(fakeplat.as_user("rep").get(EPICS).json(), "iid")
    assert NOT_FOUND == refusal(fakeplat, "gus", "GET", f"{EPICS}/{epic['id']}/notes")


def test_issues_are_added_to_an_epic_by_id(fakeplat: Fakeplat) -> None:
    """The issue shows its epic, and both sides get a system note."""
    epic = create_epic(fakeplat)
    status, link = add_issue(fakeplat, 1, 1)

    assert (201, "acme&1", 1) == (status, link["epic"]["reference"], link["issue"]["iid"])
    rep = fakeplat.as_user("rep")
    issue = rep.get(f"{SITE}/issues/1").json()
    group_id = fakeplat.world.group("acme").id
    shown_epic = {"id": epic["id"], "iid": 1, "title": "Fly", "url": "/groups/acme/-/epics/1", "group_id": group_id}
    assert (1, shown_epic) == (issue["epic_iid"], issue["epic"])
    (listed,) = rep.get(f"{EPICS}/1/issues").json()
    assert (issue["id"], link["id"], link["relative_position"]) == (
        listed["id"],
        listed["epic_issue_id"],
        listed["relative_position"],
    )
    assert "added issue site#1" == rep.get(f"{EPICS}/{epic['id']}/notes").json()[0]["body"]
    assert "added to epic &1" in names(rep.get(f"{SITE}/issues/1/notes").json(), "body")


def test_an_issue_is_in_one_epic(fakeplat: Fakeplat) -> None:
    """Adding an issue to another epic moves it; adding it to the same one is a conflict."""
    create_epic(fakeplat)
    create_epic(fakeplat)
    add_issue(fakeplat, 1, 1)

    assert (409, {"message": "Issue(s) already assigned"}) == add_issue(fakeplat, 1, 1)
    assert 201 == add_issue(fakeplat, 2, 1)[0]
    rep = fakeplat.as_user("rep")
    assert [[], [1]] == [names(rep.get(f"{EPICS}/{iid}/issues").json(), "iid") for iid in (1, 2)]


@by_release(EPICS_TAKE_ISSUES_FROM_ELSEWHERE, "status", {"15.5": 404, "15.6": 201})
def test_issues_of_other_hierarchies_can_be_added(fakeplat: Fakeplat, status: int) -> None:
    """Until 15.6 an issue outside of the group cannot be added to an epic; an unknown issue never can."""
    root = fakeplat.as_user("root")
    root.post("groups", json={"name": "Else", "path": "else"})
    project = root.post("projects", json={"name": "x", "namespace_id": fakeplat.world.group("else").id}).json()["id"]
    issue = root.post(f"projects/{project}/issues", json={"title": "x"}).json()["id"]
    create_epic(fakeplat)
    added = outcome(root.post(f"{EPICS}/1/issues/{issue}"))

    assert status == added[0]
    assert status == 201 or added == NO_ISSUE
    assert ([issue] if status == 201 else []) == names(root.get(f"{EPICS}/1/issues").json(), "id")
    assert NOT_FOUND == refusal(fakeplat, "root", "POST", f"{EPICS}/1/issues/1")


@pytest.mark.fakeplat(version="latest")
def test_an_epic_takes_no_issue_from_a_group_above(fakeplat: Fakeplat) -> None:
    """An issue of a group above the epic's own cannot be added, nor one that the caller may not administer."""
    root, epics = fakeplat.as_user("root"), "groups/acme%2Ftools/epics"
    root.post(epics, json={"title": "Fly"})
    create_epic(fakeplat)
    own = root.post("projects", json={"name": "own"}).json()["id"]
    hidden = root.post(f"projects/{own}/issues", json={"title": "x"}).json()["id"]

    assert NO_ISSUE == refusal(fakeplat, "root", "POST", f"{epics}/1/issues/{issue_id(fakeplat, 1)}")
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{EPICS}/1/issues/{hidden}")
    assert [] == root.get(f"{epics}/1/issues").json()


def test_the_epic_of_an_issue_can_be_set_with_the_issue(fakeplat: Fakeplat) -> None:
    """An issue's epic is set by `epic_id` or `epic_iid`, and 0 removes it."""
    epic, rep = create_epic(fakeplat), fakeplat.as_user("rep")

    assert 1 == rep.put(f"{SITE}/issues/1", json={"epic_id": epic["id"]}).json()["epic_iid"]
    assert None is rep.put(f"{SITE}/issues/1", json={"epic_id": 0}).json()["epic_iid"]
    assert 1 == rep.post(f"{SITE}/issues", json={"title": "x", "epic_iid": 1}).json()["epic_iid"]
    assert NOT_FOUND == refusal(fakeplat, "rep", "PUT", f"{SITE}/issues/1", json={"epic_iid": 7})


def test_notes_of_an_epic_are_addressed_by_its_id(fakeplat: Fakeplat) -> None:
    """The newest comes first; the note says what it is about."""
    epic, gus = create_epic(fakeplat), fakeplat.as_user("gus")
    path = f"{EPICS}/{epic['id']}/notes"
    note = gus.post(path, json={"body": "Nice"}).json()

    assert ("Nice", "gus", "Epic", epic["id"], 1) == (
        note["body"],
        note["author"]["username"],
        note["noteable_type"],
        note["noteable_id"],
        note["noteable_iid"],
    )
    assert [note] == gus.get(path).json()
    assert NOT_FOUND == refusal(fakeplat, "gus", "GET", f"{EPICS}/1/notes")
    blank = '400 Bad request - Note {:note=>["can\'t be blank"]}'
    assert (400, {"message": blank}) == refusal(fakeplat, "gus", "POST", path, json={"body": " "})


def test_a_note_of_an_epic_is_shown_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """Its author and Maintainers change and delete a note of an epic, but no system note."""
    epic, gus, mia = create_epic(fakeplat), fakeplat.as_user("gus"), fakeplat.as_user("mia")
    path = f"{EPICS}/{epic['id']}/notes"
    note = f"{path}/{gus.post(path, json={'body': 'Nice'}).json()['id']}"

    assert "Nice" == mia.get(note).json()["body"]
    assert "Nicer" == gus.put(note, json={"body": "Nicer"}).json()["body"]
    assert FORBIDDEN == refusal(fakeplat, "rep", "PUT", note, json={"body": "x"})
    assert FORBIDDEN == refusal(fakeplat, "rep", "DELETE", note)
    assert invalid("body is empty") == refusal(fakeplat, "gus", "PUT", note, json={"body": ""})
    assert "Nicest" == fakeplat.as_user("root").put(note, json={"body": "Nicest"}).json()["body"]
    assert 204 == gus.delete(note).status
    assert NOT_FOUND == refusal(fakeplat, "gus", "GET", note)
    fakeplat.as_user("rep").put(f"{EPICS}/1", json={"title": "Soar"})
    (system,) = names(gus.get(path).json(), "id")
    assert FORBIDDEN == refusal(fakeplat, "root", "DELETE", f"{path}/{system}")


NEWER_CHANGES = (
    "add_labels, color, confidential, description, due_date_fixed, due_date_is_fixed, labels, parent_id, "
    "remove_labels, start_date_fixed, start_date_is_fixed, state_event, title, start_date, end_date are missing, "
    "at least one parameter must be provided"
)
CHANGES = (
    "title, description, start_date_fixed, start_date_is_fixed, due_date_fixed, due_date_is_fixed, labels, "
    "add_labels, remove_labels, state_event, confidential are missing, at least one parameter must be provided"
)


@pytest.mark.parametrize(
    ("user", "method", "path", "body", "expected"),
    [
        (None, "POST", EPICS, {"title": "x"}, UNAUTHORIZED),
        ("gus", "POST", EPICS, {"title": "x"}, FORBIDDEN),
        ("gus", "POST", EPICS, {}, invalid("title is missing")),
        ("rep", "POST", EPICS, {"title": " "}, invalid_record(title=["can't be blank"])),
        pytest.param(*("rep", "PUT", f"{EPICS}/1", {}, invalid(CHANGES)), marks=pytest.mark.fakeplat(releases="<18.9")),
        pytest.param(
            *("rep", "PUT", f"{EPICS}/1", {}, invalid(NEWER_CHANGES)), marks=pytest.mark.fakeplat(releases=["latest"])
        ),
        ("rep", "PUT", f"{EPICS}/1", {"title": ""}, invalid_record(title=["can't be blank"])),
        ("gus", "PUT", f"{EPICS}/1", {"title": "x"}, FORBIDDEN),
        # For the platform, nobody may read what is not there.
        ("root", "GET", f"{EPICS}/9", None, FORBIDDEN),
        (None, "GET", f"{EPICS}/1/issues", None, UNAUTHORIZED),
        # Later a Guest may, and an issue with this id does not exist.
        pytest.param(
            *("gus", "POST", f"{EPICS}/1/issues/1", None, FORBIDDEN), marks=pytest.mark.fakeplat(releases="<15.8")
        ),
        (None, "GET", "groups/nothing/epics", None, (404, {"message": "404 Group Not Found"})),
    ],
)
def test_refusals(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, body: dict[str, Any] | None, expected: Outcome
) -> None:
    """Requests for epics are refused for their parameters before their permissions."""
    create_epic(fakeplat)
    assert expected == refusal(fakeplat, user, method, path, **({} if body is None else {"json": body}))


@pytest.mark.fakeplat(tier="free")
def test_epics_are_paid(fakeplat: Fakeplat) -> None:
    """Below the tier epics are forbidden and hidden in issues."""
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", EPICS)
    assert "epic" not in fakeplat.as_user("root").get(f"{SITE}/issues/1").json()
