"""Single issues.

Source: docs/platform/issues.md, docs/platform/rate-limits.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ISSUES_ARE_LIMITED_BY_PROJECT
from tests.api.company import COMPANY
from tests.api.fields import USER
from tests.api.issue_fields import ISSUE, PREMIUM, PROJECT_MILESTONE, ULTIMATE
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)

SITE, DOCS, KIT, NOTES = (
    "projects/acme%2Fsite",
    "projects/acme%2Fdocs",
    "projects/acme%2Ftools%2Fkit",
    "projects/ada%2Fnotes",
)
MISSING: Outcome = (404, {"message": "404 Not found"})
NOW = "2020-11-20T09:00:00.000Z"
ABSENT = (
    "assignee_id, assignee_ids, confidential, created_at, description, discussion_locked, due_date, labels, "
    "add_labels, remove_labels, milestone_id, state_event, title are missing, at least one parameter must be provided"
)


def create_issue(fake: Fakeplat, by: str = "ada", container: str = SITE, /, **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(f"{container}/issues", json={"title": "One", **body})
    assert 201 == reply.status, reply.text
    new_issue: dict[str, Any] = reply.json()
    return new_issue


def update_issue(fake: Fakeplat, by: str, /, **body: Any) -> dict[str, Any]:
    reply = fake.as_user(by).put(f"{SITE}/issues/1", json=body)
    assert 200 == reply.status, reply.text
    changed: dict[str, Any] = reply.json()
    return changed


# reading


@pytest.mark.parametrize(
    ("tier", "fields"), [("free", ISSUE), ("premium", ISSUE | PREMIUM), ("ultimate", ISSUE | ULTIMATE)]
)
def test_the_tier_decides_which_fields_an_issue_has(fakeplat_factory: Any, tier: str, fields: set[str]) -> None:
    """A single issue says whether the caller is subscribed; paid tiers add weight and epics, the top one health."""
    fake = fakeplat_factory(tier=tier, scenario=COMPANY)
    create_issue(fake)

    assert fields | {"subscribed"} == set(fake.as_user("gus").get(f"{SITE}/issues/1").json())
    assert fields == set(fake.as_user("gus").get(f"{SITE}/issues").json()[0])


@pytest.mark.fakeplat(clock="virtual")
def test_a_new_issue(fakeplat: Fakeplat) -> None:
    """A new issue has null, false, zero or empty defaults and absolute URLs."""
    new_issue = create_issue(fakeplat)
    project = fakeplat.world.project("acme/site").id
    own = f"{fakeplat.api_url}/projects/{project}"
    author = {name: fakeplat.world.user("ada")[name] for name in USER}

    assert {
        "id": new_issue["id"],
        "iid": 1,
        "project_id": project,
        "title": "One",
        "description": None,
        "state": "opened",
        "created_at": NOW,
        "updated_at": NOW,
        "closed_at": None,
        "closed_by": None,
        "labels": [],
        "milestone": None,
        "assignees": [],
        "author": author,
        "assignee": None,
        "user_notes_count": 0,
        "merge_requests_count": 0,
        "upvotes": 0,
        "downvotes": 0,
        "due_date": None,
        "confidential": False,
        "discussion_locked": None,
        "web_url": f"{fakeplat.url}/acme/site/-/issues/1",
        "time_stats": {
            "time_estimate": 0,
            "total_time_spent": 0,
            "human_time_estimate": None,
            "human_total_time_spent": None,
        },
        "task_completion_status": {"count": 0, "completed_count": 0},
        "has_tasks": False,
        "_links": {
            "self": f"{own}/issues/1",
            "notes": f"{own}/issues/1/notes",
            "award_emoji": f"{own}/issues/1/award_emoji",
            "project": own,
        },
        "references": {"short": "#1", "relative": "#1", "full": "acme/site#1"},
        "subscribed": True,
        "moved_to_id": None,
    } == new_issue
    assert new_issue == fakeplat.as_user("ada").get(f"{SITE}/issues/1").json()


def test_fields_come_in_the_platforms_order(fakeplat: Fakeplat) -> None:
    """The fields stand in the order of the facts."""
    fields = list(create_issue(fakeplat, description="- [ ] x"))

    assert ["id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at"] == fields[:8]
    assert ["has_tasks", "task_status", "_links", "references", "subscribed", "moved_to_id"] == fields[-6:]


@pytest.mark.parametrize(
    ("description", "count", "done", "status"),
    [
        ("- [ ] a\n- [ ] b\n* [ ] c\n1. [ ] d", 4, 0, "0 of 4 tasks completed"),
        ("- [x] a\n- [ ] b", 2, 1, "1 of 2 tasks completed"),
        ("- [X] a\ntext\n- [x] b", 2, 2, "2 of 2 tasks completed"),
        ("\n" * 50_000 + "- [ ] a\n\n \n\t- [x] b", 2, 1, "1 of 2 tasks completed"),
        ("no [ ] tasks", 0, 0, None),
        (None, 0, 0, None),
    ],
)
def test_tasks_are_counted(fakeplat: Fakeplat, description: str | None, count: int, done: int, status: Any) -> None:
    """Items with a box are tasks; task_status is there only where there are tasks."""
    new_issue = create_issue(fakeplat, description=description)

    assert {"count": count, "completed_count": done} == new_issue["task_completion_status"]
    assert (count > 0, status, status is not None) == (
        new_issue["has_tasks"],
        new_issue.get("task_status"),
        "task_status" in new_issue,
    )


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        (None, f"{SITE}/issues/1", resource_not_found("Project")),
        ("eve", f"{SITE}/issues/1", resource_not_found("Project")),
        ("ada", f"{SITE}/issues/99", MISSING),
        ("ada", f"{SITE}/issues/abc", invalid("issue_iid is invalid")),
        ("ada", f"{SITE}/issues/99/time_stats", MISSING),
        ("eve", f"{SITE}/issues/99/time_stats", resource_not_found("Project")),
        (None, "issues/1", UNAUTHORIZED),
        ("ada", "issues/1", FORBIDDEN),
        ("root", "issues/1", resource_not_found("Issue")),
    ],
)
def test_reading_is_refused(fakeplat: Fakeplat, viewer: str | None, path: str, expected: Outcome) -> None:
    """A hidden project and a missing issue are both not found, with different texts; global ids are the root's."""
    assert expected == refusal(fakeplat, viewer, "GET", path)


