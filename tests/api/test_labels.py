"""Labels of projects and groups. Source: docs/platform/labels.md."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.issue_fields import COUNTS, GROUP_LABEL, PROJECT_LABEL
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    UNMODIFIED,
    Outcome,
    invalid,
    names,
    outcome,
    refusal,
    resource_not_found,
)

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

SITE, DOCS, NOTES, ACME, TOOLS = (
    "projects/acme%2Fsite",
    "projects/acme%2Fdocs",
    "projects/ada%2Fnotes",
    "groups/acme",
    "groups/acme%2Ftools",
)
KIT = "projects/acme%2Ftools%2Fkit"
CONTAINERS = pytest.mark.parametrize("container", [SITE, ACME])


def create_label(fake: Fakeplat, container: str = SITE, /, name: str = "bug", **body: Any) -> dict[str, Any]:
    reply = fake.as_user("ada").post(f"{container}/labels", json={"name": name, "color": "#FF0000", **body})
    assert 201 == reply.status, reply.text
    label: dict[str, Any] = reply.json()
    return label


def list_titles(fake: Fakeplat, container: str, viewer: str = "ada") -> list[str]:
    return names(fake.as_user(viewer).get(f"{container}/labels").json(), "name")


@pytest.mark.fakeplat(releases="<18.10")
@pytest.mark.parametrize(("container", "fields"), [(SITE, PROJECT_LABEL), (ACME, GROUP_LABEL)])
def test_the_fields_of_a_label(fakeplat: Fakeplat, container: str, fields: set[str]) -> None:
    """Projects' labels have a priority and say whose they are; counts are there on request."""
    label = create_label(fakeplat, container, description="Bad")
    calls = fakeplat.as_user("ada")

    assert fields == set(label)
    assert (200, label) == outcome(calls.get(f"{container}/labels/bug"))
    assert [label] == calls.get(f"{container}/labels").json()
    assert fields | COUNTS == set(calls.get(f"{container}/labels?with_counts=true").json()[0])


def test_a_new_label(fakeplat: Fakeplat) -> None:
    """A new label shows its given attributes and white text on a dark colour."""
    label = create_label(fakeplat, priority=3, description="Bad")

    assert ("bug", "#FF0000", "#FFFFFF", "Bad", 3, True, False) == tuple(
        label[name]
        for name in ("name", "color", "text_color", "description", "priority", "is_project_label", "subscribed")
    )
    assert create_label(fakeplat, SITE, "plain").items() >= {"description": None, "priority": None}.items()


@pytest.mark.parametrize(
    ("color", "kept", "text"),
    [
        ("#ABCDEF", "#ABCDEF", "#333333"),
        ("#12ab3F", "#12ab3F", "#FFFFFF"),
        ("red", "#FF0000", "#FFFFFF"),
        ("Yellow", "#FFFF00", "#333333"),
        (" darkslategrey ", "#2F4F4F", "#FFFFFF"),
        ("rebeccapurple", "#663399", "#FFFFFF"),
    ],
)
def test_colours(fakeplat: Fakeplat, color: str, kept: str, text: str) -> None:
    """Six hex digits, or a name of CSS, which is kept as its digits; the text on it can be read."""
    ada = fakeplat.as_user("ada")
    label = ada.post(f"{SITE}/labels", json={"name": "x", "color": color}).json()
    other = create_label(fakeplat, SITE, "bug")
    changed = ada.put(f"{SITE}/labels/{other['id']}", json={"color": color}).json()

    assert (kept, text) == (label["color"], label["text_color"]) == (changed["color"], changed["text_color"])


