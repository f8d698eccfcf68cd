"""Protected environments, and the jobs that may not deploy to them.

Source: ee/spec/requests/api/protected_environments_spec.rb, ee/app/models/protected_environment.rb and
ee/app/policies/ee/ci/build_policy.rb of the platform.
"""

from typing import Any

import pytest

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import build_deploy_job, build_stop_job, jobs_of, run_pipeline
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, Outcome, invalid, person, refusal

pytestmark = pytest.mark.fakeplat(scenario="starter", tier="premium", clock="virtual", start="2020-11-20T09:00:00.000Z")
SITE = "projects/acme%2Fsite"
PATH = f"{SITE}/protected_environments"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
MAINTAINERS = [{"access_level": 40}]


def protect_environment(fake: Fakeplat, *levels: dict[str, Any], name: str = "production") -> dict[str, Any]:
    reply = fake.as_user("mia").post(PATH, json={"name": name, "deploy_access_levels": list(levels or MAINTAINERS)})
    assert 201 == reply.status
    return dict(reply.json())


def test_an_environment_is_protected_by_name(fakeplat: Fakeplat) -> None:
    """An environment is protected by a name that need not exist; the list is sorted."""
    production, api = protect_environment(fakeplat), protect_environment(fakeplat, {"access_level": 30}, name="api")

    level = {"access_level": 40, "user_id": None, "group_id": None, "access_level_description": "Maintainers"}
    assert {"name": "production", "deploy_access_levels": [level]} == production
    assert "Developers + Maintainers" == api["deploy_access_levels"][0]["access_level_description"]
    mia = fakeplat.as_user("mia")
    assert [api, production] == mia.get(PATH).json()
    assert production == mia.get(f"{PATH}/production").json()


def test_users_and_groups_may_deploy(fakeplat: Fakeplat) -> None:
    """Developers of the project and groups shared with it can be admitted to deploy."""
    dev, tools = person(fakeplat, "dev"), fakeplat.world.group("acme/tools").id
    fakeplat.as_user("mia").post(f"{SITE}/share", json={"group_id": tools, "group_access": 30})
    user, group = protect_environment(fakeplat, {"user_id": dev}, {"group_id": tools})["deploy_access_levels"]

    assert (dev, None, fakeplat.world.user("dev").name) == (
        user["user_id"],
        user["group_id"],
        user["access_level_description"],
    )
    assert (None, tools, "Tools") == (group["user_id"], group["group_id"], group["access_level_description"])


def test_an_environment_is_unprotected(fakeplat: Fakeplat) -> None:
    """An environment is unprotected unless it changed since the client's time."""
    protect_environment(fakeplat)

    path = f"{PATH}/production"
    assert STALE == refusal(fakeplat, "mia", "DELETE", path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("mia").delete(path).status
    assert NOT_FOUND == refusal(fakeplat, "mia", "GET", path)
    assert NOT_FOUND == refusal(fakeplat, "mia", "DELETE", path)


TOO_FEW = "Deploy access levels is too short (minimum is 1 character)"
NO_LEVEL = [
    "Deploy access levels access level can't be blank",
    "Deploy access levels access level is not included in the list",
]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"name": "x"}, invalid("deploy_access_levels is missing")),
        ({"deploy_access_levels": MAINTAINERS}, invalid("name is missing")),
        (
            {"name": "x", "deploy_access_levels": [{"access_level": 10}]},
            invalid("deploy_access_levels[0][access_level] does not have a valid value"),
        ),
        ({"name": "x", "deploy_access_levels": [{"access_level": None}]}, (422, {"message": NO_LEVEL})),
        # A Reporter cannot deploy, so the entry is left out.
        ({"name": "x", "deploy_access_levels": [{"user_id": "rep"}]}, (422, {"message": [TOO_FEW]})),
        ({"name": "x", "deploy_access_levels": [{"group_id": 0}]}, (422, {"message": [TOO_FEW]})),
    ],
    ids=["no levels", "no name", "level", "null", "reporter", "group"],
)
def test_invalid_protections_are_refused(fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome) -> None:
    """Protected environments are validated by their parameters first, then by the record."""
    levels = [
        {name: person(fakeplat, value) if value == "rep" else value for name, value in level.items()}
        for level in body.get("deploy_access_levels", [])
    ]
    sent = {**body, "deploy_access_levels": levels} if levels else body
    assert expected == refusal(fakeplat, "mia", "POST", PATH, json=sent)


def test_an_environment_is_protected_once(fakeplat: Fakeplat) -> None:
    """Protecting an environment a second time answers 409."""
    protect_environment(fakeplat)

    body = {"name": "production", "deploy_access_levels": MAINTAINERS}
    expected = (409, {"message": "Protected environment 'production' already exists"})
    assert expected == refusal(fakeplat, "mia", "POST", PATH, json=body)


