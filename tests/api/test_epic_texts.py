"""Texts about epics: quick actions, mentions, to-dos, subscriptions and award emoji.

Source: ee/spec/services/quick_actions/interpret_service_spec.rb,
ee/spec/requests/api/{todos,award_emoji,issues}_spec.rb and ee/app/policies/epic_policy.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.quick_actions import NOTHING_DONE, post_note, run_commands
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, names, outcome, refusal

pytestmark = pytest.mark.fakeplat(
    scenario="starter", tier="ultimate", clock="virtual", start="2020-11-20T09:00:00.000Z"
)
EPICS, SITE = "groups/acme/epics", "projects/acme%2Fsite"
NO_EPIC = "This epic does not exist or you don't have sufficient permission."


def create_epic(fake: Fakeplat, title: str = "Fly", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user("rep").post(EPICS, json={"title": title, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def get_epic(fake: Fakeplat, iid: int = 1, by: str = "rep") -> dict[str, Any]:
    return dict(fake.as_user(by).get(f"{EPICS}/{iid}").json())


def notes_path(epic: dict[str, Any]) -> str:
    """Return the path below which an epic has its notes."""
    return f"{EPICS}/{epic['id']}"


def list_bodies(fake: Fakeplat, target: str) -> list[str]:
    notes = fake.as_user("root").get(f"{target}/notes").json()
    return names(sorted(notes, key=lambda note: note["id"]), "body")


def list_todos(fake: Fakeplat, by: str, query: str = "") -> list[dict[str, Any]]:
    return list(fake.as_user(by).get(f"todos{query}").json())


@pytest.mark.parametrize(
    ("text", "changes", "summary"),
    [
        ("/close", {"state_event": "close"}, "Closed this epic."),
        ("/title Soar", {"title": "Soar"}, 'Changed the title to "Soar".'),
        ("/label ~urgent", {"add_label_ids": ["{urgent}"]}, 'Added ~"urgent" label.'),
        ("/todo", {"todo_event": "add"}, "Added a To Do."),
        ("/subscribe", {"subscription_event": "subscribe"}, "Subscribed to this epic."),
        ("/award :tada:", {"emoji_award": "tada"}, "Toggled :tada: emoji award."),
    ],
)
def test_notes_of_epics_have_quick_actions(
    fakeplat: Fakeplat, text: str, changes: dict[str, Any], summary: str
) -> None:
    """A note with nothing else is not created, and tells what was done."""
    epic = create_epic(fakeplat)
    urgent = next(label["id"] for label in fakeplat.as_user("rep").get("groups/acme/labels").json())
    expected = {name: [urgent] if name == "add_label_ids" else value for name, value in changes.items()}

    assert (expected, summary) == run_commands(fakeplat, text, "root", notes_path(epic))


def test_quick_actions_change_the_epic(fakeplat: Fakeplat) -> None:
    """Quick actions change title, labels and state of an epic with system notes."""
    epic = create_epic(fakeplat, labels="new")
    text = "Done.\n/title Soar\n/relabel ~urgent\n/close"
    status, note = post_note(fakeplat, "rep", notes_path(epic), text)

    assert (201, "Done.") == (status, note["body"])
    after = get_epic(fakeplat)
    assert ("Soar", ["urgent"], "closed") == (after["title"], after["labels"], after["state"])
    assert ["Done.", "changed title from **Fly** to **Soar**", "closed"] == list_bodies(fakeplat, notes_path(epic))
    assert "Reopened this epic." == run_commands(fakeplat, "/reopen", "rep", notes_path(epic))[1]
    assert "Removed all labels." == run_commands(fakeplat, "/unlabel", "rep", notes_path(epic))[1]
    assert ("opened", []) == (get_epic(fakeplat)["state"], get_epic(fakeplat)["labels"])


def test_guests_only_change_what_is_theirs(fakeplat: Fakeplat) -> None:
    """Guests cannot plan epics but manage their own to-dos, subscriptions and emoji."""
    epic = create_epic(fakeplat)
    create_epic(fakeplat)
    for text in ("/close", "/title x", "/label ~urgent", "/child_epic &2", "/parent_epic &2"):
        assert NOTHING_DONE == refusal(fakeplat, "gus", "POST", f"{notes_path(epic)}/notes", json={"body": text})
    for text in ("/todo", "/subscribe", "/award :tada:"):
        assert 202 == post_note(fakeplat, "gus", notes_path(epic), text)[0]


def test_commands_for_issues_are_removed_and_not_done(fakeplat: Fakeplat) -> None:
    """An epic has no assignees, milestone or time."""
    epic = create_epic(fakeplat)
    for text in ("/assign @dev", "/milestone %1", "/estimate 1h", "/due tomorrow", "/confidential", "/lock"):
        assert NOTHING_DONE == refusal(fakeplat, "root", "POST", f"{notes_path(epic)}/notes", json={"body": text})


def test_descriptions_have_quick_actions(fakeplat: Fakeplat) -> None:
    """Quick actions in descriptions of epics are executed and removed from the text."""
    epic = create_epic(fakeplat, description="High\n/label ~urgent\n/close")
    assert ("High", ["urgent"], "opened") == (epic["description"], epic["labels"], epic["state"])

    changed = fakeplat.as_user("rep").put(f"{EPICS}/1", json={"description": "Higher\n/unlabel ~urgent\n/close"}).json()
    assert ("Higher", [], "closed") == (changed["description"], changed["labels"], changed["state"])


def test_a_changed_note_has_quick_actions(fakeplat: Fakeplat) -> None:
    """Quick actions in a changed note are executed and removed from its text."""
    epic, rep = create_epic(fakeplat), fakeplat.as_user("rep")
    note = rep.post(f"{notes_path(epic)}/notes", json={"body": "Hm"}).json()
    changed = rep.put(f"{notes_path(epic)}/notes/{note['id']}", json={"body": "Yes\n/close"}).json()

    assert ("Yes", {"state_event": "close"}, "closed") == (
        changed["body"],
        changed["commands_changes"],
        get_epic(fakeplat)["state"],
    )


def test_epics_are_put_below_others_by_command(fakeplat: Fakeplat) -> None:
    """Commands put an epic below another by reference or URL, without showing the change."""
    parent, child = create_epic(fakeplat, "Above"), create_epic(fakeplat, "Below")
    assert ({}, "Added acme&2 as child epic.") == run_commands(fakeplat, "/child_epic &2", "rep", notes_path(parent))
    assert parent["id"] == get_epic(fakeplat, 2)["parent_id"]

    assert NOTHING_DONE == refusal(
        fakeplat, "rep", "POST", f"{notes_path(parent)}/notes", json={"body": "/child_epic &2"}
    )
    removed = run_commands(fakeplat, "/remove_child_epic acme&2", "rep", notes_path(parent))
    assert ({}, "Removed acme&2 from child epics.") == removed
    assert get_epic(fakeplat, 2)["parent_id"] is None

    url = parent["web_url"]
    assert ({}, "Set acme&1 as parent epic.") == run_commands(fakeplat, f"/parent_epic {url}", "rep", notes_path(child))
    assert parent["id"] == get_epic(fakeplat, 2)["parent_id"]
    removed = run_commands(fakeplat, "/remove_parent_epic", "rep", notes_path(child))
    assert ({}, "Removed parent epic acme&1.") == removed
    assert get_epic(fakeplat, 2)["parent_id"] is None


@pytest.mark.parametrize(
    "text", ["/child_epic &7", "/remove_child_epic &2", "/parent_epic none", "/remove_parent_epic"]
)
def test_commands_without_an_epic_do_nothing(fakeplat: Fakeplat, text: str) -> None:
    """Commands about unknown or unlinked epics do nothing."""
    epic = create_epic(fakeplat)
    create_epic(fakeplat)
    assert NOTHING_DONE == refusal(fakeplat, "rep", "POST", f"{notes_path(epic)}/notes", json={"body": text})


@pytest.mark.fakeplat(tier="premium")
def test_epics_below_epics_are_for_the_ultimate_tier(fakeplat: Fakeplat) -> None:
    """Below ultimate the command for child epics has a summary but no effect."""
    epic = create_epic(fakeplat)
    create_epic(fakeplat)
    assert ({}, "Added acme&2 as child epic.") == run_commands(fakeplat, "/child_epic &2", "rep", notes_path(epic))
    assert get_epic(fakeplat, 2)["parent_id"] is None


def test_rings_of_epics_are_not_made(fakeplat: Fakeplat) -> None:
    """The summary does not depend on it."""
    parent, child = create_epic(fakeplat), create_epic(fakeplat)
    run_commands(fakeplat, "/child_epic &2", "rep", notes_path(parent))
    assert ({}, "Added acme&1 as child epic.") == run_commands(fakeplat, "/child_epic &1", "rep", notes_path(child))
    assert get_epic(fakeplat, 1)["parent_id"] is None


def test_issues_are_added_to_epics_by_command(fakeplat: Fakeplat) -> None:
    """The command /epic adds an issue to an epic and /remove_epic removes it."""
    create_epic(fakeplat)
    issue = f"{SITE}/issues/1"
    assert ({}, "Added an issue to an epic.") == run_commands(fakeplat, "/epic &1", "rep", issue)
    assert 1 == fakeplat.as_user("rep").get(issue).json()["epic_iid"]
    again = run_commands(fakeplat, "/todo\n/epic acme&1", "rep", issue)[1]
    assert "Added a To Do. Issue #1 has already been added to epic &1." == again
    assert ({"epic": None}, "Removed an issue from an epic.") == run_commands(fakeplat, "/remove_epic", "rep", issue)
    assert fakeplat.as_user("rep").get(issue).json()["epic_iid"] is None


def test_hidden_epics_are_not_found(fakeplat: Fakeplat) -> None:
    """A command answers alike for hidden and missing epics."""
    create_epic(fakeplat, confidential=True)
    site = fakeplat.as_user("gus").post(f"{SITE}/issues", json={"title": "x", "description": "See &1"}).json()
    epic = get_epic(fakeplat)
    assert [] == list_bodies(fakeplat, notes_path(epic))
    assert 404 == fakeplat.as_user("gus").get(f"{notes_path(epic)}/notes").status
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", f"{EPICS}/1/todo")
    assert site["epic_iid"] is None


def test_mentions_in_texts_of_epics_make_todos(fakeplat: Fakeplat) -> None:
    """Mentions in epics and their notes create to-dos for those who can see the epic."""
    epic = create_epic(fakeplat, description="What about it, @dev?")
    (todo,) = list_todos(fakeplat, "dev")
    assert ("mentioned", "Epic", "Fly", epic["id"]) == (
        todo["action_name"],
        todo["target_type"],
        todo["body"],
        todo["target"]["id"],
    )
    note = fakeplat.as_user("rep").post(f"{notes_path(epic)}/notes", json={"body": "@gus look"}).json()
    (todo,) = list_todos(fakeplat, "gus")
    url = f"{fakeplat.url}/groups/acme/-/epics/1#note_{note['id']}"
    assert ("directly_addressed", "@gus look", url) == (todo["action_name"], todo["body"], todo["target_url"])

    fakeplat.as_user("rep").put(f"{EPICS}/1", json={"confidential": True})
    assert [] == list_todos(fakeplat, "gus")


def test_a_todo_of_an_epic_has_a_group(fakeplat: Fakeplat) -> None:
    """A to-do of an epic shows the epic's group instead of a project."""
    epic = create_epic(fakeplat)
    status, todo = outcome(fakeplat.as_user("gus").post(f"{EPICS}/1/todo"))

    assert (201, "acme", "gus") == (status, todo["group"]["full_path"], todo["author"]["username"])
    assert "project" not in todo
    assert {
        "action_name": "marked",
        "target_type": "Epic",
        "target_url": f"{fakeplat.url}/groups/acme/-/epics/1",
        "body": "Fly",
        "state": "pending",
    } == {name: value for name, value in todo.items() if name not in {"id", "group", "author", "target", "created_at"}}
    assert (epic["id"], "Fly") == (todo["target"]["id"], todo["target"]["title"])
    group_id = fakeplat.world.group("acme").id
    for query, expected in (
        ("?type=Epic", [todo["id"]]),
        ("?type=Issue", []),
        (f"?group_id={group_id}", [todo["id"]]),
        ("?project_id=1", []),
    ):
        assert expected == names(list_todos(fakeplat, "gus", query), "id")


