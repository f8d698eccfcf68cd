"""What payloads of webhooks have since a release. Source: docs/platform/webhooks.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    DELETED_RELEASES_ARE_TOLD_OF,
    EDITED_NOTES_ARE_TOLD_OF,
    HOOKS_HIDE_EMAILS,
    JOB_HOOKS_HAVE_USERS,
)
from tests.api.deliveries import EVERYTHING, SITE, create, receive
from tests.by_release import by_release

CONFIGURATION = """
test: {script: x}
ship: {script: x, stage: deploy, environment: {name: production}}
"""
JOB = "job_hooks"
PIPELINE = "pipeline_hooks"
MERGE_REQUEST = "merge_request_hooks"
EVENTS = {name: value for name, value in EVERYTHING.items() if name != "feature_flag_events"}


def run_pipeline(fake: Fakeplat, workflow: str = "") -> None:
    """Commit a configuration whose jobs all succeed, and let them end."""
    fake.load({"job_outcomes": [{"job": "test", "after": "5s"}, {"job": "ship", "after": "5s"}]})
    actions = [{"action": "update", "file_path": ".gitlab-ci.yml", "content": workflow + CONFIGURATION}]
    branch = fake.as_user("ada").get(SITE).json()["default_branch"]
    create(fake, f"{SITE}/repository/commits", branch=branch, commit_message="Run", actions=actions)
    fake.settle()


def update(fake: Fakeplat, path: str, **body: Any) -> None:
    assert 200 == fake.as_user("ada").put(f"{SITE}/{path}", json=body).status


@pytest.mark.parametrize(
    ("release", "names", "of_commit"),
    [
        ("13.5", set(), set()),
        ("15.0", {"build_created_at"}, set()),
        ("15.10", {"build_created_at", "build_queued_duration"}, {"name"}),
        (
            "16.2",
            {"build_created_at", "build_queued_duration", "environment", "retries_count"},
            {"name"},
        ),
        (
            "19.1",
            {
                *("build_created_at", "build_queued_duration", "environment", "retries_count", "project"),
                *("build_created_at_iso", "build_started_at_iso", "build_finished_at_iso"),
            },
            {"name", "started_at_iso", "finished_at_iso"},
        ),
    ],
)
def test_what_events_of_jobs_have(release: str, names: set[str], of_commit: set[str], fakeplat_factory: Any) -> None:
    """Events of jobs tell of their creation, waiting, environment, retries and project, each since its release."""
    fake = fakeplat_factory(version=release)
    sent = receive(fake, **EVENTS)
    run_pipeline(fake)
    payload = sent.payloads(JOB)[-1]
    later = {
        *("build_created_at", "build_queued_duration", "environment", "retries_count", "project"),
        *("build_created_at_iso", "build_started_at_iso", "build_finished_at_iso", "source_pipeline"),
    }

    assert names == later & {*payload}
    assert of_commit == {"name", "started_at_iso", "finished_at_iso"} & {*payload["commit"]}


@pytest.mark.fakeplat(version="latest")
def test_the_later_parts_of_a_job(fakeplat: Fakeplat) -> None:
    """The event of a job names its environment, its retries and the pipeline, and has times in ISO 8601."""
    sent = receive(fakeplat, **EVENTS)
    run_pipeline(fakeplat, "workflow: {name: Nightly}")
    payload = next(payload for payload in reversed(sent.payloads(JOB)) if payload["build_name"] == "ship")

    assert {"name": "production", "action": "start"} == payload["environment"]
    assert (0, "Nightly", "Site") == (payload["retries_count"], payload["commit"]["name"], payload["project"]["name"])
    created = payload["build_created_at"]
    assert f"{created[:10]}T{created[11:19]}Z" == payload["build_created_at_iso"]
    assert payload["build_queued_duration"] >= 0


@pytest.mark.fakeplat(version="latest")
def test_a_retried_job_counts_its_retries(fakeplat: Fakeplat) -> None:
    """The events of a job that was retried once have one retry."""
    run_pipeline(fakeplat)
    sent = receive(fakeplat, **EVENTS)
    job = next(row for row in fakeplat.as_user("ada").get(f"{SITE}/jobs").json() if row["name"] == "test")
    create(fakeplat, f"{SITE}/jobs/{job['id']}/retry")
    fakeplat.settle()

    assert {1} == {payload["retries_count"] for payload in sent.payloads(JOB) if payload["build_name"] == "test"}


@pytest.mark.parametrize(
    ("release", "names", "of_job"),
    [
        ("13.5", set(), set()),
        ("14.6", {"queued_duration"}, {"environment"}),
        ("15.8", {"queued_duration"}, {"environment", "duration", "queued_duration", "failure_reason"}),
        (
            "16.2",
            {"queued_duration", "iid", "name", "url"},
            {"environment", "duration", "queued_duration", "failure_reason"},
        ),
        (
            "19.3",
            {"queued_duration", "iid", "name", "url", "protected_ref"},
            {"environment", "duration", "queued_duration", "failure_reason"},
        ),
    ],
)
def test_what_events_of_pipelines_have(release: str, names: set[str], of_job: set[str], fakeplat_factory: Any) -> None:
    """Events of pipelines tell of their number, name, address and jobs' durations since these releases."""
    fake = fakeplat_factory(version=release)
    sent = receive(fake, **EVENTS)
    run_pipeline(fake)
    payload = sent.payloads(PIPELINE)[-1]

    assert names == {"queued_duration", "iid", "name", "url", "protected_ref"} & {*payload["object_attributes"]}
    later = {"environment", "duration", "queued_duration", "failure_reason"}
    assert [of_job, of_job] == [later & {*job} for job in payload["builds"]]


