"""Links in rendered pages of wikis. Source: the specs of the platform's filters."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.markdown import EXTERNAL
from tests.api.requests import form

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", tier="premium")
WIKIS, BASE = "projects/acme%2Fsite/wikis", "/acme/site/-/wikis"


def render_page(fake: Fakeplat, text: str, wiki: str = WIKIS) -> str:
    """Create a page with a text, and return its HTML."""
    calls = fake.as_user("ada")
    assert 201 == calls.post(wiki, json={"title": "nested/twice/start-page", "content": text}).status
    return str(calls.get(f"{wiki}/nested%2Ftwice%2Fstart-page?render_html=true").json()["content"])


def address_in(html: str) -> str:
    return html.partition('href="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("./page", "nested/twice/page"),
        ("./page.md", "nested/twice/page.md"),
        ("../page", "nested/page"),
        ("./sub/page.md", "nested/twice/sub/page.md"),
        ("page", "page"),
        ("page slug", "page%20slug"),
        ("page.md", "nested/twice/page.md"),
        ("start-page#title", "start-page#title"),
        ("/page", "page"),
        ("/page.md", "page.md"),
    ],
    ids=range(10),
)
def test_links_of_a_page_lead_into_the_wiki(fakeplat: Fakeplat, address: str, expected: str) -> None:
    """Files and addresses with dots are relative to the page, others to the root of the wiki."""
    assert f"{BASE}/{expected}" == address_in(render_page(fakeplat, f"[x](<{address}>)"))


@pytest.mark.parametrize("address", ["http://example.com/page", f"{BASE}/uploads/a.jpg", "#top", "//host/page"])
def test_complete_links_of_a_page_stay(fakeplat: Fakeplat, address: str) -> None:
    """Complete links of a wiki page stay unchanged."""
    assert address == address_in(render_page(fakeplat, f"[x](<{address}>)"))


def test_links_in_the_wiki_of_a_group_lead_into_that(fakeplat: Fakeplat) -> None:
    """Links in a group wiki lead to pages of that wiki."""
    assert "/groups/acme/-/wikis/page" == address_in(render_page(fakeplat, "[x](page)", "groups/acme/wikis"))


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("[[link-slug]]", f'<a href="{BASE}/link-slug" class="gfm">link-slug</a>'),
        ("[[link-text|link-slug]]", f'<a href="{BASE}/link-slug" class="gfm">link-text</a>'),
        ("[[text|http://e.test]]", f'<a href="http://e.test" class="gfm" {EXTERNAL}>text</a>'),
        ("[[http://e.test/a.jpg|alt=x]]", '<img data-src="http://e.test/a.jpg" class="gfm">'),
        ("[[images/b.jpg]]", f'<a href="{BASE}/images/b.jpg" class="gfm">images/b.jpg</a>'),
        ("`[[link-slug]]`", "<code>[[link-slug]]</code>"),
        ("[[ | ]]", "[[ | ]]"),
    ],
    ids=range(7),
)
def test_tags_link_pages_and_images(fakeplat: Fakeplat, tag: str, expected: str) -> None:
    """Wiki tags link pages and images by name."""
    assert f'<p dir="auto">a {expected} b</p>' == render_page(fakeplat, f"a {tag} b")


def test_tags_show_images_of_the_wiki(fakeplat: Fakeplat) -> None:
    """Wiki tags show only images that the wiki has."""
    reply = fakeplat.as_user("ada").post(f"{WIKIS}/attachments", **form(file=("dk.png", "image/png", b"\x89PNG")))
    path = reply.json()["file_path"]

    assert f'<p dir="auto"><img data-src="{BASE}/{path}" class="gfm"></p>' == render_page(fakeplat, f"[[{path}]]")


def test_a_page_has_a_table_of_contents(fakeplat: Fakeplat) -> None:
    """The tag of the table of contents works in wiki pages."""
    html = render_page(fakeplat, "[[_TOC_]]\n\n# A")
    assert html.startswith('<ul class="section-nav"><li><a href="#a">A</a></li></ul>\n<h1')
