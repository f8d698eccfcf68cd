"""Webhooks about jobs, pipelines, deployments, feature flags, releases and wikis.

Source: docs/platform/webhooks.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.deliveries import (
    ADA,
    LONG_REPOSITORY,
    NOW,
    PROJECT,
    SHORT_PROJECT,
    SITE,
    URL,
    Deliveries,
    change,
    create,
    receive,
)

TEST = "test: {script: x}\nship: {script: x, when: manual, stage: deploy}"


def run_to_end(fake: Fakeplat, **flags: Any) -> tuple[Deliveries, Any]:
    """Run a pipeline to its end; return what was sent, and the pipeline."""
    fake.load({"job_outcomes": [{"job": "test", "after": "5s", "coverage": 80.0}]})
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": TEST}]
    body = {"branch": "master", "commit_message": "Run\n", "actions": actions}
    sent = receive(fake, url=URL, push_events=False, **flags)
    create(fake, f"{SITE}/repository/commits", **body)
    fake.settle()
    return sent, fake.as_user("ada").get(f"{SITE}/pipelines").json()[0]


def test_the_statuses_of_a_job(fakeplat: Fakeplat) -> None:
    """An event for each status but those that wait for a user."""
    sent, _ = run_to_end(fakeplat, job_events=True)

    assert [
        ("test", "created"),
        ("ship", "created"),
        ("test", "pending"),
        ("test", "running"),
        ("test", "success"),
    ] == [(payload["build_name"], payload["build_status"]) for payload in sent.payloads()]


def test_a_finished_job(fakeplat: Fakeplat) -> None:
    """The event of a finished job has the whole payload."""
    sent, pipeline = run_to_end(fakeplat, job_events=True)
    jobs = fakeplat.as_user("ada").get(f"{SITE}/pipelines/{pipeline['id']}/jobs").json()
    job = next(row for row in jobs if row["name"] == "test")
    payload = sent.payloads()[-1]
    before = payload["before_sha"]
    started, finished = payload["build_started_at"], payload["build_finished_at"]

    expected = {
        "object_kind": "build",
        "ref": "master",
        "tag": False,
        "before_sha": before,
        "sha": pipeline["sha"],
        "build_id": job["id"],
        "build_name": "test",
        "build_stage": "test",
        "build_status": "success",
        "build_started_at": started,
        "build_finished_at": finished,
        "build_duration": 4.0,
        "build_allow_failure": False,
        "build_failure_reason": "unknown_failure",
        "pipeline_id": pipeline["id"],
        "runner": None,
        "project_id": 5001,
        "project_name": "Acme / Site",
        "user": {"id": 2, "name": "Ada Example", "email": "ada@example.test", "avatar_url": ADA["avatar_url"]},
        "commit": {
            "id": pipeline["id"],
            "sha": pipeline["sha"],
            "message": "Run\n",
            "author_name": "Ada Example",
            "author_email": "ada@example.test",
            "author_url": "http://localhost/ada",
            "status": "running",
            "duration": None,
            "started_at": started,
            "finished_at": None,
        },
        "repository": LONG_REPOSITORY,
    }
    expected["build_duration"] = payload["build_duration"]
    assert expected == payload
    assert list(expected) == list(payload)
    assert isinstance(payload["build_duration"], float)
    assert started.endswith(" UTC")


def test_a_failed_job(fakeplat: Fakeplat) -> None:
    """The job event of a failed job contains the reason of the failure."""
    fakeplat.load({"job_outcomes": [{"outcome": "failed"}]})
    sent = receive(fakeplat, url=URL, job_events=True, push_events=False)
    create(fakeplat, f"{SITE}/pipeline", ref="master")
    fakeplat.settle()
    payload = sent.payloads()[-1]

    assert ("failed", "script_failure") == (payload["build_status"], payload["build_failure_reason"])


def test_authors_without_an_account(fakeplat: Fakeplat) -> None:
    """The author of a pushed commit without an account has a mail link as URL."""
    actions = [{"action": "create", "file_path": "x", "content": "x"}]
    author = {"author_name": "Nobody", "author_email": "nobody@example.com"}
    sent = receive(fakeplat, url=URL, job_events=True, push_events=False)
    create(fakeplat, f"{SITE}/repository/commits", branch="master", commit_message="x", actions=actions, **author)

    assert "mailto:nobody@example.com" == sent.payloads()[0]["commit"]["author_url"]


def test_the_statuses_of_a_pipeline(fakeplat: Fakeplat) -> None:
    """An event for each change; none for its creation."""
    sent, _ = run_to_end(fakeplat, pipeline_events=True)

    assert ["pending", "running", "success"] == [payload["object_attributes"]["status"] for payload in sent.payloads()]


def test_a_finished_pipeline(fakeplat: Fakeplat) -> None:
    """The event of a finished pipeline has the whole payload with its jobs."""
    sent, pipeline = run_to_end(fakeplat, pipeline_events=True)
    payload = sent.payloads()[-1]
    attributes, (test, ship) = payload["object_attributes"], payload["builds"]

    expected = {
        "id": pipeline["id"],
        "ref": "master",
        "tag": False,
        "sha": pipeline["sha"],
        "before_sha": attributes["before_sha"],
        "source": "push",
        "status": "success",
        "detailed_status": "passed",
        "stages": ["test", "deploy"],
        "created_at": NOW,
        "finished_at": attributes["finished_at"],
        "duration": attributes["duration"],
        "variables": [],
    }
    assert expected == attributes
    assert list(expected) == list(attributes)
    assert isinstance(attributes["duration"], int)
    assert {
        "object_kind": "pipeline",
        "object_attributes": attributes,
        "merge_request": None,
        "user": ADA,
        "project": SHORT_PROJECT,
        "commit": {
            "id": pipeline["sha"],
            "message": "Run\n",
            "title": "Run",
            "timestamp": "2020-11-20T09:00:00+00:00",
            "url": f"http://localhost/acme/site/-/commit/{pipeline['sha']}",
            "author": {"name": "Ada Example", "email": "ada@example.test"},
        },
        "builds": [test, ship],
    } == payload
    assert {
        "id": ship["id"],
        "stage": "deploy",
        "name": "ship",
        "status": "manual",
        "created_at": NOW,
        "started_at": None,
        "finished_at": None,
        "when": "manual",
        "manual": True,
        "allow_failure": True,
        "user": ADA,
        "runner": None,
        "artifacts_file": {"filename": None, "size": None},
    } == ship
    assert ("test", "success", "on_success", False) == tuple(
        test[name] for name in ("name", "status", "when", "manual")
    )


def test_variables_of_a_pipeline(fakeplat: Fakeplat) -> None:
    """A pipeline event contains the pipeline's variables without those of its configuration."""
    sent = receive(fakeplat, url=URL, pipeline_events=True, push_events=False)
    create(fakeplat, f"{SITE}/pipeline", ref="master", variables=[{"key": "A", "value": "1"}])

    assert [{"key": "A", "value": "1"}] == sent.payloads()[0]["object_attributes"]["variables"]


