"""The protocol of runners: jobs, logs, results and artifacts. Source: docs/platform/runner-protocol.md."""

import base64
import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from fakeplat.ci_config.jobs import ArtifactsSpec, Need, PlannedJob
from fakeplat.domain.ci import artifact_files, job_actions, job_artifacts, runners
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.ci import Job, PipelineVariable, Runner, RunnerType
from fakeplat.policy.behaviours import (
    CLOSED_TO_RUNNERS,
    DEBUG_LOGS_ARE_RESTRICTED,
    FAILURE_REASONS_FOR_RUNNERS,
    ID_TOKENS_REPLACE_OTHERS,
    RELEASES_ARE_MADE_BY_GLAB,
    RELEASES_ARE_PUBLISHED,
    RELEASES_HAVE_ASSET_LINKS,
    SECONDS_BETWEEN_LOG_PARTS,
    SEVERAL_CACHES,
    STEPS_REPLACE_SCRIPTS,
    UNKNOWN_JOBS_ARE_FORBIDDEN,
)
from fakeplat.workbench.journal_entries import Reply
from tests.api.ci_files import commit_ci
from tests.api.ci_jobs import create_pipeline, find_project, jobs_of, wait_for_runner
from tests.api.merge_requests import SITE
from tests.api.requests import FORBIDDEN, Outcome, form, invalid, outcome, refusal
from tests.by_release import by_release

NOW = "2020-11-20T09:00:00.000Z"
pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, start=NOW)

ZIP = artifact_files.build_zip({"out/a.txt": "A"}, 0)
EMPTY: Outcome = (204, None)
NOT_FOUND: Outcome = (404, {"message": "404 Not Found"})
BUILD = PlannedJob(name="build", options={"script": ["make"]})


def create_runner(
    fake: Fakeplat, kind: RunnerType = "project_type", *, project: str = "acme/site", **fields: Any
) -> Runner:
    """Create a runner, by default of the project acme/site, whose jobs then wait for it."""
    wait_for_runner(fake, project)
    with fake.bench.platform.acting() as ctx:
        record = find_project(ctx.world, project)
        if kind == "group_type":
            fields["group_id"] = record.namespace_id
        return runners.create(ctx, kind, projects=[record] if kind == "project_type" else [], **fields)


def update_project(fake: Fakeplat, project: str = "acme/site", **fields: Any) -> None:
    with fake.bench.platform.acting() as ctx:
        ctx.world.projects.change(find_project(ctx.world, project), **fields)


def request_job(fake: Fakeplat, runner: Runner, **params: Any) -> Reply:
    return fake.as_user(None).post("jobs/request", json={"token": runner.token, **params})


def take_job(fake: Fakeplat, runner: Runner, **params: Any) -> dict[str, Any]:
    """Take the next job as a runner."""
    reply = request_job(fake, runner, **params)
    assert 201 == reply.status, reply
    taken: dict[str, Any] = reply.json()
    return taken


def take_one(fake: Fakeplat, planned: PlannedJob = BUILD, **fields: Any) -> dict[str, Any]:
    """Create a pipeline with a job and take it."""
    runner = create_runner(fake)
    create_pipeline(fake, planned, **fields)
    return take_job(fake, runner)


def finish_job(fake: Fakeplat, taken: Mapping[str, Any], state: str = "success", **params: Any) -> Reply:
    body = {"token": taken["token"], "state": state, **params}
    return fake.as_user(None).request("PUT", f"jobs/{taken['id']}", json=body)


def append_trace(fake: Fakeplat, taken: Mapping[str, Any], data: bytes, start: int, **headers: str) -> Reply:
    sent = {
        "JOB-TOKEN": taken["token"],
        "Content-Type": "text/plain",
        "Content-Range": f"{start}-{start + len(data)}",
        **headers,
    }
    return fake.as_user(None).request("PATCH", f"jobs/{taken['id']}/trace", data=data, headers=sent)


def upload_artifacts(
    fake: Fakeplat, taken: Mapping[str, Any], content: bytes = ZIP, name: str = "artifacts.zip", **parts: Any
) -> Reply:
    body = form(token=taken["token"], file=(name, "application/octet-stream", content), **parts)
    return fake.as_user(None).request("POST", f"jobs/{taken['id']}/artifacts", **body)


def job_of(fake: Fakeplat, taken: Mapping[str, Any]) -> Job:
    return fake.bench.platform.view.jobs[taken["id"]]


# taking jobs


def test_a_job_is_described_to_the_runner_that_takes_it(fakeplat: Fakeplat) -> None:
    """A taken job describes what to fetch, run and keep."""
    update_project(fakeplat, build_timeout=1234)
    options = {
        "image": {"name": "ruby:2.7", "entrypoint": "/bin/sh"},
        "services": [
            "postgres",
            {"name": "docker:dind", "entrypoint": "/bin/sh", "alias": "docker", "command": "sleep"},
        ],
        "before_script": ["bundle"],
        "script": ["rake"],
        "after_script": ["ls", "date"],
        "cache": {"key": "k", "untracked": False, "paths": ["vendor/*"], "policy": "pull-push", "when": "on_success"},
    }
    artifacts = ArtifactsSpec(name="files", paths=("out/",), when="always", expire_in="7d")
    runner = create_runner(fakeplat)
    pipeline = create_pipeline(
        fakeplat, PlannedJob(name="rspec", stage="test", options=options, artifacts=artifacts), before_sha="1" * 40
    )
    taken = take_job(fakeplat, runner, info={"platform": "darwin", "version": "13.5.0"})
    (job,), project = jobs_of(fakeplat, pipeline), find_project(fakeplat.bench.platform.view)
    url = fakeplat.url.replace("://", f"://gitlab-ci-token:{taken['token']}@")
    expected = {
        "id": job.id,
        "allow_git_fetch": True,
        "job_info": {"name": "rspec", "stage": "test", "project_id": project.id, "project_name": "Site"},
        "git_info": {
            "repo_url": f"{url}/acme/site.git",
            "ref": "master",
            "sha": pipeline.sha,
            "before_sha": "1" * 40,
            "ref_type": "branch",
            "refspecs": [
                f"+refs/pipelines/{pipeline.id}:refs/pipelines/{pipeline.id}",
                "+refs/heads/master:refs/remotes/origin/master",
            ],
            "depth": 50,
        },
        "runner_info": {"timeout": 1234, "runner_session_url": None},
        "steps": [
            {
                "name": "script",
                "script": ["bundle", "rake"],
                "timeout": 1234,
                "when": "on_success",
                "allow_failure": False,
            },
            {
                "name": "after_script",
                "script": ["ls", "date"],
                "timeout": 1234,
                "when": "always",
                "allow_failure": True,
            },
        ],
        "image": {"name": "ruby:2.7", "entrypoint": "/bin/sh", "ports": []},
        "services": [
            {"name": "postgres", "entrypoint": None, "ports": [], "alias": None, "command": None},
            {"name": "docker:dind", "entrypoint": "/bin/sh", "ports": [], "alias": "docker", "command": "sleep"},
        ],
        "artifacts": [
            {
                "name": "files",
                "untracked": None,
                "paths": ["out/"],
                "when": "always",
                "expire_in": "7d",
                "artifact_type": "archive",
                "artifact_format": "zip",
            }
        ],
        "cache": [{"key": "k", "untracked": False, "paths": ["vendor/*"], "policy": "pull-push", "when": "on_success"}],
        "credentials": [
            {
                "type": "registry",
                "url": fakeplat.url.partition("://")[2],
                "username": "gitlab-ci-token",
                "password": taken["token"],
            }
        ],
        "dependencies": [],
        "features": {"trace_sections": True},
    }

    assert expected == {name: value for name, value in taken.items() if name not in ("token", "variables")}
    assert ("running", runner.id, NOW) == (job.status, job.runner_id, job.started_at)
    contacted = fakeplat.bench.platform.view.runners[runner.id]
    assert ("darwin", "13.5.0", NOW) == (contacted.platform, contacted.version, contacted.contacted_at)


