"""Links between issues.

Source: docs/platform/issue-links.md, docs/decisions/rulings.md (12).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import FORBIDDEN_LINK_TEXT, GUESTS_LINK_ISSUES, UNLINKABLE_ISSUE_TEXT
from tests.api.company import COMPANY
from tests.api.issue_fields import ISSUE
from tests.api.notes import ONE, TWO, list_system_notes
from tests.api.planning_records import DOCS, KIT, MISSING, NOTES, SITE, get_json, issue
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, names, outcome, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
LINKS = f"{SITE}/issues/1/links"
BASIC = ISSUE - {"_links", "references", "moved_to_id", "has_tasks"}
ASSIGNED: Outcome = (409, {"message": "Issue(s) already assigned"})
NO_ISSUE: Outcome = (404, {"message": "No Issue found for given params"})
NO_LINK: Outcome = (404, {"message": "No Issue Link found"})


LATER_NO_ISSUE = "No matching issue found. Make sure that you are adding a valid issue URL."


@by_release(UNLINKABLE_ISSUE_TEXT, "expected", {"14.10": "No Issue found for given params", "15.0": LATER_NO_ISSUE})
def test_issues_that_the_caller_cannot_link_are_not_found(fakeplat: Fakeplat, expected: str) -> None:
    """Guests may not link issues, and get a 404 whose text changed."""
    for _ in "ab":
        fakeplat.as_user("ada").post(f"{SITE}/issues", json={"title": "x"})
    reply = fakeplat.as_user("gus").post(LINKS, json={**build_target("acme/site", 2)})
    assert (404, {"message": expected}) == outcome(reply)


@by_release(
    FORBIDDEN_LINK_TEXT,
    "expected",
    {
        "16.10": (404, LATER_NO_ISSUE),
        "16.11": (403, "Couldn't link issue. You must have at least the Reporter role in both projects."),
        "17.0": (403, "Couldn't link issues. You must have at least the Guest role in both projects."),
    },
)
def test_later_refusals_of_links_name_the_role(fakeplat: Fakeplat, expected: tuple[int, str]) -> None:
    """Who has no role in the projects may not link their issues, and later learns which role that takes."""
    for _ in "ab":
        issue(fakeplat, DOCS)
    status, text = expected
    target = build_target("acme/docs", 2)
    assert (status, {"message": text}) == outcome(fakeplat.as_user("eve").post(f"{DOCS}/issues/1/links", json=target))


@by_release(GUESTS_LINK_ISSUES, "expected", {"16.11": 403, "17.0": 201})
def test_guests_link_issues_later(fakeplat: Fakeplat, expected: int) -> None:
    """Guests of both projects may link issues from 17.0 on."""
    for _ in "ab":
        issue(fakeplat)
    assert expected == fakeplat.as_user("gus").post(LINKS, json=build_target("acme/site", 2)).status


def build_target(path: str, iid: int = 1, **more: Any) -> dict[str, Any]:
    return {"target_project_id": path, "target_issue_iid": iid, **more}


def link_issues(fake: Fakeplat, body: dict[str, Any], by: str = "ada", source: str = LINKS) -> Outcome:
    return outcome(fake.as_user(by).post(source, json=body))


@pytest.fixture
def fake(fakeplat: Fakeplat) -> Fakeplat:
    """Two issues in acme/site, one each in acme/docs, acme/tools/kit and ada/notes."""
    for project_path in (SITE, SITE, DOCS, KIT, NOTES):
        issue(fakeplat, project_path)
    return fakeplat


def test_a_link_shows_both_issues(fake: Fakeplat) -> None:
    """A new link answers 201 with both issues in the basic view and its type."""
    status, new_link = link_issues(fake, build_target("acme/docs"))

    assert (201, "relates_to") == (status, new_link["link_type"])
    assert {"source_issue", "target_issue", "link_type"} == set(new_link)
    assert BASIC == set(new_link["source_issue"]) == set(new_link["target_issue"])
    assert get_json(fake, f"{SITE}/issues/1")["id"] == new_link["source_issue"]["id"]
    assert get_json(fake, f"{DOCS}/issues/1")["id"] == new_link["target_issue"]["id"]


@pytest.mark.parametrize(
    ("asked", "here", "there"),
    [
        ("relates_to", "relates_to", "relates_to"),
        ("blocks", "blocks", "is_blocked_by"),
        ("is_blocked_by", "is_blocked_by", "blocks"),
    ],
)
def test_a_link_is_seen_from_both_ends(fake: Fakeplat, asked: str, here: str, there: str) -> None:
    """Each end of a link shows the other with its own type; `is_blocked_by` is stored reversed."""
    new_link = link_issues(fake, build_target("acme/docs", link_type=asked))[1]
    (near,), (far,) = get_json(fake, LINKS), get_json(fake, f"{DOCS}/issues/1/links")

    assert (here, there) == (near["link_type"], far["link_type"])
    assert near["issue_link_id"] == far["issue_link_id"]
    assert ISSUE | {"issue_link_id", "link_type", "subscribed"} == set(near)
    assert (DOCS if asked != "is_blocked_by" else SITE) in f"projects/{read_project_path(new_link['target_issue'])}"
    assert "relates_to" == new_link["link_type"] if asked == "relates_to" else "blocks" == new_link["link_type"]


def read_project_path(issue_view: dict[str, Any]) -> str:
    path = issue_view["web_url"].split("/-/")[0].split("/", 3)[3]
    return str(path).replace("/", "%2F")


def test_links_are_listed_by_age_without_pages(fake: Fakeplat) -> None:
    """Links are listed by age without pages."""
    for body in (build_target("acme/tools/kit"), build_target("ada/notes"), build_target("acme/site", 2)):
        assert 201 == link_issues(fake, body)[0]
    link_issues(fake, build_target("acme/site"), source=f"{DOCS}/issues/1/links")
    reply = fake.as_user("ada").get(LINKS)
    expected = [
        get_json(fake, f"{project_path}/issues/{iid}")["id"]
        for project_path, iid in ((KIT, 1), (NOTES, 1), (SITE, 2), (DOCS, 1))
    ]

    assert expected == names(reply.json(), "id")
    assert sorted(names(reply.json(), "issue_link_id")) == names(reply.json(), "issue_link_id")
    assert "X-Total" not in reply.headers


def test_only_issues_that_the_caller_sees_are_listed(fake: Fakeplat) -> None:
    """Links to confidential issues and hidden projects are left out."""
    issue(fake, DOCS, confidential=True)
    for body in (build_target("acme/docs"), build_target("ada/notes"), build_target("acme/docs", 2)):
        link_issues(fake, body)

    assert 3 == len(get_json(fake, LINKS, "ada"))
    assert "acme/docs#1" == get_json(fake, LINKS)[0]["references"]["relative"]
    assert [get_json(fake, f"{DOCS}/issues/1")["id"]] == names(get_json(fake, LINKS, "gus"), "id")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("target_project_id is missing, target_issue_iid is missing")),
        ({"target_project_id": 1}, invalid("target_issue_iid is missing")),
        (build_target("acme/docs", link_type="causes"), invalid("link_type does not have a valid value")),
        (build_target("acme/none"), resource_not_found("Project")),
        (build_target("acme/docs", 9), MISSING),
        (build_target("acme/site", 1), (422, {"message": "#1 cannot be added: cannot be related to itself"})),
    ],
)
def test_a_link_that_cannot_be_is_refused(fake: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Invalid links are refused with the platform's bodies and change nothing."""
    assert expected == refusal(fake, "ada", "POST", LINKS, json=body)


