"""The files of other projects in rules. Source: spec/lib/gitlab/ci/build/rules/rule/clause/exists_spec.rb."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat


def project(path: str, files: dict[str, str], **members: str) -> dict[str, Any]:
    commits = [{"message": "first", "branch": "main", "files": {"README.md": "x", **files}}]
    return {"path": path, "visibility": "private", "repository": {"commits": commits}, "members": members}


SCENARIO: dict[str, Any] = {
    "users": [{"username": "ada"}, {"username": "mia"}],
    "groups": [
        {
            "path": "acme",
            "projects": [
                project("site", {}, ada="maintainer", mia="maintainer"),
                project("tool", {"go.mod": "x", "cmd/main.go": "x"}, ada="developer"),
            ],
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, version="latest", default_branch="main")


def simulate(fake: Fakeplat, exists: str, user: str = "ada") -> list[str]:
    """Return the mistakes of a simulated pipeline with one job."""
    body = {"content": f"job: {{script: a, rules: [{{exists: {exists}}}]}}", "dry_run": True}
    errors: list[str] = fake.as_user(user).post("projects/acme%2Fsite/ci/lint", json=body).json()["errors"]
    return errors


NO_JOBS = "The resulting pipeline would have been empty. Review the rules configuration for the relevant jobs."
FAILED = "Failed to parse rule for job: rules:exists:"


@pytest.mark.parametrize(
    ("exists", "errors"),
    [
        ("{paths: [go.mod], project: acme/tool}", []),
        ("{paths: [cmd/*.go], project: acme/tool, ref: main}", []),
        ("{paths: [go.mod], project: $CI_PROJECT_NAMESPACE/tool, ref: $CI_COMMIT_BRANCH}", []),
        ("{paths: [README.md], project: acme/tool}", []),
        ("{paths: [missing], project: acme/tool}", [NO_JOBS]),
        ("{paths: [go.mod]}", [NO_JOBS]),
        ("{paths: [a], project: acme/missing}", [f"{FAILED}project `acme/missing` not found or access denied"]),
        (
            "{paths: [a], project: acme/tool, ref: missing}",
            [f"{FAILED}ref `missing` is not a valid ref in project `acme/tool`"],
        ),
    ],
)
def test_the_files_of_another_project_decide(fakeplat: Fakeplat, exists: str, errors: list[str]) -> None:
    """A rule may ask for files of another project, at a ref or at the head of its default branch."""
    assert errors == simulate(fakeplat, exists)


def test_the_files_of_a_hidden_project_are_refused(fakeplat: Fakeplat) -> None:
    """Who cannot read the code of the project cannot ask for its files."""
    expected = f"{FAILED}project `acme/tool` not found or access denied"
    assert [expected] == simulate(fakeplat, "{paths: [go.mod], project: acme/tool}", "mia")


@pytest.mark.parametrize(
    ("exists", "expected"),
    [
        ("{paths: [a], project: acme/$HIDDEN}", "project `acme/[MASKED]xxxx` not found or access denied"),
        (
            "{paths: [a], project: acme/tool, ref: $HIDDEN}",
            "ref `[MASKED]xxxx` is not a valid ref in project `acme/tool`",
        ),
    ],
    ids=["project", "ref"],
)
def test_masked_variables_are_hidden_in_mistakes(fakeplat: Fakeplat, exists: str, expected: str) -> None:
    """The message about a project or ref that is not found hides the value of a masked variable."""
    variable = {"key": "HIDDEN", "value": "masked_value", "masked": True}
    assert 201 == fakeplat.as_user("ada").post("projects/acme%2Fsite/variables", json=variable).status
    assert [f"{FAILED}{expected}"] == simulate(fakeplat, exists)