def test_there_is_one_pending_todo_of_an_epic(fakeplat: Fakeplat) -> None:
    """A second one is 304; a note finishes it; a missing epic is forbidden."""
    epic, gus = create_epic(fakeplat), fakeplat.as_user("gus")
    gus.post(f"{EPICS}/1/todo")
    assert 304 == gus.post(f"{EPICS}/1/todo").status
    gus.post(f"{notes_path(epic)}/notes", json={"body": "Done"})
    assert [] == list_todos(fakeplat, "gus")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", f"{EPICS}/1/todo")
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", f"{EPICS}/9/todo")


def test_todos_end_with_their_epic(fakeplat: Fakeplat) -> None:
    """Closing it finishes those of who closes it; deletion removes all."""
    create_epic(fakeplat)
    for user in ("gus", "rep"):
        fakeplat.as_user(user).post(f"{EPICS}/1/todo")
    fakeplat.as_user("rep").put(f"{EPICS}/1", json={"state_event": "close"})
    assert (0, 1) == (len(list_todos(fakeplat, "rep")), len(list_todos(fakeplat, "gus")))
    assert 204 == fakeplat.as_user("root").delete(f"{EPICS}/1").status
    assert [] == list_todos(fakeplat, "gus", "?state=done") + list_todos(fakeplat, "gus")