def test_two_issues_are_linked_once(fake: Fakeplat) -> None:
    """A second link between two issues answers 409 in any direction."""
    link_issues(fake, build_target("acme/docs"))

    assert ASSIGNED == refusal(fake, "ada", "POST", LINKS, json=build_target("acme/docs", link_type="blocks"))
    assert ASSIGNED == refusal(fake, "ada", "POST", f"{DOCS}/issues/1/links", json=build_target("acme/site"))
    assert ASSIGNED == refusal(fake, "rep", "POST", LINKS, json=build_target("acme/docs"))


@pytest.mark.parametrize(
    ("by", "path", "expected"),
    [
        (None, "acme/docs", UNAUTHORIZED),
        ("eve", "acme/docs", resource_not_found("Project")),
        ("gus", "acme/docs", NO_ISSUE),
        ("rep", "ada/notes", resource_not_found("Project")),
    ],
)
def test_linking_requires_rights_on_both_issues(fake: Fakeplat, by: str | None, path: str, expected: Outcome) -> None:
    """Linking issues requires the right to edit both; others do not find the target."""
    assert expected == refusal(fake, by, "POST", LINKS, json=build_target(path))
    assert 201 == link_issues(fake, build_target("acme/docs"), "rep")[0]


def test_reporter_on_one_side_is_not_enough(fake: Fakeplat) -> None:
    """Rep sees acme/docs by its visibility alone when the group's membership is gone."""
    fake.as_user("root").delete(f"groups/acme/members/{fake.world.user('rep').id}")
    fake.as_user("ada").post(f"{DOCS}/members", json={"user_id": fake.world.user("rep").id, "access_level": 20})
    fake.as_user("ada").post(f"{SITE}/members", json={"user_id": fake.world.user("rep").id, "access_level": 10})

    assert NO_ISSUE == refusal(fake, "rep", "POST", LINKS, json=build_target("acme/docs"))
    assert NO_ISSUE == refusal(fake, "rep", "POST", f"{DOCS}/issues/1/links", json=build_target("acme/site"))


