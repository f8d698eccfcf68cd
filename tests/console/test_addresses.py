"""Every address that the API shows leads to a page, or to a file: on the platform, and in the console."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
import pytest
from attrs import evolve

from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.workbench.bench import Workbench
from tests.api.test_answers_for_each_caller import GETS, list_paths, send_request
from tests.console.conftest import Console, Document

ORIGIN = "http://localhost"
GUIDE = "docs/guide/in depth.md"
LINKS = "docs/guide/links.md"
RELATIVE = "[a](in%20depth.md) [b](..) [c](/README.md) [d](./none.md#part)"
TEXT = (
    "See #1, @ada, ~bug, %v1.1, !1, $155002, [a file](README.md), [a folder](app) and [an upload](/uploads/{}/a.txt)."
)
CONAN_INFO = b"[settings]"  # a file of a Conan package, which begins like JSON
NO_PAGE = {
    "/acme/site/alerts/notify.json": "which receives alerts, and answers POST only",
    ":9200": "the default address of Elasticsearch, which is another server",
    "/assets/ci_favicons/": "icons of the platform's own pages",
}
ENDPOINTS = ("users/sign_in", "users/password", "unsubscribes/", "-/grafana", "import/", "admin/session", "api/")
"""Paths in the settings of the instance, which are no addresses of records."""


@pytest.fixture(scope="module")
def rich(full: Console) -> Console:
    """The full world, with a branch whose name has a slash, and files in folders of it."""
    console = Console(
        Workbench(Platform(full.bench.platform.state, full.bench.platform.clock), scenario="full", seed=1)
    )
    actions = [{"action": "create", "file_path": GUIDE, "content": "# Guide\n"}]
    actions += [{"action": "create", "file_path": LINKS, "content": RELATIVE}]
    commit = {"branch": "topic/one", "start_branch": "master", "commit_message": "Add a guide", "actions": actions}
    created = console.ask("POST", "projects/acme%2Fsite/repository/commits", "root", orjson.dumps(commit))
    assert 201 == created.status
    return console


def list_addresses(value: Any) -> Iterator[str]:
    """Yield the addresses of the world in a document, as paths with their queries."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from list_addresses(part)
    elif isinstance(value, str):
        path = value.removeprefix(ORIGIN)
        is_path = path != value or (path.startswith("/") and "\n" not in path)
        # The header X-Gitlab-Instance has the origin alone.
        if is_path and path and not path.startswith((*NO_PAGE, *(f"/{endpoint}" for endpoint in ENDPOINTS))):
            yield path


@pytest.fixture(scope="module")
def addresses(rich: Console) -> list[str]:
    """The addresses that all operations show to an administrator, and those in rendered Markdown."""
    platform, addresses_ = rich.bench.platform, set[str]()
    for operation in GETS:
        for path in list_paths(platform, operation):
            _, body, _ = send_request(platform, operation, path, "root")
            if body.startswith((b"{", b"[")) and not body.startswith(CONAN_INFO):
                addresses_.update(list_addresses(orjson.loads(body)))
    secret = next(file.secret for file in platform.view.files.all() if file.filename == "a.txt")
    text = {"text": TEXT.format(secret), "gfm": True, "project": "acme/site"}
    html = orjson.loads(rich.ask("POST", "markdown", "root", orjson.dumps(text)).body)["html"]
    addresses_.update(
        link.removeprefix(ORIGIN) for link in html.split('href="')[1:] for link in [link.partition('"')[0]]
    )
    # Each address is asked once more; the export of a project may be downloaded once a minute.
    platform.limiter.reset()
    return sorted(addresses_)


def is_page_or_file(console: Console, address: str) -> bool:
    """Return whether the platform answers an address with a page or a file, or leads to another host."""
    parts = urlsplit(address)
    headers = {"private-token": "root-token", "accept": "text/html,*/*;q=0.8"}
    answer = console.bench.platform.handle(Request("GET", parts.path, parts.query, headers, origin=ORIGIN))
    location = dict(answer.headers).get("Location", "")
    return answer.status == 200 or (answer.status == 302 and not location.startswith(ORIGIN))


def test_addresses_of_all_kinds_are_known(addresses: list[str]) -> None:
    """The addresses that the tests below use include every kind of page and file."""
    kinds = {path.partition("/-/")[2].partition("/")[0].partition("?")[0] for path in addresses}
    assert {
        *("archive", "blob", "commit", "epics", "feature_flags_user_lists", "issues", "jobs", "merge_requests"),
        *("milestones", "packages", "pipelines", "releases", "snippets", "system", "tags", "tree"),
    } <= kinds
    assert [] == [
        part for part in ("/avatar/", "/uploads/", "/download") if not any(part in path for path in addresses)
    ]


def test_an_address_of_a_note_leads_to_it(rich: Console) -> None:
    """The page of an issue has an element with the id of each note's URL fragment."""
    note = orjson.loads(rich.ask("GET", "projects/acme%2Fsite/issues/9/notes", "root").body)[0]
    assert f"note_{note['id']}" in rich.get(f"at{SITE}/issues/9").all("article", "id")


