"""What protects environments, and how far approvals are.

Source: ee/spec/requests/api/graphql/project/environments_spec.rb, ee/spec/graphql/types/deployments of the platform.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.deployment_jobs import build_deploy_job, run_pipeline
from tests.api.pipelines import load_project
from tests.graphql.queries import query_project

pytestmark = pytest.mark.fakeplat(version="16.11", scenario="starter", tier="premium")
SITE = "projects/acme%2Fsite"
ENTRY = "user { username } group { fullPath } accessLevel { stringValue }"
PROTECTED = f"""protectedEnvironments {{ nodes {{
    name requiredApprovalCount project {{ path }} group {{ path }}
    deployAccessLevels {{ nodes {{ {ENTRY} }} }} approvalRules {{ nodes {{ requiredApprovals {ENTRY} }} }}
}} }}"""
NOBODY = {"user": None, "group": None, "accessLevel": None}
BY_LEVEL = {level: {**NOBODY, "accessLevel": {"stringValue": level}} for level in ("DEVELOPER", "MAINTAINER")}


def protect(fake: Fakeplat, path: str = SITE, **changes: Any) -> None:
    sent = {"name": "production", "deploy_access_levels": [{"access_level": 40}], **changes}
    reply = fake.as_user("root").post(f"{path}/protected_environments", json=sent)
    assert 201 == reply.status, reply.text


def query_environment(fake: Fakeplat, selection: str, by: str = "dev") -> Any:
    return query_project(fake, by, f'environment(name: "production") {{ {selection} }}')["environment"]


def list_protections(fake: Fakeplat) -> Any:
    return query_environment(fake, PROTECTED)["protectedEnvironments"]["nodes"]


@pytest.fixture(autouse=True)
def create_environment(fakeplat: Fakeplat) -> None:
    """Give the project an environment."""
    load_project(fakeplat, environments=[{"name": "production", "tier": "production"}])


def test_an_environment_shows_what_protects_it(fakeplat: Fakeplat) -> None:
    """It is protected by its name and, in the groups above, by its tier; the newest entry comes first."""
    dev = {"user_id": fakeplat.world.user("dev").id}
    protect(
        fakeplat,
        deploy_access_levels=[{"access_level": 40}, dev],
        approval_rules=[{"access_level": 30, "required_approvals": 2}],
    )
    protect(fakeplat, "groups/acme", required_approval_count=1)
    own, of_group = list_protections(fakeplat)

    assert {
        "name": "production",
        "requiredApprovalCount": 0,
        "project": {"path": "site"},
        "group": None,
        "deployAccessLevels": {"nodes": [{**NOBODY, "user": {"username": "dev"}}, BY_LEVEL["MAINTAINER"]]},
        "approvalRules": {"nodes": [{"requiredApprovals": 2, **BY_LEVEL["DEVELOPER"]}]},
    } == own
    assert {
        "name": "production",
        "requiredApprovalCount": 1,
        "project": None,
        "group": {"path": "acme"},
        "deployAccessLevels": {"nodes": [BY_LEVEL["MAINTAINER"]]},
        "approvalRules": {"nodes": []},
    } == of_group


def test_an_environment_may_be_open_to_a_group(fakeplat: Fakeplat) -> None:
    """An entry for the members of a group has the group, for those who can see it."""
    fakeplat.load({"groups": [{"path": "ops", "visibility": "private"}]})
    load_project(fakeplat, shared_with_groups={"ops": "developer"})
    protect(fakeplat, deploy_access_levels=[{"group_id": fakeplat.world.group("ops").id}])
    selection = "protectedEnvironments { nodes { deployAccessLevels { nodes { group { fullPath } } } } }"

    for by, expected in (("root", {"fullPath": "ops"}), ("dev", None)):
        (protected,) = query_environment(fakeplat, selection, by)["protectedEnvironments"]["nodes"]
        assert [{"group": expected}] == protected["deployAccessLevels"]["nodes"]


def test_what_is_open_shows_nothing(fakeplat: Fakeplat) -> None:
    """An environment without protection lists nothing."""
    assert [] == list_protections(fakeplat)


RULE = "name: __typename requiredApprovals approvedCount pendingApprovalCount status canApprove approvals { comment }"
SUMMARY = f"approvalSummary {{ status totalRequiredApprovals totalPendingApprovalCount rules {{ {RULE} }} }}"


def show_summary(fake: Fakeplat, by: str = "mia") -> Any:
    """Return the summary of the only deployment."""
    environment = query_environment(fake, f"deployments {{ nodes {{ {SUMMARY} }} }}", by)
    (deployment,) = environment["deployments"]["nodes"]
    return deployment["approvalSummary"]


def review(fake: Fakeplat, by: str, status: str) -> None:
    deployment = fake.bench.platform.view.deployments.all()[-1]
    reply = fake.as_user(by).post(f"{SITE}/deployments/{deployment.id}/approval", json={"status": status})
    assert 201 == reply.status, reply.text


@pytest.fixture
def blocked(fakeplat: Fakeplat) -> Fakeplat:
    """Block a deployment until two Maintainers and a Developer have approved it."""
    rules = [{"access_level": 40, "required_approvals": 2}, {"user_id": fakeplat.world.user("dev").id}]
    protect(fakeplat, approval_rules=rules)
    run_pipeline(fakeplat, build_deploy_job(), by="mia", ref="main")
    return fakeplat


def describe_rule(required: int, approved: int, status: str, *, can_approve: bool) -> dict[str, Any]:
    return {
        "name": "ProtectedEnvironmentApprovalRuleForSummary",
        "requiredApprovals": required,
        "approvedCount": approved,
        "pendingApprovalCount": required - approved,
        "status": status,
        "canApprove": can_approve,
        "approvals": [{"comment": None}] * approved,
    }


def test_a_summary_counts_the_approvals_of_each_rule(blocked: Fakeplat) -> None:
    """A rule waits for as many approvals as it asks for, and says whether it is for the caller."""
    review(blocked, "ada", "approved")
    review(blocked, "dev", "approved")

    assert {
        "status": "PENDING_APPROVAL",
        "totalRequiredApprovals": 3,
        "totalPendingApprovalCount": 1,
        "rules": [
            describe_rule(2, 1, "PENDING_APPROVAL", can_approve=True),
            describe_rule(1, 1, "APPROVED", can_approve=False),
        ],
    } == show_summary(blocked)
    assert [False, True] == [rule["canApprove"] for rule in show_summary(blocked, "dev")["rules"]]


def test_one_rejection_rejects_a_deployment(blocked: Fakeplat) -> None:
    """A deployment is rejected as soon as one user rejects it."""
    review(blocked, "dev", "rejected")
    summary = show_summary(blocked)

    assert "REJECTED" == summary["status"]
    assert ["PENDING_APPROVAL", "REJECTED"] == [rule["status"] for rule in summary["rules"]]


def test_without_rules_a_deployment_is_approved(fakeplat: Fakeplat) -> None:
    """A deployment to an environment without rules has all approvals that it needs."""
    run_pipeline(fakeplat, build_deploy_job(), by="mia", ref="main")
    summary = show_summary(fakeplat)

    assert {
        "status": "APPROVED",
        "totalRequiredApprovals": 0,
        "totalPendingApprovalCount": 0,
        "rules": [],
    } == summary


ALERTS = [
    {"title": "low", "severity": "low", "started_at": "2020-11-20T08:00:00Z"},
    {"title": "early", "severity": "high", "started_at": "2020-11-20T06:00:00Z"},
    {"title": "late", "severity": "high", "started_at": "2020-11-20T07:00:00Z", "status": "acknowledged"},
    {"title": "over", "severity": "critical", "status": "resolved", "ended_at": "2020-11-20T09:00:00Z"},
    {"title": "ignored", "severity": "critical", "status": "ignored"},
]


@pytest.mark.fakeplat(version="13.5")
def test_the_most_severe_alert_of_an_environment(fakeplat: Fakeplat) -> None:
    """Of the open alerts of an environment, the most severe is shown to Developers, and of several the last one."""
    elsewhere = {"title": "elsewhere", "severity": "critical"}
    in_environment = [{**alert, "environment": "production"} for alert in ALERTS]
    load_project(fakeplat, alerts={"received": [*in_environment, elsewhere]})
    selection = "latestOpenedMostSevereAlert { title }"

    assert {"latestOpenedMostSevereAlert": {"title": "late"}} == query_environment(fakeplat, selection)
    assert {"latestOpenedMostSevereAlert": None} == query_environment(fakeplat, selection, "rep")


def test_an_environment_may_have_no_alert(fakeplat: Fakeplat) -> None:
    """Without open alerts none is shown."""
    assert {"latestOpenedMostSevereAlert": None} == query_environment(fakeplat, "latestOpenedMostSevereAlert { title }")
