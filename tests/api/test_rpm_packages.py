"""The RPM registry, which the platform has not finished. Source: docs/platform/packages.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, list_statuses, multipart

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="16.11")
FORM = multipart({}, ("file", "hello.rpm", b"rpm"))
FILE = "packages/rpm/1/hello-0.0.1-1.x86_64.rpm"
REPODATA = "packages/rpm/repodata/repomd.xml"


def switch_on(fake: Fakeplat) -> None:
    assert 201 == fake.as_user("root").post("features/rpm_packages", json={"value": True}).status


@pytest.mark.parametrize("is_on", [False, True], ids=["off", "on"])
def test_uploads_and_downloads_are_not_found(fakeplat: Fakeplat, is_on: bool) -> None:
    """With and without its feature, the registry accepts nothing and serves nothing."""
    if is_on:
        switch_on(fakeplat)
    dev = fakeplat.as_user("dev")
    for reply in (dev.post(f"{SITE}/packages/rpm", **FORM), dev.get(f"{SITE}/{FILE}")):
        assert (404, {"message": "404 Not Found"}) == (reply.status, reply.json())
    reply = dev.get(f"{SITE}/{REPODATA}")
    assert (404, {"message": f"404 Not {'found' if is_on else 'Found'}"}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


def test_what_is_checked_before(fakeplat: Fakeplat) -> None:
    """Callers need the rights and the file, whatever comes of it; even public projects ask for a password."""
    switch_on(fakeplat)
    assert "401 404 404 403 403 404 404 404 404" == list_statuses(fakeplat, "POST", f"{SITE}/packages/rpm", **FORM)
    assert "401 404 404 403 404 404 404 404 404" == list_statuses(fakeplat, "GET", f"{SITE}/{FILE}")
    assert "401 404 404 404 404 404 404 404 404" == list_statuses(fakeplat, "GET", f"{DOCS}/{REPODATA}")
    reply = fakeplat.as_user(None).get(f"{DOCS}/{REPODATA}", headers=basic("dev", "wrong"))
    assert (401, 'Basic realm="Platform Packages Registry"') == (reply.status, reply.headers["WWW-Authenticate"])
    reply = fakeplat.as_user("dev").post(f"{SITE}/packages/rpm", json={})
    assert (400, {"error": "file is missing"}) == (reply.status, reply.json())
    reply = fakeplat.as_user("dev").get(f"{SITE}/packages/rpm/x/hello.rpm")
    assert (400, {"error": "package_file_id is invalid"}) == (reply.status, reply.json())