def test_administrators_read_by_global_id(fakeplat: Fakeplat) -> None:
    """GET /issues/:id is for administrators only."""
    new_issue = create_issue(fakeplat)

    assert (200, new_issue["web_url"]) == (
        fakeplat.as_user("root").get(f"issues/{new_issue['id']}").status,
        fakeplat.as_user("root").get(f"issues/{new_issue['id']}").json()["web_url"],
    )
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", f"issues/{new_issue['id']}")


def test_nobody_reads_issues_of_public_projects(fakeplat: Fakeplat) -> None:
    """GET is open on public projects; nobody is subscribed."""
    create_issue(fakeplat, "ada", DOCS)
    reply = fakeplat.as_user(None).get(f"{DOCS}/issues/1")

    assert (200, False) == (reply.status, reply.json()["subscribed"])


@pytest.mark.parametrize(
    ("viewer", "expected"),
    [("rep", 200), ("dev", 200), ("ada", 200), ("root", 200), ("gus", 200), ("eve", 404), ("ext", 404), (None, 404)],
)
def test_confidential_issues_are_hidden(fakeplat: Fakeplat, viewer: str | None, expected: int) -> None:
    """Confidential issues are found by Reporters, the author and assignees only."""
    create_issue(fakeplat, "gus", DOCS, confidential=True)

    for path in (f"{DOCS}/issues/1", f"{DOCS}/issues/1/time_stats"):
        got = outcome(fakeplat.as_user(viewer).get(path))
        assert expected == got[0]
        assert expected == 200 or got == MISSING


@pytest.mark.parametrize(("assignees", "expected"), [([], 404), (["gus"], 200)])
def test_assignees_see_confidential_issues(fakeplat: Fakeplat, assignees: list[str], expected: int) -> None:
    """A guest sees a confidential issue of somebody else only as its assignee."""
    create_issue(fakeplat, confidential=True, assignee_ids=[person(fakeplat, name) for name in assignees])

    assert expected == fakeplat.as_user("gus").get(f"{SITE}/issues/1").status


