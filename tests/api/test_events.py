"""Activity of users and projects. Source: docs/platform/hooks-and-events.md ('Events')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.fields import USER
from tests.api.planning_records import ACME, DOCS, SITE, create_record, get_json, issue, milestone
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, names, outcome, person, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
FIELDS = {
    "id",
    "project_id",
    "action_name",
    "target_id",
    "target_iid",
    "target_type",
    "author_id",
    "target_title",
    "created_at",
    "author",
    "author_username",
}


def list_events(fake: Fakeplat, target: str = f"{SITE}/events", by: str | None = "ada") -> list[tuple[Any, ...]]:
    """Return authors, actions and targets of events, the newest first."""
    rows = get_json(fake, target, by)
    return [(row["author_username"], row["action_name"], row["target_type"], row["target_title"]) for row in rows]


def update(fake: Fakeplat, by: str, path: str, **body: Any) -> None:
    assert 200 == fake.as_user(by).put(path, json=body).status


def test_the_life_of_an_issue(fakeplat: Fakeplat) -> None:
    """Opening, closing and reopening an issue are events, editing it is not."""
    new_issue = issue(fakeplat, SITE, "rep")
    for body in ({"state_event": "close"}, {"title": "Two"}, {"state_event": "reopen"}):
        update(fakeplat, "dev", f"{SITE}/issues/1", **body)
    rows = get_json(fakeplat, f"{SITE}/events")

    assert [
        ("dev", "reopened", "Issue", "Two"),
        ("dev", "closed", "Issue", "Two"),
        ("rep", "opened", "Issue", "Two"),
    ] == list_events(fakeplat)
    assert all(FIELDS == set(row) for row in rows)
    assert (new_issue["id"], 1, new_issue["project_id"]) == (
        rows[0]["target_id"],
        rows[0]["target_iid"],
        rows[0]["project_id"],
    )
    assert USER == set(rows[0]["author"])


def test_the_life_of_a_milestone(fakeplat: Fakeplat) -> None:
    """Creating, closing and destroying a milestone are events, the last one without a target."""
    v1 = milestone(fakeplat, "v1")
    path = f"{SITE}/milestones/{v1['id']}"
    for event in ("close", "activate"):
        update(fakeplat, "dev", path, state_event=event)
    assert [
        ("dev", "reopened", "Milestone", "v1"),
        ("dev", "closed", "Milestone", "v1"),
        ("ada", "opened", "Milestone", "v1"),
    ] == list_events(fakeplat)
    fakeplat.as_user("ada").delete(path)

    assert [("ada", "destroyed", "Milestone", None), ("dev", "reopened", "Milestone", None)] == list_events(fakeplat)[
        :2
    ]
    assert [None] * 4 == names(get_json(fakeplat, f"{SITE}/events"), "target_id")


def test_the_life_of_a_project_and_its_members(fakeplat: Fakeplat) -> None:
    """Creating, joining and leaving a project are events of their users."""
    fresh = create_record(
        fakeplat, "projects", name="Fresh", namespace_id=fakeplat.world.group("acme").id, visibility="public"
    )
    path = f"projects/{fresh['id']}"
    create_record(fakeplat, f"{path}/members", user_id=person(fakeplat, "eve"), access_level=30)
    fakeplat.as_user("ada").delete(f"{path}/members/{person(fakeplat, 'eve')}")

    assert [
        ("eve", "left", None, None),
        ("eve", "joined", None, None),
        ("ada", "created", None, None),
    ] == list_events(fakeplat, f"{path}/events", None)


def test_expired_memberships_are_events(fakeplat: Fakeplat) -> None:
    """The expiry of a membership is an event on the day after its last."""
    create_record(
        fakeplat, f"{DOCS}/members", user_id=person(fakeplat, "eve"), access_level=30, expires_at="2020-11-21"
    )
    fakeplat.clock.advance("3d")
    assert ["expired", "joined"] == names(get_json(fakeplat, f"{DOCS}/events"), "action_name")


def test_comments_are_events_with_their_note(fakeplat: Fakeplat) -> None:
    """The note is shown, its title is the issue's."""
    issue(fakeplat)
    note = create_record(fakeplat, f"{SITE}/issues/1/notes", "dev", body="Well said")
    (row,) = get_json(fakeplat, f"{SITE}/events?action=commented")

    assert ("commented on", "Note", "One", note["id"]) == (
        row["action_name"],
        row["target_type"],
        row["target_title"],
        row["target_id"],
    )
    assert "Well said" == row["note"]["body"]
    assert FIELDS | {"note"} == set(row)


