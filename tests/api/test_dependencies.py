"""Dependencies of projects, and their exports. Source: docs/platform/dependencies.md."""

import json
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, NO_ROUTE, UNAUTHORIZED, invalid, names, outcome, refusal, resource_not_found

SITE = "projects/acme%2Fsite"
REPORT = {
    "version": "2.1",
    "vulnerabilities": [
        {
            "name": "Regular Expression Denial of Service in debug",
            "severity": "Unknown",
            "location": {"file": "yarn.lock", "dependency": {"package": {"name": "debug"}, "version": "1.0.5"}},
        }
    ],
    "dependency_files": [
        {
            "path": "yarn.lock",
            "package_manager": "yarn",
            "dependencies": [
                {"package": {"name": "ms"}, "version": "2.0.0"},
                {"package": {"name": "debug"}, "version": "1.0.5"},
            ],
        }
    ],
}
MATERIALS = {
    "bomFormat": "CycloneDX",
    "metadata": {
        "properties": [
            {"name": "gitlab:dependency_scanning:input_file:path", "value": "Gemfile.lock"},
            {"name": "gitlab:dependency_scanning:package_manager:name", "value": "bundler"},
        ]
    },
    "components": [
        {
            "name": "rails",
            "version": "5.0.1",
            "purl": "pkg:gem/rails@5.0.1",
            "licenses": [{"license": {"id": "MIT", "url": "https://spdx.org/licenses/MIT.html"}}],
        }
    ],
}


def job(file_type: str, document: object) -> dict[str, Any]:
    """A job with a report."""
    files = {"report.json": json.dumps(document)}
    return {"name": file_type, "status": "success", "artifact_files": [{"file_type": file_type, "files": files}]}


def pipeline(*jobs: dict[str, Any]) -> dict[str, Any]:
    """A pipeline of the default branch."""
    return {"ref": "master", "status": "success", "jobs": list(jobs)}