def test_the_variables_of_a_job(fakeplat: Fakeplat) -> None:
    """A job's variables are marked as public, masked or files."""
    calls = fakeplat.as_user("mia")
    for body in (
        {"key": "PASSWORD", "value": "correct-horse", "masked": True},
        {"key": "CONFIG", "value": "[a]", "variable_type": "file"},
    ):
        assert 201 == calls.post("projects/acme%2Fsite/variables", json=body).status
    given = (PipelineVariable("GREETING", "hello"),)
    taken = take_one(fakeplat, PlannedJob(name="build", variables=(("MODE", "fast"),)), variables=given)
    by_key = {row["key"]: row for row in taken["variables"]}

    assert [
        {"key": "CI_JOB_NAME", "value": "build", "public": True, "masked": False},
        {"key": "MODE", "value": "fast", "public": True, "masked": False},
        {"key": "CI_JOB_TOKEN", "value": taken["token"], "public": False, "masked": True},
        {"key": "CI_REPOSITORY_URL", "value": taken["git_info"]["repo_url"], "public": False, "masked": False},
        {"key": "PASSWORD", "value": "correct-horse", "public": False, "masked": True},
        {"key": "CONFIG", "value": "[a]", "public": False, "masked": False, "file": True},
        {"key": "GREETING", "value": "hello", "public": False, "masked": False},
    ] == [
        by_key[key]
        for key in ("CI_JOB_NAME", "MODE", "CI_JOB_TOKEN", "CI_REPOSITORY_URL", "PASSWORD", "CONFIG", "GREETING")
    ]


def test_later_variables_replace_earlier_ones(fakeplat: Fakeplat) -> None:
    """Variables of a narrower source replace those of a wider one."""
    places = ("admin/ci/variables", "groups/acme/variables", "projects/acme%2Fsite/variables")
    for number, source in enumerate(places, 2):
        for key in [f"LEVEL_{level}" for level in range(1, number + 1)]:
            assert 201 == fakeplat.as_user("root").post(source, json={"key": key, "value": str(number)}).status
    configured = (("LEVEL_1", "1"), ("LEVEL_5", "1"), ("CI_COMMIT_REF_NAME", "mine"))
    given = (PipelineVariable("LEVEL_5", "5"),)
    taken = take_one(fakeplat, PlannedJob(name="build", variables=configured), variables=given)
    values = {row["key"]: row["value"] for row in taken["variables"]}

    assert ["4", "4", "4", "4", "5", "mine"] == [
        values[key] for key in ("LEVEL_1", "LEVEL_2", "LEVEL_3", "LEVEL_4", "LEVEL_5", "CI_COMMIT_REF_NAME")
    ]


def test_without_a_job_there_is_a_value_to_wait_with(fakeplat: Fakeplat) -> None:
    """Without a job the runner gets a 204 with a value that changes with new jobs."""
    runner = create_runner(fakeplat)
    first = request_job(fakeplat, runner)
    value = first.headers["X-GitLab-Last-Update"]
    again = request_job(fakeplat, runner, last_update=value)

    assert (EMPTY, EMPTY) == ((first.status, first.content or None), (again.status, again.content or None))
    assert [value] * 2 == [again.headers["X-GitLab-Last-Update"], again.headers["X-Platform-Last-Update"]]
    create_pipeline(fakeplat, BUILD)
    assert "X-GitLab-Last-Update" not in request_job(fakeplat, runner).headers
    assert value != request_job(fakeplat, runner).headers["X-GitLab-Last-Update"]


def test_the_token_of_the_runner_is_checked(fakeplat: Fakeplat) -> None:
    """A missing runner token answers 400, an unknown one 403."""
    assert invalid("token is missing") == refusal(fakeplat, None, "POST", "jobs/request")
    assert FORBIDDEN == refusal(fakeplat, None, "POST", "jobs/request", json={"token": "invalid"})


def test_a_paused_runner_gets_no_job(fakeplat: Fakeplat) -> None:
    """A paused runner gets no jobs."""
    runner = create_runner(fakeplat, active=False)
    create_pipeline(fakeplat, BUILD)

    assert 204 == request_job(fakeplat, runner).status


@pytest.mark.parametrize(
    ("tags", "run_untagged", "job_tags", "status"),
    [
        ((), True, (), 201),
        (("linux",), True, (), 201),
        (("linux",), False, (), 204),
        (("linux", "docker"), False, ("linux",), 201),
        (("linux",), True, ("linux", "docker"), 204),
        ((), True, ("linux",), 204),
    ],
)
def test_tags_decide_which_jobs_a_runner_takes(
    fakeplat: Fakeplat, tags: tuple[str, ...], job_tags: tuple[str, ...], status: int, *, run_untagged: bool
) -> None:
    """A runner needs all tags of a job, and takes jobs without tags only if it may."""
    runner = create_runner(fakeplat, tag_list=tags, run_untagged=run_untagged)
    create_pipeline(fakeplat, PlannedJob(name="build", tags=job_tags))

    assert status == request_job(fakeplat, runner).status


@pytest.mark.parametrize(("ref", "status"), [("master", 201), ("feature", 204)])
def test_a_runner_for_protected_refs_takes_only_their_jobs(fakeplat: Fakeplat, ref: str, status: int) -> None:
    """The branch of the job has to be protected."""
    runner = create_runner(fakeplat, access_level="ref_protected")
    create_pipeline(fakeplat, BUILD, ref=ref)

    assert status == request_job(fakeplat, runner).status


def test_a_protection_counts_for_jobs_that_are_created_after_it(fakeplat: Fakeplat) -> None:
    """A runner for protected refs takes no job of a branch that was protected after the job's pipeline was created."""
    runner = create_runner(fakeplat, access_level="ref_protected")
    create_pipeline(fakeplat, BUILD, ref="feature")
    assert 201 == fakeplat.as_user("ada").post(f"{SITE}/protected_branches", json={"name": "feature"}).status
    assert 204 == request_job(fakeplat, runner).status

    later = create_pipeline(fakeplat, BUILD, ref="feature")
    assert [take_job(fakeplat, runner)["id"]] == [job.id for job in jobs_of(fakeplat, later)]