SITE = "/acme/site/-"
PLACES = {
    f"{SITE}/tree/topic/one": "Branch topic/one",
    f"{SITE}/tree/topic/one/docs/guide": "Folder docs/guide",
    f"{SITE}/tree/v1.0": "Tag v1.0",
    f"{SITE}/blob/topic/one/{quote(GUIDE)}": f"File {GUIDE}",
    f"{SITE}/blob/v1.0/README.md": "File README.md",
    f"{SITE}/commits/topic/one": "Commits of topic/one",
    f"{SITE}/commits/topic/one/{quote(GUIDE)}": "Commits of in depth.md",
    "/acme/site/commits/master": "Commits of master",
    f"{SITE}/compare/master...topic/one": "master → topic/one",
    "/acme/site/compare/v1.0..master": "v1.0 → master",
    f"{SITE}/tags/v1.0": "Tag v1.0",
    f"{SITE}/branches": "Branches",
    f"{SITE}/tags": "Tags",
    f"{SITE}/releases": "Releases",
    f"{SITE}/wikis": "Wikis",
    f"{SITE}/packages": "Packages",
    f"{SITE}/environments": "Environments",
    f"{SITE}/project_members": "Members",
    f"{SITE}/issues?label_name=bug&state=closed": "Issues",
    "/groups/acme/-/issues": "Issues",
    "/groups/acme/-/epics": "Epics",
    "/groups/acme/-/group_members": "Members",
}
"""Addresses that are in webhooks, mails and messages to chats, or that people type, with the heading in the console."""


@pytest.mark.parametrize(("address", "heading"), PLACES.items(), ids=PLACES)
def test_places_have_pages(rich: Console, address: str, heading: str) -> None:
    """Each kind of address has a page on the platform, if necessary after a redirect, and in the console."""
    parts = urlsplit(address)
    request = Request("GET", parts.path, parts.query, {"private-token": "root-token"}, origin=ORIGIN)
    answer = rich.bench.platform.handle(request)
    if answer.status == 302:
        location = urlsplit(dict(answer.headers)["Location"])
        answer = rich.bench.platform.handle(evolve(request, path=location.path))
    page = rich.get(f"at{address}")
    assert (200, 200, True) == (answer.status, page.status, heading in page.text)
    assert [] != [link for link in Document(answer).links if link.startswith("/_fakeplat/at/")]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("acme/site/-/tree/nothing", "has no commit 'nothing'; its branches and tags are: "),
        ("acme/site/-/tree/master/README.md", "there is no folder 'README.md' at master"),
        ("acme/site/-/blob/master/app", "there is no file 'app' at master"),
        ("acme/site/-/blob/master", "there is no file '' at master"),
        ("acme/site/-/commits/nothing", "has no commit 'nothing'"),
        ("acme/site/-/compare/master...nothing", "has no commit 'nothing'"),
        ("acme/site/-/compare/master", "has no commit ''"),
        ("acme/none/-/tree/master", "there is no project acme/none"),
        ("acme/none/commits/master", "there is no project acme/none"),
        ("acme/site/-/raw/master/nothing", "no record of this world has a page at"),
        ("acme/site/-/packages/1", "no record of this world has a page at"),
        ("acme/site/-/releases/v1.0/downloads/none", "no record of this world has a page at"),
        ("acme/site/-/tags/nothing", "no record of this world has a page at"),
        ("acme/site/-/branches/x/%FF", "no record of this world has a page at"),
    ],
)
def test_what_is_not_there_is_named(rich: Console, path: str, why: str) -> None:
    """A missing record is 404 with the reason in the console, and 404 on the platform."""
    page = rich.get(f"at/{path}")
    answer = rich.bench.platform.handle(Request("GET", f"/{path}", headers={"private-token": "root-token"}))
    # The platform redirects from an older address before it looks.
    assert (404, True) == (page.status, why in page.text)
    assert answer.status == 404


@pytest.mark.parametrize(
    ("caller", "page"),
    [
        ("gus", "tree/master/app"),
        ("gus", "blob/master/README.md"),
        ("gus", "commits/master"),
        ("gus", "compare/v1.0...master"),
        ("gus", "tags/v1.0"),
        ("gus", "branches"),
        ("rep", "releases/v1.0/edit"),
        ("rep", "feature_flags_user_lists/1"),
        (None, "issues"),
        (None, "packages"),
        (None, "packages/9640002"),
        (None, "environments/1"),
        (None, "nothing"),
    ],
)
def test_pages_of_the_platform_are_hidden_with_their_records(rich: Console, caller: str | None, page: str) -> None:
    """The platform's pages are 404 for callers who may not see their records."""
    headers = {"private-token": f"{caller}-token"} if caller else {}
    answer = rich.bench.platform.handle(Request("GET", f"{SITE}/{page}", headers=headers))
    assert answer.status == 404