@CONTAINERS
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("name is missing, color is missing")),
        ({"name": "x"}, invalid("color is missing")),
        ({"color": "red"}, invalid("name is missing")),
        ({"name": "x", "color": "reddish"}, (400, {"message": {"color": ["must be a valid color code"]}})),
        ({"name": "x", "color": "#12345"}, (400, {"message": {"color": ["must be a valid color code"]}})),
        ({"name": "", "color": "red"}, (400, {"message": {"title": ["can't be blank"]}})),
        ({"name": "a,b", "color": "red"}, (400, {"message": {"title": ["is invalid"]}})),
        ({"name": "bug", "color": "red"}, (409, {"message": "Label already exists"})),
    ],
)
def test_creating_is_refused(fakeplat: Fakeplat, container: str, body: Any, expected: Outcome) -> None:
    """A name that is not taken and a colour are needed."""
    create_label(fakeplat, container)

    assert expected == refusal(fakeplat, "ada", "POST", f"{container}/labels", json=body)


def test_names_of_groups_above_are_taken(fakeplat: Fakeplat) -> None:
    """A title that is usable in the project already exists there."""
    create_label(fakeplat, ACME)

    expected = (409, {"message": "Label already exists"})
    assert expected == refusal(fakeplat, "ada", "POST", f"{SITE}/labels", json={"name": "bug", "color": "red"})


@pytest.mark.parametrize(
    ("viewer", "container", "expected"),
    [
        (None, DOCS, UNAUTHORIZED),
        ("eve", SITE, resource_not_found("Project")),
        ("eve", DOCS, FORBIDDEN),
        ("gus", SITE, FORBIDDEN),
        (None, ACME, UNAUTHORIZED),
        ("ext", TOOLS, resource_not_found("Group")),
        ("eve", ACME, FORBIDDEN),
        ("gus", ACME, FORBIDDEN),
    ],
)
def test_labels_are_for_reporters(fakeplat: Fakeplat, viewer: str | None, container: str, expected: Outcome) -> None:
    """Below Reporter labels cannot be changed."""
    create_label(fakeplat, container)
    body = {"name": "x", "color": "red"}

    assert expected == refusal(fakeplat, viewer, "POST", f"{container}/labels", json=body)
    assert expected == refusal(fakeplat, viewer, "PUT", f"{container}/labels/bug", json={"color": "red"})
    assert expected == refusal(fakeplat, viewer, "PUT", f"{container}/labels", json={"name": "bug", "color": "red"})
    assert expected == refusal(fakeplat, viewer, "DELETE", f"{container}/labels/bug")
    assert expected == refusal(fakeplat, viewer, "DELETE", f"{container}/labels?name=bug")


@CONTAINERS
def test_reporters_manage_labels(fakeplat: Fakeplat, container: str) -> None:
    """A Reporter creates, changes and deletes labels."""
    calls = fakeplat.as_user("rep")

    assert 201 == calls.post(f"{container}/labels", json={"name": "x", "color": "red"}).status
    assert 200 == calls.put(f"{container}/labels/x", json={"color": "#000000"}).status
    assert (204, None) == outcome(calls.delete(f"{container}/labels/x"))


@pytest.mark.parametrize(("viewer", "expected"), [(None, 401), ("eve", 200), ("gus", 200)])
def test_reading_labels_requires_a_login(fakeplat: Fakeplat, viewer: str | None, expected: int) -> None:
    """Labels require a login even in public projects."""
    create_label(fakeplat, DOCS)

    assert expected == fakeplat.as_user(viewer).get(f"{DOCS}/labels").status
    assert expected == fakeplat.as_user(viewer).get(f"{DOCS}/labels/bug").status


