"""Validation of configurations in later releases: jobs, included files, and other commits.

Sources: doc/api/lint.md of 19.3; lib/api/lint.rb, lib/gitlab/ci/lint.rb, lib/gitlab/ci/config/external/file/**.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci, commit_file
from tests.api.requests import Outcome, outcome, resource_not_found

SITE = "projects/acme%2Fsite"
LINT = f"{SITE}/ci/lint"
pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, version="latest", default_branch="main")


def lint(fake: Fakeplat, content: str | None = None, user: str = "ada", **more: Any) -> dict[str, Any]:
    client = fake.as_user(user)
    reply = client.get(LINT, params=more) if content is None else client.post(LINT, json={"content": content, **more})
    assert 200 == reply.status, reply.json()
    return dict(reply.json())


def described(name: str, **more: Any) -> dict[str, Any]:
    """Return a job as a static validation lists it."""
    return {
        "name": name,
        "stage": "test",
        "before_script": [],
        "script": ["x"],
        "after_script": [],
        "tag_list": [],
        "only": {"refs": ["branches", "tags"]},
        "except": None,
        "environment": None,
        "when": "on_success",
        "allow_failure": False,
        "needs": None,
        **more,
    }


def test_jobs_are_listed_by_stage(fakeplat: Fakeplat) -> None:
    """With include_jobs, a validation lists the jobs of the configuration, stage by stage."""
    content = """
