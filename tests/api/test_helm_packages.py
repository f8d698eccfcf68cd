"""The Helm repository of a project. Source: docs/platform/packages.md."""

from hashlib import sha256
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import HELM_CHARTS_ARE_PROTECTED
from tests.api.chart_files import CHART, build_chart, chart_form, pack
from tests.api.company import COMPANY
from tests.api.package_files import DOCS, SITE, basic, deploy_token, job_token, list_statuses

pytestmark = pytest.mark.fakeplat(clock="virtual", scenario=COMPANY, version="16.11")
UPLOAD = "packages/helm/api/stable/charts"
INDEX = "packages/helm/stable/index.yaml"


def upload(fake: Fakeplat, content: bytes, project: str = SITE, channel: str = "stable") -> Any:
    return fake.as_user("dev").post(f"{project}/packages/helm/api/{channel}/charts", **chart_form(content))


@pytest.mark.parametrize(
    ("project", "read", "post"),
    [
        (DOCS, "200 200 200 200 200 200 200 200 200", "401 403 403 403 403 201 201 201 201"),
        (SITE, "401 404 404 403 200 200 200 200 200", "401 404 404 403 403 201 201 201 201"),
    ],
    ids=["public", "private"],
)
def test_roles_that_upload_and_download_charts(fakeplat: Fakeplat, project: str, read: str, post: str) -> None:
    """Developers upload charts, and reporters of a private project or anybody of a public one read them."""
    assert post == list_statuses(fakeplat, "POST", f"{project}/{UPLOAD}", **chart_form(build_chart()))
    upload(fakeplat, build_chart(), project)
    assert read == list_statuses(fakeplat, "GET", f"{project}/{INDEX}")
    assert read == list_statuses(fakeplat, "GET", f"{project}/packages/helm/stable/charts/web-1.0.0.tgz")


def test_the_index_describes_the_charts_of_a_channel(fakeplat: Fakeplat) -> None:
    """The index is YAML with the fields of each chart, in which appVersion is quoted."""
    content = build_chart()
    reply = upload(fakeplat, content)
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    upload(fakeplat, build_chart(version="2.0.0"), channel="next")
    (package,) = [row for row in fakeplat.as_user("rep").get(f"{SITE}/packages").json() if row["version"] == "1.0.0"]
    (file,) = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert ("web", "helm", "web-1.0.0.tgz") == (package["name"], package["package_type"], file["file_name"])
    reply = fakeplat.as_user("rep").get(f"{SITE}/{INDEX}")
    created = file["created_at"].replace("Z", "000000Z")
    generated = reply.text.partition("generated: ")[2].partition("\n")[0]
    assert (200, "text/yaml") == (reply.status, reply.headers["Content-Type"])
    assert reply.text == (
        "---\napiVersion: v1\nentries:\n  web:\n  - apiVersion: v2\n    name: web\n    version: 1.0.0\n"
        f"    appVersion: \"4852e000\"\n    description: A chart.\n    created: '{created}'\n"
        f"    digest: {sha256(content).hexdigest()}\n    urls:\n    - charts/web-1.0.0.tgz\n"
        f'generated: {generated}\nserverInfo:\n  contextPath: "/api/v4/{SITE}/packages/helm"\n'
    )


def test_an_empty_channel_has_an_empty_index(fakeplat: Fakeplat) -> None:
    """A channel without charts is not an error."""
    reply = fakeplat.as_user("rep").get("projects/5001/packages/helm/other.one/index.yaml")
    assert reply.text.startswith("---\napiVersion: v1\nentries: {}\ngenerated: ")
    assert reply.text.endswith('\nserverInfo:\n  contextPath: "/api/v4/projects/5001/packages/helm"\n')


