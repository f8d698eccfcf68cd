"""Relative links and images in Markdown. Source: the specs of the platform's filters."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.markdown import image, paragraph, render

FILES = {"README.md": "x", "doc/api/README.md": "x", "files/logo.png": "x", "files/intro.mp4": "x", "a b#c.md": "x"}
WORLD: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/docs",
            "visibility": "public",
            "default_branch": "dev#1",
            "repository": {"commits": [{"message": "x", "branch": "dev#1", "files": FILES}]},
        },
        {
            "path_with_namespace": "acme/closed",
            "visibility": "public",
            "repository_access_level": "private",
            "repository": {"commits": [{"message": "x", "files": FILES}]},
        },
        {"path_with_namespace": "acme/empty", "visibility": "public"},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD)
BASE = "/acme/docs/-"


def render_link(fake: Fakeplat, address: str, project: str | None = "acme/docs", user: str | None = None) -> str:
    html = render(fake, f"[x](<{address}>)", project, user)
    return html.partition('href="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("doc/api/README.md", f"{BASE}/blob/dev%231/doc/api/README.md"),
        ("/doc/api/README.md", f"{BASE}/blob/dev%231/doc/api/README.md"),
        ("README.md#section", f"{BASE}/blob/dev%231/README.md#section"),
        ("README.md?x=1", f"{BASE}/blob/dev%231/README.md?x=1"),
        ("doc/api/", f"{BASE}/tree/dev%231/doc/api"),
        ("/", f"{BASE}/tree/dev%231"),
        ("files/logo.png", f"{BASE}/raw/dev%231/files/logo.png"),
        ("files/intro.mp4", f"{BASE}/raw/dev%231/files/intro.mp4"),
        ("a%20b%23c.md", f"{BASE}/blob/dev%231/a%20b%23c.md"),
        ("nothing/here.png", f"{BASE}/blob/dev%231/nothing/here.png"),
        ("//doc/api/README.md", "//doc/api/README.md"),
        ("#section-1", "#section-1"),
        ("http://example.com/a", "http://example.com/a"),
        ("mailto:a@example.com", "mailto:a@example.com"),
    ],
    ids=range(14),
)
def test_files_are_linked_on_the_default_branch(fakeplat: Fakeplat, address: str, expected: str) -> None:
    """Folders as trees, images and films raw, others, and what does not exist, as blobs."""
    assert expected == render_link(fakeplat, address)


def test_images_of_the_repository_are_raw(fakeplat: Fakeplat) -> None:
    """Images of the repository and the links around them lead to raw files."""
    expected = paragraph(image(f"{BASE}/raw/dev%231/files/logo.png", "Logo"))
    assert expected == render(fakeplat, "![Logo](files/logo.png)", "acme/docs")


@pytest.mark.parametrize(
    ("project", "user"), [("acme/closed", None), ("acme/empty", "root"), (None, "root")], ids=range(3)
)
def test_links_stay_without_a_repository(fakeplat: Fakeplat, project: str | None, user: str | None) -> None:
    """Relative links stay unchanged without a repository that the caller may read."""
    assert "README.md" == render_link(fakeplat, "README.md", project, user)


def test_members_see_links_to_a_private_repository(fakeplat: Fakeplat) -> None:
    """Members see relative links into a private repository."""
    assert "/acme/closed/-/blob/master/README.md" == render_link(fakeplat, "README.md", "acme/closed", "root")


@pytest.mark.parametrize("address", ["://foo", "%FF", "/%00", "http://[", "/uploads/%FF"])
def test_invalid_addresses_are_no_servers_error(fakeplat: Fakeplat, address: str) -> None:
    """Invalid addresses in links are rendered without a server error."""
    assert "x</a>" in render(fakeplat, f"[x](<{address}>)", "acme/docs")


@pytest.mark.parametrize("address", ["javascript:alert(1)", "vbscript:x", "data:text/html,x", "JAVASCRIPT:x"])
def test_dangerous_addresses_are_taken_away(fakeplat: Fakeplat, address: str) -> None:
    """A link to an address that runs a program stays a link, without its address."""
    assert paragraph("<a>x</a>") == render(fakeplat, f"[x]({address})", None)


UPLOAD = "/uploads/e90decf88d8f96fe9e1389afc2e4a91f"


@pytest.mark.parametrize(("project", "prefix"), [("acme/closed", "/acme/closed"), (None, "")], ids=range(2))
def test_uploads_are_linked_completely(fakeplat: Fakeplat, project: str | None, prefix: str) -> None:
    """Links to uploads are absolute and escaped once, whoever reads them."""
    url = f"{fakeplat.url}{prefix}{UPLOAD}"
    css = 'data-link="true" class="gfm"'

    assert paragraph(f'<a href="{url}/test.jpg" {css}>x</a>') == render(
        fakeplat, f"[x]({UPLOAD}/test.jpg)", project, None
    )
    for name in ("한글.png", "%ED%95%9C%EA%B8%80.png"):
        html = render(fakeplat, f"![x]({UPLOAD}/{name})", project, None)
        assert f'class="lazy gfm" data-src="{url}/%ED%95%9C%EA%B8%80.png"' in html
        assert f'class="no-attachment-icon gfm" href="{url}/%ED%95%9C%EA%B8%80.png"' in html
