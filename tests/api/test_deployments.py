"""Deployments of projects, by jobs and by other systems. Source: docs/platform/deployments.md."""

from typing import Any

import pytest

from fakeplat.domain.ci import job_actions, job_outcomes
from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import build_deploy_job, build_stop_job, change_job, jobs_of, run_pipeline
from tests.api.environments import NAME_TEXT
from tests.api.marks import STARTER_AT_NINE
from tests.api.merge_requests import MRS, SITE, commit, create_merge_request, get_json, merge
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    missing_value,
    names,
    refusal,
    resource_not_found,
)

pytestmark = STARTER_AT_NINE
PATH = f"{SITE}/deployments"
ENVIRONMENTS = f"{SITE}/environments"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
BLANK_NAME = invalid_record(name=["can't be blank", NAME_TEXT])
OF_JOB: Outcome = (
    403,
    {"message": "403 Forbidden - Deployments created using GitLab CI can not be updated using the API"},
)


def get_head(fake: Fakeplat, branch: str = "master") -> str:
    return str(get_json(fake, f"{SITE}/repository/branches/{branch}")["commit"]["id"])


def build_body(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    usual = {"environment": "production", "sha": get_head(fake), "ref": "master", "tag": False, "status": "success"}
    return {**usual, **fields}


def deploy(fake: Fakeplat, **fields: Any) -> dict[str, Any]:
    """Report a deployment."""
    reply = fake.as_user("dev").post(PATH, json=build_body(fake, **fields))
    assert 201 == reply.status, reply
    return dict(reply.json())


def test_a_reported_deployment_creates_its_environment(fakeplat: Fakeplat) -> None:
    """A reported deployment creates its environment and is its last one once it has succeeded."""
    deployment = deploy(fakeplat)
    user = deployment.pop("user")
    environment = {"id": 160001, "name": "production", "slug": "production", "external_url": None}

    assert "dev" == user["username"]
    assert {
        "id": 9380001,
        "iid": 1,
        "ref": "master",
        "sha": get_head(fakeplat),
        "created_at": deployment["updated_at"],
        "updated_at": deployment["updated_at"],
        "environment": environment,
        "deployable": None,
        "status": "success",
    } == deployment
    assert {**deployment, "user": user} == get_json(fakeplat, f"{PATH}/9380001")
    assert 9380001 == get_json(fakeplat, f"{ENVIRONMENTS}/160001")["last_deployment"]["id"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "created"}, invalid("status does not have a valid value")),
        ({"tag": "perhaps"}, invalid("tag is invalid")),
        ({"environment": " "}, invalid_record(name=["can't be blank"])),
        ({"environment": None}, BLANK_NAME),
        ({"sha": "nothing"}, invalid_record(sha=["The commit does not exist"])),
        ({"ref": "nothing"}, invalid_record(ref=["The branch or tag does not exist"])),
        ({"environment": "a" * 300}, invalid_record(name=["is too long (maximum is 255 characters)"])),
    ],
    ids=range(7),
)
def test_invalid_deployments_are_refused(fakeplat: Fakeplat, changes: dict[str, Any], expected: Outcome) -> None:
    """An invalid deployment creates neither a deployment nor an environment."""
    assert expected == refusal(fakeplat, "dev", "POST", PATH, json=build_body(fakeplat, **changes))


def test_all_parameters_are_required(fakeplat: Fakeplat) -> None:
    """A deployment without parameters is refused with the name of each required one."""
    missing = [f"{name} is missing" for name in ("environment", "sha", "ref", "tag")]
    expected = invalid(", ".join([*missing, missing_value("status")]))

    assert expected == refusal(fakeplat, "dev", "POST", PATH, json={})


def test_a_reported_deployment_is_updated(fakeplat: Fakeplat) -> None:
    """A reported deployment can end several times but does not start again."""
    deployment = deploy(fakeplat, status="running")
    path = f"{PATH}/{deployment['id']}"
    statuses = [
        fakeplat.as_user("dev").put(path, json={"status": status}).json()["status"]
        for status in ("failed", "success", "canceled")
    ]

    assert ["failed", "success", "canceled"] == statuses
    assert invalid_record(status=['cannot transition via "run"']) == refusal(
        fakeplat, "dev", "PUT", path, json={"status": "running"}
    )
    assert invalid_record(status=['cannot transition via "cancel"']) == refusal(
        fakeplat, "dev", "PUT", path, json={"status": "canceled"}
    )