def test_jobs_of_a_scenario_are_protected_like_their_branch(fakeplat: Fakeplat) -> None:
    """A pipeline of a scenario was created while its ref was as protected as it is now, unless it says otherwise."""
    pipelines: list[dict[str, Any]] = [{"ref": "master", "jobs": [{"name": "a", "status": "pending"}]}]
    pipelines += [{"ref": "master", "protected": False, "jobs": [{"name": "b", "status": "pending"}]}]
    fakeplat.load({"groups": [{"path": "acme", "projects": [{"path": "site", "pipelines": pipelines}]}]})
    runner = create_runner(fakeplat, access_level="ref_protected")

    assert "a" == take_job(fakeplat, runner)["job_info"]["name"]
    assert 204 == request_job(fakeplat, runner).status


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("123.222.123.222", "123.222.123.222"),
        ("123.222.123.222, 127.0.0.1", "123.222.123.222"),
        ("198.51.100.1, 123.222.123.222", "123.222.123.222"),
        ("2001:db8::1", "2001:db8::1"),
        ("not an address", "127.0.0.1"),
    ],
)
def test_the_address_of_a_runner_behind_a_proxy(fakeplat: Fakeplat, forwarded: str, address: str) -> None:
    """A proxy on the same machine forwards the address of the runner, the last one in ``X-Forwarded-For``."""
    runner = create_runner(fakeplat)
    headers = {"X-Forwarded-For": forwarded}
    fakeplat.as_user(None).post("jobs/request", json={"token": runner.token}, headers=headers)

    assert address == fakeplat.bench.platform.view.runners[runner.id].ip_address


@pytest.mark.parametrize("kind", ["instance_type", "group_type", "project_type"])
def test_a_runner_takes_jobs_of_the_projects_that_it_serves(fakeplat: Fakeplat, kind: RunnerType) -> None:
    """A runner takes jobs of the instance, of its group or of its projects."""
    runner = create_runner(fakeplat, kind)
    elsewhere = "acme/docs" if kind == "project_type" else "ada/notes"
    if kind == "instance_type":
        update_project(fakeplat, elsewhere, shared_runners_enabled=False)
    wait_for_runner(fakeplat, elsewhere)
    create_pipeline(fakeplat, BUILD, project=elsewhere)
    assert 204 == request_job(fakeplat, runner).status

    create_pipeline(fakeplat, BUILD)
    assert "Site" == take_job(fakeplat, runner)["job_info"]["project_name"]


def test_jobs_of_projects_without_pipelines_are_not_taken(fakeplat: Fakeplat) -> None:
    """The feature may have been switched off after the job was queued."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, BUILD)
    update_project(fakeplat, builds_access_level="disabled")

    assert 204 == request_job(fakeplat, runner).status


def test_jobs_are_taken_in_their_order(fakeplat: Fakeplat) -> None:
    """A runner takes the oldest pending job first."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="one"), PlannedJob(name="two"))
    create_pipeline(fakeplat, PlannedJob(name="three"))

    assert ["one", "two", "three"] == [take_job(fakeplat, runner)["job_info"]["name"] for _ in range(3)]


def test_runners_of_the_instance_are_fair_to_projects(fakeplat: Fakeplat) -> None:
    """The project with the fewest jobs on such runners comes first."""
    runner = create_runner(fakeplat, "instance_type")
    wait_for_runner(fakeplat, "acme/docs")
    create_pipeline(fakeplat, PlannedJob(name="one"), PlannedJob(name="two"))
    create_pipeline(fakeplat, PlannedJob(name="other"), project="acme/docs")

    assert ["one", "other", "two"] == [take_job(fakeplat, runner)["job_info"]["name"] for _ in range(3)]