def test_the_pipeline_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """The event of a merge request's pipeline names the source branch and the merge request."""
    create(fakeplat, f"{SITE}/repository/branches", branch="mr", ref="master")
    content = "test: {script: x, rules: [{if: $CI_MERGE_REQUEST_IID}]}"
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": content}]
    create(fakeplat, f"{SITE}/repository/commits", branch="mr", commit_message="x", actions=actions)
    sent = receive(fakeplat, url=URL, pipeline_events=True, push_events=False)
    merge_request = create(fakeplat, f"{SITE}/merge_requests", source_branch="mr", target_branch="master", title="MR")
    payload = sent.payloads()[0]

    assert ("mr", "merge_request_event") == tuple(payload["object_attributes"][name] for name in ("ref", "source"))
    assert {
        "id": merge_request["id"],
        "iid": merge_request["iid"],
        "title": "MR",
        "source_branch": "mr",
        "source_project_id": 5001,
        "target_branch": "master",
        "target_project_id": 5001,
        "state": "opened",
        "merge_status": payload["merge_request"]["merge_status"],
        "url": f"http://localhost/acme/site/-/merge_requests/{merge_request['iid']}",
    } == payload["merge_request"]


def test_a_runner(fakeplat: Fakeplat) -> None:
    """A job event describes the runner of the job."""
    runner = {"description": "ci", "token": "runner-token", "active": True}
    fakeplat.load({"runners": [runner], "projects": [{"path_with_namespace": "acme/site", "runners": "external"}]})
    create(fakeplat, f"{SITE}/pipeline", ref="master")
    sent = receive(fakeplat, url=URL, job_events=True, push_events=False)
    job = fakeplat.as_user(None).post("jobs/request", json={"token": "runner-token"})
    assert 201 == job.status
    (payload,) = sent.payloads()

    known = payload["runner"]
    assert ("running", "ci", True, True) == (
        payload["build_status"],
        known["description"],
        known["active"],
        known["is_shared"],
    )
    assert ["id", "description", "active", "is_shared"] == list(known)


