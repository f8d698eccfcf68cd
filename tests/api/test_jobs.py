"""Jobs of projects: fields, rights and actions. Source: docs/platform/pipelines-jobs.md."""

from typing import Any

import pytest

from fakeplat.domain.ci import job_actions
from fakeplat.harness.fake import Fakeplat
from tests.api.fields import USER_PUBLIC
from tests.api.jobs import FULL, PIPELINE, SITE, create_pipeline, job, path, statuses
from tests.api.merge_requests import NOT_FOUND, get_json
from tests.api.pipelines import create_pipelines, load_project, newest
from tests.api.requests import FORBIDDEN, NO_ROUTE, UNAUTHORIZED, invalid, names, outcome, refusal, resource_not_found

JOBS = f"{SITE}/jobs"
DONE = {"started_at": "2020-11-02T10:00:05Z", "finished_at": "2020-11-02T10:01:05.500Z"}
INVALID_SCOPE = invalid("scope does not have a valid value")


def test_a_job_shows_its_commit_pipeline_and_user(fakeplat: Fakeplat) -> None:
    """A completed job shows all fields and its log as an artifact."""
    pipeline = create_pipeline(
        fakeplat,
        {"name": "rspec", "stage": "check", "status": "failed", "log": "boom\n", "coverage": 30.25, **DONE},
        user="dev",
    )
    shown_job = get_json(fakeplat, path(fakeplat, "rspec"))

    assert set(shown_job) == FULL
    assert ("rspec", "check", "failed", "feature", False, 30.25, False) == tuple(
        shown_job[name] for name in ("name", "stage", "status", "ref", "tag", "coverage", "allow_failure")
    )
    assert 60.5 == shown_job["duration"]
    assert (USER_PUBLIC, "dev") == (set(shown_job["user"]), shown_job["user"]["username"])
    assert (PIPELINE, pipeline.id) == (set(shown_job["pipeline"]), shown_job["pipeline"]["id"])
    assert pipeline.sha == shown_job["commit"]["id"]
    assert [{"file_type": "trace", "size": 5, "filename": "job.log", "file_format": None}] == shown_job["artifacts"]
    assert (None, None) == (shown_job["runner"], shown_job["artifacts_expire_at"])
    assert f"{fakeplat.url}/acme/site/-/jobs/{shown_job['id']}" == shown_job["web_url"]


def test_a_job_without_user_or_commit_shows_null(fakeplat: Fakeplat) -> None:
    """The commit may be missing from the repository."""
    create_pipeline(fakeplat, {"name": "a", "status": "skipped"}, sha="a" * 40)
    shown_job = get_json(fakeplat, path(fakeplat, "a"))
    assert (None, None, None, []) == tuple(shown_job[name] for name in ("user", "commit", "duration", "artifacts"))


def test_a_running_job_shows_how_long_it_has_run(fakeplat: Fakeplat) -> None:
    """The duration counts from the start to now, in every answer anew."""
    load_project(fakeplat, runners="external")
    create_pipeline(fakeplat, {"name": "a", "status": "running"})
    fakeplat.clock.advance(0.25)
    (first,) = get_json(fakeplat, JOBS)
    fakeplat.clock.advance(0.25)
    (second,) = get_json(fakeplat, JOBS)
    assert 0.25 == pytest.approx(second["duration"] - first["duration"])


@pytest.mark.fakeplat(version="13.12.0")
def test_newer_releases_show_tags_and_projects(fakeplat: Fakeplat) -> None:
    """Newer releases show the sorted tags of a job and the project of its pipeline, but no project of the job."""
    create_pipeline(fakeplat, {"name": "a", "status": "skipped", "tags": ["ruby", "linux"]})
    shown_job = get_json(fakeplat, path(fakeplat, "a"))
    project_id = fakeplat.world.project("acme/site").id
    assert (["linux", "ruby"], False, project_id) == (
        shown_job["tag_list"],
        "project_id" in shown_job,
        shown_job["pipeline"]["project_id"],
    )


