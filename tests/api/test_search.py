"""Searching everywhere, in groups and in projects."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.issue_fields import ISSUE
from tests.api.merge_requests import BASIC as MERGE_REQUEST
from tests.api.planning_records import ACME, DOCS, KIT, NOTES, SITE, TOOLS, create_record, get_json, issue, milestone
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, missing_value, names, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
BASIC = ISSUE - {"_links", "references", "moved_to_id", "has_tasks"}


def search_names(fake: Fakeplat, target: str, scope: str, text: str, key: str, by: str = "ada") -> list[Any]:
    return names(get_json(fake, f"{target}search?scope={scope}&search={text}", by), key)


@pytest.fixture
def fake(fakeplat: Fakeplat) -> Fakeplat:
    """An issue about a needle in each of four projects, one of them confidential; two milestones."""
    issue(fakeplat, SITE, title="Needle in site", description="hay")
    issue(fakeplat, DOCS, title="Other", description="A NEEDLE in docs")
    issue(fakeplat, DOCS, title="Needle, secret", confidential=True)
    issue(fakeplat, KIT, title="Needle in kit")
    issue(fakeplat, NOTES, title="Needle in notes")
    milestone(fakeplat, "Needle work")
    milestone(fakeplat, "Else", DOCS)
    return fakeplat


@pytest.mark.parametrize(
    ("target", "by", "expected"),
    [
        ("", "ada", ["Needle in notes", "Needle in kit", "Needle, secret", "Other", "Needle in site"]),
        ("", "gus", ["Needle in kit", "Other", "Needle in site"]),
        ("", "eve", ["Needle in kit", "Other"]),
        ("", "ext", ["Other"]),
        (f"{ACME}/", "ada", ["Needle in kit", "Needle, secret", "Other", "Needle in site"]),
        (f"{TOOLS}/", "ada", ["Needle in kit"]),
        (f"{DOCS}/", "ada", ["Needle, secret", "Other"]),
        (f"{DOCS}/", "eve", ["Other"]),
    ],
)
def test_issues_are_found_by_title_and_description(fake: Fakeplat, target: str, by: str, expected: list[str]) -> None:
    """A search finds visible issues by title and description, newest first."""
    assert expected == search_names(fake, target, "issues", "needle", "title", by)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("search=needle%20docs", ["Other"]),
        ("search=needle&state=opened", ["Needle, secret", "Other"]),
        ("search=needle&state=closed", []),
        ("search=needle&confidential=true", ["Needle, secret"]),
        ("search=needle&confidential=false", ["Other"]),
        ("search=%232", ["Needle, secret"]),
        ("search=see%20%232", ["Needle, secret"]),
        ("search=nothing", []),
        ("search=", []),
        ("search=needle&per_page=1&page=2", ["Other"]),
    ],
)
def test_results_are_filtered(fake: Fakeplat, query: str, expected: list[str]) -> None:
    """Search results are filtered by words, state, confidentiality and number."""
    assert expected == names(get_json(fake, f"{DOCS}/search?scope=issues&{query}"), "title")


def test_issues_are_shown_briefly(fake: Fakeplat) -> None:
    """A search shows issues in their basic view."""
    assert BASIC == set(get_json(fake, f"{SITE}/search?scope=issues&search=needle")[0])


@pytest.mark.parametrize(
    ("target", "scope", "text", "key", "by", "expected"),
    [
        ("", "projects", "k", "path", "ada", ["kit"]),
        ("", "projects", "notes", "path", "ada", ["notes"]),
        ("", "projects", "notes", "path", "gus", []),
        (f"{ACME}/", "projects", "i", "path", "gus", ["kit", "site"]),
        ("", "milestones", "needle", "title", "gus", ["Needle work"]),
        ("", "milestones", "needle", "title", "eve", []),
        (f"{ACME}/", "milestones", "else", "title", "eve", ["Else"]),
        (f"{SITE}/", "milestones", "work", "title", "gus", ["Needle work"]),
        ("", "users", "eve", "username", "gus", ["eve"]),
        (f"{ACME}/", "users", "eve", "username", "gus", []),
        (f"{ACME}/", "users", "mia", "username", "gus", ["mia"]),
        (f"{SITE}/", "users", "gus", "username", "gus", ["gus"]),
    ],
)
def test_each_scope_finds_its_own(
    fake: Fakeplat, target: str, scope: str, text: str, key: str, by: str, expected: list[str]
) -> None:
    """Each scope of a search finds its records of the group or project."""
    assert expected == search_names(fake, target, scope, text, key, by)


def test_notes_are_found_in_projects(fake: Fakeplat) -> None:
    """A project search finds users' notes on visible issues."""
    create_record(fake, f"{SITE}/issues/1/notes", body="Found the pin")
    create_record(fake, f"{DOCS}/issues/2/notes", body="A secret pin")
    fake.as_user("ada").put(f"{SITE}/issues/1", json={"title": "pin"})

    assert ["Found the pin"] == search_names(fake, f"{SITE}/", "notes", "pin", "body", "gus")
    assert ["A secret pin"] == search_names(fake, f"{DOCS}/", "notes", "pin", "body")
    assert [] == search_names(fake, f"{DOCS}/", "notes", "pin", "body", "gus")


