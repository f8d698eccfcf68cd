"""Searches of later releases. Source: docs/platform/later-releases.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    FIELDS_NEED_ADVANCED_SEARCH,
    SEARCH_HIDES_ARCHIVED,
    SEARCH_REFUSALS_ARE_TEXTS,
    SEARCH_TYPES_ARE_CHECKED,
    SEARCHES_ARE_SORTED,
    SEARCHES_HAVE_LATER_SCOPES,
    SEARCHES_TELL_THEIR_TYPE,
)
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, DOCS, get_json, issue, milestone
from tests.api.requests import Outcome, invalid, names, refusal
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


NO_FORKS = "exclude_forks supported only with exact code search"


@by_release(SEARCH_REFUSALS_ARE_TEXTS, "message", {"18.9": {"error": NO_FORKS}, "19.3": NO_FORKS})
@pytest.mark.parametrize("target", ["", f"{ACME}/", f"{DOCS}/"])
def test_forks_are_left_out_by_exact_searches_only(fake: Fakeplat, target: str, message: object) -> None:
    """Only an exact search of code can leave out forks; any other search refuses the parameter."""
    expected = 400, {"message": message}
    assert expected == refusal(fake, "ada", "GET", f"{target}search?scope=issues&search=a&exclude_forks=true")


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("target", ["", f"{ACME}/", f"{DOCS}/"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("scope=issues&regex=true", "regex supported only with exact code search"),
        ("scope=issues&num_context_lines=3", "num_context_lines supported only with advanced and exact code search"),
        ("scope=issues&fields[]=title", "fields is supported only for advanced search"),
        ("scope=milestones&fields[]=title", "fields is supported only for issues, merge_requests"),
        (
            "scope=issues&search_type=zoekt",
            "400 Bad request - Exact code search is not available, Exact code search can only be used for blobs",
        ),
        (
            "scope=issues&search_type=fast",
            "400 Bad request - Search type should be one of these: basic, advanced, zoekt",
        ),
    ],
)
def test_what_needs_an_index_is_refused(fake: Fakeplat, target: str, query: str, expected: str) -> None:
    """Without an index, paid tiers refuse what only a search of an index can do."""
    assert (400, {"message": expected}) == refusal(fake, "ada", "GET", f"{target}search?search=needle&{query}")


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("lines", [-1, 21])
def test_the_lines_around_a_match_are_limited(fake: Fakeplat, lines: int) -> None:
    """At most twenty lines can be asked for."""
    expected = invalid("num_context_lines does not have a valid value")
    assert expected == refusal(fake, "ada", "GET", f"search?scope=issues&search=a&num_context_lines={lines}")


@pytest.mark.parametrize("query", ["regex=true", "num_context_lines=3", "fields[]=title", "search_type=zoekt"])
def test_the_free_tier_ignores_what_needs_an_index(fake: Fakeplat, query: str) -> None:
    """The free edition does not know these parameters."""
    path = f"{DOCS}/search?scope=issues&search=needle&{query}"
    assert ["A needle"] == names(get_json(fake, path), "title")


UNKNOWN_SCOPE = invalid("scope does not have a valid value")
ADVANCED = "Scope supported only with advanced search"


@pytest.mark.parametrize("target", ["", f"{ACME}/"])
@pytest.mark.parametrize(
    ("scope", "text"),
    [
        ("blobs", f"{ADVANCED} or exact code search"),
        ("commits", ADVANCED),
        ("notes", ADVANCED),
        ("wiki_blobs", ADVANCED),
    ],
)
@pytest.mark.parametrize("tier", ["free", pytest.param("premium", marks=pytest.mark.fakeplat(tier="premium"))])
def test_scopes_of_advanced_searches(fakeplat: Fakeplat, target: str, scope: str, text: str, tier: str) -> None:
    """Outside of projects, paid tiers tell what code, commits, notes and wikis need; others lack the scopes."""
    expected: Outcome = (400, {"message": text}) if tier == "premium" else UNKNOWN_SCOPE
    assert expected == refusal(fakeplat, "ada", "GET", f"{target}search?scope={scope}&search=a")


@by_release(SEARCHES_HAVE_LATER_SCOPES, "status", {"18.11": 400, "19.3": 200})
@pytest.mark.parametrize("target", ["", f"{ACME}/", f"{DOCS}/"])
def test_work_items_are_a_scope(fakeplat: Fakeplat, target: str, status: int) -> None:
    """Later releases search work items."""
    assert status == fakeplat.as_user("ada").get(f"{target}search?scope=work_items&search=a").status


@pytest.mark.parametrize("target", ["", f"{ACME}/", f"{DOCS}/"])
def test_work_items_are_found(fakeplat: Fakeplat, target: str) -> None:
    """Work items are found as issues are, of the types that are asked for, with the addresses of work items."""
    found = issue(fakeplat, DOCS, title="A needle")
    task = issue(fakeplat, DOCS, title="A needle, too", issue_type="task")
    path = f"{target}search?search=needle&scope="
    issues = get_json(fakeplat, f"{path}issues")
    work_items = get_json(fakeplat, f"{path}work_items")

    url = f"{fakeplat.url}/acme/docs/-/work_items"
    assert [f"{url}/{task['iid']}", f"{url}/{found['iid']}"] == names(work_items, "web_url")
    assert [{**row, "web_url": ""} for row in issues] == [{**row, "web_url": ""} for row in work_items]
    assert ["TASK", "ISSUE"] == names(work_items, "type")
    assert [task["id"]] == names(get_json(fakeplat, f"{path}work_items&type[]=task&type[]=nothing"), "id")
    assert [task["id"], found["id"]] == names(get_json(fakeplat, f"{path}work_items&type[]=task&type[]=issue"), "id")
    assert [] == get_json(fakeplat, f"{path}work_items&state=closed")


@pytest.mark.parametrize(
    ("tier", "expected"),
    [
        pytest.param(tier, expected, marks=pytest.mark.fakeplat(tier=tier))
        for tier, expected in {"free": [400, 400, 400], "premium": [200, 400, 400], "ultimate": [200, 200, 400]}.items()
    ],
)
def test_types_of_work_items_have_tiers(fakeplat: Fakeplat, tier: str, expected: list[int]) -> None:
    """A search of types that are all unavailable is refused."""
    del tier
    path, text = (
        "search?scope=work_items&search=a&type[]=",
        "All requested work item types are unavailable or do not exist",
    )
    replies = [fakeplat.as_user("ada").get(f"{path}{name}") for name in ("epic", "requirement", "objective")]
    assert expected == [reply.status for reply in replies]
    assert {"message": f"400 Bad request - {text}"} == replies[-1].json()


def test_the_search_of_work_items_is_switched_off(fakeplat: Fakeplat) -> None:
    """A setting ends the search of work items in the whole instance."""
    fakeplat.load({"settings": {"global_search_work_items_enabled": False}})
    refused = (403, {"message": "403 Forbidden - Global Search is disabled for this scope"})
    assert refused == refusal(fakeplat, "ada", "GET", "search?scope=work_items&search=a")
    assert [] == get_json(fakeplat, f"{ACME}/search?scope=work_items&search=a")


@pytest.mark.fakeplat(tier="premium")
def test_advanced_searches_of_code_are_not_available(fakeplat: Fakeplat) -> None:
    """Code of a project is not searched with an index; a search of other scopes falls back to a basic one."""
    expected = 400, {"message": "400 Bad request - Advanced search is not available"}
    path = f"{DOCS}/search?search=a&search_type=advanced"
    assert expected == refusal(fakeplat, "ada", "GET", f"{path}&scope=blobs")
    assert [] == get_json(fakeplat, f"{path}&scope=issues")


@pytest.mark.fakeplat(tier="premium")
@by_release(SEARCH_TYPES_ARE_CHECKED, "status", {"18.11": 200, "19.3": 400})
def test_the_release_that_checks_types_of_searches(fakeplat: Fakeplat, status: int) -> None:
    """Earlier releases are not known to refuse types in these words."""
    assert status == fakeplat.as_user("ada").get("search?scope=issues&search=a&search_type=zoekt").status


@pytest.mark.fakeplat(tier="premium")
@by_release(FIELDS_NEED_ADVANCED_SEARCH, "status", {"18.10": 200, "18.11": 400})
def test_the_release_that_limits_no_basic_search_to_fields(fakeplat: Fakeplat, status: int) -> None:
    """Before, a basic search could leave out descriptions."""
    assert status == fakeplat.as_user("ada").get("search?scope=issues&search=a&fields[]=title").status


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
