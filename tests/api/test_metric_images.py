"""Images of metrics of incidents and alerts.

Source: ee/spec/requests/api/issues_spec.rb and spec/requests/api/alert_management_alerts_spec.rb of the platform.
"""

from base64 import b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import DOCS, MISSING, SITE, get_json, issue
from tests.api.requests import FORBIDDEN, NO_ROUTE, UNAUTHORIZED, Outcome, form, names, outcome, refusal

PIXEL = b"GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;"
STORED = {"filename": "load.gif", "content_base64": b64encode(PIXEL).decode()}
GROUPS = [dict(COMPANY["groups"][0])]
GROUPS[0]["projects"] = [
    {
        "path": "site",
        "name": "Site",
        "visibility": "private",
        "alerts": {
            "received": [{"title": "Down", "metric_images": [{**STORED, "url": "https://metrics.example.com"}]}]
        },
    },
    {"path": "docs", "name": "Docs", "visibility": "public"},
]
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "groups": GROUPS},
    version="latest",
    tier="premium",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
IMAGES = f"{SITE}/issues/1/metric_images"
OF_ALERT = f"{SITE}/alert_management_alerts/1/metric_images"
NOT_ALLOWED: Outcome = (403, {"message": "Not allowed!"})
NO_IMAGE: Outcome = (404, {"message": "Metric image not found"})
EXTENSIONS = "png, jpg, jpeg, gif, bmp, tiff, ico, and webp"


def upload(
    fake: Fakeplat, path: str = IMAGES, by: str | None = "rep", name: str = "load.gif", **fields: str
) -> Outcome:
    return outcome(fake.as_user(by).post(path, **form(file=(name, "image/gif", PIXEL), **fields)))


def test_an_incident_has_metric_images(fakeplat: Fakeplat) -> None:
    """An uploaded image is listed with the URL of its file, which is served to those who see the incident."""
    issue(fakeplat, issue_type="incident")
    status, image = upload(fakeplat, url="https://metrics.example.com/load", url_text="Load")
    path = f"/uploads/-/system/issuable_metric_image/file/{image['id']}/load.gif"

    assert 201 == status
    assert {
        "id": image["id"],
        "created_at": image["created_at"],
        "filename": "load.gif",
        "file_path": f"{fakeplat.url}{path}",
        "url": "https://metrics.example.com/load",
        "url_text": "Load",
    } == image
    assert [image] == get_json(fakeplat, IMAGES, "gus")
    assert PIXEL == fakeplat.as_user("gus").get(f"{fakeplat.url}{path}").content
    assert 404 == fakeplat.as_user("eve").get(f"{fakeplat.url}{path}").status


@pytest.mark.parametrize(
    ("by", "author", "expected"),
    [
        (None, "ada", UNAUTHORIZED),
        ("eve", "ada", (404, {"message": "404 Project Not Found"})),
        ("gus", "ada", NOT_ALLOWED),
        ("gus", "gus", 201),
        ("rep", "ada", 201),
    ],
)
def test_authors_and_reporters_upload(fakeplat: Fakeplat, by: str | None, author: str, expected: Any) -> None:
    """Guests upload images for their own incidents, reporters for all."""
    issue(fakeplat, SITE, author, issue_type="incident")
    result = upload(fakeplat, by=by)

    assert expected == (result[0] if isinstance(expected, int) else result)
    assert (1 if expected == 201 else 0) == len(get_json(fakeplat, IMAGES))


def test_only_members_upload_for_incidents(fakeplat: Fakeplat) -> None:
    """The author of an incident of a public project who is no member uploads nothing, and issues have no images."""
    issue(fakeplat, DOCS, "eve", issue_type="incident")
    issue(fakeplat)

    assert NOT_ALLOWED == upload(fakeplat, f"{DOCS}/issues/1/metric_images", "eve")
    assert NOT_ALLOWED == upload(fakeplat)


@pytest.mark.fakeplat(tier="free")
def test_metric_images_are_a_paid_feature(fakeplat: Fakeplat) -> None:
    """In the free tier nobody uploads an image, and alerts have none."""
    issue(fakeplat, issue_type="incident")
    assert NOT_ALLOWED == upload(fakeplat)
    assert (404, {"message": "Alert not found"}) == refusal(fakeplat, "ada", "GET", OF_ALERT)


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("load.txt", {}, f"File does not have a supported extension. Only {EXTENSIONS} are supported"),
        ("load.gif", {"url": "ftp://x"}, "Url is blocked: Only allowed schemes are http, https"),
        ("load.gif", {"url_text": "x" * 129}, "Url text is too long (maximum is 128 characters)"),
    ],
)
def test_invalid_images_are_refused(fakeplat: Fakeplat, name: str, fields: dict[str, str], message: str) -> None:
    """Invalid images are 403 for incidents and 400 for alerts, and nothing is stored."""
    issue(fakeplat, issue_type="incident")

    assert (403, {"message": f"Validation failed: {message}"}) == upload(fakeplat, name=name, **fields)
    assert (400, {"message": message}) == upload(fakeplat, OF_ALERT, "dev", name, **fields)
    assert ([], 1) == (get_json(fakeplat, IMAGES), len(get_json(fakeplat, OF_ALERT)))