def test_the_list_is_newest_first_and_has_retried_jobs(fakeplat: Fakeplat) -> None:
    """The jobs of a project are listed newest first with retried ones but without bridges."""
    create_pipeline(fakeplat, {"name": "a", "status": "failed", "retried": True}, {"name": "a", "status": "success"})
    create_pipeline(
        fakeplat,
        {"name": "b", "status": "pending", "kind": "external"},
        {"name": "c", "status": "pending", "trigger": {"project": "acme/docs"}},
        {"name": "d", "status": "canceled"},
    )
    assert [("d", "canceled"), ("a", "success"), ("a", "failed")] == [
        (row["name"], row["status"]) for row in get_json(fakeplat, JOBS)
    ]
    assert FULL == set(get_json(fakeplat, JOBS)[0])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("scope=failed", ["c"]),
        ("scope[]=failed&scope[]=success", ["c", "b"]),
        ("scope[x]=manual&scope[y]=success", ["b", "a"]),
        ("scope[]=running", []),
        ("scope=success&scope=failed&per_page=1", ["c"]),
        ("scope[]=failed&scope[]=success&scope[]=manual&per_page=1&page=2", ["b"]),
    ],
)
def test_jobs_are_listed_by_status(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Jobs are filtered by one status, several or the values of a hash."""
    create_pipeline(
        fakeplat,
        {"name": "a", "status": "manual", "when": "manual"},
        {"name": "b", "status": "success"},
        {"name": "c", "status": "failed"},
    )
    assert expected == names(get_json(fakeplat, f"{JOBS}?{query}"), "name")


@pytest.mark.parametrize("query", ["scope=unknown", "scope[]=unknown&scope[]=running", "scope="])
def test_an_unknown_status_is_refused(fakeplat: Fakeplat, query: str) -> None:
    """Filtering jobs by an unknown status answers 400."""
    assert INVALID_SCOPE == refusal(fakeplat, "dev", "GET", f"{JOBS}?{query}")


def test_a_missing_job_is_not_found(fakeplat: Fakeplat) -> None:
    """Jobs of other projects, bridges and external statuses are not found."""
    create_pipelines(fakeplat, {"sha": "a" * 40, "jobs": [{"name": "x", "status": "success"}]}, project="acme/docs")
    other = job(fakeplat, "x").id
    create_pipeline(
        fakeplat, {"name": "e", "status": "success", "kind": "external"}, {"name": "b", "trigger": {"project": "x/y"}}
    )
    load_project(fakeplat, public_builds=False)
    for id_ in (1, other, job(fakeplat, "e").id, job(fakeplat, "b").id):
        assert NOT_FOUND == refusal(fakeplat, "dev", "GET", f"{JOBS}/{id_}")
        assert NOT_FOUND == refusal(fakeplat, "dev", "POST", f"{JOBS}/{id_}/play")
        assert NOT_FOUND == refusal(fakeplat, "dev", "POST", f"{JOBS}/{id_}/cancel")
        assert FORBIDDEN == refusal(fakeplat, "gus", "GET", f"{JOBS}/{id_}")
        assert FORBIDDEN == refusal(fakeplat, "rep", "POST", f"{JOBS}/{id_}/cancel")
    assert invalid("job_id is invalid") == refusal(fakeplat, "dev", "GET", f"{JOBS}/x")


@pytest.mark.parametrize("tail", ["", "/trace"])
def test_roles_that_read_jobs(fakeplat: Fakeplat, tail: str) -> None:
    """Login is required; Guests read with public builds only; nobody if builds are off."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    job_path = path(fakeplat, "a", tail)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", job_path)
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", JOBS)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "GET", job_path)
    assert 200 == fakeplat.as_user("gus").get(job_path).status
    load_project(fakeplat, public_builds=False)
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", job_path)
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", JOBS)
    assert 200 == fakeplat.as_user("rep").get(job_path).status
    load_project(fakeplat, builds_access_level="disabled")
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", job_path)
    assert FORBIDDEN == refusal(fakeplat, "ada", "GET", JOBS)


