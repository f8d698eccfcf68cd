"""The matrix of operations by release."""

import csv
from io import StringIO

import pytest

from fakeplat.workbench.options import Options
from tests.console.conftest import Console, Document

COLUMNS = ["Operation", "Releases", "13.5 (this world)", "14.10", "15.11", "16.11", "17.11", "18.11", "19.3"]


def list_headings(document: Document) -> list[str]:
    head = document.source[document.source.index("<thead>") : document.source.index("</thead>")]
    return [cell.replace('<span class="hidden">', "").replace("</span>", "") for cell in _cells(head)]


def _cells(head: str) -> list[str]:
    return [part.partition(">")[2].removesuffix("</th>").removesuffix("</tr>") for part in head.split("<th ")[1:]]


def read_table(console: Console, query: str = "") -> list[dict[str, str]]:
    response = console.send("GET", f"/_fakeplat/console/operations.csv{query}")
    assert (200, "text/csv; charset=utf-8") == (response.status, dict(response.headers)["Content-Type"])
    return list(csv.DictReader(StringIO(response.body.decode())))


def test_each_operation_has_a_column_per_release(console: Console) -> None:
    """The columns are the tested releases, of which one is that of the world; a cell says what the release answers."""
    page = console.get("console/operations?q=delete_member_role")
    assert COLUMNS == [heading.removesuffix("</th>") for heading in list_headings(page)]
    cells = "DELETE /api/v4/member_roles/:id delete_member_role since 16.9 – – – ✓ served ✓ served ✓ served ✓ served"
    assert cells in page.text


def test_a_release_between_the_tested_ones_has_a_column(console: Console) -> None:
    """The release of the world has a column also if it is none of the tested ones."""
    bench = Options(usual="virtual", instance={"version": "16.2"}).bench()
    assert "16.2 (this world)" in [*list_headings(Console(bench).get("console/operations"))]
    bench.close()


def test_operations_begin_and_end_with_their_releases(console: Console) -> None:
    """Scopes of feature flags ended with 14.0, topics began with 14.5."""
    (scope,) = read_table(console, "?q=GET+/api/v4/projects/:id/feature_flags/:feature_flag_name/scopes/:environment")
    (topics,) = read_table(console, "?q=GET+/api/v4/topics/:id")
    assert ("", "14.0", "served", "") == (scope["since"], scope["until"], scope["13.5"], scope["14.10"])
    assert ("14.5", "", "", "served") == (topics["since"], topics["until"], topics["13.5"], topics["14.10"])


def test_what_is_not_built_says_so(console: Console) -> None:
    """An operation that is known and not built is told apart from those that are served."""
    rows = read_table(console, "?show=unbuilt")
    assert {"not built", ""} == {row[release] for row in rows for release in ("13.5", "16.11", "19.3")}
    assert "501 , not built" in console.get("console/operations?show=unbuilt").text


def test_operations_of_the_worlds_release_and_of_others(console: Console) -> None:
    """The filter shows what the release of the world has, or what only other releases have."""
    everything, here, elsewhere = (read_table(console, query) for query in ("", "?show=here", "?show=elsewhere"))
    assert len(everything) == len(here) + len(elsewhere)
    assert all(row["13.5"] for row in here)
    assert not any(row["13.5"] for row in elsewhere)
    assert "GET /api/v4/topics" not in {f"{row['method']} {row['path']}" for row in here}


def test_pages_of_operations_keep_the_filters(console: Console) -> None:
    """The next page of filtered operations is filtered, too, and so is the table for a spreadsheet."""
    page = console.get("console/operations?show=here&q=projects")
    assert "/_fakeplat/console/operations?page=2&q=projects&show=here" in page.links
    assert "/_fakeplat/console/operations.csv?q=projects&show=here" in page.links
    assert "No operation matches these filters." in console.get("console/operations?q=zzz").text


def test_an_unknown_filter_of_operations_is_refused(console: Console) -> None:
    """A filter that does not exist is 400 and names those that do."""
    page = console.get("console/operations?show=all")
    assert (400, True) == (page.status, "'all' is none of here, elsewhere, unbuilt" in page.text)


@pytest.mark.parametrize("name", ["list_issues", "create_issue"])
def test_an_operation_leads_to_its_requests(console: Console, name: str) -> None:
    """Each operation leads to the requests of the journal that called it."""
    assert f"/_fakeplat/console/requests?operation={name}" in console.get(f"console/operations?q={name}").links
