"""Links of incidents to meetings, chats and other pages. Source: docs/platform/alerts.md ('Linked resources')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    WORLD,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium", clock="virtual", scenario=WORLD)
LINK = "issuableResourceLink { id link linkText linkType issue { title } }"
CREATE = write_mutation("issuableResourceLinkCreate", LINK)
DESTROY = write_mutation("issuableResourceLinkDestroy", LINK)
ISSUES = "projects/acme%2Fsite/issues"
MEETING = "https://acme.zoom.us/j/12345?pwd=1"


@pytest.fixture
def incident(fakeplat: Fakeplat) -> dict[str, Any]:
    """An incident of the site."""
    return create_issue(fakeplat, "incident")


def create_issue(fake: Fakeplat, kind: str) -> dict[str, Any]:
    row: dict[str, Any] = fake.as_user("dev").post(ISSUES, json={"title": "Down", "issue_type": kind}).json()
    return {**row, "gid": f"gid://gitlab/Issue/{row['id']}"}


def add(fake: Fakeplat, incident: dict[str, Any], link: str, **given: Any) -> dict[str, Any]:
    payload: dict[str, Any] = query_data(fake, "rep", CREATE, input={"id": incident["gid"], "link": link, **given})[
        "issuableResourceLinkCreate"
    ]
    return payload


def list_links(fake: Fakeplat, incident: dict[str, Any], by: str = "rep") -> list[str]:
    links = f'issuableResourceLinks(incidentId: "{incident["gid"]}") {{ nodes {{ link }} }}'
    selection = f'issue(iid: "{incident["iid"]}") {{ {links} }}'
    return [node["link"] for node in query_project(fake, by, selection)["issue"]["issuableResourceLinks"]["nodes"]]


def list_system_notes(fake: Fakeplat, incident: dict[str, Any]) -> list[str]:
    rows = fake.as_user("dev").get(f"{ISSUES}/{incident['iid']}/notes", params={"sort": "asc"}).json()
    return [row["body"] for row in rows if row["system"]]


def test_a_reporter_links_an_incident(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """A link has the text and the type that are given, and a system note tells of it."""
    payload = add(fakeplat, incident, MEETING, linkText="Call", linkType="zoom")
    link = payload["issuableResourceLink"]

    assert link.pop("id").startswith("gid://gitlab/IncidentManagement::IssuableResourceLink/")
    assert {"link": MEETING, "linkText": "Call", "linkType": "zoom", "issue": {"title": "Down"}} == link
    assert [] == payload["errors"]
    assert ["added a Zoom link"] == list_system_notes(fakeplat, incident)


@pytest.mark.parametrize(
    ("link", "kind", "text"),
    [
        (MEETING, "zoom", "Zoom #12345"),
        ("https://acme.slack.com/messages/C12", "slack", "Slack #C12"),
        ("https://acme.pagerduty.com/incidents/P7", "pagerduty", "PagerDuty incident #P7"),
        ("https://example.com/runbook", "general", "https://example.com/runbook"),
    ],
    ids=["zoom", "slack", "pagerduty", "general"],
)
def test_type_and_text_follow_from_the_address(
    fakeplat: Fakeplat, incident: dict[str, Any], link: str, kind: str, text: str
) -> None:
    """Without a type and with a blank text, both follow from the address."""
    added = add(fakeplat, incident, link, linkText=" ")["issuableResourceLink"]

    assert (kind, text) == (added["linkType"], added["linkText"])


def test_links_are_listed_and_deleted(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """Links are listed from the oldest on, until they are deleted."""
    first = add(fakeplat, incident, "https://example.com/b")["issuableResourceLink"]
    add(fakeplat, incident, "https://example.com/a")
    assert ["https://example.com/b", "https://example.com/a"] == list_links(fakeplat, incident)

    gone = query_data(fakeplat, "rep", DESTROY, input={"id": first["id"]})["issuableResourceLinkDestroy"]
    assert (first, []) == (gone["issuableResourceLink"], gone["errors"])
    assert ["https://example.com/a"] == list_links(fakeplat, incident)
    assert "removed a resource link" == list_system_notes(fakeplat, incident)[-1]


@pytest.mark.parametrize(
    ("link", "error"),
    [
        ("ftp://files.example.com", "Link is blocked: Only allowed schemes are http, https"),
        ("", "Link can't be blank and Link must be a valid URL"),
        (f"https://example.com/{'a' * 2200}", "Link is too long (maximum is 2200 characters)"),
        ("https://EXAMPLE.com/A", "Link already exists for this incident"),
    ],
    ids=["scheme", "blank", "long", "taken"],
)
def test_an_invalid_link_is_refused(fakeplat: Fakeplat, incident: dict[str, Any], link: str, error: str) -> None:
    """A link needs an address of HTTP that the incident does not have, in whatever case."""
    add(fakeplat, incident, "https://example.com/a")
    given = {"id": incident["gid"], "link": link, "linkText": "x"}
    payload = query_refused(fakeplat, "rep", CREATE, input=given)["data"]["issuableResourceLinkCreate"]

    assert {"issuableResourceLink": None, "errors": [error]} == payload


def test_a_guest_has_nothing_to_do_with_links(fakeplat: Fakeplat) -> None:
    """Guests neither see nor change the links of incidents."""
    incident = create_issue(fakeplat, "incident")
    link = add(fakeplat, incident, MEETING)["issuableResourceLink"]

    assert [] == list_links(fakeplat, incident, by="gus")
    created = query_refused(fakeplat, "gus", CREATE, input={"id": incident["gid"], "link": "https://example.com"})
    assert [NOT_AVAILABLE] == list_messages(created)
    destroyed = query_refused(fakeplat, "gus", DESTROY, input={"id": link["id"]})
    assert [NOT_AVAILABLE] == list_messages(destroyed)


def test_other_issues_have_no_links(fakeplat: Fakeplat) -> None:
    """Only incidents can be linked."""
    issue = create_issue(fakeplat, "issue")
    refused = query_refused(fakeplat, "rep", CREATE, input={"id": issue["gid"], "link": MEETING})

    assert [NOT_AVAILABLE] == list_messages(refused)
    assert [] == list_links(fakeplat, issue)


@pytest.mark.fakeplat(tier="free")
def test_the_free_tier_has_no_links(fakeplat: Fakeplat, incident: dict[str, Any]) -> None:
    """Links of incidents are a paid feature."""
    refused = query_refused(fakeplat, "ada", CREATE, input={"id": incident["gid"], "link": MEETING})

    assert [NOT_AVAILABLE] == list_messages(refused)


def test_a_missing_link_is_not_deleted(fakeplat: Fakeplat) -> None:
    """There is nothing to delete under an unknown ID."""
    id_ = "gid://gitlab/IncidentManagement::IssuableResourceLink/1"

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", DESTROY, input={"id": id_}))


@pytest.mark.fakeplat(version="14.10")
def test_older_releases_have_no_links(fakeplat: Fakeplat) -> None:
    """Links of incidents came after 14.10."""
    content = query_refused(
        fakeplat, "rep", '{ issue(id: "gid://gitlab/Issue/1") { issuableResourceLinks { nodes { id } } } }'
    )

    assert ["Field 'issuableResourceLinks' doesn't exist on type 'Issue'"] == list_messages(content)