def test_a_deployment_by_the_api(fakeplat: Fakeplat) -> None:
    """A reported deployment has no job and sends an event for each new status."""
    sent = receive(fakeplat, url=URL, deployment_events=True, push_events=False)
    sha = str(fakeplat.as_user("ada").get(f"{SITE}/repository/commits/master").json()["id"])
    body = {"environment": "production", "sha": sha, "ref": "master", "tag": False, "status": "running"}
    deployment = create(fakeplat, f"{SITE}/deployments", **body)
    change(fakeplat, f"{SITE}/deployments/{deployment['id']}", status="success")
    running, success = sent.payloads()

    expected = {
        "object_kind": "deployment",
        "status": "running",
        "deployable_id": None,
        "deployable_url": None,
        "environment": "production",
        "project": PROJECT,
        "short_sha": sha[:8],
        "user": ADA,
        "user_url": "http://localhost/ada",
        "commit_url": f"http://localhost/acme/site/-/commit/{sha}",
        "commit_title": "Say how to run it",
    }
    assert expected == running
    assert list(expected) == list(running)
    assert {**expected, "status": "success"} == success


def test_the_deployment_of_a_job(fakeplat: Fakeplat) -> None:
    """The deployment event of a job contains the job's URL."""
    content = "ship: {script: x, environment: {name: production}}"
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": content}]
    sent = receive(fakeplat, url=URL, deployment_events=True, push_events=False)
    create(fakeplat, f"{SITE}/repository/commits", branch="master", commit_message="x", actions=actions)
    fakeplat.settle()
    payloads = sent.payloads()
    job = fakeplat.as_user("ada").get(f"{SITE}/jobs").json()[0]["id"]

    assert ["running", "success"] == [payload["status"] for payload in payloads]
    assert (job, f"http://localhost/acme/site/-/jobs/{job}") == (
        payloads[0]["deployable_id"],
        payloads[0]["deployable_url"],
    )


def test_a_feature_flag_that_is_switched(fakeplat: Fakeplat) -> None:
    """Switching a feature flag sends an event, creating one does not."""
    sent = receive(fakeplat, url=URL, feature_flag_events=True, push_events=False)
    new_flag = create(fakeplat, f"{SITE}/feature_flags", name="new", version="new_version_flag", description="New")
    change(fakeplat, f"{SITE}/feature_flags/new", description="Newer")
    assert [] == sent.requests
    change(fakeplat, f"{SITE}/feature_flags/new", active=False)
    (payload,) = sent.payloads()
    flag = fakeplat.bench.platform.view.feature_flags.find("name", (5001, "new"))

    assert flag is not None
    assert "new" == new_flag["name"]
    expected = {
        "object_kind": "feature_flag",
        "project": PROJECT,
        "user": ADA,
        "user_url": "http://localhost/ada",
        "object_attributes": {"id": flag.id, "name": "new", "description": "Newer", "active": False},
    }
    assert expected == payload
    assert list(expected) == list(payload)


