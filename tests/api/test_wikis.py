"""Wikis of projects and groups. Source: docs/platform/wikis.md."""

from typing import Any

import pytest

from fakeplat.domain.people import namespaces
from fakeplat.domain.wikis import wikis
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.world import World
from tests.api.company import COMPANY
from tests.api.requests import (
    FORBIDDEN,
    NO_ROUTE,
    Outcome,
    form,
    invalid,
    invalid_record,
    names,
    outcome,
    refusal,
    resource_not_found,
)

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, clock="virtual", start="2020-11-20T09:00:00.000Z")
SITE, DOCS, ACME = "projects/acme%2Fsite", "projects/acme%2Fdocs", "groups/acme"
WIKIS = f"{SITE}/wikis"
PAGE = {"title": "title", "content": "content", "format": "rdoc"}
MISSING = resource_not_found("Wiki Page")
PREMIUM = pytest.mark.fakeplat(scenario=COMPANY, tier="premium")


def create_page(fake: Fakeplat, title: str, by: str = "dev", where: str = WIKIS, **fields: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(where, json={"title": title, "content": "text", **fields})
    assert 201 == reply.status, reply.json()
    return dict(reply.json())


def list_slugs(fake: Fakeplat, where: str = WIKIS) -> list[Any]:
    return names(fake.as_user("dev").get(where).json(), "slug")


def test_a_page_is_created_and_read(fakeplat: Fakeplat) -> None:
    """A list shows its text on demand."""
    page = create_page(fakeplat, "title", content="content", format="rdoc")
    calls = fakeplat.as_user("gus")

    assert {"format": "rdoc", "slug": "title", "title": "title", "content": "content"} == page
    assert page == calls.get(f"{WIKIS}/title").json()
    assert [{"format": "rdoc", "slug": "title", "title": "title"}] == calls.get(WIKIS).json()
    assert [page] == calls.get(f"{WIKIS}?with_content=true").json()


@pytest.mark.parametrize(
    ("title", "slug", "expected"),
    [
        ("My page", "My-page", "My page"),
        ("  My \t page ", "My-page", "My page"),
        ("Folder/My page", "Folder/My-page", "My page"),
        (" a b / c  d ", "a-b/c-d", "c d"),
        ("/root", "root", "root"),
        ("a<b>+c", "a-b--c", "a b  c"),
        ("Grüße", "Grüße", "Grüße"),
        ("v1.0", "v1.0", "v1.0"),
    ],
)
def test_a_slug_is_the_title_with_dashes(fakeplat: Fakeplat, title: str, slug: str, expected: str) -> None:
    """Slashes make folders, which the title of the page does not show."""
    page = create_page(fakeplat, title)

    assert (slug, expected) == (page["slug"], page["title"])
    quoted = slug.replace("/", "%2F")
    assert page == fakeplat.as_user("dev").get(f"{WIKIS}/{quoted}").json()


@pytest.mark.parametrize("markup", ["markdown", "rdoc", "asciidoc", "org"])
def test_a_page_has_one_of_four_formats(fakeplat: Fakeplat, markup: str) -> None:
    """A wiki page has one of four formats, Markdown by default."""
    assert markup == create_page(fakeplat, "Page", format=markup)["format"]
    assert "markdown" == create_page(fakeplat, "Other")["format"]


def test_a_page_is_found_in_any_case_but_in_its_folder_only(fakeplat: Fakeplat) -> None:
    """A wiki page is found by slug or title in any case."""
    create_page(fakeplat, "Folder/My page")
    calls = fakeplat.as_user("dev")

    assert 200 == calls.get(f"{WIKIS}/folder%2Fmy-page").status
    assert 200 == calls.get(f"{WIKIS}/Folder%2FMy%20page").status
    assert MISSING == outcome(calls.get(f"{WIKIS}/My-page"))


def test_parts_of_the_layout_are_not_listed(fakeplat: Fakeplat) -> None:
    """Pages whose names start with an underscore are read by their slugs."""
    for title in ("home", "_sidebar", "folder/page"):
        create_page(fakeplat, title)

    assert ["folder/page", "home"] == list_slugs(fakeplat)
    assert 200 == fakeplat.as_user("dev").get(f"{WIKIS}/_sidebar").status


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"content": "new"}, {"slug": "Folder/My-page", "title": "My page", "content": "new"}),
        ({"title": "New title"}, {"slug": "Folder/New-title", "title": "New title", "content": "text"}),
        ({"title": "/New title"}, {"slug": "New-title", "title": "New title", "content": "text"}),
        ({"title": "Other/My page"}, {"slug": "Other/My-page", "title": "My page", "content": "text"}),
        ({"title": "My page"}, {"slug": "Folder/My-page", "title": "My page", "content": "text"}),
        (
            {"format": "org"},
            {"slug": "Folder/My-page", "title": "My page", "content": "text", "format": "org"},
        ),
    ],
)
def test_a_page_is_changed(fakeplat: Fakeplat, changes: dict[str, str], expected: dict[str, str]) -> None:
    """A new title renames it within its folder, unless the title has folders."""
    create_page(fakeplat, "Folder/My page")
    reply = fakeplat.as_user("dev").put(f"{WIKIS}/Folder%2FMy-page", json=changes)

    assert (200, {"format": "markdown", **expected}) == outcome(reply)
    assert [expected["slug"]] == list_slugs(fakeplat)