@pytest.mark.parametrize(
    ("container", "query", "expected"),
    [
        (SITE, "", ["above", "own", "Side"]),
        (SITE, "?include_ancestor_groups=false", ["above", "own", "Side"]),
        (KIT, "", ["above", "deep"]),
        (KIT, "?include_ancestor_groups=false", ["deep"]),
        (ACME, "", ["above"]),
        (TOOLS, "", ["above", "deep"]),
        (TOOLS, "?include_ancestor_groups=false", ["deep"]),
        (SITE, "?search=SI", ["Side"]),
        (SITE, "?search=nothing", []),
    ],
)
def test_lists(fakeplat: Fakeplat, container: str, query: str, expected: list[str]) -> None:
    """Labels of the groups above are there unless they are left out, those of a project's own group always."""
    for source, name in ((SITE, "Side"), (SITE, "own"), (ACME, "above"), (TOOLS, "deep")):
        create_label(fakeplat, source, name)

    assert sorted(expected) == sorted(names(fakeplat.as_user("gus").get(f"{container}/labels{query}").json(), "name"))


def test_labels_of_groups_in_a_project(fakeplat: Fakeplat) -> None:
    """Labels of groups are marked in a project, which gives them its own priority."""
    create_label(fakeplat, ACME, "above")
    label = fakeplat.as_user("ada").get(f"{SITE}/labels/above").json()

    assert (False, None) == (label["is_project_label"], label["priority"])


@CONTAINERS
@pytest.mark.parametrize("title", ["with space", "a/b", "ümläut", "100%"])
def test_labels_are_found_by_id_and_title(fakeplat: Fakeplat, container: str, title: str) -> None:
    """A label is found by its id or its encoded title."""
    label = create_label(fakeplat, container, title)
    calls = fakeplat.as_user("ada")

    assert label == calls.get(f"{container}/labels/{label['id']}").json()
    assert label == calls.get(f"{container}/labels/{quote(title, safe='')}").json()
    for missing in ("nothing", "99999"):
        assert resource_not_found("Label") == refusal(fakeplat, "ada", "GET", f"{container}/labels/{missing}")
        assert resource_not_found("Label") == refusal(
            fakeplat, "ada", "PUT", f"{container}/labels/{missing}", json={"color": "red"}
        )
        assert resource_not_found("Label") == refusal(fakeplat, "ada", "DELETE", f"{container}/labels/{missing}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"new_name": "flaw"}, {"name": "flaw"}),
        ({"color": "#FFFFFF"}, {"color": "#FFFFFF", "text_color": "#333333"}),
        ({"priority": 7}, {"priority": 7}),
        ({"priority": None}, {"priority": None}),
        ({"priority": ""}, {"priority": None}),
        ({"priority": 0}, {"priority": 0}),
    ],
)
@pytest.mark.parametrize("old", [False, True])
def test_a_label_changes(fakeplat: Fakeplat, old: bool, body: Any, expected: Any) -> None:
    """A label is updated by path, or by a parameter that names it."""
    label = create_label(fakeplat, priority=1)
    path = f"{SITE}/labels" if old else f"{SITE}/labels/bug"
    reply = fakeplat.as_user("rep").put(path, json={**body, **({"name": "bug"} if old else {})})

    assert (200, label | expected) == outcome(reply)


@CONTAINERS
def test_the_description_changes(fakeplat: Fakeplat, container: str) -> None:
    """The description is shown as text and as HTML."""
    label = create_label(fakeplat, container)
    changed_label = (
        fakeplat.as_user("rep").put(f"{container}/labels", json={"label_id": label["id"], "description": "New"}).json()
    )

    assert ("New", True) == (changed_label["description"], "New" in changed_label["description_html"])


PUT_NOTHING = "new_name, color, description, priority are missing, at least one parameter must be provided"