def test_releases(fakeplat: Fakeplat) -> None:
    """Releases send events when created or updated, but not when deleted."""
    sent = receive(fakeplat, url=URL, releases_events=True, push_events=False)
    links = [{"name": "Binary", "url": "https://x.test/a"}]
    body = {"tag_name": "v1.0", "name": "One", "description": "![a](/uploads/a.png)", "assets": {"links": links}}
    create(fakeplat, f"{SITE}/releases", **body)
    change(fakeplat, f"{SITE}/releases/v1.0", name="First")
    fakeplat.as_user("ada").delete(f"{SITE}/releases/v1.0")
    new, changed = sent.payloads()
    archive = "http://localhost/acme/site/-/archive/v1.0/site-v1.0"

    expected = {
        "id": new["id"],
        "created_at": NOW,
        "description": "![a](http://localhost/acme/site/uploads/a.png)",
        "name": "One",
        "released_at": NOW,
        "tag": "v1.0",
        "object_kind": "release",
        "project": PROJECT,
        "url": "http://localhost/acme/site/-/releases/v1.0",
        "action": "create",
        "assets": {
            "count": 5,
            "links": [
                {
                    "id": new["assets"]["links"][0]["id"],
                    "external": True,
                    "link_type": "other",
                    "name": "Binary",
                    "url": "https://x.test/a",
                }
            ],
            "sources": [
                {"format": "zip", "url": f"{archive}.zip"},
                {"format": "tar.gz", "url": f"{archive}.tar.gz"},
                {"format": "tar.bz2", "url": f"{archive}.tar.bz2"},
                {"format": "tar", "url": f"{archive}.tar"},
            ],
        },
        "commit": new["commit"],
    }
    assert expected == new
    assert list(expected) == list(new)
    assert "Add a logo and a menu" == new["commit"]["title"]
    assert ("update", "First") == (changed["action"], changed["name"])


def test_a_page_of_a_wiki(fakeplat: Fakeplat) -> None:
    """The event of a wiki page has the whole payload with absolute image URLs."""
    sent = receive(fakeplat, url=URL, wiki_page_events=True, push_events=False)
    page = {"title": "how/to", "content": "![a](/uploads/a.png)"}
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/wikis", json=page).status
    (payload,) = sent.payloads()

    assert {
        "object_kind": "wiki_page",
        "user": ADA,
        "project": PROJECT,
        "wiki": {
            "web_url": "http://localhost/acme/site/-/wikis/home",
            "git_ssh_url": "git@127.0.0.1:acme/site.wiki.git",
            "git_http_url": "http://localhost/acme/site.wiki.git",
            "path_with_namespace": "acme/site.wiki",
            "default_branch": "master",
        },
        "object_attributes": {
            "title": "to",
            "content": "![a](http://localhost/acme/site/uploads/a.png)",
            "format": "markdown",
            "message": "ada created page: how/to",
            "slug": "how/to",
            "url": "http://localhost/acme/site/-/wikis/how/to",
            "action": "create",
        },
    } == payload


def test_the_life_of_a_page(fakeplat: Fakeplat) -> None:
    """A deleted page is described as it was; a push to the wiki is no event."""
    sent = receive(fakeplat, url=URL, wiki_page_events=True)
    ada = fakeplat.as_user("ada")
    ada.post(f"{SITE}/wikis", json={"title": "home", "content": "One"})
    ada.put(f"{SITE}/wikis/home", json={"content": "Two"})
    ada.delete(f"{SITE}/wikis/home")

    assert [
        ("create", "One", "ada created page: home"),
        ("update", "Two", "ada updated page: home"),
        ("delete", "Two", "ada updated page: home"),
    ] == [
        tuple(payload["object_attributes"][name] for name in ("action", "content", "message"))
        for payload in sent.payloads()
    ]


@pytest.mark.parametrize("status", ["success", "failed"])
def test_external_statuses_are_no_jobs(fakeplat: Fakeplat, status: str) -> None:
    """External statuses send pipeline events but no job events."""
    sent = receive(fakeplat)
    sha = fakeplat.as_user("ada").get(f"{SITE}/repository/commits/master").json()["id"]
    create(fakeplat, f"{SITE}/statuses/{sha}", state=status)

    assert {"pipeline_hooks"} == {*sent.triggers()}
