"""What runners of later releases get, may and learn. Source: docs/platform/runner-protocol.md."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from fakeplat.ci_config.jobs import ALLOWED_EXIT_CODES, ArtifactsSpec, PlannedJob
from fakeplat.domain import settings
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ARTIFACTS_LEAVE_OUT_UNTRACKED,
    BLOCKED_USERS_RUN_NO_JOBS,
    DEFAULT_GIT_DEPTH,
    FALLBACK_KEYS,
    FILES_ARE_NO_CONTACTS,
    IMAGES_ARE_PULLED_BY_PROXY,
    JOBS_CANCEL_GRACEFULLY,
    LOGS_ARE_LIMITED,
    RUNNERS_LEARN_STATUSES,
    RUNNERS_RETURN_EXIT_CODES,
    RUNNING_JOBS_GET_ARTIFACTS,
)
from tests.api.ci_files import commit_ci
from tests.api.ci_jobs import create_pipeline, jobs_of
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, outcome, refusal
from tests.api.test_runner_protocol import (
    ZIP,
    append_trace,
    build_stages,
    create_runner,
    finish_job,
    job_of,
    request_job,
    take_job,
    take_last,
    take_one,
    upload_artifacts,
)
from tests.by_release import by_release

NOW = "2020-11-20T09:00:00.000Z"
pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", tick=0, start=NOW)
REPORTS: dict[str, Any] = {"info": {"features": {"upload_multiple_artifacts": True}}}
DEPLOY = PlannedJob(name="deploy", stage="deploy", stage_index=1)
URL = "https://runner.example.com:8093/session/1"


def at(version: str, *values: Any) -> Any:
    """Return values of parameters with which a test runs in a world of a release."""
    return pytest.param(*values, id=f"{version}-{values[0]}", marks=pytest.mark.fakeplat(version=version))


def download(fake: Fakeplat, job_id: int, token: str = "") -> Outcome:
    """Download the archive of a job with a token, and return the status and what is refused."""
    reply = fake.as_user(None).get(f"jobs/{job_id}/artifacts", headers={"JOB-TOKEN": token} if token else {})
    return (200, None) if reply.status == 200 and reply.content == ZIP else outcome(reply)


def find_contact(fake: Fakeplat, taken: dict[str, Any]) -> str:
    """Return when the runner of a job last contacted the platform."""
    return fake.bench.platform.view.runners[job_of(fake, taken).runner_id or 0].contacted_at or ""


# what a job is described with


@by_release(ARTIFACTS_LEAVE_OUT_UNTRACKED, "has_null", {"16.0": True, "16.1": False})
def test_what_is_not_configured_is_left_out_of_artifacts(fakeplat: Fakeplat, has_null: bool) -> None:
    """Without ``untracked``, neither archives nor reports have it in later releases, in earlier ones null."""
    runner = create_runner(fakeplat)
    artifacts = ArtifactsSpec(paths=("out",), reports={"junit": ("report.xml",)})
    create_pipeline(fakeplat, PlannedJob(name="a", artifacts=artifacts))

    assert [has_null] * 2 == ["untracked" in upload for upload in take_job(fakeplat, runner, **REPORTS)["artifacts"]]


@pytest.mark.fakeplat(version="17.11")
@pytest.mark.parametrize(
    ("keywords", "name", "kind", "form"),
    [
        ("coverage_report: {coverage_format: cobertura, path: c.xml}", "cobertura-coverage.xml", "cobertura", "gzip"),
        ("annotations: c.xml", "gl-annotations.json", "annotations", "gzip"),
        ("repository_xray: c.xml", "gl-repository-xray.json", "repository_xray", "gzip"),
        ("api_fuzzing: c.xml", "gl-api-fuzzing-report.json", "api_fuzzing", "raw"),
        ("cluster_image_scanning: c.xml", "gl-cluster-image-scanning-report.json", "cluster_image_scanning", "raw"),
        ("requirements_v2: c.xml", "requirements_v2.json", "requirements_v2", "raw"),
    ],
)
def test_reports_of_later_releases(fakeplat: Fakeplat, keywords: str, name: str, kind: str, form: str) -> None:
    """Each type of report has its file name and format, which the upload has to name."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, f"unit: {{script: a, artifacts: {{expire_in: 7d, reports: {{{keywords}}}}}}}", branch="main")
    taken = take_job(fakeplat, runner, **REPORTS)
    expected = {
        "name": name,
        "paths": ["c.xml"],
        "when": "always",
        "expire_in": "7d",
        "artifact_type": kind,
        "artifact_format": form,
    }

    assert [expected] == taken["artifacts"]
    other = "gzip" if form == "raw" else "raw"
    refused = upload_artifacts(fakeplat, taken, b"x", name, artifact_type=kind, artifact_format=other)
    text = "Validation failed: Invalid file format with specified file type"
    assert (400, {"message": text}) == outcome(refused)
    stored = upload_artifacts(fakeplat, taken, b"x", name, artifact_type=kind, artifact_format=form)
    assert (201, 201) == outcome(stored)


