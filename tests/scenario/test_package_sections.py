"""Packages in scenarios, and back."""

from typing import Any

import pytest

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.answers import token_of
from tests.scenario.worlds import create_platform, reload_export

VIEWERS = ("root", "mia", "rep", "gus")
NPM: dict[str, Any] = {
    "name": "@acme/app",
    "package_type": "npm",
    "version": "1.0.0",
    "created_at": "2020-11-18T08:00:00.000Z",
    "updated_at": "2020-11-19T08:00:00.000Z",
    "manifest": {"bin": {"app": "app.js"}, "dependencies": {"left": "^1.0.0"}},
    "creator": "dev",
    "pipeline": 1,
    "files": [
        {
            "file_name": "@acme/app-1.0.0.tgz",
            "content": "tarball",
            "file_md5": None,
            "file_sha1": "0" * 40,
            "created_at": "2020-11-18T09:00:00.000Z",
        }
    ],
    "tags": [{"name": "latest"}, {"name": "old", "created_at": "2020-11-18T10:00:00.000Z"}],
}
MAVEN = {"name": "com/acme/app", "package_type": "maven", "path": "com/acme/app", "files": []}
CONAN = {
    "name": "hello",
    "package_type": "conan",
    "version": "0.1",
    "conan_username": "acme",
    "conan_channel": "stable",
    "status": "hidden",
}
PYPI = {
    "name": "app",
    "package_type": "pypi",
    "version": "1.0",
    "requires_python": ">=3",
    "files": [{"file_name": "app-1.0.tar.gz", "content_base64": "AAEC"}],
}


def build_scenario(*packages: Any) -> dict[str, Any]:
    pipelines = [{"iid": 1, "ref": "master", "status": "success"}]
    return {
        "extends": "starter",
        "projects": [{"path_with_namespace": "acme/site", "pipelines": pipelines, "packages": [*packages]}],
    }


def export_packages(platform: Platform) -> list[dict[str, Any]]:
    projects = scenario.export_world(platform)["projects"]
    (site,) = [each for each in projects if each["path_with_namespace"] == "acme/site"]
    return list(site["packages"])


def get_answer(platform: Platform, viewer: str, path: str) -> tuple[int, bytes]:
    """The status and body that somebody gets. The ids are the same again, because nothing else was created."""
    target, _, query = f"/api/v4/{path}".partition("?")
    headers = {"private-token": token_of(platform.view, viewer) or ""}
    response = platform.handle(Request("GET", target, query, headers))
    return response.status, response.body


def test_packages_survive_a_round_trip() -> None:
    """Packages keep each key, and their responses are the same, after a round trip."""
    platform = create_platform(build_scenario(NPM, MAVEN, CONAN, PYPI))
    again = reload_export(platform)
    assert export_packages(platform) == export_packages(again)
    npm, maven, conan, pypi = export_packages(platform)
    assert NPM["manifest"] == npm["manifest"]
    assert ("dev", 1, "2020-11-19T08:00:00.000Z") == (npm["creator"], npm["pipeline"], npm["updated_at"])
    (file,) = npm["files"]
    assert ("0" * 40, None, "dGFyYmFsbA==") == (file["file_sha1"], file["file_md5"], file["content_base64"])
    assert ["latest", "old"] == [tag["name"] for tag in npm["tags"]]
    assert ("com/acme/app", None) == (maven["path"], maven.get("version"))
    assert ("hidden", "stable", ">=3") == (conan["status"], conan["conan_channel"], pypi["requires_python"])
    packages = [row.id for row in platform.view.packages.all()]
    paths = [f"projects/acme%2Fsite/packages/{id_}{tail}" for id_ in packages for tail in ("", "/package_files")]
    paths += ["projects/acme%2Fsite/packages", "packages/npm/@acme%2fapp", "projects/acme%2Fsite?statistics=true"]
    for viewer in VIEWERS:
        assert [get_answer(platform, viewer, path) for path in paths] == [
            get_answer(again, viewer, path) for path in paths
        ]


def test_a_later_document_changes_a_package() -> None:
    """An entry with the type, name and version of a package changes it and adds its files."""
    platform = create_platform(build_scenario(PYPI, {**PYPI, "requires_python": ">=4", "files": []}))
    (package,) = platform.view.packages.all()
    assert (">=4", 1) == (package.requires_python, len(platform.view.package_files.all()))


@pytest.mark.parametrize(
    ("package", "error"),
    [
        ({**PYPI, "pipeline": 9}, "unknown pipeline"),
        ({**PYPI, "creator": "nobody"}, "unknown user 'nobody'"),
        ({**PYPI, "package_type": "ml_model"}, "package_type"),
        ({"name": "app"}, "package_type"),
        ({**PYPI, "files": [{"file_name": "a"}]}, "content"),
    ],
    ids=["pipeline", "creator", "type", "no type", "no content"],
)
def test_mistakes_are_named(package: Any, error: str) -> None:
    """A mistake in a package of a scenario is refused with its reason."""
    with pytest.raises(ScenarioError, match=error):
        create_platform(build_scenario(package))
