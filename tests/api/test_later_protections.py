"""Protections and approval rules in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ADMINISTRATORS_EDIT_LOCKED_RULES,
    DEVELOPERS_READ_OWN_AUDIT_EVENTS,
    ENVIRONMENT_IS_PROTECTED,
    ENVIRONMENTS_HAVE_NO_COUNT,
    GROUPS_INHERIT_DEPLOYERS,
    MAINTAINERS_READ_ALL_RULES,
    OWNERS_PROTECT_TIERS,
    READERS_SEE_PROTECTED_BRANCHES,
    REPEATED_APPROVALS_ARE_UNMODIFIED,
    REPORTS_ARE_NAMED,
    RULES_OF_PROJECTS_ARE_LOCKED,
)
from fakeplat.scenario.export import export_world
from tests.api.merge_requests import OPEN, SITE
from tests.api.requests import FORBIDDEN, UNMODIFIED, invalid_record, names, outcome, person, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", default_branch="master", tier="premium", version="latest")
RULES, ENVIRONMENTS = f"{SITE}/approval_rules", f"{SITE}/protected_environments"
BRANCHES, TIERS = f"{SITE}/protected_branches", "groups/acme/protected_environments"
SECURITY = {"name": "Security", "approvals_required": 1}
MAINTAINERS = [{"access_level": 40}]
TOO_FEW = "Deploy access levels is too short (minimum is 1 character)"
NO_LEVEL = [
    "Deploy access levels access level can't be blank",
    "Deploy access levels access level is not included in the list",
]
NO_COUNT = (
    "Parameter 'required_approval_count' is deprecated and shouldn't be used. "
    "See https://gitlab.com/groups/gitlab-org/-/epics/9662"
)


def protect(fake: Fakeplat, path: str = ENVIRONMENTS, by: str = "mia", **fields: Any) -> Any:
    """Protect production for Maintainers, or what the fields say."""
    reply = fake.as_user(by).post(path, json={"name": "production", "deploy_access_levels": MAINTAINERS, **fields})
    assert 201 == reply.status, reply.text
    return reply.json()


# Approval rules


@by_release(RULES_OF_PROJECTS_ARE_LOCKED, "status", {"15.4": 201, "15.5": 403})
def test_an_instance_locks_rules_of_projects(fakeplat: Fakeplat, status: int) -> None:
    """Where the instance forbids overriding, Maintainers do not create rules of projects from 15.5 on."""
    fakeplat.as_user("root").put("application/settings", json={"disable_overriding_approvers_per_merge_request": True})
    assert status == fakeplat.as_user("mia").post(RULES, json=SECURITY).status


@by_release(ADMINISTRATORS_EDIT_LOCKED_RULES, "status", {"15.8": 403, "15.9": 201})
def test_administrators_edit_locked_rules(fakeplat: Fakeplat, status: int) -> None:
    """Administrators create rules that the instance has locked from 15.9 on."""
    fakeplat.as_user("root").put("application/settings", json={"disable_overriding_approvers_per_merge_request": True})
    assert status == fakeplat.as_user("root").post(RULES, json=SECURITY).status


def test_locked_rules_stay(fakeplat: Fakeplat) -> None:
    """Locked rules are neither changed nor deleted by maintainers; the setting of the project alone locks nothing."""
    mia, root = fakeplat.as_user("mia"), fakeplat.as_user("root")
    rule = f"{RULES}/{mia.post(RULES, json=SECURITY).json()['id']}"
    mia.post(f"{SITE}/approvals", json={"disable_overriding_approvers_per_merge_request": True})
    changed = mia.put(rule, json={"name": "Changed"}).status
    root.put("application/settings", json={"disable_overriding_approvers_per_merge_request": True})

    assert 200 == changed
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", rule, json={"name": "New"})
    assert FORBIDDEN == refusal(fakeplat, "mia", "DELETE", rule)
    assert [200, 204] == [root.put(rule, json={"name": "New"}).status, root.delete(rule).status]


@by_release(REPORTS_ARE_NAMED, "expected", {"16.3": 201, "16.4": 400})
def test_rules_of_reports_name_them(fakeplat: Fakeplat, expected: int) -> None:
    """A rule about a report is recognised by its name at first, and has to name the report in 16.4 at the latest."""
    licences = {**SECURITY, "name": "License-Check"}
    by_name = fakeplat.as_user("mia").post(RULES, json=licences).json()["rule_type"]
    body = {**licences, "name": "Vulnerability-Check", "rule_type": "report_approver"}
    answer = fakeplat.as_user("mia").post(RULES, json=body)

    assert ("report_approver" if expected == 201 else "any_approver") == by_name
    # Up to 16.3 the type is no value that clients send.
    assert expected == 201 or invalid_record(report_type=["can't be blank"]) == outcome(answer)


@by_release(MAINTAINERS_READ_ALL_RULES, "status", {"13.9": 403, "13.10": 200})
def test_rules_of_archived_projects(fakeplat: Fakeplat, status: int) -> None:
    """Maintainers read the approval rules of archived projects from 13.10 on, Developers never."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")

    assert status == fakeplat.as_user("mia").get(RULES).status
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", RULES)