@pytest.mark.parametrize(
    "kind",
    [
        at("13.12", "api_fuzzing"),
        at("14.0", "cluster_image_scanning"),
        at("15.7", "requirements_v2"),
        at("16.2", "annotations"),
        at("16.6", "repository_xray"),
        at("18.4", "jacoco"),
        at("18.8", "scip"),
        at("19.2", "sarif"),
        at("19.2", "environment_key"),
    ],
)
def test_types_of_files_are_unknown_before_their_release(fakeplat: Fakeplat, kind: str) -> None:
    """A file of a type that a later release brings is refused."""
    taken = take_one(fakeplat)
    refused = upload_artifacts(fakeplat, taken, artifact_type=kind, artifact_format="raw")

    assert invalid("artifact_type does not have a valid value") == outcome(refused)


@by_release(IMAGES_ARE_PULLED_BY_PROXY, "count", {"14.4": 1, "14.5": 2})
def test_runners_get_the_token_of_the_job_for_registries(fakeplat: Fakeplat, count: int) -> None:
    """The registry is named as images name it, the proxy of images with its port, both with the token of the job."""
    taken = take_one(fakeplat)
    user = {"type": "registry", "username": "gitlab-ci-token", "password": taken["token"]}
    origin = urlsplit(fakeplat.url)
    servers = [origin.netloc, f"{origin.hostname}:{origin.port}"]

    assert [{**user, "url": server} for server in servers[:count]] == taken["credentials"]


def test_jobs_know_the_registry(fakeplat: Fakeplat) -> None:
    """The registry has a variable, and so has the image of the project, while its registry is on."""
    values = {row["key"]: row["value"] for row in take_one(fakeplat)["variables"]}
    host = urlsplit(fakeplat.url).netloc
    assert (host, f"{host}/acme/site") == (values["CI_REGISTRY"], values["CI_REGISTRY_IMAGE"])

    changed = fakeplat.as_user("ada").put("projects/acme%2Fsite", json={"container_registry_enabled": False})
    assert 200 == changed.status
    keys = {row["key"] for row in take_one(fakeplat)["variables"]}
    assert ("CI_REGISTRY" in keys, "CI_REGISTRY_IMAGE" in keys) == (True, False)


@pytest.mark.parametrize(
    ("begins", "missing"),
    [
        at("13.7", "unknown_failure", "user_blocked"),
        at("13.12", "user_blocked", "pipeline_loop_detected"),
        at("14.4", "trace_size_exceeded", "deployment_rejected"),
        at("14.8", "deployment_rejected", "builds_disabled"),
        at("16.9", "deployment_rejected", "reached_downstream_pipeline_trigger_rate_limit"),
        at("16.10", "reached_downstream_pipeline_trigger_rate_limit", "no_updates_running"),
        at("19.3", "no_updates_running", "what_is_this"),
    ],
)
def test_runners_know_the_failure_reasons_of_the_release(fakeplat: Fakeplat, begins: str, missing: str) -> None:
    """A job names the reasons of its release, and what a runner reports of another release is unknown."""
    taken = take_one(fakeplat)
    reasons = taken["features"]["failure_reasons"]
    assert ["unknown_failure", "script_failure", True, False] == [*reasons[:2], begins in reasons, missing in reasons]

    assert 200 == finish_job(fakeplat, taken, "failed", failure_reason=missing).status
    assert "unknown_failure" == job_of(fakeplat, taken).failure_reason