def test_deleting_a_link_requires_rights_on_both_issues(fake: Fakeplat) -> None:
    """Deleting a link requires the right to edit both issues."""
    new_link = link_issues(fake, build_target("acme/docs", link_type="blocks"))[1]
    path = f"{LINKS}/{get_json(fake, LINKS)[0]['issue_link_id']}"

    assert UNAUTHORIZED == refusal(fake, None, "DELETE", path)
    assert NO_LINK == refusal(fake, "gus", "DELETE", path)
    assert invalid("link_type does not have a valid value") == refusal(
        fake, "ada", "DELETE", f"{path}?link_type=causes"
    )
    assert (200, new_link) == outcome(fake.as_user("rep").delete(path))
    assert [] == get_json(fake, LINKS)
    assert MISSING == refusal(fake, "ada", "DELETE", path)


def test_links_go_with_their_issues(fake: Fakeplat) -> None:
    """Deleting an issue or its project deletes the issue's links."""
    link_issues(fake, build_target("acme/docs"))
    link_issues(fake, build_target("acme/tools/kit"))
    fake.as_user("ada").delete(f"{DOCS}/issues/1")
    assert 1 == len(get_json(fake, LINKS))
    fake.as_user("ada").delete(KIT)

    assert [] == get_json(fake, LINKS)
    assert 0 == len(fake.bench.platform.view.issue_links)


def test_cached_lists_show_the_changed_issues(fake: Fakeplat) -> None:
    """A list that was asked for before shows the other end's new title, and forgets what became confidential."""
    link_issues(fake, build_target("acme/docs"))
    assert ["One"] == names(get_json(fake, LINKS, "gus"), "title")
    fake.as_user("ada").put(f"{DOCS}/issues/1", json={"title": "Two"})
    assert ["Two"] == names(get_json(fake, LINKS, "gus"), "title")
    fake.as_user("ada").put(f"{DOCS}/issues/1", json={"confidential": True})

    assert [] == get_json(fake, LINKS, "gus")


NOT_AVAILABLE: Outcome = (403, {"message": "Blocked issues not available for current license"})


@pytest.mark.fakeplat(scenario=COMPANY, documented=False)
@pytest.mark.parametrize("link_type", ["blocks", "is_blocked_by"])
def test_blocking_links_are_paid_on_the_platform(fake: Fakeplat, link_type: str) -> None:
    """On the platform's free tier blocking links answer 403 (ruling 12)."""
    assert NOT_AVAILABLE == refusal(fake, "ada", "POST", LINKS, json=build_target("acme/docs", link_type=link_type))
    assert 201 == link_issues(fake, build_target("acme/docs", link_type="relates_to"))[0]
    assert NOT_AVAILABLE == refusal(fake, "ada", "POST", LINKS, json=build_target("acme/docs", link_type=link_type))


@pytest.mark.fakeplat(scenario=COMPANY, documented=False, tier="premium")
@pytest.mark.parametrize("link_type", ["blocks", "is_blocked_by"])
def test_blocking_links_come_with_the_premium_tier(fake: Fakeplat, link_type: str) -> None:
    """On the platform blocking links work from premium on (ruling 12)."""
    assert (201, "blocks") == (link_issues(fake, build_target("acme/docs", link_type=link_type))[0], fake_type(fake))


@pytest.mark.parametrize("link_type", ["blocks", "is_blocked_by"])
def test_blocking_links_are_free_as_documented(fake: Fakeplat, link_type: str) -> None:
    """By default blocking links work on every tier (ruling 12)."""
    assert (201, "blocks") == (link_issues(fake, build_target("acme/docs", link_type=link_type))[0], fake_type(fake))


def fake_type(fake: Fakeplat) -> str:
    """The type of the one link as it is kept."""
    (kept,) = fake.bench.platform.view.issue_links.all()
    return str(kept.link_type)


def test_links_are_noted_at_both_ends(fake: Fakeplat) -> None:
    """Adding and removing a link is noted on both issues with a relative reference."""
    link_issues(fake, build_target("acme/docs"))
    id_ = get_json(fake, LINKS)[0]["issue_link_id"]
    assert ["marked this issue as related to docs#1"] == list_system_notes(fake)
    assert ["marked this issue as related to site#1"] == list_system_notes(fake, f"{DOCS}/issues/1")
    fake.as_user("ada").delete(f"{LINKS}/{id_}")

    assert ["marked this issue as related to docs#1", "removed the relation with docs#1"] == list_system_notes(fake)
    assert ["removed the relation with site#1"] == list_system_notes(fake, f"{DOCS}/issues/1")[1:]


def test_a_mention_is_noted_beside_a_link(fake: Fakeplat) -> None:
    """The note on the link does not stand for it."""
    link_issues(fake, build_target("acme/site", 2))
    fake.as_user("ada").post(f"{ONE}/notes", json={"body": "see #2"})
    assert ["marked this issue as related to #1", "mentioned in issue #1"] == list_system_notes(fake, TWO)


def test_a_link_to_a_hidden_project_is_not_taken_away(fake: Fakeplat) -> None:
    """The project of the target is what is not found."""
    link_issues(fake, build_target("ada/notes"))
    id_ = get_json(fake, LINKS)[0]["issue_link_id"]
    assert resource_not_found("Project") == refusal(fake, "dev", "DELETE", f"{LINKS}/{id_}")
