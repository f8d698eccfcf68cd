"""Protected environments of groups, and approvals of deployments. Source: docs/platform/deployments.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.model.deployments import Deployment
from fakeplat.policy.behaviours import DEPLOYMENTS_ARE_APPROVED
from tests.api.deployment_jobs import build_deploy_job, change_job, job_actions, jobs_of, run_pipeline
from tests.api.requests import FORBIDDEN, Outcome, outcome, person, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    scenario="starter",
    tier="premium",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
    tick=0,
    version="16.11",
    default_branch="master",
)
SITE, ACME = "projects/acme%2Fsite", "groups/acme"
PATH, GROUP_PATH = f"{SITE}/protected_environments", f"{ACME}/protected_environments"
MAINTAINERS = [{"access_level": 40}]
NOW = "2020-11-20T09:00:00.000Z"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def protect(fake: Fakeplat, path: str = PATH, name: str = "production", **body: Any) -> dict[str, Any]:
    sent = {"name": name, "deploy_access_levels": [{"access_level": 30}], **body}
    reply = fake.as_user("root").post(path, json=sent)
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def find_deployment(fake: Fakeplat) -> Deployment:
    """The newest deployment."""
    return list(fake.bench.platform.view.deployments.all())[-1]


def review(fake: Fakeplat, by: str, status: str = "approved", **body: Any) -> Outcome:
    path = f"{SITE}/deployments/{find_deployment(fake).id}/approval"
    return outcome(fake.as_user(by).post(path, json={"status": status, **body}))


def status_of(fake: Fakeplat, name: str = "deploy") -> tuple[str, str]:
    """The statuses of the newest job with a name and of the newest deployment."""
    (job,) = [job for job in fake.bench.platform.view.jobs.all() if job.name == name][-1:]
    return job.status, find_deployment(fake).status


# Protection


def test_rules_of_approval_are_shown_with_their_ids(fakeplat: Fakeplat) -> None:
    """A protected environment shows how many approvals it needs, and from whom."""
    dev = person(fakeplat, "dev")
    environment = protect(fakeplat, approval_rules=[{"access_level": 40}, {"user_id": dev, "required_approvals": 2}])
    first, second = environment["approval_rules"]
    assert {
        "id": first["id"],
        "user_id": None,
        "group_id": None,
        "access_level": 40,
        "access_level_description": "Maintainers",
        "required_approvals": 1,
        "group_inheritance_type": 0,
    } == first
    assert (dev, None, 2, fakeplat.world.user("dev").name) == (
        second["user_id"],
        second["access_level"],
        second["required_approvals"],
        second["access_level_description"],
    )
    assert (first["id"] + 1, 0) == (second["id"], environment["required_approval_count"])


def test_lists_of_a_protected_environment_are_changed_by_id(fakeplat: Fakeplat) -> None:
    """Entries are added, changed and deleted by their ids; what is not sent stays."""
    environment = protect(fakeplat, approval_rules=MAINTAINERS)
    (level,), (rule,) = environment["deploy_access_levels"], environment["approval_rules"]
    mia, path = fakeplat.as_user("mia"), f"{PATH}/production"
    dev = person(fakeplat, "dev")
    added = mia.put(path, json={"deploy_access_levels": [{"user_id": dev}]}).json()
    assert [None, dev] == [each["user_id"] for each in added["deploy_access_levels"]]
    changed = mia.put(
        path,
        json={
            "deploy_access_levels": [{"id": level["id"], "_destroy": True}],
            "approval_rules": [{"id": rule["id"], "required_approvals": 3}],
            "required_approval_count": 2,
        },
    ).json()
    assert [dev] == [each["user_id"] for each in changed["deploy_access_levels"]]
    assert ([{**rule, "required_approvals": 3}], 2) == (changed["approval_rules"], changed["required_approval_count"])
    unknown = {"approval_rules": [{"id": 1, "_destroy": True}]}
    assert NOT_FOUND == refusal(fakeplat, "mia", "PUT", path, json=unknown)
    assert NOT_FOUND == refusal(fakeplat, "mia", "PUT", f"{PATH}/other", json={})
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", path, json={})


def test_a_group_protects_a_tier(fakeplat: Fakeplat) -> None:
    """A group protects tiers only, each once; the list is by name."""
    protect(fakeplat, GROUP_PATH, "staging")
    production = protect(fakeplat, GROUP_PATH)
    root = fakeplat.as_user("root")
    assert ["production", "staging"] == [each["name"] for each in root.get(GROUP_PATH).json()]
    assert production == root.get(f"{GROUP_PATH}/production").json()
    sent = {"name": "review", "deploy_access_levels": MAINTAINERS}
    tiers = "production, staging, testing, development, other"
    assert (422, {"message": [f"Name must be one of environment tiers: {tiers}."]}) == refusal(
        fakeplat, "root", "POST", GROUP_PATH, json=sent
    )
    assert (409, {"message": "Protected environment 'staging' already exists"}) == refusal(
        fakeplat, "root", "POST", GROUP_PATH, json={**sent, "name": "staging"}
    )
    updated = root.put(f"{GROUP_PATH}/production", json={"required_approval_count": 1}).json()
    assert 1 == updated["required_approval_count"]
    assert 204 == root.delete(f"{GROUP_PATH}/production").status
    assert NOT_FOUND == outcome(root.get(f"{GROUP_PATH}/production"))


def test_a_group_keeps_developers_from_a_tier(fakeplat: Fakeplat) -> None:
    """The environments of a tier that a group protects are open to those whom group and project admit."""
    protect(fakeplat, GROUP_PATH, deploy_access_levels=MAINTAINERS)
    for by, expected in (("dev", "failed"), ("mia", "pending")):
        pipeline = run_pipeline(fakeplat, build_deploy_job("live"), by=by)
        assert expected == jobs_of(fakeplat, pipeline)["deploy"].status


# Approvals


def test_a_deployment_waits_for_its_approvals(fakeplat: Fakeplat) -> None:
    """A deployment is blocked until as many users as needed have approved, then its job is queued and deploys."""
    protect(fakeplat, required_approval_count=2)
    pipeline = run_pipeline(fakeplat, build_deploy_job(), by="dev")
    assert ("manual", "blocked") == status_of(fakeplat)
    path = f"{SITE}/deployments/{find_deployment(fakeplat).id}"
    assert 2 == fakeplat.as_user("dev").get(path).json()["pending_approval_count"]
    assert ["blocked"] == [each["status"] for each in fakeplat.as_user("dev").get(f"{SITE}/deployments").json()]

    status, approval = review(fakeplat, "mia", comment="Looks good")
    assert (201, "mia", "approved", NOW, "Looks good") == (
        status,
        approval["user"]["username"],
        approval["status"],
        approval["created_at"],
        approval["comment"],
    )
    deployment = fakeplat.as_user("dev").get(path).json()
    assert (1, [approval], {"rules": []}) == (
        deployment["pending_approval_count"],
        deployment["approvals"],
        deployment["approval_summary"],
    )
    assert ("manual", "blocked") == status_of(fakeplat)
    review(fakeplat, "ada")
    assert ("pending", "created") == status_of(fakeplat)
    change_job(fakeplat, job_actions.run, jobs_of(fakeplat, pipeline)["deploy"])
    assert ("running", "running") == status_of(fakeplat)


def test_a_rejection_fails_the_job(fakeplat: Fakeplat) -> None:
    """A single rejection fails the job with its deployment."""
    protect(fakeplat, required_approval_count=2)
    pipeline = run_pipeline(fakeplat, build_deploy_job(), by="dev")
    assert 201 == review(fakeplat, "mia", "rejected")[0]
    assert ("failed", "failed") == status_of(fakeplat)
    assert "deployment_rejected" == jobs_of(fakeplat, pipeline)["deploy"].failure_reason


def test_each_rule_needs_its_own_approvals(fakeplat: Fakeplat) -> None:
    """An approval counts for the rule that it names, else for the first that the user belongs to."""
    mia = person(fakeplat, "mia")
    protect(fakeplat, approval_rules=[{"access_level": 40}, {"user_id": mia}])
    run_pipeline(fakeplat, build_deploy_job(), by="dev")
    name = fakeplat.world.user("mia").name
    assert 201 == review(fakeplat, "mia", represented_as=name)[0]
    path = f"{SITE}/deployments/{find_deployment(fakeplat).id}"
    deployment = fakeplat.as_user("dev").get(path).json()
    assert (1, [("Maintainers", []), (name, ["mia"])]) == (
        deployment["pending_approval_count"],
        [
            (rule["access_level_description"], [each["user"]["username"] for each in rule["deployment_approvals"]])
            for rule in deployment["approval_summary"]["rules"]
        ],
    )
    assert 201 == review(fakeplat, "ada")[0]
    assert ("pending", "created") == status_of(fakeplat)


NO_RULE = (
    "There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead."
)


@pytest.mark.parametrize(
    ("by", "body", "message"),
    [
        ("dev", {}, "You cannot approve your own deployment."),
        (
            "rep",
            {},
            "You don't have permission to review this deployment. Contact the project or group owner for help.",
        ),
        (
            "mia",
            {"represented_as": "security"},
            NO_RULE,
        ),
    ],
    ids=["own", "no rule", "other rule"],
)
def test_who_may_not_approve_is_told_why(fakeplat: Fakeplat, by: str, body: dict[str, Any], message: str) -> None:
    """Nobody approves their own deployment, or without a rule for them."""
    protect(fakeplat, approval_rules=MAINTAINERS)
    run_pipeline(fakeplat, build_deploy_job(), by="dev")
    path = f"{SITE}/deployments/{find_deployment(fakeplat).id}/approval"
    sent = {"status": "approved", **body}
    assert (400, {"message": message}) == refusal(fakeplat, by, "POST", path, json=sent)


def test_only_blocked_deployments_are_approved(fakeplat: Fakeplat) -> None:
    """Deployments to other environments, and those that do not wait, are not approved."""
    run_pipeline(fakeplat, build_deploy_job(), by="dev")
    path = f"{SITE}/deployments/{find_deployment(fakeplat).id}/approval"
    sent = {"status": "approved"}
    expected = (400, {"message": "This environment is not protected."})
    assert expected == refusal(fakeplat, "mia", "POST", path, json=sent)
    protect(fakeplat)
    expected = (400, {"message": "This deployment is not waiting for approvals."})
    assert expected == refusal(fakeplat, "mia", "POST", path, json=sent)
    invalid = (400, {"error": "status does not have a valid value"})
    assert invalid == refusal(fakeplat, "mia", "POST", path, json={"status": "maybe"})


def test_a_manual_job_waits_for_approvals_too(fakeplat: Fakeplat) -> None:
    """Playing a manual job blocks its deployment, after which it cannot be played until it is approved."""
    protect(fakeplat, required_approval_count=1)
    pipeline = run_pipeline(fakeplat, build_deploy_job(when="manual"), by="dev")
    path = f"{SITE}/jobs/{jobs_of(fakeplat, pipeline)['deploy'].id}/play"
    assert ("manual", "created") == status_of(fakeplat)
    assert 200 == fakeplat.as_user("dev").post(path).status
    assert ("manual", "blocked") == status_of(fakeplat)
    expected = (400, {"message": "400 Bad request - Unplayable Job"})
    assert expected == outcome(fakeplat.as_user("dev").post(path))
    review(fakeplat, "mia")
    assert ("pending", "created") == status_of(fakeplat)


@by_release(DEPLOYMENTS_ARE_APPROVED, "expected", {"14.7": "pending", "14.8": "manual"})
def test_deployments_wait_for_approvals_from_14_8_on(fakeplat: Fakeplat, expected: str) -> None:
    """Earlier releases know no approvals, even if a scenario asks for them."""
    project = {
        "path_with_namespace": "acme/site",
        "protected_environments": [
            {"name": "production", "deploy_access_levels": ["developer"], "required_approval_count": 1}
        ],
    }
    fakeplat.load({"projects": [project]})
    pipeline = run_pipeline(fakeplat, build_deploy_job(), by="dev")
    assert expected == jobs_of(fakeplat, pipeline)["deploy"].status


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_show_no_approvals(fakeplat: Fakeplat) -> None:
    """Without the feature a deployment has no fields of approvals."""
    run_pipeline(fakeplat, build_deploy_job(), by="dev")
    deployment = fakeplat.as_user("dev").get(f"{SITE}/deployments/{find_deployment(fakeplat).id}").json()
    assert not {"approvals", "approval_summary", "pending_approval_count"} & deployment.keys()


# Deletion


def deploy(fake: Fakeplat, status: str) -> str:
    """Create a deployment; return its path."""
    body = {"environment": "live", "sha": "feature", "ref": "feature", "tag": False, "status": status}
    return f"{SITE}/deployments/{fake.as_user('mia').post(f'{SITE}/deployments', json=body).json()['id']}"


def test_deployments_are_deleted_unless_they_are_in_use(fakeplat: Fakeplat) -> None:
    """A running deployment and the last successful one stay; maintainers delete all others."""
    first, last = (deploy(fakeplat, status) for status in ("success", "success"))
    running = deploy(fakeplat, "running")
    for path, message in (
        (running, "Cannot destroy running deployment"),
        (last, "Deployment currently deployed to environment"),
    ):
        assert (400, {"message": message}) == refusal(fakeplat, "mia", "DELETE", path)
    assert FORBIDDEN == refusal(fakeplat, "dev", "DELETE", first)
    assert 204 == fakeplat.as_user("mia").delete(first).status
    assert NOT_FOUND == outcome(fakeplat.as_user("mia").get(first))


def test_deployments_are_filtered_by_when_they_ended(fakeplat: Fakeplat) -> None:
    """finished_after includes its time, finished_before does not; what has not ended matches neither."""
    for status in ("success", "running"):
        deploy(fakeplat, status)
        fakeplat.clock.advance("1h")
    path = f"{SITE}/deployments?environment=live"
    counts = [
        len(fakeplat.as_user("dev").get(f"{path}&{query}").json())
        for query in (f"finished_after={NOW}", f"finished_before={NOW}", "finished_before=2021-01-01T00:00:00Z")
    ]
    assert [1, 0, 1] == counts