def test_mentions_are_noted_on_both_sides(fakeplat: Fakeplat) -> None:
    """An epic and an issue tell where they are mentioned, as short as is possible there."""
    epic, rep = create_epic(fakeplat, description="See site#1"), fakeplat.as_user("rep")
    assert "mentioned in epic &1" in list_bodies(fakeplat, f"{SITE}/issues/1")

    rep.post(f"{SITE}/issues/2/notes", json={"body": "Part of &1, and again &1"})
    assert ["mentioned in issue site#2"] == list_bodies(fakeplat, notes_path(epic))
    other = create_epic(fakeplat, description="As acme&1")
    assert "mentioned in epic &2" in list_bodies(fakeplat, notes_path(epic))
    assert [] == list_bodies(fakeplat, notes_path(other))


def test_a_group_has_no_issues_by_number(fakeplat: Fakeplat) -> None:
    """In the text of an epic a number alone is no reference to an issue."""
    before = list_bodies(fakeplat, f"{SITE}/issues/1")
    create_epic(fakeplat, description="See #1 and !1")
    assert before == list_bodies(fakeplat, f"{SITE}/issues/1")


def test_votes_for_an_epic_are_counted(fakeplat: Fakeplat) -> None:
    """A second award of the same emoji takes it back."""
    epic = create_epic(fakeplat)
    for user, text in (("gus", "/award :thumbsup:"), ("dev", "/award +1"), ("mia", "/award :-1:")):
        assert 202 == post_note(fakeplat, user, notes_path(epic), text)[0]
    assert (2, 1) == (get_epic(fakeplat)["upvotes"], get_epic(fakeplat)["downvotes"])
    post_note(fakeplat, "gus", notes_path(epic), "/award :thumbsup:")
    assert (1, 1) == (get_epic(fakeplat)["upvotes"], get_epic(fakeplat)["downvotes"])
    assert [1] == names(fakeplat.as_user("gus").get(EPICS).json(), "upvotes")