@pytest.mark.parametrize(
    ("viewer", "subscribed"), [("ada", True), ("rep", True), ("dev", False), ("gus", False), ("root", False)]
)
def test_authors_and_assignees_are_subscribed(fakeplat: Fakeplat, viewer: str, subscribed: bool) -> None:
    """Author and assignee count as subscribed."""
    create_issue(fakeplat, assignee_ids=[person(fakeplat, "rep")])

    assert subscribed == fakeplat.as_user(viewer).get(f"{SITE}/issues/1").json()["subscribed"]


def test_time_stats_of_an_issue(fakeplat: Fakeplat) -> None:
    """Four fields; the texts are null at zero."""
    create_issue(fakeplat)

    assert (
        200,
        {"time_estimate": 0, "total_time_spent": 0, "human_time_estimate": None, "human_total_time_spent": None},
    ) == outcome(fakeplat.as_user("gus").get(f"{SITE}/issues/1/time_stats"))


# creating


def test_an_issue_with_all_attributes(fakeplat: Fakeplat) -> None:
    """Everything that is given comes back; labels are sorted by title, the milestone is a whole one."""
    milestone = fakeplat.as_user("ada").post(f"{SITE}/milestones", json={"title": "M"}).json()
    given = {
        "title": "Two",
        "description": "text",
        "due_date": "2020-12-24",
        "confidential": True,
        "discussion_locked": True,
        "created_at": "2019-05-06T07:08:09.123Z",
        "iid": 42,
    }
    new_issue = create_issue(
        fakeplat,
        **given,
        labels="zeta,Alpha",
        milestone_id=milestone["id"],
        assignee_ids=[person(fakeplat, "rep")],
    )

    assert given.items() <= new_issue.items()
    assert (["Alpha", "zeta"], ["rep"], "rep", "#42") == (
        new_issue["labels"],
        names(new_issue["assignees"], "username"),
        new_issue["assignee"]["username"],
        new_issue["references"]["short"],
    )
    assert milestone == new_issue["milestone"]
    assert PROJECT_MILESTONE == set(new_issue["milestone"])


def test_numbers_go_on_after_a_given_one(fakeplat: Fakeplat) -> None:
    """The next issue of a project gets the iid after the highest one."""
    assert [1, 7, 8] == [
        create_issue(fakeplat)["iid"],
        create_issue(fakeplat, iid=7)["iid"],
        create_issue(fakeplat)["iid"],
    ]
    assert 1 == create_issue(fakeplat, "ada", NOTES)["iid"]


@pytest.mark.parametrize("by", ["gus", "dev", "mia"])
def test_only_owners_choose_time_and_number(fakeplat: Fakeplat, by: str) -> None:
    """created_at and iid of others are ignored without a word."""
    new_issue = create_issue(fakeplat, by, created_at="2019-05-06T07:08:09.123Z", iid=42)

    assert (1, True) == (new_issue["iid"], new_issue["created_at"] >= NOW)


@pytest.mark.parametrize("by", ["ada", "root"])
def test_a_number_is_taken_once(fakeplat: Fakeplat, by: str) -> None:
    """A number that is taken is a conflict."""
    create_issue(fakeplat)

    expected = (409, {"message": "Duplicated issue"})
    assert expected == refusal(fakeplat, by, "POST", f"{SITE}/issues", json={"title": "x", "iid": 1})


@pytest.mark.parametrize(("tier", "kept"), [("free", ["rep"]), ("premium", ["rep", "dev"])])
def test_the_free_tier_keeps_one_assignee(fakeplat_factory: Any, tier: str, kept: list[str]) -> None:
    """The community tier keeps the first of several; paid ones keep all."""
    fake = fakeplat_factory(tier=tier, scenario=COMPANY)
    new_issue = create_issue(fake, assignee_ids=[person(fake, "rep"), person(fake, "dev")])

    assert (kept, "rep") == (names(new_issue["assignees"], "username"), new_issue["assignee"]["username"])


def test_the_deprecated_assignee_id(fakeplat: Fakeplat) -> None:
    """The deprecated `assignee_id` assigns one user."""
    assert "dev" == create_issue(fakeplat, assignee_id=person(fakeplat, "dev"))["assignee"]["username"]