@pytest.mark.fakeplat(scenario="starter")
def test_code_is_found_by_who_may_read_it(fakeplat: Fakeplat) -> None:
    """Commits by their messages, files by their lines, on the default branch; guests of private projects find none."""
    assert ["Add a logo and a menu"] == search_names(fakeplat, f"{SITE}/", "commits", "MENU", "title")
    (blob,) = get_json(fakeplat, f"{SITE}/search?scope=blobs&search=pages%20%3D")

    assert {
        "basename": "app/server",
        "path": "app/server.py",
        "filename": "app/server.py",
        "ref": "master",
        "startline": 1,
        "project_id": fakeplat.world.project("acme/site").id,
    }.items() <= blob.items()
    assert 'PAGES = {"/": "Welcome"}' in blob["data"]
    assert [[], []] == [search_names(fakeplat, f"{SITE}/", scope, "e", "id", "gus") for scope in ("commits", "blobs")]


@pytest.mark.parametrize("container", [ACME, DOCS])
def test_both_paths_of_a_search_answer_alike(fake: Fakeplat, container: str) -> None:
    """``search`` and ``-/search`` of groups and projects are one operation."""
    query = "search?scope=issues&search=needle"
    assert get_json(fake, f"{container}/{query}") == get_json(fake, f"{container}/-/{query}")


@pytest.mark.parametrize(
    ("target", "scope", "expected"),
    [
        ("", "issues", None),
        ("", "projects", None),
        ("", "users", None),
        ("", "snippet_titles", "0"),
        (f"{ACME}/", "issues", None),
        (f"{ACME}/-/", "milestones", None),
        (f"{DOCS}/", "issues", "2"),
        (f"{DOCS}/-/", "milestones", "0"),
    ],
)
def test_only_searches_of_projects_and_snippets_are_counted(
    fake: Fakeplat, target: str, scope: str, expected: str | None
) -> None:
    """Elsewhere the total is not said, nor the last page; the next page is."""
    headers = fake.as_user("ada").get(f"{target}search?scope={scope}&search=needle&per_page=1").headers

    assert expected == headers.get("X-Total")
    assert (expected is not None) == ("X-Total-Pages" in headers) == ('rel="last"' in headers["Link"])
    assert ("2" if scope == "issues" else "") == headers["X-Next-Page"]


@pytest.mark.parametrize(
    ("issues_level", "merge_requests_level", "expected"),
    [
        ("private", "private", []),
        ("disabled", "private", []),
        ("enabled", "private", ["Needle docs"]),
        ("private", "enabled", ["Needle docs"]),
    ],
)
def test_milestones_are_found_where_issues_or_merge_requests_are_open(
    fake: Fakeplat, issues_level: str, merge_requests_level: str, expected: list[str]
) -> None:
    """A search finds milestones of projects whose issues or merge requests are visible."""
    milestone(fake, "Needle docs", DOCS)
    levels = {"issues_access_level": issues_level, "merge_requests_access_level": merge_requests_level}
    assert 200 == fake.as_user("ada").put(DOCS, json=levels).status

    assert expected == search_names(fake, "", "milestones", "needle", "title", "eve")
    assert expected == search_names(fake, f"{DOCS}/", "milestones", "needle", "title", "eve")
    assert ["Needle docs"] == search_names(fake, f"{DOCS}/", "milestones", "needle", "title")


def test_users_of_the_projects_and_subgroups_of_a_group_are_found(fake: Fakeplat) -> None:
    """A group search finds users of the group's whole hierarchy."""
    calls = fake.as_user("ada")
    assert [] == search_names(fake, f"{ACME}/", "users", "eve", "username")
    for container, level in ((f"{SITE}/members", 10), (f"{TOOLS}/members", 10)):
        assert 201 == calls.post(container, json={"user_id": fake.world.user("eve").id, "access_level": level}).status
        expected = ["eve"] if container.startswith(TOOLS) else []
        assert expected == search_names(fake, f"{ACME}/", "users", "eve", "username")


