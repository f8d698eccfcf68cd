"""Searches of later releases. Source: docs/platform/later-releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SEARCH_HIDES_ARCHIVED, SEARCHES_ARE_SORTED, SEARCHES_TELL_THEIR_TYPE
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, DOCS, get_json, issue, milestone
from tests.api.requests import names, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest")
SCOPES = {"projects": "docs", "issues": "needle", "milestones": "needle"}


@pytest.fixture
def fake(fakeplat: Fakeplat) -> Fakeplat:
    """An archived project with an issue and a milestone about a needle."""
    issue(fakeplat, DOCS, title="A needle")
    milestone(fakeplat, "A needle", DOCS)
    fakeplat.as_user("root").post(f"{DOCS}/archive")
    return fakeplat


@pytest.mark.parametrize("target", ["", f"{ACME}/"])
@pytest.mark.parametrize("scope", ["projects", "issues", "milestones"])
def test_archived_projects_are_searched_on_demand(fake: Fakeplat, target: str, scope: str) -> None:
    """A search leaves out what is in archived projects unless it asks for them."""
    path = f"{target}search?scope={scope}&search={SCOPES[scope]}"

    assert [] == get_json(fake, path)
    assert [] == get_json(fake, f"{path}&include_archived=false")
    assert 1 == len(get_json(fake, f"{path}&include_archived=true"))


def test_a_search_in_an_archived_project_finds_its_records(fake: Fakeplat) -> None:
    """A search in a single project does not ask whether it is archived."""
    assert ["A needle"] == names(get_json(fake, f"{DOCS}/search?scope=issues&search=needle"), "title")


@by_release(SEARCH_HIDES_ARCHIVED, "count", {"16.5": 1, "16.6": 0})
def test_the_release_that_hides_archived_projects(fake: Fakeplat, count: int) -> None:
    """Searches leave out archived projects since 16.6."""
    assert count == len(get_json(fake, "search?scope=issues&search=needle"))


@pytest.mark.parametrize("target", ["", f"{ACME}/"])
def test_forks_are_left_out_by_exact_searches_only(fake: Fakeplat, target: str) -> None:
    """Only an exact search of code can leave out forks; any other search refuses the parameter."""
    expected = 400, {"message": {"error": "exclude_forks supported only with exact code search"}}
    assert expected == refusal(fake, "ada", "GET", f"{target}search?scope=issues&search=a&exclude_forks=true")


@by_release(SEARCHES_ARE_SORTED, "expected", {"13.11": ["Hay 2", "Hay 1"], "13.12": ["Hay 1", "Hay 2"]})
def test_issues_are_found_in_an_order(fakeplat: Fakeplat, expected: list[str]) -> None:
    """Issues that are found are sorted as asked for; an unknown order, or one without direction, counts as none."""
    for title in ("Hay 1", "Hay 2"):
        issue(fakeplat, DOCS, title=title)
    path = "search?scope=issues&search=hay"
    for order in ("created_at", "updated_at"):
        assert expected == names(get_json(fakeplat, f"{path}&order_by={order}&sort=asc"), "title")
    for query in ("&order_by=created_at", "&order_by=height&sort=asc", "&sort=asc", "&order_by=created_at&sort=desc"):
        assert ["Hay 2", "Hay 1"] == names(get_json(fakeplat, path + query), "title")


@by_release(SEARCHES_TELL_THEIR_TYPE, "types", {"17.10": [], "17.11": ["basic"]})
def test_a_search_tells_its_type(fakeplat: Fakeplat, types: list[str]) -> None:
    """A search says in a header that it does without an index."""
    for target in ("", f"{ACME}/", f"{DOCS}/"):
        headers = fakeplat.as_user("ada").get(f"{target}search?scope=issues&search=hay").headers
        assert types == [value for name, value in headers.items() if name == "X-Search-Type"]