def test_a_page_becomes_markdown_unless_its_format_is_sent(fakeplat: Fakeplat) -> None:
    """The platform's parameter has this default when it updates, too."""
    create_page(fakeplat, "Page", format="org")

    assert "markdown" == fakeplat.as_user("dev").put(f"{WIKIS}/Page", json={"content": "x"}).json()["format"]


def test_a_page_is_deleted(fakeplat: Fakeplat) -> None:
    """Maintainers delete wiki pages, Developers do not."""
    create_page(fakeplat, "Page")
    calls = fakeplat.as_user("mia")

    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{WIKIS}/Page")
    assert 204 == calls.delete(f"{WIKIS}/Page").status
    assert [MISSING, MISSING] == [outcome(calls.delete(f"{WIKIS}/Page")), outcome(calls.get(f"{WIKIS}/Page"))]
    assert [] == list_slugs(fakeplat)


DUPLICATE = "Duplicate page: Cannot write {0}/{1}, found {0}/{2}."


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("title is missing, content is missing")),
        ({"title": "x"}, invalid("content is missing")),
        ({"title": "x", "content": "x", "format": "rst"}, invalid("format does not have a valid value")),
        ({"title": " ", "content": ""}, invalid_record(title=["can't be blank"], content=["can't be blank"])),
        ({"title": "x" * 246, "content": "x"}, invalid_record(title=["exceeds the limit of 245 bytes"])),
        (
            {"title": f"{'d' * 256}/x", "content": "x"},
            invalid_record(title=[f'exceeds the limit of 255 bytes for directory name "{"d" * 256}"']),
        ),
        ({"title": "page", "content": "x"}, invalid_record(base=[DUPLICATE.format("/", "page.md", "Page.md")])),
        (
            {"title": "Page", "content": "x", "format": "org"},
            invalid_record(base=[DUPLICATE.format("/", "Page.org", "Page.md")]),
        ),
        (
            {"title": "in/page", "content": "x"},
            invalid_record(base=[DUPLICATE.format("in", "page.md", "page.md")]),
        ),
        ({"title": "../x", "content": "x"}, invalid_record(base=["Invalid path"])),
        ({"title": ".git/x", "content": "x"}, invalid_record(base=["Invalid path"])),
    ],
    ids=lambda value: "",
)
def test_a_wrong_page_is_refused(fakeplat: Fakeplat, body: dict[str, str], expected: Outcome) -> None:
    """A name is taken whatever its case and format, per folder."""
    create_page(fakeplat, "Page")
    create_page(fakeplat, "in/page")

    assert expected == refusal(fakeplat, "dev", "POST", WIKIS, json=body)


@pytest.mark.parametrize(
    ("slug", "body", "expected"),
    [
        ("Page", {}, invalid("content, title, format are missing, at least one parameter must be provided")),
        ("Page", {"content": ""}, invalid_record(content=["can't be blank"])),
        (
            "Page",
            {"title": "Other"},
            invalid_record(base=["There is already a page with the same title in that path."]),
        ),
        ("unknown", {"content": "x"}, MISSING),
    ],
)
def test_a_wrong_change_is_refused(fakeplat: Fakeplat, slug: str, body: dict[str, str], expected: Outcome) -> None:
    """A page that is there is not overwritten."""
    create_page(fakeplat, "Page")
    create_page(fakeplat, "Other")

    assert expected == refusal(fakeplat, "dev", "PUT", f"{WIKIS}/{slug}", json=body)


def test_the_size_of_a_page_is_limited(fakeplat: Fakeplat) -> None:
    """The size of a wiki page is limited by `wiki_page_max_content_bytes`."""
    fakeplat.as_user("root").put("application/settings", json={"wiki_page_max_content_bytes": 1024})
    text = "is too long (1 KB). The maximum size is 1 KB."

    assert invalid_record(content=[text]) == refusal(
        fakeplat, "dev", "POST", WIKIS, json={"title": "x", "content": "ü" * 513}
    )
    create_page(fakeplat, "x", content="ü" * 512)