def test_the_log_is_plain_text(fakeplat: Fakeplat) -> None:
    """The log of a job is plain text with a file name, and empty if there is none."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "log": "grün\n"}, {"name": "b", "status": "skipped"})
    reply = fakeplat.as_user("rep").get(path(fakeplat, "a", "/trace"))
    assert (200, "grün\n", "text/plain", f'infile; filename="{job(fakeplat, "a").id}.log"') == (
        reply.status,
        reply.text,
        reply.headers["Content-Type"],
        reply.headers["Content-Disposition"],
    )
    assert (200, "") == (
        fakeplat.as_user("rep").get(path(fakeplat, "b", "/trace")).status,
        fakeplat.as_user("rep").get(path(fakeplat, "b", "/trace")).text,
    )


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "grün, 5 kB"),
        ("byte_offset=0&byte_limit=2", "gr"),
        ("byte_offset=5", ", 5 kB"),
        ("byte_limit=4", "grü"),
        ("byte_offset=99&byte_limit=1", ""),
        ("byte_offset=-1", invalid("byte_offset does not have a valid value")),
        ("byte_limit=0", invalid("byte_limit does not have a valid value")),
        ("byte_limit=512000", "grün, 5 kB"),
        ("byte_limit=512001", invalid("byte_limit does not have a valid value")),
    ],
)
def test_a_part_of_the_log(fakeplat: Fakeplat, query: str, expected: object) -> None:
    """Later releases answer a part of the log, counted in bytes."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "log": "grün, 5 kB"})
    reply = fakeplat.as_user("ada").get(path(fakeplat, "a", f"/trace?{query}"))

    assert expected == (reply.text if reply.status == 200 else outcome(reply))


def post_action(fake: Fakeplat, name: str, action: str, by: str = "dev") -> tuple[int, Any]:
    return outcome(fake.as_user(by).post(path(fake, name, f"/{action}")))


def test_a_job_is_canceled(fakeplat: Fakeplat) -> None:
    """Canceling a job answers 201 and updates its pipeline; a finished job stays."""
    create_pipeline(fakeplat, {"name": "a", "status": "running"}, {"name": "b", "stage": "deploy", "status": "created"})
    status, view = post_action(fakeplat, "a", "cancel")
    assert (201, "canceled", "canceled") == (status, view["status"], view["pipeline"]["status"])
    assert [("a", "canceled"), ("b", "skipped")] == statuses(fakeplat)
    before = get_json(fakeplat, path(fakeplat, "a"))
    assert (201, before) == post_action(fakeplat, "a", "cancel", "root")


def test_a_job_is_retried_as_a_new_one(fakeplat: Fakeplat) -> None:
    """Retrying a job creates a new one of the caller, and later jobs wait again."""
    create_pipeline(
        fakeplat,
        {"name": "a", "status": "failed", "coverage": 3.0, "log": "x"},
        {"name": "b", "stage": "deploy", "status": "skipped"},
        user="mia",
    )
    old = job(fakeplat, "a")
    status, view = post_action(fakeplat, "a", "retry")
    assert (201, "pending", "dev", None) == (
        status,
        view["status"],
        view["user"]["username"],
        view["coverage"],
    )
    assert old.id < view["id"] == job(fakeplat, "a").id
    assert [("a", "failed"), ("b", "created"), ("a", "pending")] == statuses(fakeplat)
    assert fakeplat.bench.platform.view.jobs[old.id].retried
    fakeplat.settle()
    assert [("a", "failed"), ("b", "success"), ("a", "success")] == statuses(fakeplat)
    assert "success" == newest(fakeplat).status


@pytest.mark.parametrize("status", ["created", "running", "manual", "skipped", "pending"])
def test_an_unfinished_job_is_not_retried(fakeplat: Fakeplat, status: str) -> None:
    """Retrying a job that has not finished answers 403 with the reason."""
    create_pipeline(fakeplat, {"name": "a", "status": status, "tags": ["none"]})
    expected = (403, {"message": "403 Forbidden - Job is not retryable"})
    assert expected == refusal(fakeplat, "dev", "POST", path(fakeplat, "a", "/retry"))


