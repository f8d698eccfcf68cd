"""Boards, labels, milestones, iterations, snippets and events of later releases.

Source: lib/api/{boards,labels,group_labels,milestones,snippets}.rb and ee/lib/api/iterations.rb of the platform.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ERRORS_OF_BOARD_LISTS_ARE_SENTENCES
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, DOCS, SITE, TOOLS, create_record, get_json, issue, label, milestone
from tests.api.requests import Outcome, invalid, names, outcome, refusal
from tests.by_release import by_release

ITERATION = {"title": "Sprint", "start_date": "2020-11-16", "due_date": "2020-11-29"}
BELOW = {"title": "Below", "start_date": "2020-12-01", "due_date": "2020-12-14"}
TOOLS_GROUP: dict[str, Any] = {**COMPANY["groups"][0]["groups"][0], "iterations": [BELOW]}
GROUP: dict[str, Any] = {**COMPANY["groups"][0], "iterations": [ITERATION], "groups": [TOOLS_GROUP]}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": [GROUP]},
    version="latest",
    tier="premium",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
KIT = "projects/acme%2Ftools%2Fkit"


# Boards


def test_labels_of_lists_and_events_show_how_they_look(fakeplat: Fakeplat) -> None:
    """The label of a list or an event shows its description as HTML and the color of its text."""
    made = label(fakeplat, "bug", SITE)
    board = create_record(fakeplat, f"{SITE}/boards", name="Work")
    listed = create_record(fakeplat, f"{SITE}/boards/{board['id']}/lists", label_id=made["id"])["label"]
    issue(fakeplat, SITE, labels="bug")
    (event,) = get_json(fakeplat, f"{SITE}/issues/1/resource_label_events")
    names_ = ("id", "name", "color", "description", "description_html", "text_color")
    assert {name: made[name] for name in names_} == {name: listed[name] for name in names_}
    assert listed == event["label"]


def test_notes_have_no_attachment(fakeplat: Fakeplat) -> None:
    """Notes of the latest releases have no attachment, and awards have the address of the emoji."""
    issue(fakeplat, SITE)
    note = create_record(fakeplat, f"{SITE}/issues/1/notes", body="Hm")
    award = create_record(fakeplat, f"{SITE}/issues/1/award_emoji", name="tada")
    assert (False, None) == ("attachment" in note, award["url"])


def test_lists_of_a_board_are_hidden(fakeplat: Fakeplat) -> None:
    """A board tells which of its fixed lists are hidden."""
    board = create_record(fakeplat, f"{SITE}/boards", name="Work")
    assert (False, False) == (board["hide_backlog_list"], board["hide_closed_list"])
    changed = fakeplat.as_user("ada").put(f"{SITE}/boards/{board['id']}", json={"hide_closed_list": True}).json()
    assert (False, True) == (changed["hide_backlog_list"], changed["hide_closed_list"])


def test_a_board_has_a_list_of_an_iteration(fakeplat: Fakeplat) -> None:
    """On paid tiers a list shows the issues of an iteration that the project or group can use."""
    for path in (SITE, ACME):
        iteration = get_json(fakeplat, f"{path}/iterations")[0]
        board = create_record(fakeplat, f"{path}/boards", name="Work")
        lists = f"{path}/boards/{board['id']}/lists"
        created = create_record(fakeplat, lists, iteration_id=iteration["id"])

        assert iteration == created["iteration"]
        assert created == get_json(fakeplat, lists)[-1]
        below = get_json(fakeplat, f"{TOOLS}/iterations?include_ancestors=false")[0]["id"]
        expected: Outcome = (400, {"message": {"error": "Iteration not found"}})
        assert expected == refusal(fakeplat, "ada", "POST", lists, json={"iteration_id": below})
        text = "label_id, milestone_id, iteration_id, assignee_id are missing, exactly one parameter must be provided"
        assert invalid(text) == refusal(fakeplat, "ada", "POST", lists)


def test_refused_lists_are_sentences(fakeplat: Fakeplat) -> None:
    """A list of what is not found, and a second list of the same, are refused with a sentence."""
    lists = f"{SITE}/boards/{create_record(fakeplat, f'{SITE}/boards', name='Work')['id']}/lists"
    urgent, ada = label(fakeplat, "urgent")["id"], fakeplat.world.user("ada").id
    for body in ({"label_id": urgent}, {"assignee_id": ada}):
        create_record(fakeplat, lists, **body)
    cases: list[tuple[dict[str, Any], str]] = [
        ({"label_id": 1}, "Label not found"),
        ({"assignee_id": 9_999}, "Assignee not found"),
        ({"assignee_id": None}, "Label not found"),
        ({"milestone_id": 9_999}, "Milestone not found"),
        ({"label_id": urgent}, "Label has already been taken"),
        ({"assignee_id": ada}, "User has already been taken"),
    ]
    for body, text in cases:
        assert (400, {"message": {"error": text}}) == refusal(fakeplat, "ada", "POST", lists, json=body)


@by_release(ERRORS_OF_BOARD_LISTS_ARE_SENTENCES, "text", {"15.1": "Label not found!", "15.2": "Label not found"})
def test_the_release_whose_refused_lists_are_sentences(fakeplat: Fakeplat, text: str) -> None:
    """The text for what is not found ends without a sign since 15.2 at the latest."""
    lists = f"{SITE}/boards/{create_record(fakeplat, f'{SITE}/boards', name='Work')['id']}/lists"
    assert (400, {"message": {"error": text}}) == refusal(fakeplat, "ada", "POST", lists, json={"label_id": 1})


def test_boards_are_exported_with_their_lists(fakeplat: Fakeplat, fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """A scenario names the iterations of lists and the fixed lists that are hidden."""
    board = create_record(fakeplat, f"{ACME}/boards", name="Work")
    fakeplat.as_user("ada").put(f"{ACME}/boards/{board['id']}", json={"hide_backlog_list": True})
    iteration = get_json(fakeplat, f"{ACME}/iterations")[0]
    create_record(fakeplat, f"{ACME}/boards/{board['id']}/lists", iteration_id=iteration["id"])
    again = fakeplat_factory(scenario=fakeplat.export(), version="latest", tier="premium")

    (loaded,) = get_json(again, f"{ACME}/boards")
    assert loaded["hide_backlog_list"]
    assert ["Sprint"] == [column["iteration"]["title"] for column in loaded["lists"]]


# Labels


def test_labels_are_archived(fakeplat: Fakeplat) -> None:
    """A label is archived and brought back, and lists are filtered by that."""
    label(fakeplat, "new")
    created = create_record(fakeplat, f"{SITE}/labels", name="old", color="#112233", archived=True)
    assert created["archived"]

    assert ["old"] == names(get_json(fakeplat, f"{SITE}/labels?archived=true"), "name")
    assert ["new"] == names(get_json(fakeplat, f"{SITE}/labels?archived=false"), "name")
    changed = fakeplat.as_user("ada").put(f"{SITE}/labels/old", json={"archived": False}).json()
    assert not changed["archived"]
    assert [] == get_json(fakeplat, f"{SITE}/labels?archived=true")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["group"]),
        ("include_descendant_groups=true", ["group", "tools"]),
        ("only_group_labels=false", ["group", "site"]),
        ("only_group_labels=false&include_descendant_groups=true", ["group", "kit", "site", "tools"]),
    ],
)
def test_labels_below_a_group_are_listed(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """A group lists the labels of its subgroups and of projects when it is asked to, and finds them too."""
    for name, path in (("group", ACME), ("tools", TOOLS), ("site", SITE), ("kit", KIT)):
        label(fakeplat, name, path)
    assert expected == names(get_json(fakeplat, f"{ACME}/labels?{query}"), "name")
    for name in ("tools", "site", "kit"):
        status = fakeplat.as_user("ada").get(f"{ACME}/labels/{name}?{query}").status
        assert (200 if name in expected else 404) == status


# Milestones and iterations


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"{SITE}/milestones?include_ancestors=true", ["group", "site"]),
        (f"{SITE}/milestones?include_ancestors=false", ["site"]),
        (f"{TOOLS}/milestones?include_ancestors=true", ["group", "tools"]),
        (f"{ACME}/milestones?include_descendants=true", ["group", "kit", "site", "tools"]),
        (f"{ACME}/milestones?include_descendants=true&updated_after=2020-11-22", ["tools"]),
        (f"{ACME}/milestones?updated_before=2020-11-19", []),
    ],
)
def test_milestones_around_a_group(fakeplat: Fakeplat, path: str, expected: list[str]) -> None:
    """Milestones of groups above and below are listed, filtered by their times."""
    for title, container in (("group", ACME), ("site", SITE), ("kit", KIT)):
        milestone(fakeplat, title, container)
    fakeplat.clock.advance("3d")
    milestone(fakeplat, "tools", TOOLS)
    assert expected == sorted(names(get_json(fakeplat, path), "title"))


def test_milestones_of_hidden_projects_are_not_listed(fakeplat: Fakeplat) -> None:
    """Who does not see a project below the group does not see its milestones."""
    for title, container in (("site", SITE), ("docs", DOCS)):
        milestone(fakeplat, title, container)
    assert ["docs"] == names(get_json(fakeplat, f"{ACME}/milestones?include_descendants=true", "eve"), "title")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("include_descendants=true", ["Sprint", "Below"]),
        ("search=spr&in=title", ["Sprint"]),
        ("search=spr&in=cadence_title", []),
        ("search=spr&in=title,cadence_title", ["Sprint"]),
        ("updated_after=2020-11-19", ["Sprint"]),
        ("updated_before=2020-11-19", []),
    ],
)
def test_iterations_are_filtered(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Iterations are searched in titles, also below the group, and filtered by their last update."""
    assert expected == names(get_json(fakeplat, f"{ACME}/iterations?{query}"), "title")