def test_commits_name_user_and_message(fakeplat: Fakeplat) -> None:
    """Wiki commits have the user and the sent or default message."""
    fakeplat.as_user("dev").post(WIKIS, json={"title": "A b", "content": "x", "message": "Mine"})
    fakeplat.as_user("ada").put(f"{WIKIS}/A-b", json={"content": "y", "title": "c"})
    fakeplat.as_user("ada").delete(f"{WIKIS}/c")
    create_page(fakeplat, "d/e")
    git = open_wiki_repository(fakeplat)

    assert [
        ("dev", "dev created page: d/e"),
        ("ada", "ada deleted page: c"),
        ("ada", "ada updated page: A b"),
        ("dev", "Mine"),
    ] == [(commit.author.name, commit.message) for commit in git.log("master")]


def open_wiki_repository(fake: Fakeplat, path: str = "acme/site") -> Any:
    world = World(fake.bench.platform.state)
    project = namespaces.find_project(world, path)
    assert project is not None
    return wikis.open_repository(world, project)


@pytest.mark.fakeplat(scenario=COMPANY, version="latest")
def test_a_newer_release_reads_versions_of_a_page(fakeplat: Fakeplat) -> None:
    """Newer releases read a wiki page at a commit; unknown ones answer 404."""
    create_page(fakeplat, "Page", content="old")
    first = open_wiki_repository(fakeplat).resolve("HEAD")
    calls = fakeplat.as_user("dev")
    calls.put(f"{WIKIS}/Page", json={"content": "new"})

    assert "old" == calls.get(f"{WIKIS}/Page?version={first}").json()["content"]
    assert ("new", "UTF-8") == tuple(calls.get(f"{WIKIS}/Page").json()[key] for key in ("content", "encoding"))
    assert MISSING == outcome(calls.get(f"{WIKIS}/Page?version={'0' * 40}"))


@pytest.mark.fakeplat(scenario=COMPANY, version="latest", tier="premium")
@pytest.mark.parametrize("wiki", [WIKIS, f"{ACME}/wikis"], ids=["project", "group"])
def test_a_newer_release_renders_pages(fakeplat: Fakeplat, wiki: str) -> None:
    """Newer releases render wiki pages as sanitized HTML on request."""
    create_page(fakeplat, "Page", "ada", wiki, content="**bold** <script>x</script>")
    calls = fakeplat.as_user("ada")

    rendered = calls.get(f"{wiki}/Page?render_html=true").json()
    assert ('<p dir="auto"><strong>bold</strong> </p>', "UTF-8", "markdown") == tuple(
        rendered[key] for key in ("content", "encoding", "format")
    )
    for query in ("", "?render_html=false"):
        assert "**bold** <script>x</script>" == calls.get(f"{wiki}/Page{query}").json()["content"]


@pytest.mark.fakeplat(scenario=COMPANY, version="latest")
def test_references_in_rendered_pages_are_links(fakeplat: Fakeplat) -> None:
    """References in rendered wiki pages link records of the project."""
    create_page(fakeplat, "Page", content="See @dev")
    html = fakeplat.as_user("dev").get(f"{WIKIS}/Page?render_html=true").json()["content"]

    assert '/dev"' in html


@pytest.mark.fakeplat(scenario=COMPANY, version="latest")
def test_an_old_version_of_a_page_is_rendered(fakeplat: Fakeplat) -> None:
    """A wiki page is rendered at an old version with `version` and `render_html`."""
    create_page(fakeplat, "Page", content="old")
    first = open_wiki_repository(fakeplat).resolve("HEAD")
    calls = fakeplat.as_user("dev")
    calls.put(f"{WIKIS}/Page", json={"content": "new"})

    html = calls.get(f"{WIKIS}/Page?version={first}&render_html=true").json()["content"]
    assert '<p dir="auto">old</p>' == html


@pytest.mark.fakeplat(scenario=COMPANY, version="latest")
def test_pages_of_other_formats_are_not_rendered(fakeplat: Fakeplat) -> None:
    """Wiki pages of other formats than Markdown are shown as escaped text."""
    create_page(fakeplat, "Page", content="= <b>", format="rdoc")

    assert "<pre>= &lt;b&gt;</pre>" == fakeplat.as_user("dev").get(f"{WIKIS}/Page?render_html=true").json()["content"]


