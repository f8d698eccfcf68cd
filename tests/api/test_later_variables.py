"""The values of predefined variables that later releases brought.

Source: lib/gitlab/ci/variables/builder/pipeline.rb, app/models/project.rb, app/models/ci/build.rb and
ee/app/models/ee/merge_request.rb.
"""

import json
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.ci_files import commit_ci, commit_file
from tests.api.test_runner_protocol import create_runner, request_job, take_job

FEATURES = {"features": {"refspecs": True}}
pytestmark = pytest.mark.fakeplat(
    scenario="starter",
    clock="virtual",
    tick=0,
    start="2020-11-20T09:00:00.000Z",
    default_branch="main",
    version="latest",
    tier="ultimate",
)
JOB = "job: {script: a}"
SITE = "projects/acme%2Fsite"


def post(fake: Fakeplat, path: str, **body: Any) -> Any:
    reply = fake.as_user("ada").post(f"{SITE}/{path}", json=body)
    assert reply.status in (200, 201), reply
    return reply.json()


def values_of(taken: dict[str, Any]) -> dict[str, Any]:
    return {variable["key"]: variable["value"] for variable in taken["variables"]}


def take_all(fake: Fakeplat, text: str) -> list[dict[str, Any]]:
    """Push a configuration and return the variables of all jobs."""
    runner = create_runner(fake)
    commit_ci(fake, text, branch="main")
    found = []
    while (reply := request_job(fake, runner, info=FEATURES)).status == 201:
        found.append(values_of(reply.json()))
    return found


def check(expected: dict[str, str], values: dict[str, Any]) -> None:
    assert expected == {key: values.get(key) for key in expected}


def test_variables_of_a_job(fakeplat: Fakeplat) -> None:
    """A job knows its limit, its group, its tags, its start and how often it was retried."""
    values = take_all(fakeplat, "job: {script: a, parallel: 2, timeout: 10 minutes}")[1]

    check(
        {
            "CI_JOB_TIMEOUT": "600",
            "CI_JOB_GROUP_NAME": "job",
            "CI_JOB_TAGS": "[]",
            "CI_JOB_STARTED_AT": "2020-11-20T09:00:00Z",
            "CI_JOB_STARTED_AT_SLUG": "2020-11-20t09-00-00z",
            "CI_JOB_RETRY_COUNT": "0",
        },
        values,
    )


def test_tags_of_a_job_are_a_json_array(fakeplat: Fakeplat) -> None:
    """The tags of a job are a JSON array of text."""
    runner = create_runner(fakeplat, tag_list=("b", "a"))
    commit_ci(fakeplat, "job: {script: a, tags: [b, a]}", branch="main")

    assert ["b", "a"] == json.loads(values_of(take_job(fakeplat, runner))["CI_JOB_TAGS"])


def test_retries_are_counted(fakeplat: Fakeplat) -> None:
    """The job that replaces another one counts one retry."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, JOB, branch="main")
    first = take_job(fakeplat, runner)
    fakeplat.as_user(None).request("PUT", f"jobs/{first['id']}", json={"token": first["token"], "state": "failed"})
    post(fakeplat, f"jobs/{first['id']}/retry")

    assert "1" == values_of(take_job(fakeplat, runner))["CI_JOB_RETRY_COUNT"]


def test_variables_of_the_server_and_the_project(fakeplat: Fakeplat) -> None:
    """The dependency proxy, SSH, the configuration, topics and the label of the project have variables."""
    fakeplat.as_user("ada").put(SITE, json={"topics": ["Ruby", "CI"], "tag_list": ["Ruby", "CI"]})
    (values,) = take_all(fakeplat, JOB)
    host = fakeplat.url.rstrip("/").partition("://")[2]

    check(
        {
            "CI_DEPENDENCY_PROXY_SERVER": host,
            "CI_DEPENDENCY_PROXY_GROUP_IMAGE_PREFIX": f"{host}/acme/dependency_proxy/containers",
            "CI_DEPENDENCY_PROXY_DIRECT_GROUP_IMAGE_PREFIX": f"{host}/acme/dependency_proxy/containers",
            "CI_DEPENDENCY_PROXY_USER": values["CI_REGISTRY_USER"],
            "CI_DEPENDENCY_PROXY_PASSWORD": values["CI_JOB_TOKEN"],
            "CI_SERVER_SHELL_SSH_HOST": host.partition(":")[0],
            "CI_SERVER_SHELL_SSH_PORT": "22",
            "CI_CONFIG_REF_URI": f"{host}/acme/site//.gitlab-ci.yml@refs/heads/main",
            "CI_PROJECT_CLASSIFICATION_LABEL": "",
        },
        values,
    )
    assert {"ruby", "ci"} == set(values["CI_PROJECT_TOPICS"].split(","))


def test_variables_of_the_commit(fakeplat: Fakeplat) -> None:
    """The author of the commit has a username, and a message of usual length is whole."""
    (values,) = take_all(fakeplat, JOB)

    check({"CI_COMMIT_USER_LOGIN": "ada", "CI_COMMIT_MESSAGE_IS_TRUNCATED": "false"}, values)


def test_a_long_message_is_truncated(fakeplat: Fakeplat) -> None:
    """A message has at most 100,000 bytes, and says so."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, JOB, branch="main", message="é" * 60_000)
    values = values_of(take_job(fakeplat, runner))

    check({"CI_COMMIT_MESSAGE_IS_TRUNCATED": "true", "CI_COMMIT_MESSAGE": "é" * 50_000}, values)