@pytest.mark.fakeplat(version="latest")
def test_the_later_parts_of_a_pipeline(fakeplat: Fakeplat) -> None:
    """The event of a pipeline has its number, name and address; a job with an environment tells its tier."""
    sent = receive(fakeplat, **EVENTS)
    run_pipeline(fakeplat, "workflow: {name: Nightly}")
    payload = sent.payloads(PIPELINE)[-1]
    pipeline = fakeplat.as_user("ada").get(f"{SITE}/pipelines").json()[0]
    attributes = payload["object_attributes"]

    assert (pipeline["iid"], "Nightly", True) == (attributes["iid"], attributes["name"], attributes["protected_ref"])
    assert pipeline["web_url"].partition("/acme/")[2] == attributes["url"].partition("/acme/")[2]
    environments = {job["name"]: job["environment"] for job in payload["builds"]}
    assert {
        "test": None,
        "ship": {"name": "production", "action": "start", "deployment_tier": "production"},
    } == environments


@pytest.mark.fakeplat(version="latest")
def test_a_downstream_pipeline_names_the_job_that_started_it(fakeplat: Fakeplat) -> None:
    """The events of a pipeline that a trigger job started have that job, its pipeline and its project."""
    content = "ask: {trigger: {include: [{local: child.yml}]}}"
    actions = [
        {"action": "update", "file_path": ".gitlab-ci.yml", "content": content},
        {"action": "create", "file_path": "child.yml", "content": "test: {script: x}"},
    ]
    sent = receive(fakeplat, **EVENTS)
    create(fakeplat, f"{SITE}/repository/commits", branch="main", commit_message="Ask", actions=actions)
    fakeplat.settle()
    (parent,) = [row for row in fakeplat.as_user("ada").get(f"{SITE}/pipelines").json() if row["source"] == "push"]
    (bridge,) = fakeplat.as_user("ada").get(f"{SITE}/pipelines/{parent['id']}/bridges").json()

    (source,) = {
        (source["job_id"], source["pipeline_id"], source["project"]["path_with_namespace"])
        for payload in (*sent.payloads(PIPELINE), *sent.payloads(JOB))
        if (source := payload.get("source_pipeline"))
    }
    assert (bridge["id"], parent["id"], "acme/site") == source


@by_release(
    JOB_HOOKS_HAVE_USERS,
    "expected",
    {"13.5": {"id", "name", "email", "avatar_url"}, "13.12": {"id", "name", "username", "email", "avatar_url"}},
)
def test_events_of_jobs_have_the_user(fakeplat: Fakeplat, expected: set[str]) -> None:
    """The user in events of jobs has the username since 13.12 at the latest."""
    sent = receive(fakeplat, **EVENTS)
    run_pipeline(fakeplat)

    user = {*sent.payloads(JOB)[-1]["user"]}
    assert expected == user