@pytest.mark.fakeplat(releases="<18.10")
@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("labels/bug", {}, invalid(PUT_NOTHING)),
        ("labels/bug", {"color": "reddish"}, (400, {"message": {"color": ["must be a valid color code"]}})),
        ("labels/bug", {"new_name": "a,b"}, (400, {"message": {"title": ["is invalid"]}})),
        ("labels/bug", {"new_name": ""}, (400, {"message": {"title": ["can't be blank"]}})),
        ("labels/bug", {"color": ""}, (400, {"message": {"color": ["must be a valid color code"]}})),
        ("labels/bug", {"priority": "high"}, invalid("priority is invalid")),
        ("labels", {"color": "red"}, invalid("label_id, name are missing, exactly one parameter must be provided")),
        ("labels", {"color": "red", "name": "x", "label_id": 1}, invalid("label_id, name are mutually exclusive")),
        ("labels", {"color": "red", "name": "nothing"}, resource_not_found("Label")),
        ("labels", {"color": "red", "label_id": 99999}, resource_not_found("Label")),
    ],
)
def test_changing_is_refused(fakeplat: Fakeplat, path: str, body: Any, expected: Outcome) -> None:
    """Something must change, and exactly one way names the label."""
    create_label(fakeplat)

    assert expected == refusal(fakeplat, "ada", "PUT", f"{SITE}/{path}", json=body)


@pytest.mark.fakeplat(releases="<18.10")
def test_group_labels_have_no_priority_to_change(fakeplat: Fakeplat) -> None:
    """The text that asks for a parameter does not name it, and it alone is no change."""
    create_label(fakeplat, ACME)
    text = "new_name, color, description are missing, at least one parameter must be provided"

    for body in ({}, {"priority": 1}):
        assert invalid(text) == refusal(fakeplat, "ada", "PUT", f"{ACME}/labels/bug", json=body)
    assert invalid(text) == refusal(fakeplat, "ada", "PUT", f"{ACME}/labels", json={"name": "bug"})


def test_a_project_edits_labels_of_its_own_group(fakeplat: Fakeplat) -> None:
    """A project edits labels of its own group but not of groups above."""
    create_label(fakeplat, ACME, "above")
    create_label(fakeplat, TOOLS, "deep")
    calls = fakeplat.as_user("ada")

    assert "#FF0000" == calls.put(f"{KIT}/labels/deep", json={"color": "red"}).json()["color"]
    assert resource_not_found("Label") == refusal(fakeplat, "ada", "PUT", f"{KIT}/labels/above", json={"color": "red"})
    assert (204, None) == outcome(calls.delete(f"{KIT}/labels/deep"))
    assert resource_not_found("Label") == refusal(fakeplat, "ada", "DELETE", f"{KIT}/labels/above")


def test_renaming_changes_all_issues(fakeplat: Fakeplat) -> None:
    """Issues carry the label's new name, and lose a label that is deleted."""
    create_label(fakeplat)
    calls = fakeplat.as_user("ada")
    calls.post(f"{SITE}/issues", json={"title": "One", "labels": "bug,other"})
    calls.put(f"{SITE}/labels/bug", json={"new_name": "flaw"})
    assert ["flaw", "other"] == calls.get(f"{SITE}/issues/1").json()["labels"]
    assert 1 == len(calls.get(f"{SITE}/issues?labels=flaw").json())
    assert [] == calls.get(f"{SITE}/issues?labels=bug").json()
    calls.delete(f"{SITE}/labels/flaw")

    assert ["other"] == calls.get(f"{SITE}/issues/1").json()["labels"]


def test_counts(fakeplat: Fakeplat) -> None:
    """with_counts says how many open and closed issues have the label."""
    create_label(fakeplat)
    calls = fakeplat.as_user("ada")
    for _ in range(3):
        calls.post(f"{SITE}/issues", json={"title": "One", "labels": "bug"})
    calls.put(f"{SITE}/issues/1", json={"state_event": "close"})
    label = calls.get(f"{SITE}/labels?with_counts=true").json()[0]

    assert (2, 1, 0) == tuple(
        label[name] for name in ("open_issues_count", "closed_issues_count", "open_merge_requests_count")
    )


