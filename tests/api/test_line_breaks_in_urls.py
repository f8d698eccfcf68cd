"""Addresses with a line break, which would end a header of the request that is sent to them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import Outcome, invalid_record, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual")

SITE = "projects/acme%2Fsite"
RAW, ENCODED = "https://a.example.com/ok\r\nX-Injected: 1", "https://a.example.com/ok%0AX-Injected: 1"
BLOCKED = ["is blocked: URI is invalid"]
INVALID_URL: Outcome = (422, {"error": "Invalid url given"})


@pytest.mark.parametrize("url", [RAW, ENCODED], ids=["raw", "encoded"])
@pytest.mark.parametrize(
    ("user", "method", "path", "body", "expected"),
    [
        ("mia", "POST", f"{SITE}/hooks", {"url": None}, INVALID_URL),
        ("root", "POST", "hooks", {"url": None}, invalid_record(url=BLOCKED)),
        (
            "mia",
            "POST",
            f"{SITE}/badges",
            {"link_url": None, "image_url": "https://a.example.com"},
            invalid_record(link_url=BLOCKED),
        ),
        ("mia", "PUT", f"{SITE}/services/slack", {"webhook": None}, (400, {"message": "400 Bad Request"})),
        (
            "mia",
            "POST",
            f"{SITE}/environments",
            {"name": "e", "external_url": None},
            invalid_record(external_url=BLOCKED),
        ),
        ("mia", "POST", f"{SITE}/remote_mirrors", {"url": None}, invalid_record(url=BLOCKED)),
        ("root", "PUT", "application/settings", {"home_page_url": None}, invalid_record(home_page_url=BLOCKED)),
    ],
    ids=["hook", "system hook", "badge", "service", "environment", "mirror", "setting"],
)
def test_urls_with_line_breaks_are_refused(
    fakeplat: Fakeplat, url: str, user: str, method: str, path: str, body: dict[str, Any], expected: Outcome
) -> None:
    """The platform refuses a URL in which a line ends, also if the line break is percent-encoded."""
    filled = {name: url if value is None else value for name, value in body.items()}
    assert expected == refusal(fakeplat, user, method, path, json=filled)


def test_links_of_releases_have_no_line_breaks(fakeplat: Fakeplat) -> None:
    """The URL of an asset is checked like that of a webhook."""
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/releases", json={"tag_name": "v1.0"}).status
    path = f"{SITE}/releases/v1.0/assets/links"
    expected = invalid_record(url=BLOCKED)
    assert expected == refusal(fakeplat, "mia", "POST", path, json={"name": "a", "url": RAW})


def test_line_breaks_around_a_url_do_not_count(fakeplat: Fakeplat) -> None:
    """Blanks around a URL are removed before it is checked."""
    created = fakeplat.as_user("mia").post(f"{SITE}/hooks", json={"url": " https://a.example.com/ok\n"})
    assert (201, "https://a.example.com/ok") == (created.status, created.json()["url"])