@by_release(HOOKS_HIDE_EMAILS, "expected", {"17.9": "ada@example.test", "17.10": "[REDACTED]"})
def test_emails_that_are_not_public_are_hidden(fakeplat: Fakeplat, expected: str) -> None:
    """The e-mail address of a user in payloads is the public one, and hidden without one."""
    sent = receive(fakeplat, **EVENTS)
    create(fakeplat, f"{SITE}/issues", title="One")
    fakeplat.as_user("root").put("users/2", json={"public_email": "ada@example.test"})
    create(fakeplat, f"{SITE}/issues", title="Two")

    emails = [payload["user"]["email"] for payload in sent.payloads("issue_hooks")]
    assert [expected, "ada@example.test"] == emails


@by_release(DELETED_RELEASES_ARE_TOLD_OF, "expected", {"16.4": ["create"], "16.5": ["create", "delete"]})
def test_the_deletion_of_a_release_is_told_of(fakeplat: Fakeplat, expected: list[str]) -> None:
    """A release that is deleted is an event since 16.5, with what the release had."""
    sent = receive(fakeplat, **EVENTS)
    links = [{"name": "Binary", "url": "https://example.test/binary"}]
    create(fakeplat, f"{SITE}/releases", tag_name="v1.0", name="One", assets={"links": links})
    assert 200 == fakeplat.as_user("ada").delete(f"{SITE}/releases/v1.0").status

    payloads = sent.payloads("release_hooks")
    assert expected == [payload["action"] for payload in payloads]
    assert {("v1.0", 5)} == {(payload["tag"], payload["assets"]["count"]) for payload in payloads}


@by_release(EDITED_NOTES_ARE_TOLD_OF, "expected", {"16.10": [None], "16.11": ["create", "update"]})
def test_an_edited_comment_is_told_of(fakeplat: Fakeplat, expected: list[str | None]) -> None:
    """A comment whose text is changed is an event since 16.11; another change of it is not."""
    sent = receive(fakeplat, **EVENTS)
    note = create(fakeplat, f"{SITE}/issues/1/notes", body="One")
    update(fakeplat, f"issues/1/notes/{note['id']}", body="One")
    update(fakeplat, f"issues/1/notes/{note['id']}", body="Two")

    notes = [payload["object_attributes"] for payload in sent.payloads("note_hooks")]
    assert expected == [note.get("action") for note in notes]
    assert ("Two" if "update" in expected else "One") == notes[-1]["note"]


@pytest.mark.parametrize(
    ("release", "names"),
    [
        ("13.5", set()),
        ("15.3", {"blocking_discussions_resolved"}),
        ("15.10", {"blocking_discussions_resolved", "labels", "first_contribution", "detailed_merge_status"}),
        (
            "16.4",
            {
                *("blocking_discussions_resolved", "labels", "first_contribution", "detailed_merge_status", "draft"),
                *("time_change", "human_time_change", "prepared_at"),
            },
        ),
        (
            "19.1",
            {
                *("blocking_discussions_resolved", "labels", "first_contribution", "detailed_merge_status", "draft"),
                *("time_change", "human_time_change", "prepared_at", "merged_at", "squash_commit_sha"),
            },
        ),
    ],
)
def test_what_events_of_merge_requests_have(release: str, names: set[str], fakeplat_factory: Any) -> None:
    """Events of merge requests, and of comments on them, have more fields with each of these releases."""
    fake = fakeplat_factory(version=release)
    sent = receive(fake, **EVENTS)
    update(fake, "merge_requests/1", title="Another")
    create(fake, f"{SITE}/merge_requests/1/notes", body="Nice")
    event, comment = sent.payloads()
    later = {
        *("blocking_discussions_resolved", "labels", "first_contribution", "detailed_merge_status", "draft"),
        *("time_change", "human_time_change", "prepared_at", "merged_at", "squash_commit_sha"),
    }

    assert [names, names] == [later & {*fields} for fields in (event["object_attributes"], comment["merge_request"])]