def test_iterations_are_searched_in_known_places(fakeplat: Fakeplat) -> None:
    """The text is searched in titles and titles of cadences only."""
    assert invalid("in does not have a valid value") == refusal(fakeplat, "ada", "GET", f"{ACME}/iterations?in=text")


# Snippets, to-dos and events


def test_snippets_are_filtered_by_their_time(fakeplat: Fakeplat) -> None:
    """The own snippets and the public ones are filtered by the time of their creation."""
    for title in ("first", "second"):
        files = [{"file_path": "a.txt", "content": "x"}]
        create_record(fakeplat, "snippets", title=title, files=files, visibility="public")
        fakeplat.clock.advance("1d")
    for path in ("snippets", "snippets/public"):
        assert ["second"] == names(get_json(fakeplat, f"{path}?created_after=2020-11-21"), "title")
        assert ["first"] == names(get_json(fakeplat, f"{path}?created_before=2020-11-21"), "title")


def test_later_fields_of_snippets(fakeplat: Fakeplat) -> None:
    """A snippet tells whether it was imported, and administrators where it is stored."""
    snippet = create_record(
        fakeplat, "snippets", title="x", files=[{"file_path": "a.txt", "content": "x"}], visibility="public"
    )
    assert (False, "none", False) == (snippet["imported"], snippet["imported_from"], "repository_storage" in snippet)
    assert "default" == get_json(fakeplat, f"snippets/{snippet['id']}", "root")["repository_storage"]


