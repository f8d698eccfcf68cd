"""Programs that run in or wait for CI, unchanged, against a served world."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gitlab
import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.documented import environment
from tests.clients.environments import Client, NodeClient, PythonClient

pytestmark = pytest.mark.clients

LINT = NodeClient("gitlab-ci-lint", "1.1.0")
SITE = "acme/site"
PAGE = "bots"
FOR_MERGE_REQUESTS = "review:\n  script: danger ci\n  only: [merge_requests]\n"


# Bots of today run with the newest release, those of the time of 13.5 with that one.
TODAY = pytest.mark.fakeplat(version="latest", default_branch="master")


def run(client: Client, name: str, *arguments: str, folder: Path, **env: str) -> "subprocess.CompletedProcess[str]":
    """Run a program of a client in a folder, with nothing of this process's environment but PATH."""
    client.make()
    return subprocess.run(
        [client.program(name), *arguments],
        cwd=folder,
        env={"PATH": client.search_path, "HOME": str(folder), **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def site(fakeplat: Fakeplat) -> Iterator[Any]:
    """The project acme/site, as its maintainer manages it."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as client:
        yield client.projects.get(SITE)


def open_merge_request(project: Any, branch: str, **files: str) -> Any:
    """Commit files to a new branch and open its merge request."""
    actions = [
        {"action": "update" if path == ".gitlab-ci.yml" else "create", "file_path": path, "content": content}
        for path, content in files.items()
    ]
    project.commits.create(
        {"branch": branch, "start_branch": "master", "commit_message": f"Add {branch}", "actions": actions}
    )
    return project.mergerequests.create(
        {"source_branch": branch, "target_branch": "master", "title": f"Add {branch}", "remove_source_branch": True}
    )


# gitlab-ci-lint


@pytest.mark.parametrize(
    ("content", "status", "errors"),
    [
        pytest.param("unit:\n  script: make test\n", 0, [], id="valid"),
        pytest.param(
            "unit:\n  stage: nowhere\n  script: make test\n",
            1,
            ["unit job: chosen stage does not exist; available stages are .pre, build, test, deploy, .post"],
            id="invalid",
        ),
    ],
)
def test_gitlab_ci_lint_validates_a_file(
    fakeplat: Fakeplat, tmp_path: Path, content: str, status: int, errors: list[str]
) -> None:
    """gitlab-ci-lint prints the errors of a file, and its status says whether the file is valid."""
    (tmp_path / ".gitlab-ci.yml").write_text(content, "utf-8")

    result = run(LINT, "gitlab-ci-lint", "-u", fakeplat.url, "-t", fakeplat.token("dev"), folder=tmp_path)

    assert (status, errors) == (result.returncode, result.stderr.splitlines())


# danger

DANGERS = [
    pytest.param(NodeClient("danger", "10.9.0"), id="danger 10"),
    pytest.param(NodeClient("danger", "14.0.7"), id="danger 14", marks=TODAY),
]
DANGERFILE = 'warn(`${danger.git.created_files} by ${danger.gitlab.mr.author.username}`);\nfail("No changelog");\n'


def take_job(fakeplat: Fakeplat, project: Any) -> dict[str, Any]:
    """Take the next job of a project, as a runner does."""
    runner = fakeplat.as_user(None).post("runners", json={"token": project.runners_token}).json()
    info = {"features": {"refspecs": True}}  # which jobs of merge requests need
    reply = fakeplat.as_user(None).post("jobs/request", json={"token": runner["token"], "info": info})
    assert 201 == reply.status, reply
    return dict(reply.json())


@pytest.mark.parametrize("danger", DANGERS)
@pytest.mark.fakeplat(clock="virtual")
def test_danger_reviews_a_merge_request_in_its_pipeline(
    fakeplat: Fakeplat, site: Any, tmp_path: Path, danger: NodeClient
) -> None:
    """Danger finds the merge request by the job's variables, comments on it and fails the job."""
    merge_request = open_merge_request(site, "topic", **{".gitlab-ci.yml": FOR_MERGE_REQUESTS, "new.txt": "new\n"})
    job = take_job(fakeplat, site)
    variables = {variable["key"]: variable["value"] for variable in job["variables"]}
    (tmp_path / "dangerfile.js").write_text(DANGERFILE, "utf-8")
    server = environment(fakeplat, PAGE, "environment of danger")

    result = run(danger, "danger", "ci", "--failOnErrors", folder=tmp_path, **variables, **server)

    assert 1 == result.returncode, result.stdout + result.stderr
    (note,) = [note for note in merge_request.notes.list(get_all=True) if not note.system]
    assert "rep" == note.author["username"]
    assert ("No changelog" in note.body, "new.txt by mia" in note.body) == (True, True), note.body
    state = {"token": job["token"], "state": "failed", "failure_reason": "script_failure"}
    assert 200 == fakeplat.as_user(None).put(f"jobs/{job['id']}", json=state).status
    assert "failed" == site.mergerequests.get(merge_request.iid).head_pipeline["status"]


# marge-bot

MARGE = PythonClient("marge-bot", "1.4.0")
TESTS = "unit:\n  script: make test\n"
# The bot sleeps between its questions. Here each question moves the time of the world, so it need not.
AT_ONCE = (
    "import sys, time; time.sleep = lambda seconds: None; from marge.app import main; sys.exit(main(sys.argv[1:]))"
)


def assign(project: Any, merge_request: Any, user_id: int) -> None:
    project.mergerequests.update(merge_request.iid, {"assignee_ids": [user_id]})


def run_marge(fakeplat: Fakeplat, folder: Path) -> None:
    """Let the bot, which is the user mia, handle what is assigned to her once."""
    server = environment(fakeplat, PAGE, "environment of marge-bot")
    options = ("--cli", "--source-branch-regexp", "topic")
    result = run(MARGE, "python", "-c", AT_ONCE, *options, folder=folder, **server)
    assert 0 == result.returncode, result.stderr


def assign_to_marge(fakeplat: Fakeplat) -> Any:
    """Open a merge request of dev, in a project that requires pipelines to succeed, and assign it to the bot."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia:
        project = mia.projects.get(SITE)
        project.only_allow_merge_if_pipeline_succeeds = True
        project.save()
        mia.auth()
        user = mia.user
        assert user is not None
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as dev:
        theirs = open_merge_request(dev.projects.get(SITE), "topic", **{".gitlab-ci.yml": TESTS, "new.txt": "new\n"})
    assign(project, theirs, user.id)
    return theirs


@TODAY  # the bot reads fields that releases since 15.6 have
def test_marge_merges_what_is_assigned_to_her_when_its_pipeline_has_succeeded(
    fakeplat: Fakeplat, site: Any, tmp_path: Path
) -> None:
    """Marge rebases a merge request that is assigned to her, waits for its pipeline and merges it."""
    merge_request = assign_to_marge(fakeplat)
    action = {"action": "create", "file_path": "meanwhile.txt", "content": "x\n"}
    site.commits.create({"branch": "master", "commit_message": "Meanwhile", "actions": [action]})

    run_marge(fakeplat, tmp_path)

    merged = site.mergerequests.get(merge_request.iid)
    assert ("merged", "mia", "success") == (merged.state, merged.merged_by["username"], merged.head_pipeline["status"])
    assert merge_request.sha != merged.sha
    assert b"new\n" == site.files.raw("new.txt", ref="master")


@TODAY  # the bot reads fields that releases since 15.6 have
def test_marge_comments_and_hands_back_what_fails(fakeplat: Fakeplat, site: Any, tmp_path: Path) -> None:
    """Marge comments on a merge request whose pipeline failed and assigns it to its author."""
    fakeplat.pipelines.add(job="unit", outcome="failed")
    merge_request = assign_to_marge(fakeplat)

    run_marge(fakeplat, tmp_path)

    refused = site.mergerequests.get(merge_request.iid)
    assert ("opened", ["dev"]) == (refused.state, [user["username"] for user in refused.assignees])
    (note,) = [note for note in refused.notes.list(get_all=True) if not note.system]
    assert note.body.startswith("This branch couldn't be merged: CI failed! See pipeline ")


# renovate

# The optional parts of Renovate are native, and what it does here does not need them.
PLAIN = ("--omit=optional", "--ignore-scripts")
RENOVATES = [
    pytest.param(NodeClient("renovate", "39.264.1", options=PLAIN), id="renovate 39"),
    pytest.param(NodeClient("renovate", "44.121.2", options=PLAIN, node="24"), id="renovate 44", marks=TODAY),
]
BRANCH = "renovate/acme-docs-1.x"


def run_renovate(renovate: NodeClient, fakeplat: Fakeplat, folder: Path, *, by_platform: bool) -> None:
    """Let the bot, which is the user mia, update acme/site."""
    manager = {
        "customType": "regex",
        "fileMatch": ["^versions[.]txt$"],
        "matchStrings": ["docs=(?<currentValue>v[0-9.]+)"],
        "depNameTemplate": "acme/docs",
        "datasourceTemplate": "gitlab-tags",
        "registryUrlTemplate": fakeplat.url,
        "versioningTemplate": "semver-coerced",
    }
    settings = {
        "dependencyDashboard": False,
        "enabledManagers": ["custom.regex"],
        "customManagers": [manager],
        "automerge": True,
        "platformAutomerge": by_platform,
        "baseDir": str(folder / "renovate"),
    }
    server = environment(fakeplat, PAGE, "environment of renovate")
    env = {"RENOVATE_CONFIG": json.dumps(settings), "LOG_LEVEL": "debug"}
    options = ("--onboarding=false", "--require-config=optional", SITE)
    result = run(renovate, "renovate", *options, folder=folder, **server, **env)
    assert 0 == result.returncode, result.stdout + result.stderr


def depend_on_docs(fakeplat: Fakeplat, project: Any) -> None:
    """Commit a version of acme/docs to acme/site, whose pipelines run one test, and publish a newer version."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("ada")) as ada:
        docs = ada.projects.get("acme/docs")
        for name in ("v1.0.0", "v1.1.0"):
            docs.tags.create({"tag_name": name, "ref": "master"})
    actions = [
        {"action": "update", "file_path": ".gitlab-ci.yml", "content": TESTS},
        {"action": "create", "file_path": "versions.txt", "content": "docs=v1.0.0\n"},
    ]
    project.commits.create({"branch": "master", "commit_message": "Use docs [ci skip]", "actions": actions})


def get_update(project: Any) -> Any:
    (row,) = project.mergerequests.list(source_branch=BRANCH, get_all=True)
    return project.mergerequests.get(row.iid)


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize("renovate", RENOVATES)
@pytest.mark.parametrize(
    ("outcome", "state", "version"), [("success", "merged", b"v1.1.0"), ("failed", "opened", b"v1.0.0")]
)
def test_an_update_by_renovate_is_merged_by_the_platform_if_its_pipeline_succeeds(
    fakeplat: Fakeplat, site: Any, tmp_path: Path, renovate: NodeClient, outcome: str, state: str, version: bytes
) -> None:
    """With `platformAutomerge` the platform merges Renovate's update if its pipeline succeeds."""
    depend_on_docs(fakeplat, site)
    fakeplat.pipelines.add(job="unit", outcome=outcome, after="1m")

    run_renovate(renovate, fakeplat, tmp_path, by_platform=True)

    assert ("opened", True) == (get_update(site).state, get_update(site).merge_when_pipeline_succeeds)
    fakeplat.settle()
    assert (state, b"docs=" + version + b"\n") == (get_update(site).state, site.files.raw("versions.txt", ref="master"))


@pytest.mark.fakeplat(clock="virtual")
@pytest.mark.parametrize("renovate", RENOVATES)
@pytest.mark.parametrize(
    ("outcome", "state", "version"), [("success", "merged", b"v1.1.0"), ("failed", "opened", b"v1.0.0")]
)
def test_an_update_by_renovate_is_merged_by_its_next_run_if_its_pipeline_succeeds(
    fakeplat: Fakeplat, site: Any, tmp_path: Path, renovate: NodeClient, outcome: str, state: str, version: bytes
) -> None:
    """Without `platformAutomerge` Renovate merges its update in the next run if the pipeline succeeded."""
    depend_on_docs(fakeplat, site)
    fakeplat.pipelines.add(job="unit", outcome=outcome, after="1m")

    run_renovate(renovate, fakeplat, tmp_path, by_platform=False)
    assert ("opened", False) == (get_update(site).state, get_update(site).merge_when_pipeline_succeeds)
    fakeplat.settle()
    run_renovate(renovate, fakeplat, tmp_path, by_platform=False)

    assert (state, b"docs=" + version + b"\n") == (get_update(site).state, site.files.raw("versions.txt", ref="master"))