def test_the_deployment_of_a_job_is_not_updated(fakeplat: Fakeplat) -> None:
    """The deployment of a job cannot be updated, and the message says why."""
    run_pipeline(fakeplat, build_deploy_job())

    assert OF_JOB == refusal(fakeplat, "dev", "PUT", f"{PATH}/9380001", json={"status": "success"})


def test_a_deployment_starts_a_stopped_environment(fakeplat: Fakeplat) -> None:
    """A successful deployment makes a stopped environment available; a failed one does not."""
    deploy(fakeplat)
    fakeplat.as_user("dev").post(f"{ENVIRONMENTS}/160001/stop")
    states = []
    for status in ("failed", "success"):
        deploy(fakeplat, status=status)
        states.append(get_json(fakeplat, f"{ENVIRONMENTS}/160001")["state"])

    assert ["stopped", "available"] == states


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", [1, 2, 3, 4]),
        ("sort=desc", [4, 3, 2, 1]),
        ("order_by=iid&sort=desc", [4, 3, 2, 1]),
        ("order_by=created_at&sort=desc", [4, 3, 2, 1]),
        ("order_by=ref&sort=desc", [1, 3, 4, 2]),
        ("order_by=updated_at", [2, 3, 4, 1]),
        ("environment=staging", [2]),
        ("environment=none", []),
        ("status=failed", [1]),
        ("status=created", []),
        ("order_by=updated_at&updated_after=2020-11-20T09:30:00Z", [1]),
        ("order_by=updated_at&updated_before=2020-11-20T09:30:00Z&sort=desc", [4, 3, 2]),
    ],
)
def test_deployments_are_listed(fakeplat: Fakeplat, query: str, expected: list[int]) -> None:
    """Deployments are listed by id unless another order is requested."""
    deploy(fakeplat, status="running")
    deploy(fakeplat, environment="staging", ref="feature")
    deploy(fakeplat)
    deploy(fakeplat)
    fakeplat.clock.advance("1h")
    fakeplat.as_user("dev").put(f"{PATH}/9380001", json={"status": "failed"})

    assert expected == names(get_json(fakeplat, f"{PATH}?{query}"), "iid")


@pytest.mark.parametrize("query", ["order_by=name", "sort=up", "status=done", "updated_after=soon"])
def test_unknown_orders_and_filters_are_refused(fakeplat: Fakeplat, query: str) -> None:
    """Unknown orders and filters of deployments answer 400."""
    assert 400 == refusal(fakeplat, "dev", "GET", f"{PATH}?{query}")[0]


PREPARATION = build_deploy_job("review/$CI_COMMIT_REF_NAME", name="build", action="prepare")


def test_a_job_deploys_to_its_environment(fakeplat: Fakeplat) -> None:
    """The environment takes over the job's URL; variables are expanded in both."""
    pipeline = run_pipeline(
        fakeplat,
        PREPARATION,
        build_deploy_job(
            "review/$CI_COMMIT_REF_NAME",
            url="https://${CI_ENVIRONMENT_SLUG}.$DOMAIN",
            variables=(("DOMAIN", "site.test"),),
            stage_index=1,
        ),
    )
    fakeplat.settle()
    deployment, job = get_json(fakeplat, f"{PATH}/9380001"), jobs_of(fakeplat, pipeline)["deploy"]
    environment = get_json(fakeplat, f"{ENVIRONMENTS}/160001")

    assert (job.id, pipeline.sha, "mia") == (
        deployment["deployable"]["id"],
        deployment["sha"],
        deployment["user"]["username"],
    )
    assert ("review/feature", f"https://{environment['slug']}.site.test") == (
        environment["name"],
        environment["external_url"],
    )


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [("success", "success"), ("failed", "failed"), ("canceled", "canceled"), ("stuck", "created")],
)
def test_a_deployment_ends_as_its_job(fakeplat: Fakeplat, outcome: str, expected: str) -> None:
    """A job that never starts leaves it as created."""
    with fakeplat.bench.platform.acting() as ctx:
        job_outcomes.add_outcomes(ctx, [{"job": "deploy", "outcome": outcome}])
    run_pipeline(fakeplat, build_deploy_job())
    created = get_json(fakeplat, f"{PATH}/9380001")["status"]
    fakeplat.settle()

    assert ("created", expected) == (created, get_json(fakeplat, f"{PATH}/9380001")["status"])