@pytest.mark.fakeplat(scenario="starter")
def test_pushes_are_events(fakeplat: Fakeplat) -> None:
    """Pushes of commits, new branches and deleted branches are events with their refs."""
    dev = fakeplat.as_user("dev")
    change = {"branch": "feature", "commit_message": "Say more\n\nMuch more", "content": "x"}
    assert 201 == dev.post(f"{SITE}/repository/files/more.txt", json=change).status
    branch = dev.post(f"{SITE}/repository/branches", json={"branch": "new", "ref": "feature"}).json()
    assert 204 == dev.delete(f"{SITE}/repository/branches/new").status
    removed, created, pushed = get_json(fakeplat, f"{SITE}/events?action=pushed")
    tip = branch["commit"]["id"]

    assert ["deleted", "pushed new", "pushed to"] == names([removed, created, pushed], "action_name")
    assert {
        "commit_count": 1,
        "action": "pushed",
        "ref_type": "branch",
        "commit_from": branch["commit"]["parent_ids"][0],
        "commit_to": tip,
        "ref": "feature",
        "commit_title": "Say more",
        "ref_count": None,
    } == pushed["push_data"]
    assert {"commit_count": 2, "action": "created", "commit_from": None, "commit_to": tip}.items() <= created[
        "push_data"
    ].items()
    assert {"commit_count": 0, "action": "removed", "commit_from": tip, "commit_to": None}.items() <= removed[
        "push_data"
    ].items()
    assert FIELDS | {"push_data"} == set(pushed)
    assert [] == get_json(fakeplat, f"{SITE}/events?action=pushed", "gus")


# who sees what


def test_only_visible_events_are_listed(fakeplat: Fakeplat) -> None:
    """Events of hidden projects and confidential issues are left out before paging."""
    issue(fakeplat, SITE, "ada")
    issue(fakeplat, DOCS, "ada", confidential=True)
    issue(fakeplat, DOCS, "ada")
    everything, ada = f"users/{person(fakeplat, 'ada')}/events", "users/ada/events"

    assert 3 == len(get_json(fakeplat, everything, "ada")) == len(get_json(fakeplat, "events", "ada"))
    assert [1, 1] == [len(get_json(fakeplat, ada, by)) for by in ("eve", None)]
    assert 2 == len(get_json(fakeplat, ada, "gus"))
    assert "1" == fakeplat.as_user("eve").get(f"{ada}?per_page=1").headers["X-Total"]


def test_private_profiles_hide_events(fakeplat: Fakeplat) -> None:
    """The events of a private profile are shown only to its user and to administrators."""
    issue(fakeplat, DOCS, "ada")
    update(fakeplat, "root", f"users/{person(fakeplat, 'ada')}", private_profile=True)

    assert [0, 0, 1, 1] == [len(get_json(fakeplat, "users/ada/events", by)) for by in ("gus", None, "ada", "root")]


def test_the_callers_own_events_and_those_of_their_projects(fakeplat: Fakeplat) -> None:
    """scope=all tells what others did in the caller's projects, and nothing of projects that are merely visible."""
    issue(fakeplat, SITE, "ada")
    issue(fakeplat, DOCS, "eve")

    assert ["ada"] == names(get_json(fakeplat, "events", "ada"), "author_username")
    assert ["eve", "ada"] == names(get_json(fakeplat, "events?scope=all", "ada"), "author_username")
    assert [] == get_json(fakeplat, "events?scope=all", "eve")
    # Any other text changes nothing.
    assert get_json(fakeplat, "events", "ada") == get_json(fakeplat, "events?scope=mine", "ada")
    assert ["eve"] == names(get_json(fakeplat, "events", "eve"), "author_username")


# filters


@pytest.fixture
def busy(fakeplat: Fakeplat) -> Fakeplat:
    """Three days: an issue is opened, a milestone is, the issue is closed."""
    issue(fakeplat)
    fakeplat.clock.advance("1d")
    milestone(fakeplat, "v1")
    fakeplat.clock.advance("1d")
    update(fakeplat, "ada", f"{SITE}/issues/1", state_event="close")
    return fakeplat


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["closed Issue", "opened Milestone", "opened Issue"]),
        ("sort=asc", ["opened Issue", "opened Milestone", "closed Issue"]),
        ("sort=desc", ["closed Issue", "opened Milestone", "opened Issue"]),
        ("action=created", ["opened Milestone", "opened Issue"]),
        ("action=closed", ["closed Issue"]),
        ("action=merged", []),
        ("target_type=issue", ["closed Issue", "opened Issue"]),
        ("target_type=milestone", ["opened Milestone"]),
        ("target_type=snippet", []),
        ("after=2020-11-20", ["closed Issue", "opened Milestone"]),
        ("before=2020-11-22", ["opened Milestone", "opened Issue"]),
        ("after=2020-11-20&before=2020-11-22", ["opened Milestone"]),
        ("after=2020-11-22", []),
        ("action=created&target_type=issue", ["opened Issue"]),
    ],
)
def test_filters(busy: Fakeplat, query: str, expected: list[str]) -> None:
    """Events are filtered by dates, which are exclusive, actions and targets on all lists."""
    for target in ("events", "users/ada/events", f"{SITE}/events"):
        rows = get_json(busy, f"{target}?{query}")
        assert expected == [f"{row['action_name']} {row['target_type']}" for row in rows], target