@by_release(REPEATED_APPROVALS_ARE_UNMODIFIED, "statuses", {"19.2": (401, 404), "19.3": (304, 304)})
def test_repeated_approvals(fakeplat: Fakeplat, statuses: tuple[int, int]) -> None:
    """Approving twice, and taking back what was not approved, changes nothing: 304 in 19.3 at the latest."""
    mia = fakeplat.as_user("mia")
    mia.post(f"{OPEN}/approve")
    approved = mia.post(f"{OPEN}/approve").status
    mia.post(f"{OPEN}/unapprove")

    assert statuses == (approved, mia.post(f"{OPEN}/unapprove").status)


def test_repeated_approvals_have_no_body(fakeplat: Fakeplat) -> None:
    """The answer to a repeated approval has no body."""
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    assert UNMODIFIED == refusal(fakeplat, "mia", "POST", f"{OPEN}/approve")


# Protected branches


@by_release(READERS_SEE_PROTECTED_BRANCHES, "status", {"16.11": 403, "17.0": 200})
@pytest.mark.parametrize("path", [BRANCHES, f"{BRANCHES}/master"])
def test_readers_see_protected_branches(fakeplat: Fakeplat, status: int, path: str) -> None:
    """Who reads the code sees which branches are protected in 17.0 at the latest."""
    assert [status, status] == [fakeplat.as_user(user).get(path).status for user in ("dev", "rep")]
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path)
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", BRANCHES, json={"name": "other"})


# Protected environments


@by_release(OWNERS_PROTECT_TIERS, "status", {"15.2": 200, "15.3": 403})
def test_owners_protect_tiers(fakeplat: Fakeplat, status: int) -> None:
    """The tiers that a group protects are for Maintainers up to 15.2, for Owners from 15.3 on."""
    protect(fakeplat, TIERS, "ada")
    statuses = [fakeplat.as_user("mia").get(path).status for path in (TIERS, f"{TIERS}/production")]

    assert [status, status] == statuses
    assert 200 == fakeplat.as_user("ada").get(TIERS).status
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", TIERS)


@pytest.mark.parametrize(("path", "by"), [(ENVIRONMENTS, "mia"), (TIERS, "ada")])
def test_a_protected_environment_admits_somebody(fakeplat: Fakeplat, path: str, by: str) -> None:
    """The last entry of a protected environment stays, and an entry without a grantee is refused."""
    (level,) = protect(fakeplat, path, by)["deploy_access_levels"]
    one = f"{path}/production"

    deleted = {"deploy_access_levels": [{"id": level["id"], "_destroy": True}]}
    assert (422, {"message": [TOO_FEW]}) == refusal(fakeplat, by, "PUT", one, json=deleted)
    nobody = {"deploy_access_levels": [{"access_level": None}]}
    assert (422, {"message": NO_LEVEL}) == refusal(fakeplat, by, "PUT", one, json=nobody)
    mia = person(fakeplat, "mia")
    for change, expected in (
        ({"user_id": mia, "access_level": None}, mia),
        ({"user_id": None, "access_level": 40}, None),
    ):
        body = {"deploy_access_levels": [{"id": level["id"], **change}]}
        assert [expected] == names(fakeplat.as_user(by).put(one, json=body).json()["deploy_access_levels"], "user_id")


@by_release(ENVIRONMENTS_HAVE_NO_COUNT, "status", {"19.2": 201, "19.3": 422})
def test_a_number_of_approvals(fakeplat: Fakeplat, status: int) -> None:
    """A number of approvals is refused in 19.3 at the latest, as rules say how many are needed; zero is accepted."""
    body = {"name": "staging", "deploy_access_levels": MAINTAINERS, "required_approval_count": 1}
    answer = fakeplat.as_user("mia").post(ENVIRONMENTS, json=body)
    protect(fakeplat, required_approval_count=0)

    assert status == answer.status
    if status == 422:
        assert {"message": NO_COUNT} == answer.json()
        refused = refusal(fakeplat, "mia", "PUT", f"{ENVIRONMENTS}/production", json={"required_approval_count": 2})
        assert (422, {"message": NO_COUNT}) == refused