@by_release(DEFAULT_GIT_DEPTH, "depth", {"14.7": 50, "14.8": 20})
def test_new_projects_have_a_depth(fakeplat: Fakeplat, depth: int) -> None:
    """Runners fetch a smaller part of the history in later releases."""
    made = fakeplat.as_user("ada").post("projects", json={"name": "fresh"}).json()
    assert depth == fakeplat.as_user("ada").get(f"projects/{made['id']}").json()["ci_default_git_depth"]
    assert depth == take_one(fakeplat)["git_info"]["depth"]


# sessions


def test_runners_are_told_their_session(fakeplat: Fakeplat) -> None:
    """The address for terminals that a runner names is told back while the job runs."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    taken = take_job(fakeplat, runner, session={"url": URL, "certificate": "x", "authorization": "y"})

    assert URL == taken["runner_info"]["runner_session_url"] == job_of(fakeplat, taken).session_url
    finish_job(fakeplat, taken)
    assert job_of(fakeplat, taken).session_url is None


@pytest.mark.parametrize("url", ["https://127.0.0.1:7777", "http://runner.example.com"])
def test_sessions_have_addresses_that_the_platform_calls(fakeplat: Fakeplat, url: str) -> None:
    """A runner whose session is at a local address, or without TLS, gets a conflict instead of the job."""
    setting, root = "allow_local_requests_from_web_hooks_and_services", fakeplat.as_user("root")
    assert 200 == root.put("application/settings", json={setting: False}).status
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a"))
    reply = request_job(fakeplat, runner, session={"url": url})

    assert (409, {"message": "409 Conflict"}) == outcome(reply)
    assert "X-GitLab-Last-Update" not in reply.headers
    assert 200 == root.put("application/settings", json={setting: True}).status
    allowed = request_job(fakeplat, runner, session={"url": url}).status
    assert (201 if url.startswith("https") else 409) == allowed


# which jobs a runner gets


@pytest.mark.parametrize(
    ("feature", "options"),
    [
        at("13.8", "return_exit_code", {ALLOWED_EXIT_CODES: (3,)}),
        at("16.0", "fallback_cache_keys", {"cache": {"key": "a", "paths": ["b"], "fallback_keys": ["c"]}}),
        at("16.0", "fallback_cache_keys", {"cache": [{"key": "a", "paths": ["b"], "fallback_keys": ["c"]}]}),
    ],
)
def test_runners_need_the_features_of_a_job(fakeplat: Fakeplat, feature: str, options: dict[str, Any]) -> None:
    """A job with allowed exit codes or fallback keys fails on a runner that does not know them."""
    runner = create_runner(fakeplat)
    planned = PlannedJob(name="special", options={"script": ["a"], **options})
    pipeline = create_pipeline(fakeplat, planned)
    assert 204 == request_job(fakeplat, runner).status
    (job,) = jobs_of(fakeplat, pipeline)
    assert ("failed", "runner_unsupported") == (job.status, job.failure_reason)

    create_pipeline(fakeplat, planned)
    assert "special" == take_job(fakeplat, runner, info={"features": {feature: True}})["job_info"]["name"]


@by_release(RUNNERS_RETURN_EXIT_CODES, "status", {"13.7": 201, "13.8": 204})
def test_exit_codes_need_a_feature_from_13_8_on(fakeplat: Fakeplat, status: int) -> None:
    """Runners need not return exit codes before they are allowed."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a", options={ALLOWED_EXIT_CODES: (3,)}))
    assert status == request_job(fakeplat, runner).status


