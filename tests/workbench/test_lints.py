"""Lints: mistakes of clients that the platform does not refuse, made with requests and python-gitlab."""

from itertools import pairwise

import gitlab
import pytest
import requests

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.lints import find_lints
from tests.harness.test_plugin import run, session

__all__ = ["session"]

ISSUES = "projects/acme%2Fsite/issues"
MANY = {"extends": "starter", "generate": [{"into": "acme/site", "issues": 57}]}


@pytest.fixture
def http(fakeplat: Fakeplat) -> requests.Session:
    """A client that a test could have."""
    session = requests.Session()
    session.mount(fakeplat.url, fakeplat.requests_adapter())
    session.headers["PRIVATE-TOKEN"] = fakeplat.token("ada")
    return session


def list_lints(fake: Fakeplat) -> list[str]:
    return find_lints(fake.requests)


@pytest.mark.fakeplat(scenario=MANY)
def test_pages_that_were_never_requested(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A lint names the rows of a list that were read and the next page, until all pages are read in any order."""
    url = f"{fakeplat.api_url}/{ISSUES}"
    http.get(url)
    (text,) = list_lints(fakeplat)
    assert f"list_project_issues: 20 of 62 rows were read; page 2 was never requested (GET /api/v4/{ISSUES})" == text
    for page in (2, 3, 4):
        assert 1 == len(list_lints(fakeplat))
        http.get(f"{url}?page={page}")
    assert [] == list_lints(fakeplat)


@pytest.mark.fakeplat(scenario=MANY)
def test_a_list_of_which_everything_is_read(fakeplat: Fakeplat) -> None:
    """python-gitlab causes no lint with `get_all=True`, nor when the first page was enough."""
    session = requests.Session()
    session.mount(fakeplat.url, fakeplat.requests_adapter())
    client = gitlab.Gitlab(fakeplat.url, private_token="ada-token", session=session)
    project = client.projects.get("acme/site", lazy=True)
    assert 62 == len(project.issues.list(get_all=True))
    assert [] == list_lints(fakeplat)
    project.issues.list(get_all=False, labels="bug", per_page=1)
    assert [] == list_lints(fakeplat)


def test_retry_after_is_ignored(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A lint reports a client that repeats a request before Retry-After has passed."""
    fakeplat.faults.add(operation="get_project", status=429, retry_after=30, nth=1)
    url = f"{fakeplat.api_url}/projects/acme%2Fsite"
    http.get(url)
    fakeplat.clock.advance("31s")
    http.get(url)
    assert [] == list_lints(fakeplat)
    fakeplat.faults.add(operation="get_project", status=429, retry_after=30, nth=1)
    http.get(url)
    http.get(url)
    (text,) = list_lints(fakeplat)
    assert text.startswith("get_project: repeated after 0.0 s, although Retry-After was 30 s")


def test_a_client_that_waits_exactly_as_long_as_told_is_right(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A client that waits exactly as long as Retry-After says causes no lint."""
    fakeplat.faults.add(operation="get_project", status=429, retry_after=30, nth=1)
    url = f"{fakeplat.api_url}/projects/acme%2Fsite"
    http.get(url)
    fakeplat.clock.advance("30s")
    http.get(url)
    assert [30_000] == [second.world_time - first.world_time for first, second in pairwise(fakeplat.requests)]
    assert [] == list_lints(fakeplat)


def test_records_that_cannot_be_read_do_not_count_as_single_reads(fakeplat: Fakeplat, http: requests.Session) -> None:
    """Single reads that are 404 do not count as records read one by one."""
    for iid in range(1000, 1030):
        assert 404 == http.get(f"{fakeplat.api_url}/{ISSUES}/{iid}").status_code
    assert [] == list_lints(fakeplat)


@pytest.mark.fakeplat(clock="real")
def test_polling_without_a_pause(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A lint reports a client that sends the same read many times without a pause."""
    for _ in range(11):
        http.get(f"{fakeplat.api_url}/{ISSUES}/1")
    assert [f"get_issue: polled without a pause (GET /api/v4/{ISSUES}/1)"] == list_lints(fakeplat)


@pytest.mark.fakeplat(scenario=MANY)
def test_records_that_are_read_one_by_one(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A lint reports records that are read one by one and names the operation that lists them."""
    for iid in range(6, 16):
        assert 200 == http.get(f"{fakeplat.api_url}/{ISSUES}/{iid}").status_code
    expected = "get_issue: 10 records were read one by one; list_project_issues returns many at once"
    assert [expected] == list_lints(fakeplat)


@pytest.mark.parametrize("header", ["PRIVATE_TOKEN", "Private-Tokn", "X-Private-Token"])
def test_a_misspelt_header(fakeplat: Fakeplat, http: requests.Session, header: str) -> None:
    """A lint reports a misspelt token header with the right name."""
    http.headers.pop("PRIVATE-TOKEN")
    http.get(f"{fakeplat.api_url}/user", headers={header: "ada-token"})
    (text,) = list_lints(fakeplat)
    assert text.startswith(f"the header {header.lower()} means nothing to the platform; did you mean Private-Token?")


def test_a_token_in_the_query(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A lint reports a token in the query, because queries end up in logs."""
    http.headers.pop("PRIVATE-TOKEN")
    http.get(f"{fakeplat.api_url}/user?private_token=ada-token")
    expected = "get_current_user: private_token is in the query, and so in logs; send the header PRIVATE-TOKEN"
    assert [expected] == list_lints(fakeplat)


def test_an_id_as_iid(fakeplat: Fakeplat, http: requests.Session) -> None:
    """A lint reports an id that was sent as iid, with the reason of the refusal."""
    http.get(f"{fakeplat.api_url}/{ISSUES}/10005")
    (text,) = list_lints(fakeplat)
    assert text.startswith("get_issue: an id was sent as iid (project acme/site (5001) has no issue 10005")


@pytest.mark.fakeplat(scenario=MANY)
def test_requests_of_the_test_itself_do_not_count(fakeplat: Fakeplat) -> None:
    """Requests that the test itself sends cause no lint."""
    fakeplat.as_user("ada").get(ISSUES)
    assert [] == list_lints(fakeplat)


SUITE = """
    import pytest
    from urllib.request import urlopen, Request

    @pytest.fixture(autouse=True)
    def read(fakeplat):
        urlopen(f"{fakeplat.api_url}/projects?private_token=ada-token").close()

    @pytest.mark.fakeplat(lint="error")
    def test_error(fakeplat):
        pass

    def test_failing(fakeplat):
        assert 0

    def test_default(fakeplat):
        pass

    @pytest.mark.fakeplat(lint="warn")
    def test_warning(fakeplat):
        pass
"""


def test_the_option_decides_what_a_lint_does(session: pytest.Pytester) -> None:
    """The lint option decides between error, warning and nothing; a failing test always reports lints."""
    result = run(session, SUITE, "-W", "default")
    result.assert_outcomes(passed=2, failed=2, warnings=1)
    result.stdout.fnmatch_lines(["*- fakeplat lint -*", "list_projects: private_token is in the query*"])
    result.stdout.fnmatch_lines(["*FakeplatWarning: list_projects: private_token is in the query*"])


def test_an_unknown_mode_is_refused(session: pytest.Pytester) -> None:
    """An unknown lint mode is refused with the list of valid modes."""
    result = run(session, "def test(fakeplat): pass", "--fakeplat-lint=loud")
    result.stdout.fnmatch_lines(["*lint must be one of error, warn, off, not 'loud'*"])