@pytest.mark.parametrize(
    ("by", "kept", "created_labels"), [("gus", [], []), ("rep", ["fresh"], ["fresh"]), ("dev", ["fresh"], ["fresh"])]
)
def test_unknown_labels_are_made_by_reporters(
    fakeplat: Fakeplat, by: str, kept: list[str], created_labels: list[str]
) -> None:
    """Whoever may administer labels makes unknown ones; otherwise they are dropped."""
    assert kept == create_issue(fakeplat, by, labels=["fresh"])["labels"]
    assert created_labels == names(fakeplat.as_user("ada").get(f"{SITE}/labels").json(), "name")


@pytest.mark.parametrize("labels", ["a, a?, a&b, ?, &", ["a", "a?", "a&b, ?, &"]])
def test_titles_of_labels_may_be_signs(fakeplat: Fakeplat, labels: str | list[str]) -> None:
    """Commas separate titles inside the elements of an array too."""
    expected = ["&", "?", "a", "a&b", "a?"]
    assert expected == sorted(create_issue(fakeplat, "rep", labels=labels)["labels"])
    update_issue(fakeplat, "rep", labels="")
    assert expected == sorted(update_issue(fakeplat, "rep", labels=labels)["labels"])


def test_known_labels_are_used(fakeplat: Fakeplat) -> None:
    """A label of the project or of a group above is found by its title, not made again."""
    fakeplat.as_user("ada").post("groups/acme/labels", json={"name": "shared", "color": "red"})
    fakeplat.as_user("ada").post(f"{SITE}/labels", json={"name": "own", "color": "red"})

    assert ["own", "shared"] == create_issue(fakeplat, labels="shared,own")["labels"]
    assert 2 == len(fakeplat.as_user("ada").get(f"{SITE}/labels").json())


@pytest.mark.parametrize(
    ("tier", "given", "expected"),
    [
        ("free", {"weight": 3, "health_status": "at_risk"}, {}),
        ("premium", {"weight": 3, "health_status": "at_risk"}, {"weight": 3}),
        ("ultimate", {"weight": 3, "health_status": "at_risk"}, {"weight": 3, "health_status": "at_risk"}),
        ("ultimate", {}, {"weight": None, "health_status": None}),
    ],
)
def test_weight_and_health_need_their_tier(fakeplat_factory: Any, tier: str, given: Any, expected: Any) -> None:
    """Weight is for paid tiers, health for the top one."""
    new_issue = create_issue(fakeplat_factory(tier=tier, scenario=COMPANY), **given)

    assert expected == {name: new_issue[name] for name in ("weight", "health_status") if name in new_issue}