def test_a_runner_may_request_only_old_jobs(fakeplat: Fakeplat) -> None:
    """``job_age`` in seconds since the job was queued."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, BUILD)
    fakeplat.clock.advance(60)

    assert 204 == request_job(fakeplat, runner, job_age=120).status
    assert 201 == request_job(fakeplat, runner, job_age=30).status


def test_the_shorter_timeout_holds(fakeplat: Fakeplat) -> None:
    """The timeout of a job is the shorter one of job or project and runner."""
    runner = create_runner(fakeplat, maximum_timeout=1000)
    create_pipeline(fakeplat, PlannedJob(name="long"), PlannedJob(name="short", timeout=60))

    assert [1000, 60] == [take_job(fakeplat, runner)["runner_info"]["timeout"] for _ in range(2)]


def test_without_a_depth_all_branches_and_tags_are_fetched(fakeplat: Fakeplat) -> None:
    """Without a depth all branches and tags are fetched."""
    update_project(fakeplat, ci_default_git_depth=None)
    git_info = take_one(fakeplat, PlannedJob(name="build"), ref="v1", tag=True)["git_info"]

    assert ("tag", 0) == (git_info["ref_type"], git_info["depth"])
    assert ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"] == git_info["refspecs"][1:]


def test_a_variable_sets_the_depth(fakeplat: Fakeplat) -> None:
    """`GIT_DEPTH` sets the depth, and of a tag only the tag is fetched."""
    given = (PipelineVariable("GIT_DEPTH", "1"),)
    git_info = take_one(fakeplat, PlannedJob(name="build"), ref="v1", tag=True, variables=given)["git_info"]

    assert (1, ["+refs/tags/v1:refs/tags/v1"]) == (git_info["depth"], git_info["refspecs"][1:])


def test_a_pipeline_of_a_merge_request_fetches_only_its_own_ref(fakeplat: Fakeplat) -> None:
    """The ref of the merge request is no branch. The runner has to be able to fetch such refs."""
    merge_request = fakeplat.as_user("dev").get("projects/acme%2Fsite/merge_requests/1").json()
    runner = create_runner(fakeplat)
    fields = {"ref": "refs/merge-requests/1/head", "merge_request_id": merge_request["id"]}
    create_pipeline(fakeplat, BUILD, **fields)
    pipeline = create_pipeline(fakeplat, BUILD, **fields)
    own = f"refs/pipelines/{pipeline.id}"

    assert 204 == request_job(fakeplat, runner).status
    assert ["runner_unsupported"] * 2 == [job.failure_reason for job in fakeplat.bench.platform.view.jobs.all()]
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.retry(ctx, jobs_of(fakeplat, pipeline)[0])
    taken = take_job(fakeplat, runner, info={"features": {"refspecs": True}})
    assert ("branch", [f"+{own}:{own}"]) == (taken["git_info"]["ref_type"], taken["git_info"]["refspecs"])


@pytest.mark.parametrize(
    ("feature", "planned"),
    [
        ("upload_multiple_artifacts", {"artifacts": ArtifactsSpec(reports={"junit": ("report.xml",)})}),
        ("artifacts_exclude", {"artifacts": ArtifactsSpec(paths=("out",), exclude=("out/tmp",))}),
        ("multi_build_steps", {"options": {"script": ["make"], "release": {"tag_name": "v1"}}}),
    ],
)
def test_a_job_that_a_runner_cannot_run_fails(fakeplat: Fakeplat, feature: str, planned: dict[str, Any]) -> None:
    """A job that needs an unsupported feature fails, and the next one is taken."""
    runner = create_runner(fakeplat)
    pipeline = create_pipeline(fakeplat, PlannedJob(name="special", allow_failure=True, **planned))
    create_pipeline(fakeplat, PlannedJob(name="plain"))

    assert "plain" == take_job(fakeplat, runner)["job_info"]["name"]
    (job,) = jobs_of(fakeplat, pipeline)
    assert ("failed", "runner_unsupported", runner.id) == (job.status, job.failure_reason, job.runner_id)
    create_pipeline(fakeplat, PlannedJob(name="special", **planned))
    assert "special" == take_job(fakeplat, runner, info={"features": {feature: True}})["job_info"]["name"]


def test_reports_excluded_paths_and_releases_are_described(fakeplat: Fakeplat) -> None:
    """Reports are separate artifacts, and a release is a step of its own."""
    runner = create_runner(fakeplat)
    release = {"tag_name": "v$N", "name": "Release $N", "description": "Text", "ref": "master", "milestones": ["v1"]}
    artifacts = ArtifactsSpec(paths=("out",), exclude=("out/tmp",), reports={"junit": ("report.xml",)})
    create_pipeline(fakeplat, PlannedJob(name="x", artifacts=artifacts, options={"script": "a", "release": release}))
    features = {"upload_multiple_artifacts": True, "artifacts_exclude": True, "multi_build_steps": True}
    taken = take_job(fakeplat, runner, info={"features": features})

    assert ["out/tmp"] == taken["artifacts"][0]["exclude"]
    assert {
        "name": "junit.xml",
        "untracked": None,
        "paths": ["report.xml"],
        "when": "always",
        "expire_in": None,
        "artifact_type": "junit",
        "artifact_format": "gzip",
    } == taken["artifacts"][1]
    command = 'release-cli create --name "Release $N" --description "Text" --tag-name "v$N" --ref "master"'
    assert [("script", ["a"]), ("release", [f'{command} --milestone "v1"'])] == [
        (step["name"], step["script"]) for step in taken["steps"]
    ]


@pytest.mark.parametrize("expire_in", ["7d", "3 mins 4 sec", "never"])
def test_artifacts_are_described_as_they_are_configured(fakeplat: Fakeplat, expire_in: str) -> None:
    """The runner gets the text of the configuration, also for reports, and null for what is not configured."""
    runner = create_runner(fakeplat)
    reports = "{junit: report.xml}"
    commit_ci(fakeplat, f"x: {{script: y, artifacts: {{untracked: true, expire_in: {expire_in}, reports: {reports}}}}}")
    archive, report = take_job(fakeplat, runner, info={"features": {"upload_multiple_artifacts": True}})["artifacts"]

    assert {
        "name": None,
        "untracked": True,
        "paths": None,
        "when": None,
        "expire_in": expire_in,
        "artifact_type": "archive",
        "artifact_format": "zip",
    } == archive
    assert expire_in == report["expire_in"]


def test_ports_of_images_and_services(fakeplat: Fakeplat) -> None:
    """A number means HTTP at the default port."""
    port = {"number": 8081, "protocol": "http", "name": "custom_port"}
    options = {"image": {"name": "ruby", "ports": [80]}, "services": [{"name": "tomcat", "ports": [port]}]}
    taken = take_one(fakeplat, PlannedJob(name="build", options=options))

    assert [{"number": 80, "protocol": "http", "name": "default_port"}] == taken["image"]["ports"]
    assert [port] == taken["services"][0]["ports"]


def test_a_job_without_image_artifacts_and_cache(fakeplat: Fakeplat) -> None:
    """A job without image, artifacts and cache has null for each."""
    taken = take_one(fakeplat)

    assert (None, None, [], [None]) == (taken["image"], taken["artifacts"], taken["services"], taken["cache"])


@by_release(SEVERAL_CACHES, "cache", {"13.10": [None], "13.11": []})
def test_a_job_without_cache_has_an_empty_list_later(fakeplat: Fakeplat, cache: list[None]) -> None:
    """A job without cache has a list with a null, from 13.11 on an empty one."""
    assert cache == take_one(fakeplat)["cache"]


@by_release(FAILURE_REASONS_FOR_RUNNERS, "has_reasons", {"13.6": False, "13.7": True})
def test_runners_are_told_the_reasons_of_failures_later(fakeplat: Fakeplat, has_reasons: bool) -> None:
    """From 13.7 on, a job names the reasons for which its runner may report a failure."""
    assert has_reasons is ("failure_reasons" in take_one(fakeplat)["features"])


# dependencies


def build_stages(*deploys: PlannedJob) -> list[PlannedJob]:
    first = [PlannedJob(name=name, stage="build", stage_index=0) for name in ("one", "two")]
    return [*first, *deploys]


def take_last(fake: Fakeplat, deploy: PlannedJob) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run both jobs of the first stage with an archive each, then take the one of the second stage."""
    runner = create_runner(fake)
    create_pipeline(fake, *build_stages(deploy))
    done = [take_job(fake, runner) for _ in range(2)]
    for taken in done:
        assert 201 == upload_artifacts(fake, taken).status
        assert 200 == finish_job(fake, taken).status
    return take_job(fake, runner), done


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, ["one", "two"]),
        ({"dependencies": ("two",)}, ["two"]),
        ({"dependencies": ()}, []),
        ({"needs": (Need("one"), Need("two", artifacts=False))}, ["one"]),
    ],
    ids=["stages", "dependencies", "none", "needs"],
)
def test_a_job_gets_the_artifacts_of_earlier_jobs(fakeplat: Fakeplat, fields: dict[str, Any], names: list[str]) -> None:
    """A job gets artifacts of earlier stages or of the jobs that it needs."""
    taken, done = take_last(fakeplat, PlannedJob(name="deploy", stage="deploy", stage_index=1, **fields))
    expected = [
        {
            "id": job["id"],
            "name": job["job_info"]["name"],
            "token": job["token"],
            "artifacts_file": {"filename": "artifacts.zip", "size": len(ZIP)},
        }
        for job in done
        if job["job_info"]["name"] in names
    ]

    assert expected == taken["dependencies"]
    for dependency in taken["dependencies"]:
        path = f"jobs/{dependency['id']}/artifacts?token={dependency['token']}"
        assert ZIP == fakeplat.as_user(None).get(path).content