def test_variables_of_a_tag(fakeplat: Fakeplat) -> None:
    """The job of a tag knows the message of the tag and the description of its release."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, JOB, branch="main")
    take_job(fakeplat, runner)
    post(fakeplat, "repository/tags", tag_name="v9", ref="main", message="Nine")
    post(fakeplat, "releases", tag_name="v9", description="d" * 1_025)
    values = values_of(take_job(fakeplat, runner))

    check({"CI_COMMIT_TAG_MESSAGE": "Nine", "CI_RELEASE_DESCRIPTION": "d" * 1_024}, values)


def test_the_description_of_a_schedule(fakeplat: Fakeplat) -> None:
    """The job of a schedule knows its description."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, JOB, branch="main")
    take_job(fakeplat, runner)
    schedule = post(fakeplat, "pipeline_schedules", description="Nightly", ref="main", cron="0 1 * * *")
    post(fakeplat, f"pipeline_schedules/{schedule['id']}/play")
    fakeplat.settle()

    check({"CI_PIPELINE_SCHEDULE_DESCRIPTION": "Nightly"}, values_of(take_job(fakeplat, runner)))


def test_the_short_token_of_a_trigger(fakeplat: Fakeplat) -> None:
    """The job of a trigger knows the first four characters of its token, without the prefix."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, JOB, branch="main")
    take_job(fakeplat, runner)
    token = post(fakeplat, "triggers", description="a")["token"]
    post(fakeplat, "trigger/pipeline", token=token, ref="main")

    check({"CI_TRIGGER_SHORT_TOKEN": token.removeprefix("glptt-")[:4]}, values_of(take_job(fakeplat, runner)))


def test_variables_of_the_upstream_job(fakeplat: Fakeplat) -> None:
    """The job of a downstream pipeline knows the job, pipeline and project that triggered it."""
    runner = create_runner(fakeplat)
    commit_file(fakeplat, "child.yml", JOB, branch="main", message="Add [skip ci]")
    commit_ci(fakeplat, "bridge: {trigger: {include: child.yml}}", branch="main")
    fakeplat.settle()
    (bridge,) = [job for job in fakeplat.bench.platform.view.jobs.all() if job.name == "bridge"]

    check(
        {
            "CI_UPSTREAM_JOB_ID": str(bridge.id),
            "CI_UPSTREAM_PIPELINE_ID": str(bridge.pipeline_id),
            "CI_UPSTREAM_PROJECT_ID": str(bridge.project_id),
        },
        values_of(take_job(fakeplat, runner)),
    )


def test_variables_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """The job of a merge request knows its diff, whether its branches are protected, and that it is a draft."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, "job: {script: a, only: [merge_requests]}", branch="topic", start="main")
    created = post(fakeplat, "merge_requests", source_branch="topic", target_branch="main", title="Draft: Change")
    values = values_of(take_job(fakeplat, runner, info=FEATURES))
    version = fakeplat.as_user("ada").get(f"{SITE}/merge_requests/{created['iid']}/versions").json()[0]

    check(
        {
            "CI_MERGE_REQUEST_DIFF_ID": str(version["id"]),
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": version["base_commit_sha"],
            "CI_MERGE_REQUEST_DRAFT": "true",
            "CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED": "false",
            "CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED": "true",
            "CI_MERGE_REQUEST_APPROVED": "true",
        },
        values,
    )


def test_a_merge_request_without_its_approvals_is_not_approved(fakeplat: Fakeplat) -> None:
    """The variable of an approved merge request is missing while an approval is."""
    runner = create_runner(fakeplat)
    post(fakeplat, "approval_rules", name="Any", approvals_required=1, rule_type="any_approver")
    commit_ci(fakeplat, "job: {script: a, only: [merge_requests]}", branch="topic", start="main")
    post(fakeplat, "merge_requests", source_branch="topic", target_branch="main", title="Change")

    assert "CI_MERGE_REQUEST_APPROVED" not in values_of(take_job(fakeplat, runner, info=FEATURES))