def test_a_job_is_erased(fakeplat: Fakeplat) -> None:
    """Erasing a job deletes the log and records who did it."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "log": "secret"}, user="dev")
    status, view = post_action(fakeplat, "a", "erase", "mia")
    assert (201, "success", []) == (status, view["status"], view["artifacts"])
    assert "" == fakeplat.as_user("dev").get(path(fakeplat, "a", "/trace")).text
    erased = job(fakeplat, "a")
    assert (fakeplat.world.user("mia").id, True) == (erased.erased_by_id, erased.erased_at is not None)


@pytest.mark.parametrize(("status", "log"), [("success", ""), ("running", "so far"), ("manual", "")])
def test_jobs_without_a_log_are_not_erased(fakeplat: Fakeplat, status: str, log: str) -> None:
    """Jobs without a log, or unfinished ones, cannot be erased."""
    create_pipeline(fakeplat, {"name": "a", "status": status, "log": log}, user="dev")
    expected = (403, {"message": "403 Forbidden - Job is not erasable!"})
    assert expected == refusal(fakeplat, "dev", "POST", path(fakeplat, "a", "/erase"))


def test_developers_erase_only_their_own_jobs(fakeplat: Fakeplat) -> None:
    """Developers erase only their own jobs, Maintainers erase all."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "log": "x"}, user="mia")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", path(fakeplat, "a", "/erase"))
    assert 201 == post_action(fakeplat, "a", "erase", "mia")[0]


def test_a_manual_job_is_played(fakeplat: Fakeplat) -> None:
    """Playing a manual job answers 200 with the job, which becomes the caller's."""
    create_pipeline(fakeplat, {"name": "a", "status": "manual", "when": "manual"}, user="mia")
    status, view = post_action(fakeplat, "a", "play")
    assert (200, "pending", "dev") == (status, view["status"], view["user"]["username"])
    fakeplat.settle()
    assert [("a", "success")] == statuses(fakeplat)


