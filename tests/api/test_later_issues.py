"""Issues in later releases: clones, types, iterations, links by id, and the filters of lists.

Source: lib/api/issues.rb, lib/api/issue_links.rb, lib/api/entities/issue.rb and the clone service's spec of the
platform.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CHANGED_TYPES_NAME_BOTH,
    CONFIDENTIAL_IS_NOT_NULL,
    ISSUES_OF_ALL_TYPES,
    ISSUES_TAKE_SEVERITIES,
    MILESTONES_BY_TITLE,
)
from tests.api.company import COMPANY
from tests.api.planning_records import DOCS, KIT, MISSING, NOTES, SITE, create_record, get_json, issue, label, milestone
from tests.api.requests import Outcome, invalid, names, outcome, refusal, resource_not_found
from tests.by_release import by_release

GROUPS = [
    {
        **COMPANY["groups"][0],
        "iterations": [
            {"title": "Past", "start_date": "2020-11-01", "due_date": "2020-11-14"},
            {"title": "Now", "start_date": "2020-11-16", "due_date": "2020-11-29"},
        ],
    }
]
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": GROUPS},
    version="latest",
    tier="ultimate",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
NO_RIGHT: Outcome = (400, {"message": "Cannot clone issue due to insufficient permissions!"})
FIRST = f"{SITE}/issues/1"


def clone_issue(fake: Fakeplat, to: str, by: str = "ada", /, **body: Any) -> Outcome:
    target = fake.world.project(to).id
    return outcome(fake.as_user(by).post(f"{FIRST}/clone", json={"to_project_id": target, **body}))


def count_issues(fake: Fakeplat) -> int:
    counts: dict[str, int] = get_json(fake, "issues_statistics?scope=all")["statistics"]["counts"]
    return counts["all"]


def list_bodies(fake: Fakeplat, path: str) -> list[str]:
    return names(get_json(fake, f"{path}/notes?sort=asc"), "body")


def list_iids(fake: Fakeplat, query: str, path: str = f"{SITE}/issues") -> list[int]:
    return sorted(names(get_json(fake, f"{path}?{query}"), "iid"))


# Clones


def test_a_clone_is_a_new_open_issue_of_the_caller(fakeplat: Fakeplat) -> None:
    """A clone has the texts, dates and people of the original, a new number, and the caller as its author."""
    issue(fakeplat, SITE, "mia", description="text", due_date="2020-12-24", confidential=True, weight=3)
    create_record(fakeplat, f"{FIRST}/award_emoji", name="thumbsup")
    fakeplat.clock.advance("1d")
    status, clone = clone_issue(fakeplat, "acme/docs")
    original = get_json(fakeplat, FIRST)

    assert (201, 1, "One", "text") == (status, clone["iid"], clone["title"], clone["description"])
    assert ("2020-12-24", True, 3, "opened") == (
        clone["due_date"],
        clone["confidential"],
        clone["weight"],
        clone["state"],
    )
    assert ("ada", 0, "acme/docs#1") == (clone["author"]["username"], clone["upvotes"], clone["references"]["full"])
    assert original["created_at"] < clone["created_at"]
    assert ("opened", None) == (original["state"], original["moved_to_id"])


def test_both_issues_of_a_clone_have_a_note(fakeplat: Fakeplat) -> None:
    """The original says where it was cloned to, the clone where from; comments are copied only when asked for."""
    issue(fakeplat)
    create_record(fakeplat, f"{FIRST}/notes", body="A comment")
    clone_issue(fakeplat, "acme/docs")
    clone_issue(fakeplat, "acme/docs", with_notes=True)

    assert ["cloned from site#1"] == list_bodies(fakeplat, f"{DOCS}/issues/1")
    assert ["A comment", "cloned to docs#1", "cloned from site#1"] == list_bodies(fakeplat, f"{DOCS}/issues/2")
    assert ["A comment", "cloned to docs#1", "cloned to docs#2"] == list_bodies(fakeplat, FIRST)


def test_a_clone_has_labels_and_milestone_of_the_same_title_with_events(fakeplat: Fakeplat) -> None:
    """Labels and the milestone that the target has under the same title are set, which is recorded."""
    for project in (SITE, DOCS):
        label(fakeplat, "bug", project)
        milestone(fakeplat, "v1", project)
    own = get_json(fakeplat, f"{SITE}/milestones?title=v1")[0]["id"]
    issue(fakeplat, labels="bug,own", milestone_id=own)
    clone = clone_issue(fakeplat, "acme/docs")[1]

    assert (["bug"], "v1") == (clone["labels"], clone["milestone"]["title"])
    assert ["add"] == names(get_json(fakeplat, f"{DOCS}/issues/1/resource_label_events"), "action")
    assert ["add"] == names(get_json(fakeplat, f"{DOCS}/issues/1/resource_milestone_events"), "action")


def test_assignees_of_a_clone_are_those_who_see_it(fakeplat: Fakeplat) -> None:
    """An assignee without access to the target is left out, the others get a to-do."""
    issue(fakeplat, assignee_ids=[fakeplat.world.user("rep").id, fakeplat.world.user("ada").id])
    in_notes, in_docs = (clone_issue(fakeplat, path)[1] for path in ("ada/notes", "acme/docs"))

    assert ["ada"] == names(in_notes["assignees"], "username")
    assert ["rep", "ada"] == names(in_docs["assignees"], "username")
    assert ["assigned"] * 2 == names(get_json(fakeplat, "todos", "rep"), "action_name")


@pytest.mark.parametrize(
    ("by", "to", "expected"),
    [
        ("gus", "acme/docs", NO_RIGHT),
        ("rep", "acme/docs", 201),
        ("rep", "acme/site", 201),
        ("rep", "ada/notes", NO_RIGHT),
        ("ada", "ada/notes", 201),
    ],
)
def test_reporters_of_both_projects_clone_issues(fakeplat: Fakeplat, by: str, to: str, expected: Any) -> None:
    """Reporters of both projects clone an issue, also within its project; a refusal changes nothing."""
    issue(fakeplat)
    result = clone_issue(fakeplat, to, by)

    assert expected == (result[0] if isinstance(expected, int) else result)
    assert (2 if expected == 201 else 1) == count_issues(fakeplat)


def test_a_moved_issue_is_not_cloned(fakeplat: Fakeplat) -> None:
    """An issue that was moved away cannot be cloned."""
    issue(fakeplat)
    fakeplat.as_user("ada").post(f"{FIRST}/move", json={"to_project_id": fakeplat.world.project("acme/docs").id})

    assert NO_RIGHT == clone_issue(fakeplat, "acme/docs")


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (FIRST, {}, invalid("to_project_id is missing")),
        (FIRST, {"to_project_id": 99_999}, resource_not_found("Project")),
        (f"{SITE}/issues/9", {"to_project_id": 1}, resource_not_found("Issue")),
    ],
)
def test_invalid_clones_are_refused(fakeplat: Fakeplat, path: str, body: dict[str, Any], expected: Outcome) -> None:
    """A clone needs an issue and a project that exist."""
    issue(fakeplat)
    assert expected == refusal(fakeplat, "ada", "POST", f"{path}/clone", json=body)
    assert 1 == count_issues(fakeplat)


def test_a_clone_is_mailed_and_sent_to_webhooks(fakeplat: Fakeplat) -> None:
    """Webhooks get a new issue, and participants of the original a mail about its clone."""
    create_record(fakeplat, f"{DOCS}/hooks", url="https://receiver.example.com", issues_events=True)
    issue(fakeplat, SITE, "mia")
    clone_issue(fakeplat, "acme/docs")
    sent = [hook.json for hook in fakeplat.hooks]
    texts = [mail.body for mail in fakeplat.mails if mail.to.startswith("mia")]

    assert ["open"] == [payload["object_attributes"]["action"] for payload in sent]
    assert any("Issue was cloned to another project." in text for text in texts)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("/clone acme/docs", (DOCS, 1)),
        ("/clone", (SITE, 2)),
        ("/clone acme/docs --with_notes", (DOCS, 1)),
        ("/clone nobody/nothing", None),
    ],
)
def test_a_quick_action_clones(fakeplat: Fakeplat, command: str, expected: tuple[str, int] | None) -> None:
    """`/clone` copies the issue into a project, or into its own."""
    issue(fakeplat)
    fakeplat.as_user("ada").post(f"{FIRST}/notes", json={"body": command})
    if expected is None:
        assert 1 == count_issues(fakeplat)
    else:
        assert "One" == get_json(fakeplat, f"{expected[0]}/issues/{expected[1]}")["title"]


# Fields


def test_issues_show_their_type_and_severity(fakeplat: Fakeplat) -> None:
    """An incident has its type in two writings, and a severity that a quick action sets."""
    incident = issue(fakeplat, issue_type="incident")
    assert ("INCIDENT", "incident", "UNKNOWN") == (incident["type"], incident["issue_type"], incident["severity"])
    fakeplat.as_user("ada").post(f"{FIRST}/notes", json={"body": "/severity S2"})

    assert "HIGH" == get_json(fakeplat, FIRST)["severity"]
    assert "changed the severity to **High - S2**" in list_bodies(fakeplat, FIRST)


def test_later_fields_of_issues(fakeplat: Fakeplat) -> None:
    """Issues tell whether they were imported, whom Service Desk answers, and how many issues they block."""
    issue(fakeplat)
    issue(fakeplat)
    link: dict[str, Any] = {"target_project_id": "acme/site", "target_issue_iid": 2, "link_type": "blocks"}
    create_record(fakeplat, f"{FIRST}/links", **link)
    first, second = (get_json(fakeplat, f"{SITE}/issues/{iid}") for iid in (1, 2))

    assert (False, "none", None) == (first["imported"], first["imported_from"], first["service_desk_reply_to"])
    assert (1, 0) == (first["blocking_issues_count"], second["blocking_issues_count"])
    assert (None, None) == (first["iteration"], first["start_date"])


def test_a_start_date_is_set_and_removed(fakeplat: Fakeplat) -> None:
    """Reporters set the day on which the work begins, Guests only with a new issue."""
    assert "2020-12-01" == issue(fakeplat, start_date="2020-12-01")["start_date"]
    assert None is fakeplat.as_user("ada").put(FIRST, json={"start_date": None}).json()["start_date"]
    assert "2020-12-01" == issue(fakeplat, SITE, "gus", start_date="2020-12-01")["start_date"]
    own = f"{SITE}/issues/2"
    assert "2020-12-01" == fakeplat.as_user("gus").put(own, json={"start_date": None}).json()["start_date"]


@by_release(
    CHANGED_TYPES_NAME_BOTH,
    "note",
    {"16.10": "changed issue type to incident", "16.11": "changed type from issue to incident"},
)
def test_the_type_is_changed_with_a_note(fakeplat: Fakeplat, note: str) -> None:
    """Updating an issue changes its type, which a system note tells."""
    issue(fakeplat)
    updated = fakeplat.as_user("rep").put(FIRST, json={"issue_type": "incident"}).json()

    assert "incident" == updated["issue_type"]
    assert [note] == list_bodies(fakeplat, FIRST)
    assert invalid("issue_type does not have a valid value") == refusal(
        fakeplat, "rep", "PUT", FIRST, json={"issue_type": "story"}
    )


def test_the_type_counts_as_a_change_since_it_can_be_changed(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """The message about a request without a change lists the type from the release on that changes it."""
    for version, is_listed in (("13.5", False), ("16.11", True)):
        fake = fakeplat_factory(scenario=COMPANY, version=version)
        issue(fake)
        message = fake.as_user("ada").put(FIRST, json={}).json()["error"]
        assert is_listed == ("title, issue_type are missing" in message)


def test_test_cases_need_the_ultimate_tier(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """In lower tiers a new test case is an ordinary issue."""
    kinds = [
        issue(fakeplat_factory(scenario=COMPANY, version="latest", tier=tier), issue_type="test_case")["issue_type"]
        for tier in ("premium", "ultimate")
    ]
    assert ["issue", "test_case"] == kinds


# Links


def test_a_link_is_read_by_its_id(fakeplat: Fakeplat) -> None:
    """A link is shown with both issues, from either of its ends."""
    issue(fakeplat)
    issue(fakeplat, KIT)
    created = create_record(fakeplat, f"{FIRST}/links", target_project_id="acme/tools/kit", target_issue_iid=1)
    link_id = created["id"]

    for end in (FIRST, f"{KIT}/issues/1"):
        assert created == get_json(fakeplat, f"{end}/links/{link_id}")
    assert ["id", "source_issue", "target_issue", "link_type"] == list(created)
    assert [fakeplat.world.project(path).id for path in ("acme/site", "acme/tools/kit")] == [
        created[end]["project_id"] for end in ("source_issue", "target_issue")
    ]


def test_a_link_of_other_issues_or_with_a_hidden_target_is_not_found(fakeplat: Fakeplat) -> None:
    """A link is found at its own issues only, and by those who see its target."""
    for project in (DOCS, DOCS, NOTES):
        issue(fakeplat, project)
    link_id = create_record(fakeplat, f"{DOCS}/issues/1/links", target_project_id="ada/notes", target_issue_iid=1)["id"]

    assert MISSING == refusal(fakeplat, "ada", "GET", f"{DOCS}/issues/2/links/{link_id}")
    assert resource_not_found("Project") == refusal(fakeplat, "mia", "GET", f"{DOCS}/issues/1/links/{link_id}")
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{DOCS}/issues/1/links/999999")


# Filters


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("issue_type=incident", [2]),
        ("issue_type=issue", [1, 3]),
        ("health_status=at_risk", [1]),
        ("health_status=None", [2, 3]),
        ("health_status=Any", [1]),
        ("health_status=none", [2, 3]),
        ("health_status=any", [1]),
        ("health_status=AT_risk", [1]),
        ("health_status=ANY", [1]),
        ("iteration_title=Now", [1]),
        ("iteration_id=Current", [1]),
        ("iteration_id=any", [1, 2]),
        ("iteration_id=None", [3]),
        ("not[iteration_title]=Now", [2, 3]),
        ("not[iteration_id]=Current", [2, 3]),
        ("milestone_id=None", [2, 3]),
        ("milestone_id=Any", [1]),
        ("milestone_id=Upcoming", [1]),
        ("milestone_id=Started", []),
        ("not[milestone_id]=Any", [2, 3]),
    ],
)
def test_later_filters(fakeplat: Fakeplat, query: str, expected: list[int]) -> None:
    """Lists are filtered by type, health, iteration and the words for milestones."""
    upcoming = create_record(fakeplat, f"{SITE}/milestones", title="v1", due_date="2020-12-24")
    issue(fakeplat, health_status="at_risk", milestone_id=upcoming["id"], description="/iteration *iteration:Now")
    issue(fakeplat, issue_type="incident", description='/iteration *iteration:"Past"')
    issue(fakeplat)

    assert expected == list_iids(fakeplat, query)
    assert expected == list_iids(fakeplat, f"{query}&scope=all", "groups/acme/issues")
    if not query.startswith("issue_type"):
        counts = get_json(fakeplat, f"{SITE}/issues_statistics?{query}")["statistics"]["counts"]
        assert len(expected) == counts["all"]


def test_issues_are_found_by_who_closed_them(fakeplat: Fakeplat) -> None:
    """The filter closed_by_id selects the issues that a user closed."""
    for iid, closer in ((1, "ada"), (2, "mia"), (3, None)):
        issue(fakeplat)
        if closer is not None:
            fakeplat.as_user(closer).put(f"{SITE}/issues/{iid}", json={"state_event": "close"})

    assert [2] == list_iids(fakeplat, f"closed_by_id={fakeplat.world.user('mia').id}")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("iteration_id=next", "iteration_id should be an integer, none, any, or current, however got next"),
        ("milestone_id=7", "milestone_id does not have a valid value"),
        ("milestone_id=Any&milestone=v1", "milestone_id, milestone are mutually exclusive"),
        ("iteration_id=1&iteration_title=Now", "iteration_id, iteration_title are mutually exclusive"),
        ("issue_type=story", "issue_type does not have a valid value"),
    ],
)
def test_invalid_filters_are_refused(fakeplat: Fakeplat, query: str, expected: str) -> None:
    """Values that a filter does not know are refused."""
    assert invalid(expected) == refusal(fakeplat, "ada", "GET", f"{SITE}/issues?{query}")


def test_iterations_of_issues_are_recorded(fakeplat: Fakeplat) -> None:
    """Setting and removing an iteration by quick actions is shown in the issue and in its events."""
    issue(fakeplat)
    reply = fakeplat.as_user("ada").post(f"{FIRST}/notes", json={"body": "/iteration *iteration:Now"})
    iteration = get_json(fakeplat, FIRST)["iteration"]
    assert (202, "Now") == (reply.status, iteration["title"])
    fakeplat.as_user("ada").post(f"{FIRST}/notes", json={"body": "/remove_iteration"})

    assert None is get_json(fakeplat, FIRST)["iteration"]
    events = get_json(fakeplat, f"{FIRST}/resource_iteration_events")
    assert [("add", iteration["id"]), ("remove", iteration["id"])] == [
        (event["action"], event["iteration"]["id"]) for event in events
    ]


# Parameters


@pytest.mark.parametrize("container", [SITE, "groups/acme"])
def test_a_milestone_is_chosen_by_its_title(fakeplat: Fakeplat, container: str) -> None:
    """The title of a milestone of the project or of a group above it does as well as its id; others are ignored."""
    made, ada = milestone(fakeplat, "v1", container), fakeplat.as_user("ada")
    new_issue = issue(fakeplat, milestone="v1")
    renamed = ada.put(FIRST, json={"milestone": "V1", "title": "Two"}).json()
    cleared = ada.put(FIRST, json={"milestone_id": 0}).json()

    assert [made["id"], made["id"], None] == [
        shown["milestone"] and shown["milestone"]["id"] for shown in (new_issue, renamed, cleared)
    ]
    assert made["id"] == ada.put(FIRST, json={"milestone": " v1 "}).json()["milestone"]["id"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"milestone": "v1", "milestone_id": 1}, "milestone_id, milestone are mutually exclusive"),
        ({"milestone": "x" * 256}, "milestone must be less than 255 characters"),
        ({"epic_id": 1, "epic_iid": 1}, "epic_id, epic_iid are mutually exclusive"),
        ({"severity": "huge"}, "severity does not have a valid value"),
        ({"confidential": None}, "confidential is empty"),
    ],
)
def test_later_parameters_are_checked(fakeplat: Fakeplat, body: dict[str, Any], expected: str) -> None:
    """New and changed issues refuse both names of a milestone or epic, a long title, an unknown severity and a null."""
    issue(fakeplat)
    assert invalid(expected) == refusal(fakeplat, "ada", "POST", f"{SITE}/issues", json={"title": "x", **body})
    assert invalid(expected) == refusal(fakeplat, "ada", "PUT", FIRST, json=body)


@by_release(CONFIDENTIAL_IS_NOT_NULL, "expected", {"18.8": 201, "18.9": 400})
def test_a_null_for_confidential_was_no_value(fakeplat: Fakeplat, expected: int) -> None:
    """A null for confidential is ignored before it is refused."""
    body = {"title": "x", "confidential": None}
    assert expected == fakeplat.as_user("ada").post(f"{SITE}/issues", json=body).status


@by_release(MILESTONES_BY_TITLE, "is_set", {"19.2": False, "19.3": True})
def test_the_title_of_a_milestone_was_ignored(fakeplat: Fakeplat, *, is_set: bool) -> None:
    """A parameter that a release does not know is ignored, as the title of a milestone was."""
    milestone(fakeplat, "v1")
    assert is_set == (issue(fakeplat, milestone="v1")["milestone"] is not None)


@by_release(ISSUES_TAKE_SEVERITIES, "expected", {"19.2": "UNKNOWN", "19.3": "HIGH"})
def test_a_severity_was_ignored(fakeplat: Fakeplat, expected: str) -> None:
    """The severity of an incident is a parameter of the newest releases only."""
    assert expected == issue(fakeplat, issue_type="incident", severity="high")["severity"]


@by_release(ISSUES_OF_ALL_TYPES, "expected", {"18.8": 400, "18.9": 201})
def test_types_that_are_no_issues_were_refused(fakeplat: Fakeplat, expected: int) -> None:
    """A ticket is an unknown type before it is an ordinary issue."""
    body = {"title": "x", "issue_type": "ticket"}
    assert expected == fakeplat.as_user("ada").post(f"{SITE}/issues", json=body).status


@pytest.mark.parametrize(("kind", "expected"), [("incident", ["HIGH", "LOW"]), ("issue", ["UNKNOWN", "UNKNOWN"])])
def test_only_incidents_take_a_severity(fakeplat: Fakeplat, kind: str, expected: list[str]) -> None:
    """The severity of an incident is set when it is made and later; other issues ignore it."""
    made = issue(fakeplat, issue_type=kind, severity="high")
    changed = fakeplat.as_user("rep").put(FIRST, json={"severity": "low"})

    assert expected == [made["severity"], changed.json()["severity"]]
    ignored = fakeplat.as_user("gus").put(FIRST, json={"severity": "medium"})
    assert expected[1] == get_json(fakeplat, FIRST)["severity"], ignored.text


@pytest.mark.parametrize("kind", ["requirement", "ticket"])
def test_types_that_are_no_issues_are_accepted(fakeplat: Fakeplat, kind: str) -> None:
    """Lists are filtered by requirements and tickets too; who asks for one gets an ordinary issue."""
    assert "issue" == issue(fakeplat, issue_type=kind)["issue_type"]
    assert [] == list_iids(fakeplat, f"issue_type={kind}")
