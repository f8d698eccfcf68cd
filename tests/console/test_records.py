"""Pages of records: what they show, and that every `web_url` leads to one."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.model.world import World
from fakeplat.workbench.inspected.kinds import find_kind, list_parts
from fakeplat.workbench.inspection import RecordView, WorldView
from tests.console.conftest import Console, Document

ORIGIN = "http://localhost"


def list_web_urls(value: Any) -> Iterator[str]:
    """Yield all values of `web_url` in a document."""
    if isinstance(value, dict):
        if isinstance(value.get("web_url"), str):
            yield value["web_url"]
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from list_web_urls(part)


def list_views(view: WorldView) -> Iterator[RecordView]:
    """Yield views of all records that have one, and of the records that belong to them."""
    for table in World.tables:
        # The notes of alerts have a view of their own; all notes come with what they belong to.
        if table.name == "notes":
            continue
        for record in getattr(view.world, table.name).all():
            if find_kind(record) is not None:
                yield RecordView(view, record)
                yield from list_part_views(view, record)


def list_part_views(view: WorldView, record: Any) -> Iterator[RecordView]:
    for part in list_parts(record).values():
        for each in part.find(view.world, record):
            yield RecordView(view, each, part.view)


@pytest.fixture(scope="module")
def web_paths(full: Console) -> list[str]:
    view = WorldView(full.bench.platform, ORIGIN)
    urls = {url for fields in list_views(view) for url in list_web_urls(dict(fields))}
    # The exported archive of a project is a file, not a page.
    return sorted(url.removeprefix(ORIGIN) for url in urls if not url.endswith("/download_export"))


def test_every_web_url_has_a_page_in_the_console(full: Console, web_paths: list[str]) -> None:
    """The path of each `web_url` has a page in the console."""
    kinds = {re.sub(r"[0-9a-f]{40}|\d+", "N", path.partition("/-/")[2]) for path in web_paths}
    assert {"issues/N", "milestones/N", "epics/N", "merge_requests/N", "pipelines/N", "jobs/N", "snippets/N"} <= kinds
    assert [] == [path for path in web_paths if full.get(f"at{path}").status != 200]


def test_every_web_url_leads_to_the_console(full: Console, web_paths: list[str]) -> None:
    """The platform's page of each `web_url` links to that of the console."""
    platform = full.bench.platform.handle
    pages = {path: platform(Request("GET", path, headers={"private-token": "root-token"})) for path in web_paths}
    lost = [
        path for path, page in pages.items() if page.status != 200 or f"/_fakeplat/at{path}" not in Document(page).links
    ]
    assert [] == lost


def test_a_merge_request_shows_its_diff_line_by_line(console: Console) -> None:
    """A merge request shows each changed file with its added and removed lines."""
    document = console.get("at/acme/site/-/merge_requests/1")
    lines = [(attrs["class"], attrs["data-new"]) for tag, attrs in document.elements if "data-new" in attrs]
    assert [("hunk", ""), *[("added", str(number)) for number in range(1, 8)]] == lines
    assert "app/search.py added +7 \N{MINUS SIGN}0" in document.text
    assert '+"""Finds pages by name."""' in document.text
    assert "feature → master" in document.text


def test_a_commit_numbers_kept_and_removed_lines(console: Console) -> None:
    """The diff of a commit numbers its lines before and after the change."""
    console.ask(
        "POST",
        "projects/acme%2Fdocs/repository/commits",
        "ada",
        b'{"branch": "lines", "start_branch": "master", "commit_message": "m", "actions": '
        b'[{"action": "create", "file_path": "n.txt", "content": "one\\ntwo\\nthree\\n"}]}',
    )
    console.ask(
        "POST",
        "projects/acme%2Fdocs/repository/commits",
        "ada",
        b'{"branch": "lines", "commit_message": "m", "actions": '
        b'[{"action": "update", "file_path": "n.txt", "content": "one\\n2\\nthree\\n"}]}',
    )
    document = console.get("at/acme/docs/-/commit/lines")
    lines = [
        (attrs["class"], attrs["data-old"], attrs["data-new"]) for _, attrs in document.elements if "data-old" in attrs
    ]
    assert [
        ("hunk", "", ""),
        ("kept", "1", "1"),
        ("removed", "2", ""),
        ("added", "", "2"),
        ("kept", "3", "3"),
    ] == lines