@by_release(
    ENVIRONMENT_IS_PROTECTED,
    "text",
    {
        "19.2": "Protected environment 'production' already exists",
        "19.3": "Environment 'production' is already protected",
    },
)
def test_protecting_an_environment_twice(fakeplat: Fakeplat, text: str) -> None:
    """The refusal of a second protection says so in other words in 19.3 at the latest, except for groups."""
    body = {"name": "production", "deploy_access_levels": MAINTAINERS}
    protect(fakeplat), protect(fakeplat, TIERS, "ada")

    assert (409, {"message": text}) == refusal(fakeplat, "mia", "POST", ENVIRONMENTS, json=body)
    kept = "Protected environment 'production' already exists"
    assert (409, {"message": kept}) == refusal(fakeplat, "ada", "POST", TIERS, json=body)


@by_release(GROUPS_INHERIT_DEPLOYERS, "is_shown", {"16.8": False, "16.9": True})
def test_entries_say_whether_groups_inherit(fakeplat: Fakeplat, is_shown: bool) -> None:
    """Entries of protected environments say whether inherited members of groups count in 16.9 at the latest."""
    made = protect(fakeplat, approval_rules=MAINTAINERS)
    rows = [*made["deploy_access_levels"], *made["approval_rules"]]
    assert [is_shown] * 2 == ["group_inheritance_type" in row for row in rows]


@pytest.mark.parametrize(("inherits", "status"), [(0, 403), (1, 201)])
def test_inherited_members_deploy(fakeplat: Fakeplat, inherits: int, status: int) -> None:
    """Only direct members of a group deploy, unless its entry includes the inherited ones, which is exported."""
    tools = fakeplat.world.group("acme/tools").id
    fakeplat.as_user("ada").post(f"{SITE}/share", json={"group_id": tools, "group_access": 30})
    entry = {"group_id": tools, "group_inheritance_type": inherits}
    made = protect(fakeplat, deploy_access_levels=[entry], approval_rules=[entry])
    body = {"environment": "production", "ref": "master", "tag": False, "status": "running"}
    sha = fakeplat.as_user("dev").get(f"{SITE}/repository/commits/master").json()["id"]

    assert [inherits] * 2 == [
        made[key][0]["group_inheritance_type"] for key in ("deploy_access_levels", "approval_rules")
    ]
    assert status == fakeplat.as_user("dev").post(f"{SITE}/deployments", json={**body, "sha": sha}).status
    exported = str(export_world(fakeplat.bench.platform.view))
    assert bool(inherits) == ("group_inheritance_type" in exported)


# Audit events


@by_release(DEVELOPERS_READ_OWN_AUDIT_EVENTS, "status", {"13.11": 403, "13.12": 200})
@pytest.mark.parametrize("container", [SITE, "groups/acme"])
def test_developers_read_their_audit_events(fakeplat: Fakeplat, status: int, container: str) -> None:
    """Developers read the audit events of their own actions in 13.12 at the latest, Reporters none."""
    events = f"{container}/audit_events"
    fakeplat.as_user("ada").post(f"{container}/members", json={"user_id": person(fakeplat, "eve"), "access_level": 10})
    (event,) = fakeplat.as_user("ada").get(events).json()
    answer = fakeplat.as_user("dev").get(events)

    assert status == answer.status
    assert status == 403 or [] == answer.json()
    single = FORBIDDEN if status == 403 else (404, {"message": "404 Not found"})
    assert single == refusal(fakeplat, "dev", "GET", f"{events}/{event['id']}")
    assert FORBIDDEN == refusal(fakeplat, "rep", "GET", events)


# Members


@pytest.mark.parametrize(
    ("tier", "group", "text"),
    [
        ("premium", "acme%2Ftools", "supported on top level groups only"),
        ("free", "acme", "not supported by license"),
    ],
)
def test_minimal_access_is_explained(fakeplat_factory: Any, tier: str, group: str, text: str) -> None:
    """The refusal of minimal access says what is missing: a top-level group, or a licence."""
    fake = fakeplat_factory(tier=tier)
    body = {"user_id": person(fake, "eve"), "access_level": 5}

    expected = invalid_record(access_level=["is not included in the list", text])
    assert expected == refusal(fake, "ada", "POST", f"groups/{group}/members", json=body)