def test_a_job_without_access_fails_at_its_turn(fakeplat: Fakeplat) -> None:
    """A job whose user may not deploy fails with its deployment while others run."""
    protect_environment(fakeplat)
    pipeline = run_pipeline(fakeplat, build_deploy_job(), build_deploy_job("staging", name="other"), by="dev")

    jobs = jobs_of(fakeplat, pipeline)
    assert ("failed", "protected_environment_failure") == (jobs["deploy"].status, jobs["deploy"].failure_reason)
    assert "pending" == jobs["other"].status
    (deployment,) = fakeplat.as_user("mia").get(f"{SITE}/deployments?environment=production").json()
    assert "failed" == deployment["status"]


def test_a_delayed_job_without_access_fails_when_its_time_has_come(fakeplat: Fakeplat) -> None:
    """The jobs that waited for a delayed job without access are skipped."""
    protect_environment(fakeplat)
    delayed, after = build_deploy_job(when="delayed", start_in=600), PlannedJob(name="announce", stage_index=1)
    pipeline = run_pipeline(fakeplat, delayed, after, by="dev")
    waiting = {name: job.status for name, job in jobs_of(fakeplat, pipeline).items()}
    fakeplat.clock.advance("10m")

    assert {"deploy": "scheduled", "announce": "created"} == waiting
    assert {"deploy": "failed", "announce": "skipped"} == {
        name: job.status for name, job in jobs_of(fakeplat, pipeline).items()
    }


@pytest.mark.parametrize("by", ["mia", "ada", "root"])
def test_a_job_with_access_runs(fakeplat: Fakeplat, by: str) -> None:
    """A job runs if its user has the required level or is an administrator."""
    protect_environment(fakeplat)

    assert "pending" == jobs_of(fakeplat, run_pipeline(fakeplat, build_deploy_job(), by=by))["deploy"].status


def test_a_named_user_may_deploy(fakeplat: Fakeplat) -> None:
    """A named user may deploy while Maintainers may not."""
    protect_environment(fakeplat, {"user_id": person(fakeplat, "dev")})

    assert "pending" == jobs_of(fakeplat, run_pipeline(fakeplat, build_deploy_job(), by="dev"))["deploy"].status
    assert "failed" == jobs_of(fakeplat, run_pipeline(fakeplat, build_deploy_job(), by="mia"))["deploy"].status


def test_a_manual_job_is_not_played_without_access(fakeplat: Fakeplat) -> None:
    """Without access a manual job cannot be played."""
    protect_environment(fakeplat)
    job = jobs_of(fakeplat, run_pipeline(fakeplat, build_deploy_job(when="manual"), by="dev"))["deploy"]

    path = f"{SITE}/jobs/{job.id}"
    assert "manual" == job.status
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{path}/play")
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{path}/cancel")
    assert "pending" == fakeplat.as_user("mia").post(f"{path}/play").json()["status"]


def test_a_protected_environment_is_not_stopped_without_access(fakeplat: Fakeplat) -> None:
    """Without access a protected environment cannot be stopped."""
    run_pipeline(fakeplat, build_deploy_job(on_stop="stop"), build_stop_job(), by="mia")
    protect_environment(fakeplat)
    environment = fakeplat.as_user("mia").get(f"{SITE}/environments").json()[0]["id"]

    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{SITE}/environments/{environment}/stop")
    assert 200 == fakeplat.as_user("mia").post(f"{SITE}/environments/{environment}/stop").status


def test_reported_deployments_need_access(fakeplat: Fakeplat) -> None:
    """Only those with access report deployments to a protected environment."""
    mia, dev = fakeplat.as_user("mia"), fakeplat.as_user("dev")
    sha = dev.get(f"{SITE}/repository/commits/master").json()["id"]
    body = {"environment": "production", "sha": sha, "ref": "master", "tag": False, "status": "running"}
    created = dev.post(f"{SITE}/deployments", json=body)
    assert 201 == created.status
    path = f"{SITE}/deployments/{created.json()['id']}"
    protect_environment(fakeplat)

    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{SITE}/deployments", json=body)
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", path, json={"status": "success"})
    assert 201 == dev.post(f"{SITE}/deployments", json={**body, "environment": "staging"}).status
    assert 200 == mia.put(path, json={"status": "success"}).status
    assert 201 == mia.post(f"{SITE}/deployments", json=body).status


@pytest.mark.fakeplat(tier="free")
def test_a_lower_tier_protects_nothing(fakeplat: Fakeplat) -> None:
    """The tier decides when the job starts."""
    fakeplat.load(
        {"projects": [{"path_with_namespace": "acme/site", "protected_environments": [{"name": "production"}]}]}
    )

    assert "pending" == jobs_of(fakeplat, run_pipeline(fakeplat, build_deploy_job(), by="dev"))["deploy"].status
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "mia", "GET", PATH)