@by_release(FALLBACK_KEYS, "status", {"15.11": 201, "16.0": 204})
def test_fallback_keys_need_a_feature_from_16_0_on(fakeplat: Fakeplat, status: int) -> None:
    """Runners need not know fallback keys before there are any."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, PlannedJob(name="a", options={"cache": {"key": "k", "fallback_keys": ["f"]}}))
    assert status == request_job(fakeplat, runner).status


@by_release(BLOCKED_USERS_RUN_NO_JOBS, "reason", {"17.9": None, "17.10": "user_blocked"})
def test_jobs_of_blocked_users_are_not_run(fakeplat: Fakeplat, reason: str | None) -> None:
    """The job of a user who was blocked fails when a runner would take it; earlier releases let it run."""
    runner = create_runner(fakeplat)
    pipeline = create_pipeline(fakeplat, PlannedJob(name="a"))
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.users.change(ctx.world.users[jobs_of(fakeplat, pipeline)[0].user_id or 0], state="blocked")

    assert (201 if reason is None else 204) == request_job(fakeplat, runner).status
    assert reason == jobs_of(fakeplat, pipeline)[0].failure_reason


# reports


@by_release(RUNNERS_LEARN_STATUSES, "statuses", {"17.9": [None] * 3, "17.10": ["running", "failed", "success"]})
def test_results_are_answered_with_the_status(fakeplat: Fakeplat, statuses: list[str | None]) -> None:
    """A runner learns the status of its job also when it reports it."""
    found = []
    for state in ("running", "failed", "success"):
        reply = finish_job(fakeplat, take_one(fakeplat), state)
        assert (200, 200) == outcome(reply)
        assert "X-GitLab-Trace-Update-Interval" not in reply.headers
        found.append(reply.headers.get("Job-Status"))

    assert statuses == found


@by_release(LOGS_ARE_LIMITED, "refused", {"14.3": False, "14.4": True})
def test_logs_are_limited(fakeplat: Fakeplat, refused: bool) -> None:
    """A part beyond the limit of the plan is refused, and the job fails; earlier releases only miss what is before."""
    taken = take_one(fakeplat)
    with fakeplat.bench.platform.acting() as ctx:
        settings.change(ctx, {"ci_jobs_trace_size_limit": 1})
    reply = append_trace(fakeplat, taken, b"end", 1024 * 1024)
    job = job_of(fakeplat, taken)

    if refused:
        assert (403, {"error": "403 Forbidden"}) == outcome(reply)
        assert ("failed", "trace_size_exceeded", "") == (job.status, job.failure_reason, job.log)
    else:
        assert (416, "running") == (reply.status, job.status)


# archives


@by_release(RUNNING_JOBS_GET_ARTIFACTS, "is_own", {"16.0": False, "16.1": True})
def test_jobs_download_archives_with_their_own_token(fakeplat: Fakeplat, is_own: bool) -> None:
    """Earlier jobs are listed with the token of the job that is taken; in early releases with theirs."""
    taken, done = take_last(fakeplat, DEPLOY)
    tokens = [dependency["token"] for dependency in taken["dependencies"]]

    assert ([taken["token"]] * 2 if is_own else [job["token"] for job in done]) == tokens
    for job, token in zip(done, tokens, strict=True):
        assert (200, None) == download(fakeplat, job["id"], token)
        assert (UNAUTHORIZED if is_own else (200, None)) == download(fakeplat, job["id"], job["token"])
        assert ((200, None) if is_own else FORBIDDEN) == download(fakeplat, job["id"], taken["token"])


@pytest.mark.fakeplat(version="latest")
def test_who_downloads_archives_in_later_releases(fakeplat: Fakeplat) -> None:
    """Any running job does whose user may read the job: not a finished or pending one, nor one of an outsider."""
    runner = create_runner(fakeplat)
    create_pipeline(fakeplat, *build_stages(DEPLOY))
    one, two = (take_job(fakeplat, runner) for _ in range(2))
    assert 201 == upload_artifacts(fakeplat, one).status
    assert (200, None) == download(fakeplat, one["id"], one["token"]) == download(fakeplat, one["id"], two["token"])
    assert (404, {"message": "404 Not Found"}) == download(fakeplat, two["id"], one["token"])

    finish_job(fakeplat, two)
    for token in (two["token"], runner.token, "none", ""):
        assert UNAUTHORIZED == download(fakeplat, one["id"], token)
    assert FORBIDDEN == download(fakeplat, 1, one["token"])
    with fakeplat.bench.platform.acting() as ctx:
        (outsider,) = (user for user in ctx.world.users.all() if user.username == "eve")
        token = ctx.world.tokens.find("value", ("job", one["token"]))
        assert token is not None
        ctx.world.tokens.change(token, user_id=outsider.id)
    assert FORBIDDEN == download(fakeplat, one["id"], one["token"])


@by_release(FILES_ARE_NO_CONTACTS, "is_contact", {"15.8": True, "15.9": False})
def test_files_are_no_contacts(fakeplat: Fakeplat, is_contact: bool) -> None:
    """Logs and results are contacts of the runner; uploads and downloads may come from elsewhere."""
    taken = take_one(fakeplat)
    fakeplat.clock.advance(60)
    assert 201 == upload_artifacts(fakeplat, taken).status
    assert is_contact is (find_contact(fakeplat, taken) > NOW)
    before = find_contact(fakeplat, taken)
    fakeplat.clock.advance(60)
    assert (200, None) == download(fakeplat, taken["id"], taken["token"])
    assert is_contact is (find_contact(fakeplat, taken) > before)
    append_trace(fakeplat, taken, b"a", 0)
    assert fakeplat.clock.now == find_contact(fakeplat, taken)


@pytest.mark.fakeplat(version="latest")
def test_requests_for_files_are_limited(fakeplat: Fakeplat) -> None:
    """Uploads and downloads count as requests with the token of the job."""
    body = {"runner_jobs_endpoints_api_limit": 2}
    assert 200 == fakeplat.as_user("root").put("application/settings", json=body).status
    taken, other = take_one(fakeplat), take_one(fakeplat)
    assert [201, 200] == [upload_artifacts(fakeplat, taken).status, download(fakeplat, taken["id"], taken["token"])[0]]

    assert 429 == upload_artifacts(fakeplat, taken).status == download(fakeplat, taken["id"], taken["token"])[0]
    assert 201 == upload_artifacts(fakeplat, other).status
    assert 403 == refusal(fakeplat, None, "PUT", f"jobs/{other['id']}", json={"token": "x"})[0]


# canceling


GRACEFUL = {"info": {"features": {"cancel_gracefully": True}}}


def cancel(fake: Fakeplat, taken: dict[str, Any], **params: Any) -> str:
    """Cancel a job as a maintainer and return its status."""
    reply = fake.as_user("mia").post(f"projects/acme%2Fsite/jobs/{taken['id']}/cancel", json=params)
    assert 201 == reply.status, reply
    return str(reply.json()["status"])


def take_graceful(fake: Fakeplat, *later: PlannedJob) -> dict[str, Any]:
    """Take a job with a runner that says when a canceled job has stopped."""
    runner = create_runner(fake)
    create_pipeline(fake, PlannedJob(name="build"), *later)
    return take_job(fake, runner, **GRACEFUL)


def status_of_pipeline(fake: Fakeplat, taken: dict[str, Any]) -> str:
    return fake.bench.platform.view.pipelines[job_of(fake, taken).pipeline_id].status


@by_release(JOBS_CANCEL_GRACEFULLY, "status", {"16.11": "canceled", "17.0": "canceling"})
def test_a_runner_may_have_to_stop_a_canceled_job(fakeplat: Fakeplat, status: str) -> None:
    """A job whose runner knows how is being canceled until the runner reports its end; before, it is canceled."""
    taken = take_graceful(fakeplat)
    assert (status, status) == (cancel(fakeplat, taken), status_of_pipeline(fakeplat, taken))
    reply = append_trace(fakeplat, taken, b"stopping", 0)
    if status == "canceled":
        assert (403, "canceled") == (reply.status, reply.headers["Job-Status"])
        return

    assert (202, "canceling") == (reply.status, reply.headers["Job-Status"])
    assert 200 == finish_job(fakeplat, taken, "running").status
    assert "canceling" == job_of(fakeplat, taken).status


@pytest.mark.fakeplat(version="17.11")
@pytest.mark.parametrize("state", ["success", "failed"])
def test_whatever_the_runner_reports_the_job_is_canceled(fakeplat: Fakeplat, state: str) -> None:
    """The runner of a canceled job learns of it, uploads, and ends the job with any result."""
    taken = take_graceful(fakeplat, PlannedJob(name="after", stage="deploy", stage_index=1))
    fakeplat.clock.advance(5)
    pipeline = job_of(fakeplat, taken).pipeline_id
    assert 200 == fakeplat.as_user("mia").post(f"projects/acme%2Fsite/pipelines/{pipeline}/cancel").status
    states = [job.status for job in jobs_of(fakeplat, fakeplat.bench.platform.view.pipelines[pipeline])]
    assert (["canceling", "canceled"], "canceling") == (states, status_of_pipeline(fakeplat, taken))

    assert "canceling" == finish_job(fakeplat, taken, "running").headers["Job-Status"]
    assert 201 == upload_artifacts(fakeplat, taken).status
    assert (200, None) == download(fakeplat, taken["id"], taken["token"])
    assert "canceled" == finish_job(fakeplat, taken, state).headers["Job-Status"]
    job = job_of(fakeplat, taken)
    assert ("canceled", None, "canceled") == (job.status, job.failure_reason, status_of_pipeline(fakeplat, taken))
    assert fakeplat.clock.now == job.finished_at
    assert 403 == finish_job(fakeplat, taken).status


@pytest.mark.fakeplat(version="17.11")
def test_maintainers_end_a_job_that_is_being_canceled(fakeplat: Fakeplat) -> None:
    """By force, a job is canceled that its runner does not end; others stay as they are."""
    taken = take_graceful(fakeplat)
    assert ["running", "canceling", "canceling", "canceled"] == [
        cancel(fakeplat, taken, **params) for params in ({"force": True}, {}, {}, {"force": True})
    ]


@pytest.mark.fakeplat(version="17.11")
def test_a_silent_runner_does_not_keep_a_canceled_job(fakeplat: Fakeplat) -> None:
    """After an hour without an update, at the full hour, the job counts as canceled."""
    taken = take_graceful(fakeplat)
    fakeplat.clock.advance("10m")
    cancel(fakeplat, taken)
    fakeplat.clock.advance("1h")
    assert "canceling" == job_of(fakeplat, taken).status
    fakeplat.clock.advance("50m")
    assert "canceled" == job_of(fakeplat, taken).status


@pytest.mark.fakeplat(version="17.11")
def test_jobs_that_are_being_canceled_are_found(fakeplat: Fakeplat) -> None:
    """They are listed by their status, keep their runner busy, and are neither retried nor erased."""
    taken = take_graceful(fakeplat)
    cancel(fakeplat, taken)
    mia, site = fakeplat.as_user("mia"), "projects/acme%2Fsite"
    for path in ("jobs?scope=canceling", "jobs?scope[]=canceling", "pipelines?status=canceling"):
        assert 1 == len(mia.get(f"{site}/{path}").json())
    assert [403, 403] == [mia.post(f"{site}/jobs/{taken['id']}/{verb}").status for verb in ("retry", "erase")]
    pipeline = mia.get(f"{site}/pipelines/{job_of(fakeplat, taken).pipeline_id}").json()
    shown = pipeline["detailed_status"]
    assert ("canceling", "status_canceled", "canceling") == (shown["text"], shown["icon"], shown["group"])


@by_release(JOBS_CANCEL_GRACEFULLY, "status", {"16.11": 400, "17.0": 200})
def test_early_releases_do_not_know_jobs_that_are_being_canceled(fakeplat: Fakeplat, status: int) -> None:
    """The status can be asked for in the releases that have it."""
    assert status == fakeplat.as_user("mia").get("projects/acme%2Fsite/jobs?scope=canceling").status
