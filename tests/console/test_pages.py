"""The pages of the console as HTML, without a browser."""

import re

import pytest

from tests.console.conftest import Console

PAGES = {
    "": "Overview",
    "console/requests": "Requests",
    "console/operations": "Operations",
    "console/projects": "Projects",
    "console/groups": "Groups",
    "console/users": "Users",
    "console/issues": "Issues",
    "console/merge_requests": "Merge requests",
    "console/pipelines": "Pipelines",
    "console/alerts": "Alerts",
    "console/clock": "Clock",
    "console/faults": "Faults",
    "console/snapshots": "Snapshots",
    "console/changes": "Changes",
}
RECORDS = (
    "at/ada",
    "at/groups/acme",
    "at/acme/site",
    "at/acme/site/-/issues/9",
    "at/acme/site/-/merge_requests/9",
    "at/acme/site/-/issues",
)


@pytest.mark.parametrize("page", [*PAGES, *RECORDS])
def test_every_page_stands_on_its_own(full: Console, page: str) -> None:
    """Each page has one main heading and a language, and loads only the console's script and style sheet."""
    document = full.get(page)
    loaded = [
        *document.all("script", "src"),
        *[attrs["href"] for tag, attrs in document.elements if tag == "link" and attrs["rel"] == "stylesheet"],
    ]
    assert 200 == document.status
    assert 1 == len([tag for tag, _ in document.elements if tag == "h1"])
    assert ["en"] == document.all("html", "lang")
    assert ["/_fakeplat/console/static/console.js", "/_fakeplat/console/static/console.css"] == loaded


@pytest.mark.parametrize("page", PAGES)
def test_the_menu_leads_to_every_page_and_says_which_one_is_shown(full: Console, page: str) -> None:
    """The menu links every page and marks the current one."""
    document = full.get(page)
    current = [attrs["href"] for tag, attrs in document.elements if tag == "a" and attrs.get("aria-current") == "page"]
    assert [f"/_fakeplat/{page}"] == current
    assert {f"/_fakeplat/{other}" for other in PAGES} <= set(document.links)


@pytest.mark.parametrize("page", [*PAGES, *RECORDS])
def test_every_link_of_the_console_leads_to_a_page(full: Console, page: str) -> None:
    """No link to a page of the console is broken."""
    targets = {link for link in full.get(page).links if link.startswith("/_fakeplat/")}
    broken = sorted(target for target in targets if full.send("GET", target).status != 200)
    assert [] == broken


def test_pages_load_nothing_from_elsewhere_and_are_not_embedded(full: Console) -> None:
    """The content security policy of a page allows only the console's own styles, scripts and forms."""
    headers = full.get().headers
    assert (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ) == headers["Content-Security-Policy"]
    assert ("nosniff", "same-origin", "no-store") == (
        headers["X-Content-Type-Options"],
        headers["Referrer-Policy"],
        headers["Cache-Control"],
    )


@pytest.mark.parametrize(("name", "kind"), [("console.css", "text/css"), ("console.js", "text/javascript")])
def test_the_style_sheet_and_the_script_are_sent(full: Console, name: str, kind: str) -> None:
    """The style sheet and the script are sent with their content types."""
    document = full.get(f"console/static/{name}")
    assert (200, f"{kind}; charset=utf-8") == (document.status, document.headers["Content-Type"])


@pytest.mark.parametrize("name", ["base.html", "..%2Fpages.py", "%2Fetc%2Fpasswd"])
def test_no_other_file_is_sent(full: Console, name: str) -> None:
    """Templates and files outside the static folder are 404."""
    assert 404 == full.get(f"console/static/{name}").status


def test_the_overview_tells_what_the_world_has(full: Console) -> None:
    """The overview shows the scenario, the counts of records and the users' tokens."""
    text = full.get().text
    assert "full" in text
    assert f"{len(full.bench.platform.view.issues)} Issues" in text
    assert "ada ada-token" in text


def test_lists_are_searched(full: Console) -> None:
    """A search in a list shows the records whose name or title contains the text, in any case."""
    document = full.get("console/users?q=ADA")
    assert ["/_fakeplat/at/ada"] == [link for link in document.links if link.startswith("/_fakeplat/at/")]
    assert "Nothing here contains “zzz”" in full.get("console/users?q=zzz").text


def test_long_lists_have_pages(console: Console) -> None:
    """A list shows 50 records per page and links the next and the previous page."""
    console.bench.load({"generate": [{"into": "acme/docs", "issues": 60}]})
    total = len(console.bench.platform.view.issues)
    first, second = console.get("console/issues"), console.get("console/issues?page=2")
    rows = [len([tag for tag, _ in document.elements if tag == "tr"]) - 1 for document in (first, second)]
    assert [50, total - 50] == rows
    assert "/_fakeplat/console/issues?page=2" in first.links
    assert "/_fakeplat/console/issues?page=1" in second.links


@pytest.mark.parametrize("number", ["0", "-1", "999999999999", "x", ""])
def test_any_page_number_is_answered(full: Console, number: str) -> None:
    """A list responds with 200 to any page number, even to an invalid one."""
    assert 200 == full.get(f"console/issues?page={number}").status


@pytest.mark.parametrize(
    "page",
    [
        "console/nothing",
        "at/no/such/record",
        "at/acme/site/-/nothing",
        "console/requests/99",
        "console/changes?since=x",
    ],
)
def test_an_unknown_record_gets_a_page_of_its_own(full: Console, page: str) -> None:
    """An unknown record is 404 with an HTML page that links to the overview."""
    document = full.get(page)
    assert (404, True) == (document.status, "/_fakeplat/" in document.links)
    assert "text/html; charset=utf-8" == document.headers["Content-Type"]


def test_another_method_is_refused(full: Console) -> None:
    """A POST to a page without a form gets 405."""
    assert 405 == full.post("console/changes").status


def test_all_pages_are_reached_without_a_script(full: Console) -> None:
    """No page has inline handlers or styles, or links that need a script."""
    for page in (*PAGES, *RECORDS):
        source = full.get(page).source
        assert [] == re.findall(r"<[^>]*\s(?:on\w+=|style=)|href=\"javascript:", source), page