last:
  stage: deploy
  script: x
  tags: [linux]
  environment: {name: production, url: https://www.example.com}
  when: manual
  needs: [first, {job: other, artifacts: false, optional: true}]
other: {script: [x], rules: [{if: $CI}], before_script: [a, [b]]}
first: {script: x, except: {refs: [tags], variables: [$NO]}, allow_failure: true, after_script: [z]}
"""
    rows = lint(fakeplat, content, include_jobs=True)["jobs"]

    needs = [
        {"name": "first", "artifacts": True, "optional": False},
        {"name": "other", "artifacts": False, "optional": True},
    ]
    assert [
        described("other", only=None, before_script=["a", "b"]),
        described(
            "first", **{"except": {"refs": ["tags"], "variables": ["$NO"]}}, allow_failure=True, after_script=["z"]
        ),
        described(
            "last",
            stage="deploy",
            tag_list=["linux"],
            environment="production",
            when="manual",
            allow_failure=True,
            needs=needs,
        ),
    ] == rows


def test_a_simulation_lists_the_jobs_of_the_pipeline(fakeplat: Fakeplat) -> None:
    """With dry_run, the jobs are those that the pipeline would have, without policies and needs."""
    content = "a: {script: x, rules: [{if: $CI_COMMIT_BRANCH == 'main', when: manual}]}\nb: {script: x, only: [tags]}"
    keys = ("only", "except", "needs")
    expected = {key: value for key, value in described("a", when="manual").items() if key not in keys}

    assert [expected] == lint(fakeplat, content, include_jobs=True, dry_run=True)["jobs"]


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_wrong_configuration_has_no_jobs(fakeplat: Fakeplat, *, dry_run: bool) -> None:
    """The jobs of an invalid configuration are not listed; without include_jobs, none are."""
    assert [] == lint(fakeplat, "a: {}", include_jobs=True, dry_run=dry_run)["jobs"]
    assert "jobs" not in lint(fakeplat, "a: {script: x}", dry_run=dry_run)


def test_included_files_are_described(fakeplat: Fakeplat) -> None:
    """Each included file has its type, addresses and the place of the file that includes it."""
    commit_file(fakeplat, "ci/a.yml", "include: {project: acme/docs, file: /b.yml}\na: {script: x}", branch="main")
    docs = commit_file(fakeplat, "b.yml", "include: c.yml\nb: {script: x}", project="acme/docs", branch="main")
    docs = commit_file(fakeplat, "c.yml", "c: {script: x}", project="acme/docs", branch="main")
    site = commit_file(fakeplat, "templates/part.yml", "part: {script: x}", branch="main")
    host = fakeplat.url.partition("://")[2]
    component = f"{host}/acme/site/part@main"
    content = f"include: [/ci/a.yml, {{component: {component}}}]"

    def blob(kind: str, project: str, sha: str, path: str) -> str:
        return f"{fakeplat.url}/acme/{project}/-/{kind}/{sha}/{path}"

    def both(project: str, sha: str, path: str) -> dict[str, str]:
        return {kind: blob(kind, project, sha, path) for kind in ("blob", "raw")}

    inner = {"context_project": "acme/docs", "context_sha": docs}
    outer = {"context_project": "acme/site", "context_sha": site}
    assert [
        {"type": "local", "location": "ci/a.yml", **both("site", site, "ci/a.yml"), "extra": {}, **outer},
        {
            "type": "component",
            "location": component,
            "blob": blob("blob", "site", site, "templates/part.yml"),
            "raw": None,
            "extra": {},
            **outer,
        },
        {
            "type": "file",
            "location": "b.yml",
            **both("docs", docs, "b.yml"),
            "extra": {"project": "acme/docs", "ref": "HEAD"},
            **outer,
        },
        {"type": "local", "location": "c.yml", **both("docs", docs, "c.yml"), "extra": {}, **inner},
    ] == lint(fakeplat, content)["includes"]


@pytest.mark.parametrize(
    ("content", "expected"), [("a: {script: x}", []), ("a: {}", []), ("include: missing.yml", None), ("a", None)]
)
def test_a_configuration_that_cannot_be_read_has_no_includes(
    fakeplat: Fakeplat, content: str, expected: list[Any] | None
) -> None:
    """Without includes the list is empty; it is null where the configuration could not be read."""
    assert expected == lint(fakeplat, content)["includes"]


@pytest.mark.parametrize("name", ["sha", "content_ref"])
def test_the_configuration_of_another_commit_is_validated(fakeplat: Fakeplat, name: str) -> None:
    """The configuration may be that of a branch or commit."""
    commit_ci(fakeplat, "other: {script: x}", branch="topic", start="main")

    names = [row["name"] for row in lint(fakeplat, include_jobs=True, **{name: "topic"})["jobs"]]
    assert ["other"] == names
    missing = outcome(fakeplat.as_user("ada").get(LINT, params={name: "gone"}))
    assert resource_not_found("Commit") == missing


@pytest.mark.parametrize("name", ["ref", "dry_run_ref"])
def test_the_simulation_is_of_another_ref(fakeplat: Fakeplat, name: str) -> None:
    """The ref of the simulated pipeline decides about the jobs; an unknown one is a mistake."""
    commit_ci(fakeplat, "a: {script: x, only: [topic]}\nb: {script: x, except: [topic]}", branch="main")
    fakeplat.as_user("ada").post(f"{SITE}/repository/branches", json={"branch": "topic", "ref": "main"})

    rows = lint(fakeplat, dry_run=True, include_jobs=True, **{name: "topic"})["jobs"]
    assert ["a"] == [row["name"] for row in rows]
    assert ["Reference not found"] == lint(fakeplat, dry_run=True, **{name: "gone"})["errors"]
    static = lint(fakeplat, include_jobs=True, **{name: "gone"})["jobs"]
    assert ["a", "b"] == [row["name"] for row in static]


@pytest.mark.parametrize("pair", [("sha", "content_ref"), ("ref", "dry_run_ref")])
def test_old_and_new_names_exclude_each_other(fakeplat: Fakeplat, pair: tuple[str, str]) -> None:
    """The old name of a parameter is not accepted beside the new one."""
    refused: Outcome = outcome(fakeplat.as_user("ada").get(LINT, params=dict.fromkeys(pair, "main")))

    assert (400, {"error": f"{', '.join(pair)} are mutually exclusive"}) == refused