def test_a_running_job_has_a_running_deployment(fakeplat: Fakeplat) -> None:
    """The deployment of a job is running until the job succeeds."""
    run_pipeline(fakeplat, build_deploy_job())
    fakeplat.clock.advance("500ms")
    running = get_json(fakeplat, f"{PATH}/9380001")["status"]
    fakeplat.settle()

    assert ("running", "success") == (running, get_json(fakeplat, f"{PATH}/9380001")["status"])


@pytest.mark.fakeplat(clock="auto")
def test_polling_a_deployment_moves_its_job_on(fakeplat: Fakeplat) -> None:
    """Polling a deployment moves its job on until it has ended."""
    run_pipeline(fakeplat, build_deploy_job())

    assert ["running", "success", "success"] == [get_json(fakeplat, f"{PATH}/9380001")["status"] for _ in range(3)]


def test_a_skipped_job_has_a_skipped_deployment(fakeplat: Fakeplat) -> None:
    """A job that is skipped after a failure has a skipped deployment."""
    pipeline = run_pipeline(fakeplat, build_deploy_job(name="first"), build_deploy_job(name="second", stage_index=1))
    change_job(fakeplat, job_actions.fail, jobs_of(fakeplat, pipeline)["first"])

    assert ["failed", "skipped"] == names(get_json(fakeplat, PATH), "status")


def test_preparing_and_stopping_deploy_nothing(fakeplat: Fakeplat) -> None:
    """Jobs that prepare or stop an environment create it without a deployment."""
    run_pipeline(fakeplat, build_deploy_job("staging", action="prepare"), build_stop_job("production"))

    assert [] == get_json(fakeplat, PATH)
    assert ["staging", "production"] == names(get_json(fakeplat, ENVIRONMENTS), "name")


def test_a_job_with_an_invalid_environment_runs_without(fakeplat: Fakeplat) -> None:
    """A job whose environment has an invalid name succeeds without environment and deployment."""
    pipeline = run_pipeline(fakeplat, build_deploy_job("review/$NAME", variables=(("NAME", "a:b"),)))
    fakeplat.settle()
    job = jobs_of(fakeplat, pipeline)["deploy"]

    assert ("success", None) == (job.status, job.environment)
    assert ([], []) == (get_json(fakeplat, PATH), get_json(fakeplat, ENVIRONMENTS))


def test_a_rollback_is_a_new_deployment(fakeplat: Fakeplat) -> None:
    """An older job that runs again deploys its commit again."""
    first = run_pipeline(fakeplat, build_deploy_job(), ref="master")
    fakeplat.settle()
    run_pipeline(fakeplat, build_deploy_job(), ref="feature")
    fakeplat.settle()
    change_job(fakeplat, job_actions.retry, jobs_of(fakeplat, first)["deploy"])
    fakeplat.settle()

    assert ["master", "feature", "master"] == names(get_json(fakeplat, PATH), "ref")
    assert "master" == get_json(fakeplat, f"{ENVIRONMENTS}/160001")["last_deployment"]["ref"]


@pytest.mark.parametrize(
    ("enabled", "status", "reason"),
    [(True, "failed", "forward_deployment_failure"), (False, "success", None)],
    ids=["on", "off"],
)
def test_a_newer_deployment_drops_older_ones(
    fakeplat: Fakeplat, enabled: bool, status: str, reason: str | None
) -> None:
    """A newer deployment drops older jobs of its environment if the project wants that."""
    fakeplat.as_user("mia").put(SITE, json={"ci_forward_deployment_enabled": enabled})
    older = run_pipeline(fakeplat, build_deploy_job(), build_deploy_job("staging", name="other"))
    newer = run_pipeline(fakeplat, build_deploy_job())
    change_job(fakeplat, job_actions.run, jobs_of(fakeplat, newer)["deploy"])
    change_job(fakeplat, job_actions.succeed, jobs_of(fakeplat, newer)["deploy"])
    fakeplat.settle()
    jobs = jobs_of(fakeplat, older)

    assert (status, reason, "success") == (jobs["deploy"].status, jobs["deploy"].failure_reason, jobs["other"].status)