def test_the_newest_upload_of_a_version_is_served(fakeplat: Fakeplat) -> None:
    """A version may be uploaded again: the package has both files, and the newest one is in the index."""
    upload(fakeplat, build_chart())
    second = build_chart(further={"web/values.yaml": b"size: 2\n"})
    upload(fakeplat, second)
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    files = fakeplat.as_user("rep").get(f"{SITE}/packages/{package['id']}/package_files").json()
    assert ["web-1.0.0.tgz", "web-1.0.0.tgz"] == [file["file_name"] for file in files]
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/helm/stable/charts/web-1.0.0.tgz")
    assert (second, "application/octet-stream") == (reply.content, reply.headers["Content-Type"])
    assert 1 == fakeplat.as_user("rep").get(f"{SITE}/{INDEX}").text.count("digest: ")


def test_only_the_newest_packages_are_in_the_index(fakeplat_factory: Any) -> None:
    """The index has as many packages as the settings allow, the newest ones."""
    fake = fakeplat_factory(scenario={**COMPANY, "settings": {"helm_max_packages_count": 1}}, version="latest")
    upload(fake, build_chart())
    upload(fake, build_chart(version="1.1.0"))
    text = fake.as_user("rep").get(f"{SITE}/{INDEX}").text
    assert ("version: 1.1.0" in text, "version: 1.0.0" in text) == (True, False)


@pytest.mark.parametrize("name", ["web-2.0.0.tgz", "other-1.0.0.tgz"])
def test_unknown_charts_are_not_found(fakeplat: Fakeplat, name: str) -> None:
    """Charts of other channels and unknown ones are not found."""
    upload(fakeplat, build_chart())
    upload(fakeplat, build_chart(version="2.0.0"), channel="next")
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/helm/stable/charts/{name}")
    assert (404, {"message": "404 Not found"}) == (reply.status, reply.json())


def test_signatures_are_not_found(fakeplat: Fakeplat) -> None:
    """The platform keeps no provenance files."""
    upload(fakeplat, build_chart())
    reply = fakeplat.as_user("rep").get(f"{SITE}/packages/helm/stable/charts/web-1.0.0.tgz.prov")
    assert (404, {"message": "404 Format prov Not Found"}) == (reply.status, reply.json())
    assert 404 == fakeplat.as_user("rep").get(f"{SITE}/packages/helm/stable/charts/web").status


@pytest.mark.parametrize("channel", ["-stable", "stable-", "a..b", "a%20b"])
def test_channels_are_checked(fakeplat: Fakeplat, channel: str) -> None:
    """Names of channels have letters, digits and single signs between them."""
    reply = upload(fakeplat, build_chart(), channel=channel)
    assert (400, {"error": "channel is invalid"}) == (reply.status, reply.json())
    assert 400 == fakeplat.as_user("rep").get(f"{SITE}/packages/helm/{channel}/index.yaml").status
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


def test_the_chart_is_required_and_limited(fakeplat: Fakeplat) -> None:
    """An upload needs the part chart, of 5 MiB at most."""
    reply = fakeplat.as_user("dev").post(f"{SITE}/{UPLOAD}", json={})
    assert (400, {"error": "chart is missing"}) == (reply.status, reply.json())
    reply = upload(fakeplat, bytes(5 * 1024 * 1024 + 1))
    assert (400, {"message": "400 Bad request - File is too large"}) == (reply.status, reply.json())
    assert 0 == len(fakeplat.bench.platform.view.packages.all())


@pytest.mark.parametrize(
    "content",
    [
        b"not gzip",
        pack({"web/values.yaml": b"{}"}),
        pack({"Chart.yaml": b""}),
        build_chart(text="name: [1\n"),
        build_chart(text="- a list\n"),
        build_chart(text="name: web\nversion: 1.0.0\n"),
        build_chart(text=CHART + "unknown: 1\n"),
        build_chart(text=CHART + "keywords: [1]\n"),
        build_chart(text=CHART + "type: other\n"),
        build_chart(text=CHART + "maintainers: [{{age: 3}}]\n"),
        build_chart(text=CHART + "dependencies: [{{tags: web}}]\n"),
        build_chart(version="one"),
        build_chart(name="web chart"),
        pack({"web/Chart.yaml": bytes(1024 * 1024 + 1)}),
        pack({"zeros": bytes(65 * 1024 * 1024)}),
    ],
    ids=[
        "no archive",
        "no chart",
        "not in a folder",
        "no YAML",
        "no mapping",
        "missing field",
        "unknown field",
        "wrong item",
        "wrong value",
        "wrong maintainer",
        "wrong dependency",
        "wrong version",
        "wrong name",
        "large chart",
        "bomb",
    ],
)
def test_unreadable_charts_become_packages_with_an_error(fakeplat: Fakeplat, content: bytes) -> None:
    """The upload is accepted, since charts are read later, and the package has the status error."""
    assert 201 == upload(fakeplat, content).status
    (package,) = fakeplat.as_user("rep").get(f"{SITE}/packages").json()
    assert ("Helm.Temporary.Package", "error") == (package["name"], package["status"])
    assert package["version"].startswith("0.0.")
    assert "entries: {}" in fakeplat.as_user("rep").get(f"{SITE}/{INDEX}").text


