"""Components of the world's own projects. Source: spec/services/ci/components/fetch_service_spec.rb."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_file

COMPONENT = "spec: {inputs: {stage: {default: test}}}\n---\nlint: {script: a, stage: $[[ inputs.stage ]]}\n"
FACTS = """spec: {component: [name, sha, version, reference]}
---
$[[ component.name ]]-$[[ component.reference ]]:
  script: echo $[[ component.sha ]] $[[ component.version ]]
"""
NESTED = "include: {local: templates/lint.yml}\nbuild: {script: b}\n"


def project(path: str, files: dict[str, str], **more: Any) -> dict[str, Any]:
    commits = [{"message": "first", "branch": "main", "files": {"README.md": "x", **files}, "tags": ["1.0.0"]}]
    return {"path": path, "repository": {"commits": commits}, **more}


SCENARIO: dict[str, Any] = {
    "users": [{"username": "ada"}, {"username": "mia"}],
    "groups": [
        {
            "path": "acme",
            "projects": [
                project("site", {}, members={"mia": "maintainer", "ada": "maintainer"}),
                project(
                    "parts",
                    {
                        "templates/lint.yml": COMPONENT,
                        "templates/build/template.yml": NESTED,
                        "templates/empty.yml": "",
                        "templates/facts.yml": FACTS,
                    },
                    members={"ada": "developer"},
                ),
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, version="latest", default_branch="main")


def configure(component: str, inputs: str) -> str:
    return f"include: [{{component: '{component}', inputs: {inputs}}}]\nown: {{script: c}}\n"


def lint(fake: Fakeplat, component: str, *, user: str = "ada") -> list[str]:
    """Return the mistakes of a configuration with a component."""
    body = {"content": configure(component, "{}")}
    errors: list[str] = fake.as_user(user).post("projects/acme%2Fsite/ci/lint", json=body).json()["errors"]
    return errors


def create_jobs(fake: Fakeplat, component: str, inputs: str = "{}") -> list[str]:
    """Push a configuration with a component and return the stages and names of its jobs."""
    commit_file(fake, ".gitlab-ci.yml", configure(component, inputs), branch="main")
    return sorted(f"{job.stage}:{job.name}" for job in fake.bench.platform.view.jobs.all())


@pytest.mark.parametrize("version", ["1.0.0", "main"])
@pytest.mark.parametrize("server", ["$CI_SERVER_FQDN", "$CI_SERVER_HOST:$CI_SERVER_PORT"])
def test_a_component_is_included(fakeplat: Fakeplat, server: str, version: str) -> None:
    """A component is found by the address of the instance, at a tag or a branch, with its inputs."""
    address = f"{server}/acme/parts/lint@{version}"

    assert ["build:lint", "test:own"] == create_jobs(fakeplat, address, inputs="{stage: build}")


def test_a_component_is_found_at_a_commit(fakeplat: Fakeplat) -> None:
    """The version of a component may be a commit."""
    sha = fakeplat.as_user("ada").get("projects/acme%2Fparts/repository/commits/main").json()["id"]

    assert [] == lint(fakeplat, f"$CI_SERVER_FQDN/acme/parts/lint@{sha}")


def test_a_component_in_a_folder_includes_files_of_its_project(fakeplat: Fakeplat) -> None:
    """A component may be a folder with a template, and its local files are those of its project."""
    assert ["test:build", "test:lint", "test:own"] == create_jobs(fakeplat, "$CI_SERVER_FQDN/acme/parts/build@main")


def test_a_component_knows_itself(fakeplat: Fakeplat) -> None:
    """A component has its name, its commit and the reference it was asked for; versions are of the catalogue."""
    sha = fakeplat.as_user("ada").get("projects/acme%2Fparts/repository/commits/main").json()["id"]

    assert ["test:facts-main", "test:own"] == create_jobs(fakeplat, "$CI_SERVER_FQDN/acme/parts/facts@main")
    (job,) = [job for job in fakeplat.bench.platform.view.jobs.all() if job.name == "facts-main"]
    assert [f"echo {sha} null"] == job.options["script"]


@pytest.mark.fakeplat(version="18.5")
def test_earlier_components_do_not_know_themselves(fakeplat: Fakeplat) -> None:
    """A release that does not know the keyword refuses it."""
    (error,) = lint(fakeplat, "$CI_SERVER_FQDN/acme/parts/facts@main")

    assert "config contains unknown keys: component" in error


LATEST = "The ~latest version reference is not supported for non-catalog resources. "
PARTIAL = "The partial semantic version reference is not supported for non-catalog resources. "
USE = "Use a tag, branch, or commit SHA instead."


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/acme/parts/missing@main", "content not found"),
        ("/acme/parts/empty@main", "content not found"),
        ("/acme/parts/lint@missing", "content not found"),
        ("/acme/missing/lint@main", "content not found"),
        ("/acme/parts/lint", "the component path is not supported"),
        (".example.com/acme/parts/lint@main", "the component path is not supported"),
        ("/acme/parts/lint@~latest", LATEST + USE),
        ("/acme/parts/lint@1", PARTIAL + USE),
        ("/acme/parts/lint@1.0", PARTIAL + USE),
    ],
)
def test_a_component_that_is_not_there_is_refused(fakeplat: Fakeplat, path: str, reason: str) -> None:
    """A refusal has the address and the reason."""
    host = fakeplat.url.rstrip("/").partition("://")[2]

    assert [f"Component '{host}{path}' - {reason}"] == lint(fakeplat, f"$CI_SERVER_FQDN{path}")


def test_a_component_needs_access_to_its_project(fakeplat: Fakeplat) -> None:
    """Who cannot read the code of the project cannot include its components."""
    host = fakeplat.url.rstrip("/").partition("://")[2]
    expected = (
        f"Component '{host}/acme/parts/lint@main' - project does not exist or you don't have sufficient permissions"
    )

    assert [expected] == lint(fakeplat, "$CI_SERVER_FQDN/acme/parts/lint@main", user="mia")


@pytest.mark.fakeplat(version="16.1")
def test_earlier_releases_know_no_components(fakeplat: Fakeplat) -> None:
    """Before 16.2, a location with a component alone names nothing."""
    host = fakeplat.url.rstrip("/").partition("://")[2]
    expected = (
        f'`{{"component":"{host}/acme/parts/lint@main","inputs":{{}}}}` does not have a valid subkey for include. '
        "Valid subkeys are: `local`, `project`, `remote`, `template`, `artifact`"
    )

    assert [expected] == lint(fakeplat, f"{host}/acme/parts/lint@main")