def merge_branch(fake: Fakeplat, branch: str) -> int:
    """Create a merge request into master and merge it; return its iid."""
    commit(fake, branch, f"{branch}.txt")
    merge_request = create_merge_request(fake, branch)
    fake.settle()
    merge(fake, f"{MRS}/{merge_request['iid']}")
    return int(merge_request["iid"])


def test_the_first_deployment_brings_all_merged_into_its_branch(fakeplat: Fakeplat) -> None:
    """The first deployment of a branch has all merge requests merged into it."""
    iid = merge_branch(fakeplat, "one")
    deployment = deploy(fakeplat)

    assert [iid] == names(get_json(fakeplat, f"{PATH}/{deployment['id']}/merge_requests"), "iid")
    assert [iid] == names(get_json(fakeplat, f"{MRS}?environment=production"), "iid")
    assert [] == get_json(fakeplat, f"{MRS}?environment=staging")
    assert [] == get_json(fakeplat, f"{PATH}/{deployment['id']}/merge_requests?state=opened")


def test_later_deployments_bring_what_was_merged_since(fakeplat: Fakeplat) -> None:
    """Found by their merge commits; failed deployments count as well."""
    merge_branch(fakeplat, "one")
    deploy(fakeplat)
    two = merge_branch(fakeplat, "two")
    failed, repeated = deploy(fakeplat, status="failed"), deploy(fakeplat, status="running")

    assert [two] == names(get_json(fakeplat, f"{PATH}/{failed['id']}/merge_requests"), "iid")
    assert [] == get_json(fakeplat, f"{PATH}/{repeated['id']}/merge_requests")


def test_a_deployment_of_a_cherry_pick_brings_its_merge_request(fakeplat: Fakeplat) -> None:
    """Picking a merge commit leaves a system note, and the deployment of the new commit has the merge request."""
    dev, mia = fakeplat.as_user("dev"), fakeplat.as_user("mia")
    assert 201 == dev.post(f"{SITE}/repository/branches?branch=stable&ref=master").status
    deploy(fakeplat, ref="stable", sha=get_head(fakeplat, "stable"))
    iid = merge_branch(fakeplat, "topic")
    merge_commit = mia.get(f"{SITE}/merge_requests/{iid}").json()["merge_commit_sha"]
    pick = f"{SITE}/repository/commits/{merge_commit}/cherry_pick"
    assert 200 == dev.post(pick, json={"branch": "stable", "dry_run": True}).status
    picked = dev.post(pick, json={"branch": "stable"})
    assert 201 == picked.status
    sha = picked.json()["id"]

    text = f"picked the changes into the branch [`stable`](/acme/site/-/tree/stable) with commit {sha}"
    notes = [note for note in mia.get(f"{SITE}/merge_requests/{iid}/notes").json() if "picked" in note["body"]]
    assert [(text, True, "dev")] == [(note["body"], note["system"], note["author"]["username"]) for note in notes]
    deployment = deploy(fakeplat, ref="stable", sha=sha)
    brought = dev.get(f"{SITE}/deployments/{deployment['id']}/merge_requests").json()
    assert [iid] == [merge_request["iid"] for merge_request in brought]


def test_picking_a_commit_without_a_merge_request_leaves_no_note(fakeplat: Fakeplat) -> None:
    """Cherry-picking a commit without a merge request leaves no note."""
    dev = fakeplat.as_user("dev")
    iid = merge_branch(fakeplat, "topic")
    notes = dev.get(f"{SITE}/merge_requests/{iid}/notes").json()
    assert 201 == dev.post(f"{SITE}/repository/branches?branch=stable&ref=v1.0").status
    picked = dev.post(f"{SITE}/repository/commits/topic/cherry_pick", json={"branch": "stable"})
    assert 201 == picked.status
    assert notes == dev.get(f"{SITE}/merge_requests/{iid}/notes").json()