@pytest.mark.parametrize(("viewer", "group_label", "own"), [("ada", (3, 0), (1, 1)), ("gus", (1, 0), (0, 1))])
def test_counts_are_of_what_the_caller_sees(fakeplat: Fakeplat, viewer: str, group_label: Any, own: Any) -> None:
    """Confidential issues, and those of hidden projects, count for who sees them."""
    create_label(fakeplat, ACME, "all")
    create_label(fakeplat, DOCS, "bug")
    calls = fakeplat.as_user("ada")
    for container, labels, confidential in ((DOCS, "all", False), (DOCS, "all,bug", True), (KIT, "all", True)):
        calls.post(f"{container}/issues", json={"title": "One", "labels": labels, "confidential": confidential})
    calls.post(f"{DOCS}/issues", json={"title": "Two", "labels": "bug"})
    calls.put(f"{DOCS}/issues/3", json={"state_event": "close"})
    shown_labels = {row["name"]: row for row in fakeplat.as_user(viewer).get(f"{DOCS}/labels?with_counts=true").json()}

    counts = ("open_issues_count", "closed_issues_count")
    assert group_label == tuple(shown_labels["all"][name] for name in counts)
    assert own == tuple(shown_labels["bug"][name] for name in counts)


@CONTAINERS
@pytest.mark.parametrize("query", ["?name=bug", "?label_id={id}"])
def test_deleting_by_parameter(fakeplat: Fakeplat, container: str, query: str) -> None:
    """The old form names the label by a parameter."""
    label = create_label(fakeplat, container)

    assert (204, None) == outcome(fakeplat.as_user("ada").delete(f"{container}/labels{query.format(id=label['id'])}"))
    assert [] == list_titles(fakeplat, container)
    assert resource_not_found("Label") == refusal(fakeplat, "ada", "DELETE", f"{container}/labels?name=bug")


@CONTAINERS
def test_a_label_that_changed_since_is_not_deleted(fakeplat: Fakeplat, container: str) -> None:
    """Deleting a label that changed since the client's time answers 412."""
    create_label(fakeplat, container)

    assert STALE == refusal(fakeplat, "ada", "DELETE", f"{container}/labels/bug", headers=LONG_AGO)


@CONTAINERS
def test_subscribing(fakeplat: Fakeplat, container: str) -> None:
    """Subscribing to a label answers 201, and 304 when nothing changes."""
    label = create_label(fakeplat, container)
    calls = fakeplat.as_user("gus")

    assert UNMODIFIED == refusal(fakeplat, "gus", "POST", f"{container}/labels/bug/unsubscribe")
    assert (201, label | {"subscribed": True}) == outcome(calls.post(f"{container}/labels/bug/subscribe"))
    assert UNMODIFIED == refusal(fakeplat, "gus", "POST", f"{container}/labels/bug/subscribe")
    assert (True, False) == tuple(
        fakeplat.as_user(viewer).get(f"{container}/labels/bug").json()["subscribed"] for viewer in ("gus", "ada")
    )
    assert (201, label) == outcome(calls.post(f"{container}/labels/{label['id']}/unsubscribe"))
    assert resource_not_found("Label") == refusal(fakeplat, "gus", "POST", f"{container}/labels/nothing/subscribe")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", f"{container}/labels/bug/subscribe")


@pytest.mark.fakeplat(releases="<18.10")
def test_promoting(fakeplat: Fakeplat) -> None:
    """A project's label becomes its group's; issues of all its projects keep it, once."""
    calls = fakeplat.as_user("ada")
    for project_path in (SITE, DOCS):
        create_label(fakeplat, project_path)
        calls.post(f"{project_path}/issues", json={"title": "One", "labels": "bug"})
    reply = calls.put(f"{SITE}/labels/bug/promote")

    assert (200, "bug", GROUP_LABEL) == (reply.status, reply.json()["name"], set(reply.json()))
    assert ["bug"] == list_titles(fakeplat, ACME)
    for project_path in (SITE, DOCS):
        assert [("bug", False)] == [
            (label["name"], label["is_project_label"]) for label in calls.get(f"{project_path}/labels").json()
        ]
        assert ["bug"] == calls.get(f"{project_path}/issues/1").json()["labels"]