def test_a_folder_lists_folders_before_files_and_shows_its_readme(rich: Console) -> None:
    """A folder lists folders before files and links to the folders above it."""
    page = rich.get(f"at{SITE}/tree/topic/one")
    names = [link.rpartition("/")[2] for link in page.links if f"{SITE}/tree/topic/one/" in link or "/blob/" in link]
    assert (["app", "docs"], True) == (names[:2], "README.md" in names)
    below = rich.get(f"at{SITE}/tree/topic/one/docs/guide")
    assert [f"/_fakeplat/at{SITE}/tree/topic/one", f"/_fakeplat/at{SITE}/tree/topic/one/docs"] == [
        link for link in below.links if "/tree/" in link
    ]
    assert f"/_fakeplat/at{SITE}/blob/topic/one/docs/guide/in%20depth.md" in below.links


def test_a_markdown_file_is_rendered_beside_its_lines(rich: Console) -> None:
    """A Markdown file is rendered with headings below the page's own, and its source has line numbers."""
    page = rich.get(f"at{SITE}/blob/topic/one/{quote(GUIDE)}")
    assert [("h1", "in depth.md"), ("h2", "Preview"), ("h3", "Guide"), ("h2", "Source")] == page.headings
    assert [("L1", "1")] == [(attrs["id"], attrs["data-old"]) for _, attrs in page.elements if "data-old" in attrs]
    raw = rich.send("GET", next(link for link in page.links if "/-/raw/" in link))
    assert (200, b"# Guide\n") == (raw.status, raw.body)


@pytest.mark.parametrize(
    ("address", "kind", "body"),
    [
        (f"{SITE}/raw/topic/one/{quote(GUIDE)}", "text/plain; charset=utf-8", b"# Guide\n"),
        (f"{SITE}/snippets/155002/raw", "text/plain", None),
        (f"{SITE}/commit/master.diff", "text/plain; charset=utf-8", None),
        (f"{SITE}/archive/v1.0/site-v1.0.zip", "application/zip", None),
        ("/avatar/0bfd7d00a182f77199d7fe6c94aff971?s=40", "image/png", None),
    ],
)
def test_files_can_neither_run_nor_load_anything(rich: Console, address: str, kind: str, body: bytes | None) -> None:
    """Files from clients are sent with a policy that forbids scripts and loading."""
    response = rich.send("GET", f"/_fakeplat/at{address}")
    headers = dict(response.headers)
    assert (200, kind, "nosniff") == (response.status, headers["Content-Type"], headers["X-Content-Type-Options"])
    assert "default-src 'none'; sandbox" == headers["Content-Security-Policy"]
    assert body in (None, response.body)


def test_links_in_a_file_are_relative_to_it(rich: Console) -> None:
    """Links in a file are relative to its folder and ref, or to the repository root after a leading slash."""
    links = rich.get(f"at{SITE}/blob/topic/one/{quote(LINKS)}").links
    assert [
        f"/_fakeplat/at{SITE}/blob/topic/one/docs/guide/in%20depth.md",
        f"/_fakeplat/at{SITE}/tree/topic/one/docs",
        f"/_fakeplat/at{SITE}/blob/topic/one/README.md",
        f"/_fakeplat/at{SITE}/blob/topic/one/docs/guide/none.md#part",
    ] == [link for link in links if "/topic/one/" in link and "guide/links" not in link][2:]


@pytest.mark.parametrize(
    ("page", "content"),
    [
        ("/-/snippets/155001", "y"),
        (f"{SITE}/snippets/155002", "x"),
        (f"{SITE}/packages/9640002", "Files File name Created Size app.txt 2020-12-01 10:00:00 3"),
        (f"{SITE}/releases/v1.0", "Links Name Type Address Binary other https://x.test/a"),
        (f"{SITE}/releases/v1.0/downloads/a", "Release link Binary Address https://x.test/a"),
    ],
)
def test_pages_show_the_files_that_belong_to_a_record(rich: Console, page: str, content: str) -> None:
    """Pages show the files of snippets and packages and the assets of releases."""
    assert content in rich.get(f"at{page}").text


def test_issues_are_filtered_as_their_addresses_say(rich: Console) -> None:
    """The list of issues is filtered by state, label and release, and shows its filters."""
    page = rich.get(f"at{SITE}/issues?label_name=bug&state=closed&release_tag=v1.0")
    assert "Issues 1 state closed , label name bug , release tag v1.0 · All issues" in page.text
    assert f"/_fakeplat/at{SITE}/issues/9" in page.links
    assert "Issues 0" in rich.get(f"at{SITE}/issues?label_name=none").text
    assert "Issues 0" in rich.get(f"at{SITE}/issues?release_tag=none").text


def test_every_address_leads_to_a_page_or_a_file(rich: Console, addresses: list[str]) -> None:
    """Each address on the platform is a page or a file for a caller who may see it."""
    assert [] == [address for address in addresses if not is_page_or_file(rich, address)]


def test_every_address_has_a_page_or_a_file_in_the_console(rich: Console, addresses: list[str]) -> None:
    """Each address of the platform has a page or a file at the same path of the console."""
    missing = [path for path in addresses if rich.send("GET", f"/_fakeplat/at{path.partition('#')[0]}").status != 200]
    assert [] == missing