def test_a_job_whose_artifacts_are_gone_fails_those_that_need_them(fakeplat: Fakeplat) -> None:
    """A job fails if artifacts that it needs have expired."""
    runner = create_runner(fakeplat)
    pipeline = create_pipeline(fakeplat, *build_stages(PlannedJob(name="deploy", stage="deploy", stage_index=1)))
    for taken in [take_job(fakeplat, runner) for _ in range(2)]:
        assert 201 == upload_artifacts(fakeplat, taken, expire_in="1 hour").status
        finish_job(fakeplat, taken)
    fakeplat.clock.advance("1h")

    assert 204 == request_job(fakeplat, runner).status
    *_, deploy = jobs_of(fakeplat, pipeline)
    assert ("failed", "missing_dependency_failure") == (deploy.status, deploy.failure_reason)


def test_a_job_passes_variables_to_later_jobs(fakeplat: Fakeplat) -> None:
    """The variables in a `dotenv` report are passed to jobs of later stages."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, *build_stages(PlannedJob(name="deploy", stage="deploy", stage_index=1)))
    first, two = (take_job(fakeplat, runner) for _ in range(2))
    report = gzip.compress(b"VERSION=1.2\nEMPTY=\n")
    parts = {"artifact_type": "dotenv", "artifact_format": "gzip"}
    assert 201 == upload_artifacts(fakeplat, first, report, ".env.gz", **parts).status
    for taken in (first, two):
        finish_job(fakeplat, taken)

    values = {row["key"]: row["value"] for row in take_job(fakeplat, runner)["variables"]}
    assert ("1.2", "") == (values["VERSION"], values["EMPTY"])


# results


@pytest.mark.parametrize(
    ("sent", "status", "reason"),
    [
        ({"state": "success"}, "success", None),
        ({"state": "failed"}, "failed", "unknown_failure"),
        ({"state": "failed", "failure_reason": "script_failure"}, "failed", "script_failure"),
        ({"state": "failed", "failure_reason": "runner_system_failure"}, "failed", "runner_system_failure"),
        ({"state": "failed", "failure_reason": "job_execution_timeout"}, "failed", "job_execution_timeout"),
        ({"state": "failed", "failure_reason": "what_is_this"}, "failed", "unknown_failure"),
        ({"state": "running"}, "running", None),
    ],
)
def test_the_runner_reports_the_result(
    fakeplat: Fakeplat, sent: dict[str, str], status: str, reason: str | None
) -> None:
    """The pipeline follows; the response is only the status."""
    taken = take_one(fakeplat)
    fakeplat.clock.advance(5)
    reply = finish_job(fakeplat, taken, **sent)
    job = job_of(fakeplat, taken)

    assert (200, 200) == outcome(reply)
    assert (status, reason) == (job.status, job.failure_reason)
    assert status == fakeplat.bench.platform.view.pipelines[job.pipeline_id].status


def test_an_unknown_state_is_refused(fakeplat: Fakeplat) -> None:
    """An unknown state of a job answers 400."""
    taken = take_one(fakeplat)
    for body in ({"state": "pending"}, {}):
        sent = {"token": taken["token"], **body}
        assert (400, 400) == refusal(fakeplat, None, "PUT", f"jobs/{taken['id']}", json=sent)


def test_the_log_can_be_sent_with_the_result(fakeplat: Fakeplat) -> None:
    """A log sent with the result replaces the earlier one and gives the coverage."""
    taken = take_one(fakeplat, PlannedJob(name="build", coverage_regex=r"Covered \d+%"))
    append_trace(fakeplat, taken, b"first", 0)
    finish_job(fakeplat, taken, trace="Covered 87%\n")
    job = job_of(fakeplat, taken)

    assert ("Covered 87%\n", 87.0) == (job.log, job.coverage)


def test_a_running_job_is_updated(fakeplat: Fakeplat) -> None:
    """A running job's update counts after fifteen minutes."""
    taken = take_one(fakeplat)
    fakeplat.clock.advance("14m")
    finish_job(fakeplat, taken, "running")
    assert NOW == job_of(fakeplat, taken).updated_at

    fakeplat.clock.advance("1m")
    finish_job(fakeplat, taken, "running")
    assert "2020-11-20T09:15:00.000Z" == job_of(fakeplat, taken).updated_at


def test_a_finished_job_is_closed_to_its_runner(fakeplat: Fakeplat) -> None:
    """Updates of a finished job answer 403 with its status and change nothing."""
    for action, status in (("finish", "success"), ("cancel", "canceled")):
        taken = take_one(fakeplat)
        if action == "finish":
            finish_job(fakeplat, taken)
        else:
            with fakeplat.bench.platform.acting() as ctx:
                job_actions.cancel(ctx, ctx.world.jobs[taken["id"]])
        before = fakeplat.bench.platform.state
        closed = (403, {"message": "403 Forbidden - Job is not running"})
        for reply in (
            finish_job(fakeplat, taken),
            append_trace(fakeplat, taken, b"x", 0),
            upload_artifacts(fakeplat, taken),
        ):
            assert (*closed, status) == (*outcome(reply), reply.headers["Job-Status"])
        assert before is fakeplat.bench.platform.state


def test_an_erased_job_is_closed_to_its_runner(fakeplat: Fakeplat) -> None:
    """Updates of an erased job by its runner answer 403 with the reason."""
    taken = take_one(fakeplat)
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.jobs.change(ctx.world.jobs[taken["id"]], erased_at=ctx.now_iso)

    erased = (403, {"message": "403 Forbidden - Job has been erased!"})
    assert erased == outcome(finish_job(fakeplat, taken)) == outcome(append_trace(fakeplat, taken, b"x", 0))


def test_the_token_of_the_job_is_checked(fakeplat: Fakeplat) -> None:
    """Another token than the job's answers 403, and an unknown job 404."""
    taken = take_one(fakeplat)
    other = find_project(fakeplat.bench.platform.view).runners_token or "other"
    body = {"token": other, "state": "success"}

    assert FORBIDDEN == refusal(fakeplat, None, "PUT", f"jobs/{taken['id']}", json=body)
    assert FORBIDDEN == refusal(fakeplat, None, "GET", f"jobs/{taken['id']}/artifacts?token={other}")
    assert FORBIDDEN == refusal(fakeplat, None, "PATCH", f"jobs/{taken['id']}/trace", data=b"x")
    assert NOT_FOUND == refusal(fakeplat, None, "PUT", "jobs/1", json=body)
    assert invalid("id is invalid") == refusal(fakeplat, None, "PUT", "jobs/x", json=body)
    assert invalid("token is missing") == refusal(fakeplat, None, "PUT", f"jobs/{taken['id']}")


@by_release(UNKNOWN_JOBS_ARE_FORBIDDEN, "expected", {"13.11": NOT_FOUND, "13.12": FORBIDDEN})
def test_later_releases_stop_runners_at_unknown_jobs(fakeplat: Fakeplat, expected: Outcome) -> None:
    """In later releases an unknown job answers 403 instead of 404."""
    assert expected == refusal(fakeplat, None, "PUT", "jobs/1", json={"token": "x"})