def test_participants_are_subscribed(fakeplat: Fakeplat) -> None:
    """The author and who comments, unless they chose otherwise."""
    epic = create_epic(fakeplat)
    assert (True, False) == tuple(get_epic(fakeplat, by=user)["subscribed"] for user in ("rep", "gus"))
    post_note(fakeplat, "gus", notes_path(epic), "Hm")
    assert get_epic(fakeplat, by="gus")["subscribed"]
    messages = [run_commands(fakeplat, "/unsubscribe", user, notes_path(epic))[1] for user in ("rep", "gus")]
    assert ["Unsubscribed from this epic."] * 2 == messages
    assert (False, False) == tuple(get_epic(fakeplat, by=user)["subscribed"] for user in ("rep", "gus"))


def test_comments_on_epics_are_events(fakeplat: Fakeplat) -> None:
    """A comment on an epic is an event of the group with the epic's title."""
    post_note(fakeplat, "rep", notes_path(create_epic(fakeplat)), "Hm")
    event, *_ = fakeplat.as_user("rep").get("events").json()
    assert ("commented on", "Note", "Fly") == (event["action_name"], event["target_type"], event["target_title"])


@pytest.mark.parametrize(
    ("epic_id", "expected"), [("{first}", [1, 2]), ("{second}", [3]), ("Any", [1, 2, 3]), ("None", [4]), ("0", [])]
)
def test_issues_are_listed_by_epic(fakeplat: Fakeplat, epic_id: str, expected: list[int]) -> None:
    """Issues are filtered and counted by epic id, none or any."""
    first, second = create_epic(fakeplat), create_epic(fakeplat)
    rep = fakeplat.as_user("rep")
    for iid, epic in ((1, first), (2, first), (3, second)):
        run_commands(fakeplat, f"/epic &{epic['iid']}", "rep", f"{SITE}/issues/{iid}")
    query = f"iids[]=1&iids[]=2&iids[]=3&iids[]=4&epic_id={epic_id.format(first=first['id'], second=second['id'])}"

    for path in (SITE, "groups/acme"):
        listed = [issue for issue in rep.get(f"{path}/issues?{query}").json() if "/site/" in issue["web_url"]]
        assert expected == sorted(names(listed, "iid"))
    assert len(expected) == rep.get(f"{SITE}/issues_statistics?{query}").json()["statistics"]["counts"]["all"]


def test_an_invalid_epic_id_is_refused(fakeplat: Fakeplat) -> None:
    """The filter `epic_id` accepts only numbers, None and Any."""
    reply = fakeplat.as_user("rep").get(f"{SITE}/issues?epic_id=x")
    assert (400, {"error": "epic_id should be an integer, 'None' or 'Any'"}) == outcome(reply)


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_ignores_the_epic(fakeplat: Fakeplat) -> None:
    """On the free tier the epic of an issue is ignored."""
    rep = fakeplat.as_user("rep")
    assert rep.get(f"{SITE}/issues").json() == rep.get(f"{SITE}/issues?epic_id=Any").json()