def test_pages_are_not_rendered_at_13_5(fakeplat: Fakeplat) -> None:
    """The parameter is unknown, and ignored."""
    create_page(fakeplat, "Page", content="**bold**")

    assert "**bold**" == fakeplat.as_user("dev").get(f"{WIKIS}/Page?render_html=true").json()["content"]


def test_a_file_is_attached(fakeplat: Fakeplat) -> None:
    """An attachment is committed under a random name and served."""
    calls = fakeplat.as_user("dev")
    reply = calls.post(f"{WIKIS}/attachments", **form(file=("dk.png", "image/png", b"\x89PNG")))
    attachment = reply.json()
    path = attachment["file_path"]

    assert (201, {"file_name", "file_path", "branch", "link"}) == (reply.status, set(attachment))
    assert ("dk.png", "master") == (attachment["file_name"], attachment["branch"])
    assert ("uploads", 32, "dk.png") == tuple(
        len(part) if position == 1 else part for position, part in enumerate(path.split("/"))
    )
    assert {"url": path, "markdown": f"![dk]({path})"} == attachment["link"]
    assert b"\x89PNG" == open_wiki_repository(fakeplat).file("HEAD", path)
    assert "Upload attachment dk.png" == open_wiki_repository(fakeplat).commit("HEAD").message
    assert [] == list_slugs(fakeplat)


def test_an_attachment_may_go_to_another_branch(fakeplat: Fakeplat) -> None:
    """An attachment may be committed to another branch, which starts without history."""
    create_page(fakeplat, "home")
    sent = form(file=("a.txt", "text/plain", b"x"), branch="drafts")
    attachment = fakeplat.as_user("dev").post(f"{WIKIS}/attachments", **sent).json()
    path = attachment["file_path"]

    assert ("drafts", f"[a.txt]({path})") == (attachment["branch"], attachment["link"]["markdown"])
    assert (["drafts", "master"], ["home"]) == ([*open_wiki_repository(fakeplat).branches()], list_slugs(fakeplat))


@pytest.mark.parametrize(
    ("body", "expected"),
    [({}, "file is missing"), ({"file": "x"}, "file is invalid"), ({"file": {"a": 1}}, "file is invalid")],
)
def test_an_attachment_is_a_file(fakeplat: Fakeplat, body: dict[str, Any], expected: str) -> None:
    """An attachment of a wiki that is no file is refused."""
    assert invalid(expected) == refusal(fakeplat, "dev", "POST", f"{WIKIS}/attachments", json=body)


OPERATIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", WIKIS, {}),
    ("GET", f"{WIKIS}/title", {}),
    ("POST", WIKIS, {"json": PAGE}),
    ("PUT", f"{WIKIS}/title", {"json": PAGE}),
    ("DELETE", f"{WIKIS}/title", {}),
]


@pytest.mark.parametrize(("method", "path", "rest"), OPERATIONS)
def test_a_disabled_wiki_is_forbidden(fakeplat: Fakeplat, method: str, path: str, rest: dict[str, Any]) -> None:
    """A disabled wiki is forbidden even to Maintainers."""
    fakeplat.as_user("ada").put(SITE, json={"wiki_access_level": "disabled"})

    assert resource_not_found("Project") == refusal(fakeplat, None, method, path, **rest)
    for name in ("dev", "mia"):
        assert FORBIDDEN == refusal(fakeplat, name, method, path, **rest)


def test_a_wiki_may_be_for_members_only(fakeplat: Fakeplat) -> None:
    """A wiki for members of a public project is forbidden to others."""
    create_page(fakeplat, "Page", where=f"{DOCS}/wikis")
    assert [200, 200] == [fakeplat.as_user(name).get(f"{DOCS}/wikis").status for name in (None, "eve")]
    fakeplat.as_user("ada").put(DOCS, json={"wiki_access_level": "private"})

    assert [FORBIDDEN] * 2 == [outcome(fakeplat.as_user(name).get(f"{DOCS}/wikis")) for name in (None, "eve")]
    assert 200 == fakeplat.as_user("gus").get(f"{DOCS}/wikis").status
    assert FORBIDDEN == refusal(fakeplat, None, "POST", f"{DOCS}/wikis", json=PAGE)


@PREMIUM
def test_groups_have_wikis_of_their_own(fakeplat: Fakeplat) -> None:
    """Developers write group wikis, and Maintainers delete their pages."""
    page = create_page(fakeplat, "Group page", where=f"{ACME}/wikis")
    nobody, mia = fakeplat.as_user(None), fakeplat.as_user("mia")

    assert page == nobody.get(f"{ACME}/wikis/Group-page").json()
    assert [] == list_slugs(fakeplat)
    assert 200 == mia.put(f"{ACME}/wikis/Group-page", json={"content": "new"}).status
    assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{ACME}/wikis", json=PAGE)
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", f"{ACME}/wikis/Group-page")
    assert 204 == mia.delete(f"{ACME}/wikis/Group-page").status
    assert [] == fakeplat.as_user("ada").get("events").json()