# logs


def test_a_log_is_sent_in_parts(fakeplat: Fakeplat) -> None:
    """A part of a log answers 202 with status, size and update interval."""
    taken = take_one(fakeplat)
    first = append_trace(fakeplat, taken, b"BUILD TRACE", 0)
    second = append_trace(fakeplat, taken, b" appended", 11)

    assert [202, 202] == [first.status, second.status]
    assert ["running", "0-20", "30", "30"] == [
        second.headers[name]
        for name in ("Job-Status", "Range", "X-GitLab-Trace-Update-Interval", "X-Platform-Trace-Update-Interval")
    ]
    assert "BUILD TRACE appended" == job_of(fakeplat, taken).log


def test_the_token_may_be_a_parameter(fakeplat: Fakeplat) -> None:
    """The job token may be in the query where the body is the log."""
    taken = take_one(fakeplat)
    path = f"jobs/{taken['id']}/trace?token={taken['token']}"
    reply = fakeplat.as_user(None).request("PATCH", path, data=b"100% a=b", headers={"Content-Range": "0-7"})

    assert (202, "100% a=b") == (reply.status, job_of(fakeplat, taken).log)


@pytest.mark.parametrize("start", [8, 15])
def test_a_part_that_does_not_follow_is_refused(fakeplat: Fakeplat, start: int) -> None:
    """A part that does not follow the log answers 416 and changes nothing."""
    taken = take_one(fakeplat)
    append_trace(fakeplat, taken, b"BUILD TRACE", 0)
    before = fakeplat.bench.platform.state
    reply = append_trace(fakeplat, taken, b" appended", start)

    assert (416, {"error": "416 Range Not Satisfiable"}) == outcome(reply)
    assert ("0-11", True) == (reply.headers["Range"], before is fakeplat.bench.platform.state)


def test_a_part_can_be_sent_again(fakeplat: Fakeplat) -> None:
    """The last part of a log can be sent again."""
    taken = take_one(fakeplat)
    append_trace(fakeplat, taken, b"BUILD", 0)
    replies = [append_trace(fakeplat, taken, b"BUILD", 0), append_trace(fakeplat, taken, b"", 5)]

    assert [(202, "0-5")] * 2 == [(reply.status, reply.headers["Range"]) for reply in replies]
    assert "BUILD" == job_of(fakeplat, taken).log


def test_a_part_requires_its_range(fakeplat: Fakeplat) -> None:
    """A part of a log without the header Content-Range answers 400."""
    taken = take_one(fakeplat)
    headers = {"JOB-TOKEN": taken["token"], "Content-Type": "text/plain"}

    assert invalid("400 Missing header Content-Range") == refusal(
        fakeplat, None, "PATCH", f"jobs/{taken['id']}/trace", data=b"x", headers=headers
    )


def test_characters_may_be_cut_between_parts(fakeplat: Fakeplat) -> None:
    """Sizes count bytes; a byte that belongs to no character is replaced."""
    taken = take_one(fakeplat)
    data = "grün €".encode() + b"\xff!"
    for position in range(len(data)):
        reply = append_trace(fakeplat, taken, data[position : position + 1], position)
        assert (202, f"0-{position + 1}") == (reply.status, reply.headers["Range"])

    assert "grün €?!" == job_of(fakeplat, taken).log


def test_tokens_are_hidden_in_logs(fakeplat: Fakeplat) -> None:
    """Tokens of the job and of runners are masked in logs."""
    update_project(fakeplat, runners_token="registration")
    taken = take_one(fakeplat)
    append_trace(fakeplat, taken, f"a {taken['token']} b registration c".encode(), 0)

    assert f"a {'x' * 20} b {'x' * 12} c" == job_of(fakeplat, taken).log


def test_every_report_is_a_contact(fakeplat: Fakeplat) -> None:
    """The runner counts as online, also if it only downloads artifacts."""
    taken = take_one(fakeplat)
    upload_artifacts(fakeplat, taken)
    runner_id = job_of(fakeplat, taken).runner_id
    assert runner_id is not None
    reports: tuple[Callable[[], object], ...] = (
        lambda: append_trace(fakeplat, taken, b"x", 0),
        lambda: fakeplat.as_user(None).get(f"jobs/{taken['id']}/artifacts?token={taken['token']}"),
        lambda: finish_job(fakeplat, taken),
    )
    for minute, report in enumerate(reports, 1):
        fakeplat.clock.advance("1m")
        report()
        contacted_at = fakeplat.bench.platform.view.runners[runner_id].contacted_at
        assert f"2020-11-20T09:0{minute}:00.000Z" == contacted_at


# artifacts


def test_artifacts_are_uploaded_and_downloaded(fakeplat: Fakeplat) -> None:
    """Artifacts are uploaded with the job's token and downloaded after its end."""
    taken = take_one(fakeplat)
    assert (201, 201) == outcome(upload_artifacts(fakeplat, taken, name="ci_build_artifacts.zip"))
    finish_job(fakeplat, taken)
    reply = fakeplat.as_user(None).request(
        "GET", f"jobs/{taken['id']}/artifacts", headers={"JOB-TOKEN": taken["token"]}
    )

    assert (200, ZIP) == (reply.status, reply.content)
    disposition = "attachment; filename=\"ci_build_artifacts.zip\"; filename*=UTF-8''ci_build_artifacts.zip"
    assert (disposition, "binary") == (
        reply.headers["Content-Disposition"],
        reply.headers["Content-Transfer-Encoding"],
    )


def test_without_artifacts_there_is_nothing_to_download(fakeplat: Fakeplat) -> None:
    """Missing or expired artifacts answer 404 to a runner."""
    taken = take_one(fakeplat)
    path = f"jobs/{taken['id']}/artifacts?token={taken['token']}"
    assert NOT_FOUND == outcome(fakeplat.as_user(None).get(path))

    upload_artifacts(fakeplat, taken, expire_in="5 mins")
    fakeplat.clock.advance("5m")
    assert NOT_FOUND == outcome(fakeplat.as_user(None).get(path))


@pytest.mark.parametrize(
    ("setting", "expire_in", "expires"),
    [
        ("30 days", "7 days", "2020-11-27T09:00:00.000Z"),
        ("5 days", None, "2020-11-25T09:00:00.000Z"),
        ("0", None, None),
        ("30 days", "never", None),
    ],
)
def test_uploaded_artifacts_expire(
    fakeplat: Fakeplat, setting: str, expire_in: str | None, expires: str | None
) -> None:
    """Uploaded artifacts expire as sent, else after the instance's default."""
    fakeplat.load({"settings": {"default_artifacts_expire_in": setting}})
    taken = take_one(fakeplat)
    parts: dict[str, Any] = {"expire_in": expire_in} if expire_in else {}
    upload_artifacts(fakeplat, taken, **parts)

    assert expires == job_artifacts.expire_at(fakeplat.bench.platform.view, job_of(fakeplat, taken))