def test_a_finished_manual_job_is_played_again_as_a_copy(fakeplat: Fakeplat) -> None:
    """The answer is the job that was named."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "when": "manual"})
    id_ = job(fakeplat, "a").id
    status, view = post_action(fakeplat, "a", "play")
    assert (200, id_, "success") == (status, view["id"], view["status"])
    assert [("a", "success"), ("a", "pending")] == statuses(fakeplat)


def test_a_delayed_job_is_played_before_its_time(fakeplat: Fakeplat) -> None:
    """Playing a delayed job starts it before its time."""
    create_pipeline(fakeplat, {"name": "a", "status": "scheduled", "when": "delayed", "start_in": 3600})
    status, view = post_action(fakeplat, "a", "play")
    assert (200, "pending") == (status, view["status"])


@pytest.mark.parametrize(("status", "when"), [("success", "on_success"), ("created", "manual"), ("skipped", "manual")])
def test_a_job_that_cannot_be_played_is_refused(fakeplat: Fakeplat, status: str, when: str) -> None:
    """Playing a job that is not manual or delayed answers 400."""
    create_pipeline(fakeplat, {"name": "a", "status": status, "when": when})
    expected = (400, {"message": "400 Bad request - Unplayable Job"})
    assert expected == refusal(fakeplat, "dev", "POST", path(fakeplat, "a", "/play"))


@pytest.mark.parametrize("action", ["cancel", "retry", "erase", "play"])
def test_roles_that_change_jobs(fakeplat: Fakeplat, action: str) -> None:
    """Developers change jobs, and nobody in an archived project."""
    create_pipeline(fakeplat, {"name": "a", "status": "success", "when": "manual", "log": "x"}, user="dev")
    action_path = path(fakeplat, "a", f"/{action}")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", action_path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "POST", action_path)
    for user in ("gus", "rep"):
        assert FORBIDDEN == refusal(fakeplat, user, "POST", action_path)
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", action_path)
    fakeplat.as_user("ada").post(f"{SITE}/unarchive")
    assert fakeplat.as_user("dev").post(action_path).status in (200, 201)


@pytest.mark.parametrize("action", ["cancel", "retry", "erase", "play"])
def test_jobs_of_protected_branches_are_for_those_who_may_push(fakeplat: Fakeplat, action: str) -> None:
    """Developers may neither push to master nor merge into it."""
    create_pipeline(
        fakeplat, {"name": "a", "status": "success", "when": "manual", "log": "x"}, ref="master", user="dev"
    )
    action_path = path(fakeplat, "a", f"/{action}")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", action_path)
    assert fakeplat.as_user("mia").post(action_path).status in (200, 201)


def test_jobs_of_protected_tags_are_for_those_who_may_create_them(fakeplat: Fakeplat) -> None:
    """Jobs of a protected tag are changed by those who may create the tag."""
    load_project(fakeplat, protected_tags=[{"name": "v*", "create_access_levels": [40]}])
    create_pipeline(fakeplat, {"name": "a", "status": "failed"}, ref="v1.0", tag=True)
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", path(fakeplat, "a", "/retry"))
    assert 201 == post_action(fakeplat, "a", "retry", "mia")[0]


def test_those_who_may_merge_into_a_protected_branch_run_its_jobs(fakeplat: Fakeplat) -> None:
    """Pushing to it is not necessary."""
    load_project(fakeplat, protected_branches=[{"name": "feature", "merge_access_levels": [30]}])
    create_pipeline(fakeplat, {"name": "a", "status": "failed"})
    assert 201 == post_action(fakeplat, "a", "retry")[0]


def add_job_token(fake: Fakeplat, name: str) -> dict[str, str]:
    """Give a job a token; return the header with it."""
    from fakeplat.model.people import Token

    with fake.bench.platform.acting() as ctx:
        table, owner = ctx.world.tokens, fake.world.user("dev")
        record = job(fake, name)
        value = f"secret-of-{name}"
        table.add(
            Token(table.next_id(), owner.id, "job", value, ctx.now_iso, project_id=record.project_id, job_id=record.id)
        )
    return {"job-token": value}


def test_a_job_reads_itself_with_its_token(fakeplat: Fakeplat) -> None:
    """A job token reads its own job until the job ends."""
    create_pipeline(fakeplat, {"name": "a", "status": "running"}, {"name": "b", "status": "running"})
    headers = {name: add_job_token(fakeplat, name) for name in ("a", "b")}
    for name, header in headers.items():
        shown_job = fakeplat.as_user(None).get("job", headers=header).json()
        assert (FULL, name, job(fakeplat, name).id) == (set(shown_job), shown_job["name"], shown_job["id"])
    with fakeplat.bench.platform.acting() as ctx:
        job_actions.succeed(ctx, ctx.world.jobs[job(fakeplat, "b").id])
    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get("job", headers=headers["b"]))


@pytest.mark.fakeplat(documented=False)
def test_a_job_reads_itself_with_its_token_as_a_parameter(fakeplat: Fakeplat) -> None:
    """On the platform `job_token` works as a parameter on every tier."""
    create_pipeline(fakeplat, {"name": "a", "status": "running"})
    value = add_job_token(fakeplat, "a")["job-token"]
    anonymous = fakeplat.as_user(None)
    assert job(fakeplat, "a").id == anonymous.get("job", params={"job_token": value}).json()["id"]
    assert UNAUTHORIZED == outcome(anonymous.get("job", params={"job_token": "unknown"}))


def test_other_credentials_have_no_job(fakeplat: Fakeplat) -> None:
    """The job of the caller answers 404 to users and 401 to anonymous callers."""
    assert resource_not_found("Job") == refusal(fakeplat, "dev", "GET", "job")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "job")


def test_the_page_of_a_job_is_for_those_who_read_it(fakeplat: Fakeplat) -> None:
    """The page of a job is found only by those who read it."""
    create_pipeline(fakeplat, {"name": "a", "status": "success"})
    page = f"{fakeplat.url}/acme/site/-/jobs/{job(fakeplat, 'a').id}"
    assert 200 == fakeplat.as_user("gus").get(page).status
    assert NO_ROUTE[0] == fakeplat.as_user("eve").get(page).status
    assert NO_ROUTE[0] == fakeplat.as_user("gus").get(page.replace("acme/site", "acme/docs")).status