def test_groups_have_no_wikis_without_a_licence(fakeplat: Fakeplat) -> None:
    """Without a paid tier group wikis are refused."""
    assert refusal(fakeplat, "ada", "GET", f"{ACME}/wikis")[0] in (403, 404)


@PREMIUM
def test_groups_take_no_attachments_in_this_release(fakeplat: Fakeplat) -> None:
    """Group wikis take no attachments in release 13.5."""
    assert NO_ROUTE[0] == fakeplat.as_user("dev").post(f"{ACME}/wikis/attachments", json={}).status


def test_changes_of_pages_create_events(fakeplat: Fakeplat) -> None:
    """Events of wiki pages refer to the same page through its changes."""
    calls = fakeplat.as_user("ada")
    create_page(fakeplat, "A page", by="ada")
    calls.put(f"{WIKIS}/A-page", json={"title": "Renamed"})
    events = calls.get(f"{SITE}/events?target_type=wiki").json()
    calls.delete(f"{WIKIS}/Renamed")
    last = calls.get(f"{SITE}/events").json()[0]

    assert [("updated", "Renamed"), ("created", "Renamed")] == [
        (event["action_name"], event["target_title"]) for event in events
    ]
    assert {("WikiPage::Meta", None)} == {(event["target_type"], event["target_iid"]) for event in events}
    assert 1 == len({event["target_id"] for event in [*events, last]})
    assert {"format": "markdown", "slug": "Renamed", "title": "Renamed"} == events[0]["wiki_page"]
    assert ("destroyed", None) == (last["action_name"], last["wiki_page"])


def test_events_of_a_closed_wiki_are_hidden(fakeplat: Fakeplat) -> None:
    """Events of a wiki are hidden from those who may not read it."""
    create_page(fakeplat, "Page", where=f"{DOCS}/wikis")
    fakeplat.as_user("ada").put(DOCS, json={"wiki_access_level": "private"})

    assert [] == fakeplat.as_user("eve").get(f"{DOCS}/events").json()
    assert 1 == len(fakeplat.as_user("gus").get(f"{DOCS}/events").json())


def test_the_size_of_the_wiki_is_counted(fakeplat: Fakeplat) -> None:
    """The size of the wiki counts for the statistics of project and group."""
    create_page(fakeplat, "Page")
    statistics = fakeplat.as_user("ada").get(f"{SITE}?statistics=true").json()["statistics"]
    size = open_wiki_repository(fakeplat).size()

    assert (size, size) == (statistics["wiki_size"], statistics["storage_size"])
    group = fakeplat.as_user("root").get("groups?statistics=true&search=acme").json()[0]["statistics"]
    assert size == group["wiki_size"]


def test_a_search_finds_pages_by_title_and_text(fakeplat: Fakeplat) -> None:
    """A search in the scope `wiki_blobs` finds wiki pages by title and text."""
    create_page(fakeplat, "Getting started", content="one\ntwo needle\nthree\n")
    calls = fakeplat.as_user("gus")
    blobs = calls.get(f"{SITE}/search?scope=wiki_blobs&search=needle").json()

    assert [
        {
            "basename": "Getting-started",
            "data": "one\ntwo needle\nthree\n",
            "path": "Getting-started.md",
            "filename": "Getting-started.md",
            "id": None,
            "ref": "master",
            "startline": 1,
            "project_id": fakeplat.world.project("acme/site").id,
        }
    ] == blobs
    by_title = calls.get(f"{SITE}/search?scope=wiki_blobs&search=getting%20started").json()
    assert ["Getting-started.md"] == names(by_title, "path")
    assert [] == calls.get(f"{SITE}/search?scope=wiki_blobs&search=nowhere").json()


def test_pages_have_web_pages(fakeplat: Fakeplat) -> None:
    """Wiki pages have web pages for those who may read the wiki."""
    create_page(fakeplat, "folder/My page")
    url = f"{fakeplat.url}/acme/site/-/wikis/folder/My-page"

    assert (200, True) == (fakeplat.as_user("gus").get(url).status, "My page" in fakeplat.as_user("gus").get(url).text)
    assert [404, 404] == [fakeplat.as_user(None).get(url).status, fakeplat.as_user("gus").get(f"{url}x").status]