def test_the_metadata_may_be_uploaded_too(fakeplat: Fakeplat) -> None:
    """The metadata of artifacts is uploaded or computed."""
    taken = take_one(fakeplat)
    content = gzip.compress(b"list", mtime=0)
    upload_artifacts(fakeplat, taken, metadata=("metadata.gz", "application/gzip", content))
    with fakeplat.bench.platform.acting() as ctx:
        metadata = job_artifacts.find(ctx, job_of(fakeplat, taken), "metadata")

    assert metadata is not None
    assert content == metadata.content


def refused_upload(fake: Fakeplat, content: bytes = ZIP, **parts: str) -> Outcome:
    """Upload a file that is refused, without a change."""
    taken = take_one(fake)
    before = fake.bench.platform.state
    reply = upload_artifacts(fake, taken, content, **parts)
    assert before is fake.bench.platform.state
    return outcome(reply)


@pytest.mark.parametrize(
    ("file_type", "file_format"),
    [("archive", "gzip"), ("junit", "raw"), ("metrics_referee", "raw"), ("network_referee", "raw"), ("dotenv", "raw")],
)
def test_each_type_of_file_has_a_format(fakeplat: Fakeplat, file_type: str, file_format: str) -> None:
    """A report in another format than its type requires answers 400."""
    message = "Validation failed: Invalid file format with specified file type"

    assert (400, {"message": message}) == refused_upload(fakeplat, artifact_type=file_type, artifact_format=file_format)


def test_large_artifacts_are_refused(fakeplat: Fakeplat) -> None:
    """Artifacts above the limit answer 413."""
    fakeplat.load({"settings": {"max_artifacts_size": 1}})
    too_large = (413, {"message": "file size has reached maximum size limit"})

    assert too_large == refused_upload(fakeplat, b"x" * (1024 * 1024 + 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"no variable", "Invalid Format"),
        (b"\n".join(b"V%d=1" % number for number in range(21)), "Dotenv files cannot have more than 20 variables"),
    ],
)
def test_variables_for_later_jobs_are_checked(fakeplat: Fakeplat, text: bytes, message: str) -> None:
    """An invalid `dotenv` report answers 400 with the reason."""
    report = gzip.compress(text)

    assert (400, {"message": message}) == refused_upload(
        fakeplat, report, artifact_type="dotenv", artifact_format="gzip"
    )


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"artifact_type": "song"}, "artifact_type does not have a valid value"),
        ({"artifact_format": "rar"}, "artifact_format does not have a valid value"),
        ({"expire_in": "7 elephants"}, "expire_in is invalid"),
    ],
)
def test_the_parameters_of_an_upload_are_checked(fakeplat: Fakeplat, parts: dict[str, Any], text: str) -> None:
    """Invalid parameters of an upload answer 400 before anything is stored."""
    assert invalid(text) == refused_upload(fakeplat, **parts)


def test_an_upload_needs_a_file(fakeplat: Fakeplat) -> None:
    """An upload without a file answers 400."""
    taken = take_one(fakeplat)
    body = form(token=taken["token"], metadata=("metadata.gz", "application/gzip", b"x"))

    assert invalid("file is missing") == refusal(fakeplat, None, "POST", f"jobs/{taken['id']}/artifacts", **body)


def test_artifacts_are_uploaded_once(fakeplat: Fakeplat) -> None:
    """Repeating an upload of the same artifacts is accepted, of others refused."""
    taken = take_one(fakeplat)
    upload_artifacts(fakeplat, taken)
    taken_type = (400, {"message": "another artifact of the same type already exists"})

    assert 201 == upload_artifacts(fakeplat, taken).status
    assert taken_type == outcome(upload_artifacts(fakeplat, taken, ZIP + b"x"))
    assert 2 == len(fakeplat.bench.platform.view.job_artifacts.all())


def test_an_uploaded_log_is_the_log_of_the_job(fakeplat: Fakeplat) -> None:
    """An artifact of the type ``trace`` takes the place of what was sent of the log; deleting artifacts keeps it."""
    taken = take_one(fakeplat)
    append_trace(fakeplat, taken, b"begun", 0)
    log = upload_artifacts(fakeplat, taken, b"all of it", "job.log", artifact_type="trace", artifact_format="raw")
    assert (201, 201) == (log.status, upload_artifacts(fakeplat, taken).status)
    finish_job(fakeplat, taken)
    path, mia = f"{SITE}/jobs/{taken['id']}", fakeplat.as_user("mia")

    assert ["trace"] == [row["file_type"] for row in mia.get(path).json()["artifacts"] if row["file_type"] == "trace"]
    assert 204 == mia.delete(f"{path}/artifacts").status
    assert b"all of it" == mia.get(f"{path}/trace").content


@by_release(DEBUG_LOGS_ARE_RESTRICTED, "status", {"13.6": 200, "13.7": 403})
def test_only_developers_read_a_log_that_may_contain_secrets(fakeplat: Fakeplat, status: int) -> None:
    """From 13.7 on, reporters do not read the log of a job with CI_DEBUG_TRACE."""
    taken = take_one(fakeplat, PlannedJob(name="build", variables=(("CI_DEBUG_TRACE", "true"),)))
    append_trace(fakeplat, taken, b"secret", 0)
    path = f"projects/acme%2Fsite/jobs/{taken['id']}/trace"

    assert (200, status) == (fakeplat.as_user("dev").get(path).status, fakeplat.as_user("rep").get(path).status)


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize("path", ["admin/ci/variables", f"{SITE}/variables"])
@pytest.mark.parametrize("key", ["CI_DEBUG_TRACE", "CI_DEBUG_SERVICES"])
def test_variables_of_others_make_logs_secret_too(fakeplat: Fakeplat, path: str, key: str) -> None:
    """A log is for developers also if the project or the instance sets the variable of the debug mode."""
    assert 201 == fakeplat.as_user("root").post(path, json={"key": key, "value": "TRUE"}).status
    taken = take_one(fakeplat)
    append_trace(fakeplat, taken, b"secret", 0)
    log = f"{SITE}/jobs/{taken['id']}/trace"

    assert (200, 403) == (fakeplat.as_user("dev").get(log).status, fakeplat.as_user("rep").get(log).status)


@by_release(CLOSED_TO_RUNNERS, "reason", {"17.10": "Job is not running", "17.11": "Job is not processing on runner"})
def test_runners_are_told_that_a_job_has_ended(fakeplat: Fakeplat, reason: str) -> None:
    """The reason why a runner may not report about a job that has ended has changed."""
    taken = take_one(fakeplat)
    finish_job(fakeplat, taken)

    assert (403, {"message": f"403 Forbidden - {reason}"}) == outcome(finish_job(fakeplat, taken))