def test_large_images_are_refused(fakeplat: Fakeplat) -> None:
    """An image has at most one megabyte."""
    issue(fakeplat, issue_type="incident")
    parts = form(file=("load.gif", "image/gif", b"x" * (1024 * 1024 + 1)))

    for path in (IMAGES, OF_ALERT):
        assert (400, {"message": "400 Bad request - File is too large"}) == refusal(
            fakeplat, "ada", "POST", path, **parts
        )
    assert (400, {"error": "file is missing"}) == refusal(fakeplat, "ada", "POST", IMAGES)


@pytest.mark.parametrize(
    ("by", "author", "expected"), [("gus", "ada", 403), ("gus", "gus", 200), ("rep", "ada", 200), ("eve", "ada", 404)]
)
def test_captions_change_and_images_are_deleted(fakeplat: Fakeplat, by: str, author: str, expected: int) -> None:
    """Authors and reporters change the link of an image and delete it."""
    issue(fakeplat, SITE, author, issue_type="incident")
    image = upload(fakeplat)[1]
    changed = fakeplat.as_user(by).put(f"{IMAGES}/{image['id']}", json={"url_text": "Load"})
    deleted = fakeplat.as_user(by).delete(f"{IMAGES}/{image['id']}")

    assert (expected, 204 if expected == 200 else expected) == (changed.status, deleted.status)
    assert ([] if expected == 200 else [image]) == get_json(fakeplat, IMAGES)
    if expected == 403:
        assert FORBIDDEN[1] == changed.json() == deleted.json()


def test_unknown_images_are_not_found(fakeplat: Fakeplat) -> None:
    """An image is found at its own incident or alert only."""
    issue(fakeplat, issue_type="incident")
    of_alert = get_json(fakeplat, OF_ALERT)[0]["id"]

    for method in ("PUT", "DELETE"):
        assert NO_IMAGE == refusal(fakeplat, "ada", method, f"{IMAGES}/{of_alert}")
        assert NO_IMAGE == refusal(fakeplat, "ada", method, f"{OF_ALERT}/999")
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{SITE}/issues/9/metric_images")
    assert (422, {"message": "Metric image could not be updated"}) == refusal(
        fakeplat, "ada", "PUT", f"{OF_ALERT}/{of_alert}", json={"url": "nowhere"}
    )


def test_an_alert_has_metric_images(fakeplat: Fakeplat) -> None:
    """Images of alerts come from scenarios and uploads, and go with their files."""
    image = get_json(fakeplat, OF_ALERT, "dev")[0]
    path = f"/uploads/-/system/alert_metric_image/file/{image['id']}/load.gif"
    assert (f"{fakeplat.url}{path}", "https://metrics.example.com") == (image["file_path"], image["url"])
    assert PIXEL == fakeplat.as_user("dev").get(f"{fakeplat.url}{path}").content
    assert 201 == upload(fakeplat, OF_ALERT, "dev", "other.png")[0]
    assert 204 == fakeplat.as_user("dev").delete(f"{OF_ALERT}/{image['id']}").status

    assert ["other.png"] == names(get_json(fakeplat, OF_ALERT), "filename")
    assert 404 == fakeplat.as_user("dev").get(f"{fakeplat.url}{path}").status


def test_developers_see_and_change_images_of_alerts(fakeplat: Fakeplat) -> None:
    """Below the role of a developer alerts are unknown, and changing their images is forbidden."""
    assert (404, {"message": "Alert not found"}) == refusal(fakeplat, "rep", "GET", OF_ALERT)
    assert FORBIDDEN == upload(fakeplat, OF_ALERT)
    assert FORBIDDEN == upload(fakeplat, OF_ALERT.replace("/1/", "/9/"), "dev")
    assert 201 == upload(fakeplat, OF_ALERT, "dev")[0]


@pytest.mark.fakeplat(version="13.5")
def test_images_of_incidents_came_first(fakeplat: Fakeplat) -> None:
    """Incidents had images from the beginning, without a text for the link, and alerts got them later."""
    issue(fakeplat, issue_type="incident")
    image = upload(fakeplat)[1]

    assert ["id", "created_at", "filename", "file_path", "url"] == list(image)
    assert NO_ROUTE == refusal(fakeplat, "ada", "GET", OF_ALERT)
    assert 204 == fakeplat.as_user("rep").delete(f"{IMAGES}/{image['id']}").status