def test_a_binary_file_in_a_diff_has_no_lines(console: Console) -> None:
    """A binary file in a diff is shown without line numbers."""
    action = b'{"action": "create", "file_path": "b", "content": "AAECAw==", "encoding": "base64"}'
    body = b'{"branch": "master", "commit_message": "m", "actions": [%b]}' % action
    console.ask("POST", "projects/acme%2Fdocs/repository/commits", "ada", body)
    document = console.get("at/acme/docs/-/commit/master")
    assert "b added +0 \N{MINUS SIGN}0" in document.text
    assert {""} == {attrs["data-old"] + attrs["data-new"] for _, attrs in document.elements if "data-old" in attrs}


def test_a_pipeline_shows_its_jobs_and_a_job_its_log(console: Console) -> None:
    """A pipeline links to its jobs, and a job shows its log."""
    console.bench.load({"generate": [{"into": "acme/site", "pipelines": 1}]})
    (pipeline,) = (row for row in console.get("console/pipelines").links if "/-/pipelines/" in row)
    jobs = [link for link in console.get(pipeline.removeprefix("/_fakeplat/")).links if "/-/jobs/" in link]
    log = console.get(jobs[0].removeprefix("/_fakeplat/")).text
    assert "Running job compile of stage build" in log


def test_a_project_shows_the_newest_of_what_belongs_to_it(console: Console) -> None:
    """A project shows its five newest issues and a link to all."""
    console.bench.load({"generate": [{"into": "acme/docs", "issues": 9}]})
    count = len(console.bench.journal) + 9
    document = console.get("at/acme/docs")
    issues = [link for link in document.links if re.fullmatch(r"/_fakeplat/at/acme/docs/-/issues/\d+", link)]
    assert 5 == len(dict.fromkeys(issues))
    assert "/_fakeplat/at/acme/docs/-/issues" in document.links
    assert count <= len({*console.get("at/acme/docs/-/issues").links} - {*document.links}) + 9


def test_an_alert_shows_its_notes(full: Console) -> None:
    """The page of an alert shows its severity."""
    alerts = [link for link in full.get("console/alerts").links if "/-/alert_management/" in link]
    document = full.get(alerts[0].removeprefix("/_fakeplat/"))
    assert (200, True) == (document.status, "Severity" in document.text)


def test_an_issue_shows_its_notes_and_where_it_is(full: Console) -> None:
    """An issue shows its notes and links to its project and group."""
    document = full.get("at/acme/site/-/issues/9")
    assert "Everything closed" in document.text
    assert "Hm" in document.text
    assert ["/_fakeplat/at/groups/acme", "/_fakeplat/at/acme/site"] == [
        link for link in dict.fromkeys(document.links) if re.fullmatch(r"/_fakeplat/at/(groups/acme|acme/site)", link)
    ]


def test_reading_changes_nothing(full: Console) -> None:
    """Reading pages of the console changes neither the records nor the journal."""
    state, requests = full.bench.platform.state, len(full.bench.journal)
    for page in ("", "at/acme/site/-/merge_requests/9", "console/pipelines"):
        full.get(page)
    assert (True, requests) == (state is full.bench.platform.state, len(full.bench.journal))


def test_facts_lead_to_their_pages(console: Console) -> None:
    """Branches, commits and labels with a page are links, and a deleted branch is plain text."""
    base = "/_fakeplat/at/acme/site/-"
    ada = {"private-token": "ada-token"}
    platform = console.bench.platform
    merge_request = console.get("at/acme/site/-/merge_requests/1").links
    head = WorldView(platform, ORIGIN).project("acme/site").merge_request(1).sha
    wanted = {f"{base}/tree/feature", f"{base}/tree/master", f"{base}/commit/{head}"}
    assert wanted | {f"{base}/merge_requests?label_name=feature"} <= {*merge_request}
    assert f"{base}/issues?label_name=bug" in console.get("at/acme/site/-/issues/1").links
    parent = WorldView(platform, ORIGIN).project("acme/site").commits[0].parent_ids[0]
    commit = WorldView(platform, ORIGIN).project("acme/site").commits[0].id
    assert f"{base}/commit/{parent}" in console.get(f"at/acme/site/-/commit/{commit}").links
    branch = "/api/v4/projects/acme%2Fsite/repository/branches/feature"
    assert 204 == platform.handle(Request("DELETE", branch, headers=ada)).status
    assert f"{base}/tree/feature" not in console.get("at/acme/site/-/merge_requests/1").links