@pytest.mark.parametrize(("version", "status"), [("18.0", "default"), (HELM_CHARTS_ARE_PROTECTED.since, "error")])
def test_protected_charts_become_packages_with_an_error(fakeplat_factory: Any, version: str, status: str) -> None:
    """From 18.1 on, a chart that a rule protects from its uploader is not published."""
    fake = fakeplat_factory(scenario=COMPANY, version=version)
    rule = {"package_name_pattern": "w*", "package_type": "helm", "minimum_access_level_for_push": "maintainer"}
    assert 201 == fake.as_user("ada").post(f"{SITE}/packages/protection/rules", json=rule).status
    assert 201 == upload(fake, build_chart()).status
    assert [status] == [package["status"] for package in fake.as_user("rep").get(f"{SITE}/packages").json()]


@pytest.mark.parametrize("project", [SITE, "projects/1"], ids=["private", "unknown"])
def test_anonymous_callers_get_a_challenge(fakeplat: Fakeplat, project: str) -> None:
    """Helm sends its password after a challenge, which all projects give that are not public."""
    reply = fakeplat.as_user(None).get(f"{project}/{INDEX}")
    assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())
    assert 'Basic realm="Platform Packages Registry"' == reply.headers["WWW-Authenticate"]


def test_each_kind_of_token(fakeplat: Fakeplat) -> None:
    """Passwords are personal, deploy and job tokens; a wrong one is refused even by a public project."""
    tokens = {"dev": fakeplat.token("dev"), "ci": deploy_token(fakeplat), "gitlab-ci-token": job_token(fakeplat)}
    caller = fakeplat.as_user(None)
    for number, (name, token) in enumerate(tokens.items()):
        form = chart_form(build_chart(version=f"1.0.{number}"))
        form["headers"].update(basic(name, token))
        assert 201 == caller.post(f"{SITE}/{UPLOAD}", **form).status
        assert 200 == caller.get(f"{SITE}/{INDEX}", headers=basic(name, token)).status
    upload(fakeplat, build_chart(), DOCS)
    assert 200 == caller.get(f"{DOCS}/{INDEX}").status
    assert 401 == caller.get(f"{DOCS}/{INDEX}", headers=basic("dev", "wrong")).status


def test_charts_of_a_scenario(fakeplat_factory: Any) -> None:
    """A scenario declares the channel and the fields of a chart, and an export writes them again."""
    chart = {"apiVersion": "v2", "name": "web", "version": "1.0.0"}
    file = {"file_name": "web-1.0.0.tgz", "content": "x", "metadata": {"channel": "stable", "chart": chart}}
    package = {"name": "web", "package_type": "helm", "version": "1.0.0", "files": [file]}
    project = {"path_with_namespace": "acme/site", "visibility": "public", "packages": [package]}
    fake = fakeplat_factory(
        scenario={"groups": [{"path": "acme", "visibility": "public"}], "projects": [project]}, version="16.11"
    )
    exported = fakeplat_factory(scenario=fake.export(), version="16.11")
    for world in (fake, exported):
        assert "urls:\n    - charts/web-1.0.0.tgz\n" in world.as_user(None).get(f"{SITE}/{INDEX}").text