def test_review_apps_bring_nothing(fakeplat: Fakeplat) -> None:
    """Deployments to environments in folders have no merge requests."""
    merge_branch(fakeplat, "one")
    deployment = deploy(fakeplat, environment="review/one")

    assert [] == get_json(fakeplat, f"{PATH}/{deployment['id']}/merge_requests")


def test_merge_requests_are_found_by_the_time_of_their_deployment(fakeplat: Fakeplat) -> None:
    """The deployment filters of merge requests must match one deployment together."""
    iid = merge_branch(fakeplat, "one")
    deploy(fakeplat)
    fakeplat.clock.advance("1h")
    deploy(fakeplat, environment="staging")

    def list_iids(query: str) -> list[int]:
        return names(get_json(fakeplat, f"{MRS}?{query}"), "iid")

    assert [iid] == list_iids("deployed_before=2020-11-20T09:30:00Z")
    assert [iid] == list_iids("deployed_after=2020-11-20T09:30:00Z")
    assert [] == list_iids("deployed_after=2020-11-20T10:30:00Z")
    assert [] == list_iids("environment=production&deployed_after=2020-11-20T09:30:00Z")


def test_a_merge_request_knows_when_it_reached_production(fakeplat: Fakeplat) -> None:
    """A merge request shows its first successful deployment to production after it was merged."""
    path = f"{MRS}/{merge_branch(fakeplat, 'one')}"
    deploy(fakeplat, environment="staging")
    deploy(fakeplat, ref="feature")
    deploy(fakeplat, status="failed")
    before = get_json(fakeplat, path)["first_deployed_to_production_at"]
    first = deploy(fakeplat, environment="Production/eu")
    fakeplat.clock.advance("1h")
    deploy(fakeplat)

    assert (None, first["updated_at"]) == (before, get_json(fakeplat, path)["first_deployed_to_production_at"])


def test_a_deployment_at_the_time_of_the_merge_counts(fakeplat: Fakeplat) -> None:
    """A merge request reaches production also with a deployment that ends in the instant of the merge."""
    path = f"{MRS}/{merge_branch(fakeplat, 'one')}"
    merged_at = get_json(fakeplat, path)["merged_at"]
    deployment = {"environment": "production", "ref": "master", "finished_at": merged_at}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "deployments": [deployment]}]})

    assert merged_at == get_json(fakeplat, path)["first_deployed_to_production_at"]


def test_test_authors_see_environments_and_deployments(fakeplat: Fakeplat) -> None:
    """The records of the world show environments and deployments as the API does."""
    deployment = deploy(fakeplat)
    project = fakeplat.world.project("acme/site")

    assert [deployment["id"]] == [row.id for row in project.deployments]
    assert [("production", "available")] == [
        (environment.name, environment.state) for environment in project.environments
    ]


def test_the_jobs_of_a_deployment_know_the_expanded_name(fakeplat: Fakeplat) -> None:
    """A deployment job knows its environment's name with all variables expanded."""
    pipeline = run_pipeline(fakeplat, build_deploy_job("review/$CI_COMMIT_REF_NAME"))
    environment = jobs_of(fakeplat, pipeline)["deploy"].environment

    assert environment is not None
    assert "review/feature" == environment.name


@pytest.mark.parametrize(
    ("user", "method", "path", "payload", "expected"),
    [
        (None, "GET", PATH, None, UNAUTHORIZED),
        ("eve", "GET", PATH, None, resource_not_found("Project")),
        ("gus", "GET", PATH, None, FORBIDDEN),
        ("rep", "POST", PATH, {}, None),
        ("rep", "PUT", f"{PATH}/9380001", {"status": "failed"}, FORBIDDEN),
        ("dev", "PUT", f"{PATH}/1", {"status": "failed"}, NOT_FOUND),
        ("dev", "GET", f"{PATH}/1", None, NOT_FOUND),
        ("dev", "GET", f"{PATH}/1/merge_requests", None, NOT_FOUND),
    ],
)
def test_refused_requests(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, payload: Any, expected: Outcome | None
) -> None:
    """Reporters read and Developers write deployments; everybody else is refused."""
    deploy(fakeplat)
    payload = build_body(fakeplat) if payload == {} else payload

    assert (expected or FORBIDDEN) == refusal(fakeplat, user, method, path, json=payload)