@pytest.mark.fakeplat(version="latest")
def test_the_later_parts_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """The event of a merge request has its labels, whether it is a draft, and why it cannot be merged."""
    sent = receive(fakeplat, **EVENTS)
    update(fakeplat, "merge_requests/1", title="Draft: Search")
    (payload,) = sent.payloads(MERGE_REQUEST)
    attributes = payload["object_attributes"]

    assert (True, "draft_status", True) == (
        attributes["draft"],
        attributes["detailed_merge_status"],
        attributes["blocking_discussions_resolved"],
    )
    assert ["feature"] == [label["title"] for label in attributes["labels"]]


@pytest.mark.fakeplat(version="latest")
def test_events_tell_how_much_time_was_spent_with_them(fakeplat: Fakeplat) -> None:
    """The event of spent time has that time; other events have no change of it."""
    sent = receive(fakeplat, **EVENTS)
    create(fakeplat, f"{SITE}/issues/1/add_spent_time", duration="30m")
    update(fakeplat, "issues/1", title="Another")

    assert [(1800, "30m"), (0, None)] == [
        (payload["object_attributes"]["time_change"], payload["object_attributes"]["human_time_change"])
        for payload in sent.payloads("issue_hooks")
    ]


@pytest.mark.parametrize(("release", "expected"), [("17.9", {None}), ("17.10", {True, False})])
def test_pushes_tell_whether_the_ref_is_protected(
    release: str, expected: set[bool | None], fakeplat_factory: Any
) -> None:
    """A push to the protected first branch says so, and one to another branch does not."""
    fake = fakeplat_factory(version=release)
    sent = receive(fake, **EVENTS)
    for branch in ("main", "feature"):
        actions = [{"action": "create", "file_path": "new.txt", "content": "x"}]
        create(fake, f"{SITE}/repository/commits", branch=branch, commit_message="Add", actions=actions)

    assert expected == {payload.get("ref_protected") for payload in sent.payloads("push_hooks")}


@pytest.mark.fakeplat(version="latest")
def test_the_later_parts_of_a_deployment(fakeplat: Fakeplat) -> None:
    """The event of a deployment has its id, and the slug, tier and address of the environment."""
    sent = receive(fakeplat, **EVENTS)
    run_pipeline(fakeplat)
    payload = sent.payloads("deployment_hooks")[-1]
    (deployment,) = fakeplat.as_user("ada").get(f"{SITE}/deployments").json()

    assert (deployment["id"], "main", "production", "production", None) == (
        payload["deployment_id"],
        payload["ref"],
        payload["environment_slug"],
        payload["environment_tier"],
        payload["environment_external_url"],
    )
    assert payload["status_changed_at"].endswith(" +0000")


@pytest.mark.fakeplat(version="latest")
def test_the_later_parts_of_a_wiki_page(fakeplat: Fakeplat) -> None:
    """The event of a page has the commit that changed it, and the address of the difference."""
    sent = receive(fakeplat, **EVENTS)
    create(fakeplat, f"{SITE}/wikis", title="home", content="Welcome")
    (payload,) = sent.payloads("wiki_page_hooks")
    page = payload["object_attributes"]

    assert 40 == len(page["version_id"])
    assert page["diff_url"].endswith(f"/acme/site/-/wikis/home/diff?version_id={page['version_id']}")


@pytest.mark.fakeplat(version="latest")
def test_the_later_parts_of_a_snippet(fakeplat: Fakeplat) -> None:
    """The event of a comment on a snippet has the snippet's address, and whether the comment is internal."""
    sent = receive(fakeplat, **EVENTS)
    files = [{"file_path": "a.txt", "content": "x"}]
    snippet = create(fakeplat, f"{SITE}/snippets", title="One", visibility="private", files=files)
    create(fakeplat, f"{SITE}/snippets/{snippet['id']}/notes", body="Nice")
    (payload,) = sent.payloads("note_hooks")

    assert payload["snippet"]["url"].endswith(f"/acme/site/-/snippets/{snippet['id']}")
    assert payload["object_attributes"]["internal"] is False