@pytest.mark.parametrize(
    ("viewer", "container", "body", "expected"),
    [
        (None, SITE, {"title": "x"}, UNAUTHORIZED),
        (None, SITE, {}, UNAUTHORIZED),
        (None, DOCS, {"title": "x"}, UNAUTHORIZED),
        ("eve", SITE, {"title": "x"}, resource_not_found("Project")),
        ("eve", SITE, {}, invalid("title is missing")),
        ("ada", SITE, {}, invalid("title is missing")),
        ("ada", SITE, {"title": ""}, (400, {"message": {"title": ["can't be blank"]}})),
        ("ada", SITE, {"title": "  "}, (400, {"message": {"title": ["can't be blank"]}})),
        (
            "ada",
            SITE,
            {"title": "x" * 256},
            (400, {"message": {"title": ["is too long (maximum is 255 characters)"]}}),
        ),
        ("ada", SITE, {"title": "x", "confidential": "perhaps"}, invalid("confidential is invalid")),
        ("ada", SITE, {"title": "x", "discussion_locked": 7}, invalid("discussion_locked is invalid")),
        ("ada", SITE, {"title": "x", "milestone_id": "x"}, invalid("milestone_id is invalid")),
        ("ada", SITE, {"title": "x", "created_at": "x"}, invalid("created_at is invalid")),
        ("ada", "projects/9999", {"title": "x"}, resource_not_found("Project")),
    ],
)
def test_creating_is_refused(
    fakeplat: Fakeplat, viewer: str | None, container: str, body: Any, expected: Outcome
) -> None:
    """Creating an issue checks login, parameters, project and record in this order."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{container}/issues", json=body)


@pytest.mark.parametrize(("single", "expected"), [("rep", ["rep"]), (None, ["dev"])])
def test_a_single_assignee_replaces_the_list(fakeplat: Fakeplat, single: str | None, expected: list[str]) -> None:
    """An assignee_id with a value counts instead of the assignee_ids that are sent with it."""
    made = create_issue(
        fakeplat,
        assignee_id=single and person(fakeplat, single),
        assignee_ids=[person(fakeplat, "dev")],
    )
    assert expected == [assignee["username"] for assignee in made["assignees"]]


def test_a_title_may_have_255_characters(fakeplat: Fakeplat) -> None:
    """An issue with a title of 255 characters is created."""
    assert "x" * 255 == create_issue(fakeplat, title="x" * 255)["title"]


@pytest.mark.parametrize("by", ["gus", "rep", "dev", "mia", "ada", "root"])
def test_guests_create_issues(fakeplat: Fakeplat, by: str) -> None:
    """Guests and above create issues as their authors."""
    assert by == create_issue(fakeplat, by)["author"]["username"]


@pytest.mark.parametrize("access", [{"issues_access_level": "disabled"}, {"issues_enabled": False}])
def test_disabled_issues(fakeplat: Fakeplat, access: dict[str, Any]) -> None:
    """Where issues are disabled none is created and existing ones are not found."""
    create_issue(fakeplat)
    assert 200 == fakeplat.as_user("ada").put(SITE, json=access).status

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{SITE}/issues", json={"title": "x"})
    assert 404 == fakeplat.as_user("ada").get(f"{SITE}/issues/1").status


@pytest.mark.fakeplat(
    clock="virtual", scenario={"users": [{"username": "ann"}], "settings": {"issues_create_limit": 2}}
)
def test_the_create_limit(fakeplat: Fakeplat) -> None:
    """Creating more than `issues_create_limit` issues a minute answers 429 until the window ends."""
    fakeplat.load({"projects": [{"path_with_namespace": "ann/own"}, {"path_with_namespace": "root/own"}]})
    own, limited = "projects/ann%2Fown", "This endpoint has been requested too many times. Try again later."
    create_issue(fakeplat, "ann", own)
    fakeplat.clock.advance("30s")
    create_issue(fakeplat, "ann", own)

    expected = (429, {"message": {"error": limited}})
    assert expected == refusal(fakeplat, "ann", "POST", f"{own}/issues", json={"title": "x"})
    create_issue(fakeplat, "root", own)
    fakeplat.clock.advance("29s")
    assert expected == refusal(fakeplat, "ann", "POST", f"{own}/issues", json={"title": "x"})
    fakeplat.clock.advance("2s")
    create_issue(fakeplat, "ann", own)


@pytest.mark.fakeplat(
    clock="virtual", scenario={"users": [{"username": "ann"}], "settings": {"issues_create_limit": 0}}
)
def test_a_limit_of_zero_is_none(fakeplat: Fakeplat) -> None:
    """A threshold of 0 switches the limit off."""
    fakeplat.load({"projects": [{"path_with_namespace": "ann/own"}]})

    assert [1, 2, 3] == [create_issue(fakeplat, "ann", "projects/ann%2Fown")["iid"] for _ in range(3)]


LIMITED: Outcome = (429, {"message": {"error": "This endpoint has been requested too many times. Try again later."}})


@pytest.mark.fakeplat(scenario={**COMPANY, "settings": {"issues_create_limit": 1}})
@by_release(ISSUES_ARE_LIMITED_BY_PROJECT, "status", {"15.7": 429, "15.8": 201})
def test_what_uses_the_create_limit_up(fakeplat: Fakeplat, status: int) -> None:
    """Later releases count what the caller may create, in each project by itself."""
    ada = fakeplat.as_user("ada")
    ada.post(f"{DOCS}/archive")
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{DOCS}/issues", json={"title": "x"})

    assert [status] * 2 == [ada.post(f"{path}/issues", json={"title": "x"}).status for path in (SITE, NOTES)]
    assert LIMITED == refusal(fakeplat, "ada", "POST", f"{SITE}/issues", json={"title": "x"})


def copy_beyond_the_limit(fake: Fakeplat, verb: str) -> int:
    """Move or clone an issue to a project in which the caller created as many as the limit allows."""
    create_issue(fake, "mia")
    for _ in range(2):
        create_issue(fake, "ada", NOTES)
    target = {"to_project_id": fake.world.project("ada/notes").id}
    status: int = fake.as_user("ada").post(f"{SITE}/issues/1/{verb}", json=target).status
    return status


@pytest.mark.fakeplat(scenario={**COMPANY, "settings": {"issues_create_limit": 2}})
@by_release(ISSUES_ARE_LIMITED_BY_PROJECT, "moved", {"15.7": (201, "closed"), "15.8": (429, "opened")})
def test_a_moved_issue_uses_the_create_limit_up(fakeplat: Fakeplat, moved: tuple[int, str]) -> None:
    """Later releases count moved issues in the project that they come to; a refused one stays open."""
    status = copy_beyond_the_limit(fakeplat, "move")

    assert moved == (status, fakeplat.as_user("mia").get(f"{SITE}/issues/1").json()["state"])


@pytest.mark.fakeplat(scenario={**COMPANY, "settings": {"issues_create_limit": 2}}, version="latest")
def test_a_cloned_issue_uses_the_create_limit_up(fakeplat: Fakeplat) -> None:
    """Clones are counted in the project that they come to."""
    assert 429 == copy_beyond_the_limit(fakeplat, "clone")


# changing


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"title": "New"}, {"title": "New"}),
        ({"description": "New"}, {"description": "New"}),
        ({"confidential": True}, {"confidential": True}),
        ({"discussion_locked": True}, {"discussion_locked": True}),
        ({"due_date": "2021-01-02"}, {"due_date": "2021-01-02"}),
        ({"labels": "c"}, {"labels": ["c"]}),
        ({"labels": ["b", "c"]}, {"labels": ["b", "c"]}),
        ({"labels": ""}, {"labels": []}),
        ({"add_labels": "c"}, {"labels": ["a", "b", "c"]}),
        ({"add_labels": "c,d", "remove_labels": "a"}, {"labels": ["b", "c", "d"]}),
        ({"remove_labels": "a,nothing"}, {"labels": ["b"]}),
        ({"assignee_ids": []}, {"assignees": [], "assignee": None}),
        ({"assignee_ids": [0]}, {"assignees": [], "assignee": None}),
        ({"assignee_ids": ""}, {"assignees": [], "assignee": None}),
        ({"assignee_id": 0}, {"assignees": [], "assignee": None}),
        ({"milestone_id": 0}, {"milestone": None}),
        ({"milestone_id": ""}, {"milestone": None}),
        ({"due_date": ""}, {"due_date": None}),
        ({"due_date": "soon"}, {"due_date": None}),
    ],
)
def test_an_issue_changes(fakeplat: Fakeplat, body: Any, expected: Any) -> None:
    """An update of an issue changes what is sent, and empty values clear it."""
    milestone = fakeplat.as_user("ada").post(f"{SITE}/milestones", json={"title": "M"}).json()["id"]
    before = create_issue(
        fakeplat, labels="a,b", assignee_ids=[person(fakeplat, "rep")], milestone_id=milestone, due_date="2020-12-01"
    )
    changed = update_issue(fakeplat, "rep", **body)

    for name in ("updated_at", "subscribed"):
        del before[name], changed[name]
    assert before | expected == changed


@pytest.mark.parametrize(
    ("by", "body", "kept"),
    [("ada", "2019-01-01T00:00:00.000Z", True), ("root", "2019-01-01T00:00:00.000Z", True), ("mia", "2019", False)],
)
def test_owners_choose_the_time_of_a_change(fakeplat: Fakeplat, by: str, body: str, kept: bool) -> None:
    """updated_at is for owners and administrators; others are ignored without a word."""
    create_issue(fakeplat)
    changed = update_issue(fakeplat, by, title="New", updated_at="2019-01-01T00:00:00.000Z")

    assert kept == (changed["updated_at"] == "2019-01-01T00:00:00.000Z")


@pytest.mark.parametrize("name", ["title", "confidential", "created_at"])
def test_null_leaves_what_must_have_a_value(fakeplat: Fakeplat, name: str) -> None:
    """An issue always has a title, a time and is confidential or not; null changes none of them."""
    before = create_issue(fakeplat)

    assert before[name] == update_issue(fakeplat, "ada", **{name: None})[name]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid(ABSENT)),
        ({"nonsense": 1}, invalid(ABSENT)),
        ({"weight": 3}, invalid(ABSENT)),
        ({"title": ""}, (400, {"message": {"title": ["can't be blank"]}})),
        ({"title": "x" * 256}, (400, {"message": {"title": ["is too long (maximum is 255 characters)"]}})),
        ({"state_event": "merge"}, invalid("state_event does not have a valid value")),
        ({"confidential": "x"}, invalid("confidential is invalid")),
    ],
)
def test_changing_is_refused(fakeplat: Fakeplat, body: Any, expected: Outcome) -> None:
    """Something must be given that exists on the tier, and be valid."""
    create_issue(fakeplat)

    assert expected == refusal(fakeplat, "ada", "PUT", f"{SITE}/issues/1", json=body)


@pytest.mark.fakeplat(tier="premium")
def test_a_weight_alone_is_a_change(fakeplat: Fakeplat) -> None:
    """On paid tiers a weight alone is a valid update, null clears it and negative ones are refused."""
    create_issue(fakeplat)

    assert 3 == update_issue(fakeplat, "rep", weight=3)["weight"]
    assert update_issue(fakeplat, "rep", weight=None)["weight"] is None
    assert 400 == refusal(fakeplat, "rep", "PUT", f"{SITE}/issues/1", json={"weight": -1})[0]


@pytest.mark.parametrize(
    ("viewer", "expected"), [(None, UNAUTHORIZED), ("eve", resource_not_found("Project")), ("gus", FORBIDDEN)]
)
def test_refused_changes_of_others_issues(fakeplat: Fakeplat, viewer: str | None, expected: Outcome) -> None:
    """Below Reporter nobody changes an issue of another user."""
    create_issue(fakeplat)

    assert expected == refusal(fakeplat, viewer, "PUT", f"{SITE}/issues/1", json={"title": "x"})
    assert expected == refusal(fakeplat, viewer, "PUT", f"{SITE}/issues/1", json={"state_event": "close"})


@pytest.mark.parametrize("value", ["", None])
def test_updated_at_is_not_blank(fakeplat: Fakeplat, value: str | None) -> None:
    """A blank `updated_at` answers 400."""
    create_issue(fakeplat)
    sent = {"title": "New", "updated_at": value}
    assert invalid("updated_at is empty") == refusal(fakeplat, "ada", "PUT", f"{SITE}/issues/1", json=sent)


def test_changing_a_missing_issue(fakeplat: Fakeplat) -> None:
    """A missing one is not found; a confidential one is refused to guests and strangers, as any other."""
    create_issue(fakeplat, confidential=True)

    assert MISSING == refusal(fakeplat, "ada", "PUT", f"{SITE}/issues/99", json={"title": "x"})
    assert FORBIDDEN == refusal(fakeplat, "gus", "PUT", f"{SITE}/issues/1", json={"title": "x"})
    assert FORBIDDEN == refusal(fakeplat, "gus", "DELETE", f"{SITE}/issues/1")


@pytest.mark.parametrize(
    ("by", "expected"),
    [("eve", 403), ("gus", 403), ("ext", 200), ("rep", 200), ("ada", 200), ("root", 200)],
)
def test_who_changes_a_confidential_issue_of_a_public_project(fakeplat: Fakeplat, by: str, expected: int) -> None:
    """A confidential issue is changed by its author, Reporters and administrators; others get a 403."""
    create_issue(fakeplat, "ext", DOCS, confidential=True)
    for body in ({"title": "New"}, {"confidential": False}):
        assert expected == fakeplat.as_user(by).put(f"{DOCS}/issues/1", json=body).status


@pytest.mark.parametrize(("author", "assignee"), [("gus", None), ("ada", "gus")])
def test_authors_and_assignees_change_their_issues(fakeplat: Fakeplat, author: str, assignee: str | None) -> None:
    """Guests change and close issues that they wrote or are assigned to."""
    create_issue(fakeplat, author)
    if assignee:
        update_issue(fakeplat, "rep", assignee_ids=[person(fakeplat, assignee)])
    changed = update_issue(fakeplat, "gus", title="New", state_event="close")

    assert ("New", "closed") == (changed["title"], changed["state"])


# closing


@pytest.mark.fakeplat(clock="virtual")
def test_closing_and_reopening(fakeplat: Fakeplat) -> None:
    """Closing says when and who; reopening takes both away. The counter of open issues follows."""
    create_issue(fakeplat, "gus")
    fakeplat.clock.advance("1h")
    closed = update_issue(fakeplat, "rep", state_event="close")

    assert ("closed", "rep", True) == (
        closed["state"],
        closed["closed_by"]["username"],
        "2020-11-20T10:00:00" <= closed["closed_at"] == closed["updated_at"],
    )
    assert USER == set(closed["closed_by"])
    assert 0 == fakeplat.as_user("ada").get(SITE).json()["open_issues_count"]
    opened = update_issue(fakeplat, "gus", state_event="reopen")
    assert ("opened", None, None) == (opened["state"], opened["closed_at"], opened["closed_by"])
    assert 1 == fakeplat.as_user("ada").get(SITE).json()["open_issues_count"]


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize("events", [("close", "close"), ("reopen",), ("close", "reopen", "reopen")])
def test_closing_twice_changes_nothing(fakeplat: Fakeplat, events: tuple[str, ...]) -> None:
    """Closing a closed issue and reopening an open one answer 200 and leave it as it is."""
    before = create_issue(fakeplat, "rep")
    for event in events[:-1]:
        before = update_issue(fakeplat, "rep", state_event=event)
    fakeplat.clock.advance("1h")

    assert before == update_issue(fakeplat, "rep", state_event=events[-1])


def test_accounts_go_issues_stay(fakeplat: Fakeplat) -> None:
    """closed_by lasts as long as the account; a deleted author's issues are the ghost user's, an assignee is gone."""
    create_issue(fakeplat, "gus", assignee_ids=[])
    update_issue(fakeplat, "rep", assignee_ids=[person(fakeplat, "dev")])
    update_issue(fakeplat, "dev", state_event="close")
    for username in ("dev", "gus"):
        assert 204 == fakeplat.as_user("root").delete(f"users/{person(fakeplat, username)}").status
    shown_issue = fakeplat.as_user("ada").get(f"{SITE}/issues/1").json()

    assert ("closed", None, [], None, "ghost") == (
        shown_issue["state"],
        shown_issue["closed_by"],
        shown_issue["assignees"],
        shown_issue["assignee"],
        shown_issue["author"]["username"],
    )


# deleting


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        (None, f"{SITE}/issues/1", UNAUTHORIZED),
        ("eve", f"{SITE}/issues/1", resource_not_found("Project")),
        ("gus", f"{SITE}/issues/1", FORBIDDEN),
        ("dev", f"{SITE}/issues/1", FORBIDDEN),
        ("mia", f"{SITE}/issues/1", FORBIDDEN),
        ("ada", f"{SITE}/issues/99", resource_not_found("Issue")),
        ("ada", f"{SITE}/issues/x", invalid("issue_iid is invalid")),
    ],
)
def test_deleting_is_refused(fakeplat: Fakeplat, viewer: str | None, path: str, expected: Outcome) -> None:
    """Owners and administrators delete issues, their authors alone do not."""
    create_issue(fakeplat, "gus")

    assert expected == refusal(fakeplat, viewer, "DELETE", path)


@pytest.mark.parametrize("viewer", ["ada", "root"])
def test_owners_delete_issues(fakeplat: Fakeplat, viewer: str) -> None:
    """Owners delete an issue with 204, and its iid is not reused."""
    create_issue(fakeplat)

    assert (204, None) == outcome(fakeplat.as_user(viewer).delete(f"{SITE}/issues/1"))
    assert MISSING == outcome(fakeplat.as_user("ada").get(f"{SITE}/issues/1"))
    assert 2 == create_issue(fakeplat)["iid"]


def test_an_issue_that_changed_since_is_not_deleted(fakeplat: Fakeplat) -> None:
    """Deleting an issue that changed since the client's time answers 412."""
    create_issue(fakeplat)

    assert STALE == refusal(fakeplat, "ada", "DELETE", f"{SITE}/issues/1", headers=LONG_AGO)


def test_issues_of_archived_projects_stay(fakeplat: Fakeplat) -> None:
    """An archived project is read only."""
    create_issue(fakeplat)
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert 200 == fakeplat.as_user("gus").get(f"{SITE}/issues/1").status
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{SITE}/issues", json={"title": "x"})
    assert FORBIDDEN == refusal(fakeplat, "ada", "PUT", f"{SITE}/issues/1", json={"title": "x"})