@pytest.mark.fakeplat(releases="<18.10")
def test_promoting_by_parameter(fakeplat: Fakeplat) -> None:
    """The old form names the label, by title or id; to other methods the path is a label called promote."""
    calls, bug = fakeplat.as_user("ada"), create_label(fakeplat)
    assert invalid("name is missing") == refusal(
        fakeplat, "ada", "PUT", f"{SITE}/labels/promote", json={"color": "red"}
    )
    assert resource_not_found("Label") == refusal(
        fakeplat, "ada", "PUT", f"{SITE}/labels/promote", json={"name": "nothing"}
    )
    assert FORBIDDEN == refusal(fakeplat, "gus", "PUT", f"{SITE}/labels/promote", json={"name": "bug"})
    reply = calls.put(f"{SITE}/labels/promote", json={"name": str(bug["id"])})

    assert (200, "bug", GROUP_LABEL) == (reply.status, reply.json()["name"], set(reply.json()))
    create_label(fakeplat, SITE, "promote")
    assert "promote" == calls.get(f"{SITE}/labels/promote").json()["name"]
    assert (204, None) == outcome(calls.delete(f"{SITE}/labels/promote"))


def test_promoting_makes_a_new_label(fakeplat: Fakeplat) -> None:
    """Promoting a label replaces it by a group label with its priorities and subscribers."""
    calls, old = fakeplat.as_user("ada"), create_label(fakeplat, description="Wrong", priority=3)
    create_label(fakeplat, DOCS, priority=7)
    fakeplat.as_user("gus").post(f"{SITE}/labels/bug/subscribe")
    promoted = calls.put(f"{SITE}/labels/bug/promote").json()

    kept = ("name", "color", "description")
    assert [old[name] for name in kept] == [promoted[name] for name in kept]
    assert old["id"] != promoted["id"]
    assert resource_not_found("Label") == refusal(fakeplat, "ada", "GET", f"{SITE}/labels/{old['id']}")
    assert [3, 7] == [calls.get(f"{project_path}/labels/bug").json()["priority"] for project_path in (SITE, DOCS)]
    assert (True, False) == tuple(
        fakeplat.as_user(viewer).get(f"{SITE}/labels/bug").json()["subscribed"] for viewer in ("gus", "ada")
    )


def test_promoting_is_refused(fakeplat: Fakeplat) -> None:
    """Promoting a label requires a group, the label and the right to administer labels."""
    create_label(fakeplat, NOTES)
    create_label(fakeplat)

    failed = (400, {"message": "Failed to promote project label to group label"})
    assert failed == refusal(fakeplat, "ada", "PUT", f"{NOTES}/labels/bug/promote")
    assert resource_not_found("Label") == refusal(fakeplat, "ada", "PUT", f"{SITE}/labels/nothing/promote")
    create_label(fakeplat, ACME, "above")
    assert failed == refusal(fakeplat, "ada", "PUT", f"{SITE}/labels/above/promote")
    assert FORBIDDEN == refusal(fakeplat, "gus", "PUT", f"{SITE}/labels/bug/promote")


@pytest.mark.fakeplat(scenario="starter")
def test_a_project_deletes_labels_of_its_group_but_not_of_groups_above(fakeplat: Fakeplat) -> None:
    """The labels that a project can delete are its own and those of the group that it is in."""
    ada = fakeplat.as_user("ada")
    created = {
        path: ada.post(f"groups/{path}/labels", json={"name": f"of {path}", "color": "#ff0000"}).json()["id"]
        for path in ("acme", "acme%2Ftools")
    }
    labels = "projects/acme%2Ftools%2Fkit/labels"
    assert resource_not_found("Label") == refusal(fakeplat, "ada", "DELETE", f"{labels}/{created['acme']}")
    assert 204 == ada.delete(f"{labels}/{created['acme%2Ftools']}").status