def test_a_runner_says_that_a_log_may_contain_secrets(fakeplat_factory: Callable[..., Fakeplat]) -> None:
    """A runner that is in debug mode says so with a part of the log."""
    fake = fakeplat_factory(version="latest", default_branch="master")
    taken = take_one(fake)
    path = f"projects/acme%2Fsite/jobs/{taken['id']}/trace"
    before = fake.as_user("rep").get(path).status
    headers = {"JOB-TOKEN": taken["token"], "Content-Range": "0-5", "Content-Type": "text/plain"}
    trace = f"jobs/{taken['id']}/trace?debug_trace=true"
    assert 202 == fake.as_user(None).request("PATCH", trace, data=b"secret", headers=headers).status

    refused = fake.as_user("rep").get(path)
    assert (200, 403) == (before, refused.status)
    assert refused.json()["message"].startswith(
        "403 Forbidden - You must have developer access to view job logs when debug trace is enabled. "
    )


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("13.5", ["CI_JOB_JWT"]),
        ("14.6", ["CI_JOB_JWT", "CI_JOB_JWT_V1", "CI_JOB_JWT_V2"]),
        ("16.11", ["CI_JOB_JWT", "CI_JOB_JWT_V1", "CI_JOB_JWT_V2"]),
        ("17.0", []),
    ],
)
def test_jobs_have_tokens_of_the_instance(
    fakeplat_factory: Callable[..., Fakeplat], version: str, expected: list[str]
) -> None:
    """Until 17.0 a runner gets a signed token for each job, which tells other services what the job is."""
    fake = fakeplat_factory(version=version, default_branch="master")
    taken = take_one(fake)
    tokens = {row["key"]: row for row in taken["variables"] if row["key"].startswith("CI_JOB_JWT")}

    assert expected == list(tokens)
    for name, row in tokens.items():
        claims = read_claims(row["value"])
        is_second = name == "CI_JOB_JWT_V2"
        subject = "project_path:acme/site:ref_type:branch:ref:master" if is_second else f"job_{taken['id']}"
        assert (False, True) == (row["public"], row["masked"])
        assert (subject, "acme/site") == (claims["sub"], claims["project_path"])
        assert (fake.url if is_second else "127.0.0.1") == claims["iss"]
        assert is_second == ("aud" in claims)


def read_claims(token: str) -> dict[str, Any]:
    """Return the claims of a JSON web token."""
    payload = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))


@by_release(ID_TOKENS_REPLACE_OTHERS, "expected", {"15.11": True, "16.0": False})
def test_later_jobs_with_tokens_of_their_own_have_no_others(fakeplat: Fakeplat, *, expected: bool) -> None:
    """From 16.0 on, a job with id_tokens gets no token of the instance."""
    taken = take_one(fakeplat, PlannedJob(name="build", options={"id_tokens": {"MINE": {"aud": "x"}}}))

    assert expected == ("CI_JOB_JWT" in [row["key"] for row in taken["variables"]])


@pytest.mark.fakeplat(version="latest", default_branch="main")
def test_a_runner_gets_the_steps_of_a_job(fakeplat: Fakeplat) -> None:
    """The steps of a job come as JSON in place of a script."""
    update_project(fakeplat, runners="external")
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, "build: {run: [{name: hello, script: echo}]}", branch="main")
    taken = take_job(fakeplat, runner)

    assert [{"name": "hello", "script": "echo"}] == json.loads(taken["run"])
    assert taken["steps"] is None


@by_release(STEPS_REPLACE_SCRIPTS, "steps", {"18.5": ["script"], "18.6": None})
def test_a_job_with_steps_has_no_script(fakeplat: Fakeplat, steps: list[str] | None) -> None:
    """A job with the keyword run has null for its steps; at first it had a script without lines."""
    taken = take_one(fakeplat, PlannedJob(name="build", options={"run": [{"name": "hello", "script": "echo"}]}))

    assert steps == (taken["steps"] and [step["name"] for step in taken["steps"]])


LINKS = [{"name": "Manual", "url": "https://example.com/manual", "link_type": "other", "filepath": "/manual"}]
RELEASE = {"tag_name": "v1", "description": "Text", "milestones": ["m1", "m2"], "assets": {"links": LINKS}}
LINK = (
    r'"{\"name\":\"Manual\",\"url\":\"https://example.com/manual\",\"link_type\":\"other\",\"filepath\":\"/manual\"}"'
)
CREATE = 'release-cli create --description "Text" --tag-name "v1" --milestone "m1" --milestone "m2"'


def take_release(fake: Fakeplat) -> str:
    """Take a job that makes a release, and return the script of that."""
    runner = create_runner(fake)
    create_pipeline(fake, PlannedJob(name="x", options={"script": "a", "release": RELEASE}))
    step = take_job(fake, runner, info={"features": {"multi_build_steps": True}})["steps"][1]
    assert "release" == step["name"]
    (script,) = step["script"]
    return str(script)


@by_release(RELEASES_HAVE_ASSET_LINKS, "expected", {"13.11": CREATE, "13.12": f"{CREATE} --assets-link {LINK}"})
def test_releases_have_links_later(fakeplat: Fakeplat, expected: str) -> None:
    """From 13.12 on, the command that creates a release has an option for each link, whose value is JSON."""
    assert expected == take_release(fakeplat)


@by_release(
    RELEASES_ARE_PUBLISHED,
    "expected",
    {"17.8": f"{CREATE} --assets-link {LINK}", "17.9": f"{CREATE} --assets-link {LINK} --catalog-publish"},
)
def test_releases_of_components_are_published(fakeplat: Fakeplat, expected: str) -> None:
    """A release of a project in the catalogue of components becomes a version there."""
    update_project(fakeplat, catalog_resource_at="2020-11-20T09:00:00.000Z")

    assert expected == take_release(fakeplat)


@by_release(RELEASES_ARE_MADE_BY_GLAB, "expected", {"17.11": None, "18.0": "glab release create"})
def test_releases_are_made_by_the_command_line_client(fakeplat: Fakeplat, expected: str | None) -> None:
    """Later releases use glab, if the image has it in a version that is new enough, and release-cli otherwise."""
    script = take_release(fakeplat)
    lines = [line.strip() for line in script.splitlines()]

    assert f"{CREATE} --assets-link {LINK}" in lines
    links = LINK.replace("{", "[{", 1).replace("}", "}]", 1)
    command = (
        f'{expected} -R $CI_PROJECT_PATH "v1" --assets-links {links} --milestone "m1,m2" '
        '--experimental-notes-text-or-file "Text" --ref "$CI_COMMIT_SHA" --no-update --no-close-milestone'
    )
    assert ([command] if expected else []) == [line for line in lines if line.startswith("glab release create")]


@by_release(SECONDS_BETWEEN_LOG_PARTS, "seconds", {"15.9": "30", "15.10": "60"})
def test_runners_send_their_logs_less_often_later(fakeplat: Fakeplat, seconds: str) -> None:
    """The answer to a part of a log says after how many seconds the next one may come."""
    headers = append_trace(fakeplat, take_one(fakeplat), b"line", 0).headers

    assert seconds == headers["X-Platform-Trace-Update-Interval"]