@pytest.mark.parametrize(
    ("target", "by", "expected"),
    [
        ("events", None, UNAUTHORIZED),
        ("events?action=made", "ada", invalid("action does not have a valid value")),
        ("events?target_type=thing", "ada", invalid("target_type does not have a valid value")),
        ("events?before=yesterday", "ada", invalid("before is invalid")),
        (f"{SITE}/events?sort=up", "ada", invalid("sort does not have a valid value")),
        (f"{SITE}/events", "eve", resource_not_found("Project")),
        ("users/nobody/events", "ada", resource_not_found("User")),
    ],
)
def test_invalid_filters_are_refused(fakeplat: Fakeplat, target: str, by: str | None, expected: Outcome) -> None:
    """Invalid filters of events are refused with the platform's bodies."""
    assert expected == refusal(fakeplat, by, "GET", target)


def test_events_are_deleted_with_issues_projects_and_users(fakeplat: Fakeplat) -> None:
    """Deleting an issue, project or user deletes the events about it."""
    issue(fakeplat)
    issue(fakeplat, DOCS)
    issue(fakeplat, DOCS, "eve")
    fakeplat.as_user("ada").delete(f"{SITE}/issues/1")
    assert ["eve", "ada"] == names(get_json(fakeplat, "events?scope=all"), "author_username")
    fakeplat.as_user("root").delete(f"users/{person(fakeplat, 'eve')}")
    assert ["ada"] == names(get_json(fakeplat, f"{DOCS}/events"), "author_username")
    fakeplat.as_user("ada").delete(DOCS)

    assert 0 == len(fakeplat.bench.platform.view.events)


def test_group_milestones_write_no_events(fakeplat: Fakeplat) -> None:
    """Milestones of a group create no events."""
    winter = create_record(fakeplat, f"{ACME}/milestones", title="Winter")
    path = f"{ACME}/milestones/{winter['id']}"
    update(fakeplat, "ada", path, state_event="close")
    fakeplat.as_user("ada").delete(path)

    assert [] == get_json(fakeplat, "events?scope=all")


def test_cached_lists_are_updated(fakeplat: Fakeplat) -> None:
    """A list that was asked for before tells the next event, the new title, and hides what became confidential."""
    issue(fakeplat, DOCS)
    assert 1 == len(get_json(fakeplat, f"{DOCS}/events", None))
    update(fakeplat, "ada", f"{DOCS}/issues/1", title="Two", state_event="close")
    assert ["Two", "Two"] == names(get_json(fakeplat, f"{DOCS}/events", None), "target_title")
    update(fakeplat, "ada", f"{DOCS}/issues/1", confidential=True)

    assert (200, []) == outcome(fakeplat.as_user(None).get(f"{DOCS}/events"))


@pytest.mark.parametrize(("target", "status"), [("events", 200), ("users/ada/events", 200), (f"{DOCS}/events", 403)])
def test_a_token_for_users_reads_users_activity(fakeplat: Fakeplat, target: str, status: int) -> None:
    """The scope read_user is enough for users', not for projects'."""
    token = fakeplat.token("ada", scopes=["read_user"])
    assert status == fakeplat.as_user(None).get(target, headers={"PRIVATE-TOKEN": token}).status


@pytest.mark.fakeplat(scenario="starter")
def test_a_pushed_tag_counts_as_one_commit(fakeplat: Fakeplat) -> None:
    """The event of a new tag has one commit, and that of a deleted one has none."""
    tags = f"{SITE}/repository/tags"
    assert 201 == fakeplat.as_user("mia").post(tags, json={"tag_name": "v9", "ref": "master"}).status
    assert 204 == fakeplat.as_user("mia").delete(f"{tags}/v9").status
    removed, created = get_json(fakeplat, f"{SITE}/events?action=pushed", "ada")[:2]
    assert [("removed", "tag", "v9", 0), ("created", "tag", "v9", 1)] == [
        tuple(event["push_data"][name] for name in ("action", "ref_type", "ref", "commit_count"))
        for event in (removed, created)
    ]