@pytest.mark.parametrize(
    ("target", "by", "expected"),
    [
        ("search?scope=issues&search=x", None, UNAUTHORIZED),
        (f"{DOCS}/search?scope=issues&search=x", None, UNAUTHORIZED),
        ("search", "ada", invalid(f"search is missing, {missing_value('scope')}")),
        ("search?scope=issues", "ada", invalid("search is missing")),
        ("search?search=x", "ada", invalid(missing_value("scope"))),
        ("search?scope=stars&search=x", "ada", invalid("scope does not have a valid value")),
        ("search?scope=blobs&search=x", "ada", invalid("scope does not have a valid value")),
        (f"{ACME}/search?scope=snippet_titles&search=x", "ada", invalid("scope does not have a valid value")),
        (f"{SITE}/search?scope=projects&search=x", "ada", invalid("scope does not have a valid value")),
        ("search?scope=issues&search=x&state=lost", "ada", invalid("state does not have a valid value")),
        (f"{SITE}/search?scope=issues&search=x", "eve", resource_not_found("Project")),
        ("groups/none/search?scope=issues&search=x", "eve", resource_not_found("Group")),
    ],
)
def test_invalid_searches_are_refused(fakeplat: Fakeplat, target: str, by: str | None, expected: Outcome) -> None:
    """Invalid searches are refused with the platform's bodies."""
    assert expected == refusal(fakeplat, by, "GET", target)


def test_a_repeated_search_reflects_changes(fake: Fakeplat) -> None:
    """A repeated search reflects changes."""
    assert [] == search_names(fake, f"{SITE}/", "issues", "pin", "iid")
    fake.as_user("ada").put(f"{SITE}/issues/1", json={"title": "A pin"})
    assert [1] == search_names(fake, f"{SITE}/", "issues", "pin", "iid")


@pytest.mark.fakeplat(scenario="starter")
@pytest.mark.parametrize(
    ("target", "query", "by", "expected"),
    [
        ("", "search=search", "ada", ["Search by name"]),
        ("", "search=PAGES", "dev", ["Say what the pages are for"]),
        ("", "search=closes", "rep", ["Search by name"]),
        ("", "search=!2", "ada", ["Say what the pages are for"]),
        ("", "search=%232", "ada", ["Say what the pages are for"]),
        ("", "search=see%20!2", "ada", ["Say what the pages are for"]),
        ("", f"search=!{'9' * 5000}", "ada", []),
        (f"{ACME}/", "search=pages", "ada", ["Say what the pages are for"]),
        (f"{SITE}/", "search=name&state=opened", "ada", ["Search by name"]),
        (f"{SITE}/", "search=name&state=merged", "ada", []),
        (f"{SITE}/", "search=name&confidential=true", "ada", ["Search by name"]),
        ("", "search=name", "gus", []),
        ("", "search=name", "eve", []),
        (f"{DOCS}/", "search=name", "eve", []),
    ],
)
def test_merge_requests_are_found_by_title_description_and_number(
    fakeplat: Fakeplat, target: str, query: str, by: str, expected: list[str]
) -> None:
    """A search finds visible merge requests by title, description and number."""
    rows = get_json(fakeplat, f"{target}search?scope=merge_requests&{query}", by)

    assert expected == [row["title"] for row in rows]
    assert all(set(row) == MERGE_REQUEST for row in rows)


@pytest.mark.fakeplat(clock="virtual")
def test_milestones_and_notes_are_ordered_by_their_last_change(fake: Fakeplat) -> None:
    """The one that was changed last comes first."""
    first = milestone(fake, "Needle one", DOCS)["id"]
    milestone(fake, "Needle two", DOCS)
    note = create_record(fake, f"{DOCS}/issues/1/notes", body="needle one")["id"]
    create_record(fake, f"{DOCS}/issues/1/notes", body="needle two")
    fake.clock.advance("1h")
    fake.as_user("ada").put(f"{DOCS}/milestones/{first}", json={"description": "New"})
    fake.as_user("ada").put(f"{DOCS}/issues/1/notes/{note}", json={"body": "needle one, or so"})

    assert ["Needle one", "Needle two"] == search_names(fake, f"{DOCS}/", "milestones", "needle", "title")
    assert ["needle one, or so", "needle two"] == search_names(fake, f"{DOCS}/", "notes", "needle", "body")


def test_users_who_are_named_so_exactly_come_first(fake: Fakeplat) -> None:
    """A search lists users with exactly matching names first."""
    for username, name in (("aa-rex", "Aa"), ("rex", "Zz"), ("bb", "rex")):
        fake.as_user("root").post(
            "users",
            json={
                "username": username,
                "name": name,
                "email": f"{username}@x.test",
                "password": "longenough",
                "skip_confirmation": True,
            },
        )
    assert ["bb", "rex", "aa-rex"] == search_names(fake, "", "users", "rex", "username")


@pytest.mark.fakeplat(version="18.9", tier="premium", default_branch="master")
def test_a_search_is_limited_to_titles(fake: Fakeplat) -> None:
    """In paid tiers, a search of issues and merge requests may leave out descriptions."""
    ada = fake.as_user("ada")
    everywhere = names(ada.get("search?scope=issues&search=needle").json(), "title")
    titles = names(ada.get("search?scope=issues&search=needle&fields[]=title").json(), "title")

    assert everywhere == [*titles[:-1], "Other", titles[-1]]
    answer = refusal(fake, "ada", "GET", "search?scope=issues&search=needle&fields[]=x")
    assert (400, {"error": "fields does not have a valid value"}) == answer