SCANNED: dict[str, Any] = {
    "extends": "starter",
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "pipelines": [
                pipeline(job("dependency_scanning", {"dependency_files": []})),
                pipeline(job("dependency_scanning", REPORT), job("cyclonedx", MATERIALS)),
                pipeline({"name": "build", "status": "success"}),
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(
    scenario=SCANNED,
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
    version="latest",
    tier="ultimate",
    default_branch="master",
)
VULNERABILITY = {"name": "Regular Expression Denial of Service in debug", "severity": "unknown"}


def find_pipeline(fake: Fakeplat) -> int:
    """Return the id of the pipeline with the reports."""
    return sorted(pipeline.id for pipeline in fake.bench.platform.view.pipelines.all())[-2]


def test_the_newest_reports_of_the_default_branch_count(fakeplat: Fakeplat) -> None:
    """Reports of both kinds are read; developers also see vulnerabilities."""
    listed = fakeplat.as_user("dev").get(f"{SITE}/dependencies").json()
    yarn = {"package_manager": "yarn", "dependency_file_path": "yarn.lock", "licenses": []}
    licenses = [{"name": "MIT", "url": "https://spdx.org/licenses/MIT.html"}]

    assert [
        {"name": "debug", "version": "1.0.5", **yarn, "vulnerabilities": [VULNERABILITY]},
        {"name": "ms", "version": "2.0.0", **yarn, "vulnerabilities": []},
        {
            "name": "rails",
            "version": "5.0.1",
            "package_manager": "bundler",
            "dependency_file_path": "Gemfile.lock",
            "vulnerabilities": [],
            "licenses": licenses,
        },
    ] == listed
    assert not any("vulnerabilities" in row for row in fakeplat.as_user("rep").get(f"{SITE}/dependencies").json())


def test_dependencies_are_listed_by_their_managers(fakeplat: Fakeplat) -> None:
    """Several package managers are written with commas; unknown ones are refused."""
    rep, path = fakeplat.as_user("rep"), f"{SITE}/dependencies?package_manager="

    assert ["debug", "ms"] == names(rep.get(f"{path}yarn").json(), "name")
    assert ["debug", "ms", "rails"] == names(rep.get(f"{path}yarn,bundler").json(), "name")
    wrong = invalid("package_manager does not have a valid value")
    assert wrong == refusal(fakeplat, "rep", "GET", f"{path}nray,yarn")


def test_who_reads_the_code_reads_the_dependencies(fakeplat: Fakeplat) -> None:
    """Guests of a private project get 403, strangers 404, visitors 401."""
    path = f"{SITE}/dependencies"

    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)
    assert [] == fakeplat.as_user("eve").get("projects/acme%2Fdocs/dependencies").json()


@pytest.mark.fakeplat(tier="premium")
def test_dependencies_are_forbidden_below_ultimate(fakeplat: Fakeplat) -> None:
    """Without the licence nobody has the right."""
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", f"{SITE}/dependencies")


def test_a_bill_of_materials_of_a_pipeline_is_exported(fakeplat: Fakeplat) -> None:
    """The export is finished a second later; until then it answers 202, and its file is not found."""
    dev = fakeplat.as_user("dev")
    status, export = outcome(dev.post(f"pipelines/{find_pipeline(fakeplat)}/dependency_list_exports"))
    path = f"dependency_list_exports/{export['id']}"
    url = f"{fakeplat.url}/api/v4/{path}"

    assert 201 == status
    assert {
        "id": export["id"],
        "status": "created",
        "has_finished": False,
        "export_type": "sbom",
        "send_email": False,
        "expires_at": None,
        "self": url,
        "download": f"{url}/download",
    } == export
    waiting = dev.get(path)
    assert (202, "5000", export) == (waiting.status, waiting.headers["Poll-Interval"], waiting.json())
    missing = resource_not_found("DependencyListExport")
    assert missing == refusal(fakeplat, "dev", "GET", f"{path}/download")

    fakeplat.clock.advance("2s")
    finished = dev.get(path)
    assert (200, "finished", True) == (finished.status, finished.json()["status"], finished.json()["has_finished"])
    materials = dev.get(f"{path}/download").json()
    assert ("CycloneDX", "1.4", 3) == (
        materials["bomFormat"],
        materials["specVersion"],
        len(materials["components"]),
    )
    assert {
        "name": "debug",
        "purl": "pkg:npm/debug@1.0.5",
        "version": "1.0.5",
        "type": "library",
    } == materials["components"][0]


@pytest.mark.parametrize(
    ("place", "kind", "content"),
    [
        (SITE, "csv", "Name,Version,Packager,Location,Project\ndebug,1.0.5,yarn,yarn.lock,acme/site\n"),
        (SITE, "dependency_list", '{"report":{"status":"ok"},"dependencies":[{"name":"debug",'),
        (SITE, "cyclonedx_1_6_json", '{"bomFormat":"CycloneDX","specVersion":"1.6"'),
        ("groups/acme", "json_array", '[{"name":"debug","packager":"yarn","version":"1.0.5"'),
        ("groups/acme", "csv", "Name,Version,Packager,Location,Project\ndebug,"),
    ],
)
def test_projects_and_groups_have_other_forms(fakeplat: Fakeplat, place: str, kind: str, content: str) -> None:
    """Projects and groups are exported as tables, lists or bills of materials."""
    dev = fakeplat.as_user("dev")
    export = dev.post(f"{place}/dependency_list_exports", json={"export_type": kind}).json()
    fakeplat.clock.advance("2s")

    assert dev.get(f"dependency_list_exports/{export['id']}/download").text.startswith(content)


def test_an_export_belongs_to_its_author(fakeplat: Fakeplat) -> None:
    """Others get 403, even administrators; an unknown one is 404, and each is deleted after a week."""
    dev = fakeplat.as_user("dev")
    path = f"dependency_list_exports/{dev.post(f'{SITE}/dependency_list_exports').json()['id']}"
    missing = (404, {"message": "404 Not Found"})

    assert [FORBIDDEN] * 2 == [refusal(fakeplat, name, "GET", path) for name in ("ada", "root")]
    assert missing == refusal(fakeplat, "dev", "GET", "dependency_list_exports/1")
    fakeplat.clock.advance("8d")
    assert missing == refusal(fakeplat, "dev", "GET", path)


def test_developers_export_dependencies(fakeplat: Fakeplat) -> None:
    """Reporters get 403; the pipelines of hidden projects are not found; forms of other places are refused."""
    path = f"pipelines/{find_pipeline(fakeplat)}/dependency_list_exports"

    for place in (path, f"{SITE}/dependency_list_exports", "groups/acme/dependency_list_exports"):
        assert FORBIDDEN == refusal(fakeplat, "rep", "POST", place)
    assert resource_not_found("Pipeline") == refusal(fakeplat, "eve", "POST", path)
    assert resource_not_found("Pipeline") == refusal(fakeplat, "dev", "POST", "pipelines/1/dependency_list_exports")
    wrong = invalid("export_type does not have a valid value")
    assert wrong == refusal(fakeplat, "dev", "POST", path, json={"export_type": "csv"})


@pytest.mark.fakeplat(version="16.3")
def test_exports_of_dependencies_came_with_16_4(fakeplat: Fakeplat) -> None:
    """Earlier releases do not know the path."""
    assert NO_ROUTE == refusal(fakeplat, "dev", "POST", f"{SITE}/dependency_list_exports")