def test_todos_tell_when_they_changed(fakeplat: Fakeplat) -> None:
    """A to-do has the time of its last change."""
    issue(fakeplat, assignee_ids=[fakeplat.world.user("rep").id])
    todo = get_json(fakeplat, "todos", "rep")[0]
    fakeplat.clock.advance("1h")
    done = outcome(fakeplat.as_user("rep").post(f"todos/{todo['id']}/mark_as_done"))[1]

    assert todo["created_at"] == todo["updated_at"] < done["updated_at"]


def test_events_name_what_closed_an_issue(fakeplat: Fakeplat) -> None:
    """An issue that a commit closes has an event with the commit, and one closed by hand without."""
    file = {"branch": "main", "content": "x", "commit_message": "Say it"}
    create_record(fakeplat, f"{DOCS}/repository/files/README.md", **file)
    issue(fakeplat, DOCS)
    issue(fakeplat, DOCS)
    create_record(fakeplat, f"{DOCS}/repository/files/a.txt", **{**file, "commit_message": "Closes #1"})
    fakeplat.as_user("ada").put(f"{DOCS}/issues/2", json={"state_event": "close"})
    head = get_json(fakeplat, f"{DOCS}/repository/commits")[0]["id"]
    events = [get_json(fakeplat, f"{DOCS}/issues/{iid}/resource_state_events")[0] for iid in (1, 2)]

    assert [(head, None), (None, None)] == [
        (event["source_commit"], event["source_merge_request_id"]) for event in events
    ]


def test_events_name_the_merge_request_that_closed_an_issue(fakeplat: Fakeplat) -> None:
    """An issue that a merge closes has an event with the merge request."""
    file = {"branch": "main", "content": "x", "commit_message": "Say it"}
    create_record(fakeplat, f"{DOCS}/repository/files/README.md", **file)
    issue(fakeplat, DOCS)
    create_record(fakeplat, f"{DOCS}/repository/branches?branch=fix&ref=main")
    create_record(fakeplat, f"{DOCS}/repository/files/a.txt", **{**file, "branch": "fix"})
    merge_request = create_record(
        fakeplat,
        f"{DOCS}/merge_requests",
        title="Fix",
        source_branch="fix",
        target_branch="main",
        description="Closes #1",
    )
    fakeplat.settle()
    assert 200 == fakeplat.as_user("ada").put(f"{DOCS}/merge_requests/1/merge").status
    event = get_json(fakeplat, f"{DOCS}/issues/1/resource_state_events")[0]

    assert ("closed", merge_request["id"]) == (event["state"], event["source_merge_request_id"])


@pytest.mark.parametrize("container", [SITE, ACME])
def test_milestones_of_ancestors_have_one_parameter_only(fakeplat: Fakeplat, container: str) -> None:
    """The current and the former name of a parameter exclude each other, and both make iids meaningless."""
    made = milestone(fakeplat, "v1", container)
    both = f"{container}/milestones?include_ancestors=true&include_parent_milestones=true"

    expected = invalid("include_ancestors, include_parent_milestones are mutually exclusive")
    assert expected == refusal(fakeplat, "ada", "GET", both)
    listed = get_json(fakeplat, f"{container}/milestones?include_ancestors=true&iids[]=999")
    assert [made["id"]] == names(listed, "id")
