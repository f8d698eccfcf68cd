"""Expectations of the platform's later request specs of paid tiers.

Sources: ee/spec/requests/api/groups_spec.rb, projects_spec.rb, users_spec.rb, project_approvals_spec.rb and
epic_issues_spec.rb.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ARCHIVED_PROJECTS_SHOW_APPROVALS,
    CUSTOM_TEMPLATES_ARE_NAMED,
    GUESTS_LINK_EPICS,
    LOCKED_IMPORTS_HAVE_A_CODE,
    NO_PLAN_IS_NO_TRIAL,
    OPEN_CHILD_OF_HIDDEN_EPIC,
    READERS_FILL_EPICS,
    SAML_PROVIDERS_FIND_NOBODY,
    SKIPPED_PIPELINES_NEED_PIPELINES,
)
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    names,
    outcome,
    person,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

SCENARIO: dict[str, Any] = {
    "users": [{"username": name} for name in ("ada", "mia", "dan", "gus", "eve")],
    "groups": [
        {
            "path": "acme",
            "visibility": "public",
            "members": {"ada": "owner", "mia": "maintainer", "dan": "developer", "gus": "guest"},
            "epics": [{"title": "Fly", "author": "ada"}, {"title": "Land", "author": "ada", "confidential": True}],
            "projects": [
                {
                    "path": "site",
                    "visibility": "public",
                    "issues": [
                        {"title": "Open", "author": "ada"},
                        {"title": "Closed", "author": "ada", "confidential": True},
                    ],
                },
                {"path": "docs", "visibility": "public", "members": {"mia": "maintainer"}},
            ],
        },
        {"path": "hidden", "members": {"ada": "owner"}},
        {"path": "friends", "members": {"ada": "owner"}},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, tier="ultimate", version="latest")
ACME, SITE, DOCS = "groups/acme", "projects/acme%2Fsite", "projects/acme%2Fdocs"


# Groups


def test_archiving_a_group_is_audited(fakeplat: Fakeplat) -> None:
    """Archiving and unarchiving leave an audit event each; a refused request leaves none."""
    ada = fakeplat.as_user("ada")
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{ACME}/archive")
    ada.post(f"{ACME}/archive")
    ada.post(f"{ACME}/unarchive")

    events = ada.get(f"{ACME}/audit_events").json()
    assert ["Group unarchived", "Group archived"] == [event["details"]["custom_message"] for event in events]


@by_release(SKIPPED_PIPELINES_NEED_PIPELINES, "is_refused", {"19.2": False, "19.3": True})
def test_a_group_merges_after_skipped_pipelines_only_if_they_are_needed(fakeplat: Fakeplat, is_refused: bool) -> None:
    """Skipped pipelines count as successful where a pipeline has to succeed: already, or by the same request."""
    ada, skipped = fakeplat.as_user("ada"), {"allow_merge_on_skipped_pipeline": True}
    text = "allow_merge_on_skipped_pipeline can only be enabled when only_allow_merge_if_pipeline_succeeds is true"
    refused: Outcome = (400, {"message": f"400 Bad request - {text}"})
    for body in (skipped, {**skipped, "only_allow_merge_if_pipeline_succeeds": False}):
        if is_refused:
            assert refused == refusal(fakeplat, "ada", "PUT", ACME, json=body)
        else:
            assert 200 == ada.put(ACME, json=body).status
    assert 200 == ada.put(ACME, json={**skipped, "only_allow_merge_if_pipeline_succeeds": True}).status
    assert 200 == ada.put(ACME, json=skipped).status


@pytest.mark.parametrize(
    ("hosted", "status"),
    [
        pytest.param(value, status, marks=pytest.mark.fakeplat(scenario={**SCENARIO, "instance": {"hosted": value}}))
        for value, status in ((False, 403), (True, 201))
    ],
)
def test_administrators_of_the_hosted_offering_create_top_level_groups(
    fakeplat: Fakeplat, hosted: bool, status: int
) -> None:
    """Without `top_level_group_creation_enabled` only they do."""
    fakeplat.load({"settings": {"top_level_group_creation_enabled": False}})
    body = {"name": "New", "path": "new"}
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", "groups", json=body)
    assert (hosted, status) == (hosted, fakeplat.as_user("root").post("groups", json=body).status)


@pytest.mark.parametrize("path", ["ssh_certificates", "provisioned_users"])
def test_some_lists_of_groups_forbid_visitors(fakeplat: Fakeplat, path: str) -> None:
    """Visitors may not list them in public groups, and do not find others; they have to sign in to write."""
    assert FORBIDDEN == refusal(fakeplat, None, "GET", f"{ACME}/{path}")
    assert resource_not_found("Group") == refusal(fakeplat, None, "GET", f"groups/hidden/{path}")
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", f"{ACME}/ssh_certificates", json={"title": "a", "key": "b"})


# Projects


@pytest.mark.parametrize("lock", ["membership_lock", "lock_memberships_to_ldap", "lock_memberships_to_saml"])
@by_release(LOCKED_IMPORTS_HAVE_A_CODE, "has_code", {"18.8": False, "18.9": True})
def test_members_are_not_imported_into_locked_projects(fakeplat: Fakeplat, has_code: bool, lock: str) -> None:
    """Neither the lock of the group nor that of the instance lets members of another project in."""
    docs = fakeplat.as_user("mia").get(DOCS).json()["id"]
    path = f"{SITE}/import_project_members/{docs}"
    if lock == "membership_lock":
        fakeplat.as_user("ada").put(ACME, json={lock: True})
    else:
        fakeplat.load({"settings": {lock: True}})

    body = {"message": "Forbidden", "reason": "import_project_team_forbidden_error"}
    assert ((422, body) if has_code else FORBIDDEN) == refusal(fakeplat, "mia", "POST", path)


def test_default_texts_are_hidden_with_their_feature(fakeplat: Fakeplat) -> None:
    """Whoever may not see issues or merge requests does not see the default texts of new ones."""
    ada, eve = fakeplat.as_user("ada"), fakeplat.as_user("eve")
    templates = {"issues_template", "merge_requests_template"}
    for feature, hidden in (("issues", "issues_template"), ("merge_requests", "merge_requests_template")):
        assert templates == templates & {*eve.get(SITE).json()}
        ada.put(SITE, json={f"{feature}_access_level": "private"})
        assert templates - {hidden} == templates & {*eve.get(SITE).json()}
        assert templates == templates & {*ada.get(SITE).json()}
        ada.put(SITE, json={f"{feature}_access_level": "enabled"})


@by_release(CUSTOM_TEMPLATES_ARE_NAMED, "is_refused", {"18.8": False, "18.9": True})
def test_a_custom_template_has_a_name_or_an_id(fakeplat: Fakeplat, is_refused: bool) -> None:
    """The flag alone is refused in later releases; before, the project is empty."""
    body = {"name": "Fresh", "use_custom_template": True}
    if is_refused:
        expected = invalid_record(use_custom_template=["must be used with template_name or template_project_id"])
        assert expected == refusal(fakeplat, "ada", "POST", "projects", json=body)
    else:
        assert 201 == fakeplat.as_user("ada").post("projects", json=body).status


def test_a_mirror_takes_protected_branches_or_a_pattern(fakeplat: Fakeplat) -> None:
    """Both at once are refused."""
    body = {"mirror": True, "import_url": "http://a.test/b.git", "mirror_branch_regex": "x"}
    expected = invalid("only_mirror_protected_branches, mirror_branch_regex are mutually exclusive")
    assert expected == refusal(fakeplat, "ada", "PUT", SITE, json={**body, "only_mirror_protected_branches": False})


@pytest.mark.parametrize(
    ("version", "is_shown"),
    [pytest.param(v, v == "18.9", marks=pytest.mark.fakeplat(version=v)) for v in ("18.8", "18.9")],
)
def test_a_share_of_a_project_shows_its_role(fakeplat: Fakeplat, version: str, is_shown: bool) -> None:
    """The custom role that members of the group get is shown in later releases."""
    role = (
        fakeplat.as_user("root")
        .post("member_roles", json={"base_access_level": 30, "name": version, "admin_push_rules": True})
        .json()["id"]
    )
    ada = fakeplat.as_user("ada")
    body = {"group_id": ada.get("groups/friends").json()["id"], "group_access": 30, "member_role_id": role}
    shown = ada.post(f"{SITE}/share", json=body).json()
    assert (role if is_shown else None) == shown.get("member_role_id")


# Approvals of projects


def test_a_push_removes_all_approvals_or_those_of_code_owners(fakeplat: Fakeplat) -> None:
    """Both at once are refused, whether they are sent together or one of them is stored."""
    ada, path = fakeplat.as_user("ada"), f"{SITE}/approvals"
    selective, reset = {"selective_code_owner_removals": True}, {"reset_approvals_on_push": True}
    text = "selective_code_owner_removals can only be enabled when reset_approvals_on_push is disabled"

    assert invalid_record(base=[text]) == refusal(fakeplat, "ada", "POST", path, json={**selective, **reset})
    assert 201 == ada.post(path, json={**selective, "reset_approvals_on_push": False}).status
    assert invalid_record(base=[text]) == refusal(fakeplat, "ada", "POST", path, json=reset)
    settings = f"{SITE}/merge_request_approval_setting"
    text = "selective_code_owner_removals can only be enabled when retain_approvals_on_push is enabled"
    body = {**selective, "retain_approvals_on_push": False}
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "PUT", settings, json=body)
    assert 200 == ada.put(settings, json={**selective, "retain_approvals_on_push": True}).status


@by_release(ARCHIVED_PROJECTS_SHOW_APPROVALS, "status", {"14.8": 403, "14.9": 200})
def test_maintainers_read_the_approvals_of_archived_projects(fakeplat: Fakeplat, status: int) -> None:
    """Others never do, and nobody changes them."""
    fakeplat.as_user("ada").post(f"{SITE}/archive")
    assert status == fakeplat.as_user("mia").get(f"{SITE}/approvals").status
    assert FORBIDDEN == refusal(fakeplat, "dan", "GET", f"{SITE}/approvals")
    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", f"{SITE}/approvals", json={"reset_approvals_on_push": True})


# Issues of epics


@by_release(GUESTS_LINK_EPICS, "statuses", {"15.7": [403, 403, 403], "15.8": [201, 200, 200]})
def test_guests_put_issues_into_epics(fakeplat: Fakeplat, statuses: list[int]) -> None:
    """Guests of the group add, move and remove issues that they see from 15.8 on."""
    gus, path = fakeplat.as_user("gus"), f"{ACME}/epics/1/issues"
    issue = gus.get(f"{SITE}/issues/1").json()["id"]
    added = gus.post(f"{path}/{issue}")
    link = added.json()["id"] if added.status == 201 else fakeplat.as_user("ada").post(f"{path}/{issue}").json()["id"]

    assert statuses == [added.status, gus.put(f"{path}/{link}").status, gus.delete(f"{path}/{link}").status]


@by_release(READERS_FILL_EPICS, "has_403", {"18.8": False, "18.9": True})
def test_issues_that_are_hidden_from_guests_stay_out_of_epics(fakeplat: Fakeplat, has_403: bool) -> None:
    """Guests may not add or remove confidential issues, and no issue of a confidential epic."""
    ada, path = fakeplat.as_user("ada"), f"{ACME}/epics/1/issues"
    open_, closed = (ada.get(f"{SITE}/issues/{iid}").json()["id"] for iid in (1, 2))
    assert (403 if has_403 else 404) == refusal(fakeplat, "gus", "POST", f"{path}/{closed}")[0]
    link = ada.post(f"{path}/{closed}").json()["id"]
    assert (403 if has_403 else 404) == refusal(fakeplat, "gus", "DELETE", f"{path}/{link}")[0]
    assert FORBIDDEN == refusal(fakeplat, "gus", "POST", f"{ACME}/epics/2/issues/{open_}")


def test_readers_of_an_epic_need_a_role_at_the_issue(fakeplat: Fakeplat) -> None:
    """Members of the project alone add its issues to a visible epic; others may not."""
    ada, path = fakeplat.as_user("ada"), f"{ACME}/epics/1/issues"
    issue = ada.get(f"{SITE}/issues/1").json()["id"]
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", f"{path}/{issue}")
    ada.post(f"{SITE}/members", json={"user_id": person(fakeplat, "eve"), "access_level": 10})
    assert 201 == fakeplat.as_user("eve").post(f"{path}/{issue}").status


# Epics


@by_release(OPEN_CHILD_OF_HIDDEN_EPIC, "subject", {"13.11": "Not confidential", "13.12": "A non-confidential"})
def test_everybody_sees_no_epic_below_a_confidential_one(fakeplat: Fakeplat, subject: str) -> None:
    """Such an epic is neither created nor made by a change."""
    ada, path = fakeplat.as_user("ada"), f"{ACME}/epics"
    hidden = ada.get(f"{path}/2").json()["id"]
    refused = invalid_record(confidential=[f"{subject} epic cannot be assigned to a confidential parent epic"])
    body = {"title": "New", "parent_id": hidden}

    assert refused == refusal(fakeplat, "dan", "POST", path, json=body)
    child = fakeplat.as_user("dan").post(path, json={**body, "confidential": True}).json()
    assert hidden == child["parent_id"]
    assert refused == refusal(fakeplat, "dan", "PUT", f"{path}/{child['iid']}", json={"confidential": False})


def test_an_epic_gets_another_parent(fakeplat: Fakeplat) -> None:
    """A change names the epic above; one that the caller may not name is passed over."""
    ada, path = fakeplat.as_user("ada"), f"{ACME}/epics"
    parent = ada.get(f"{path}/1").json()["id"]
    child = ada.post(path, json={"title": "New"}).json()
    secret = ada.post("groups/hidden/epics", json={"title": "Secret"}).json()["id"]

    dan, iid = fakeplat.as_user("dan"), child["iid"]
    status, unchanged = outcome(dan.put(f"{path}/{iid}", json={"title": "x", "parent_id": secret}))
    assert (200, None) == (status, unchanged["parent_id"])
    assert parent == dan.put(f"{path}/{iid}", json={"parent_id": parent}).json()["parent_id"]


@pytest.mark.parametrize(("color", "shown"), [("#fefefe", "#fefefe"), ("red", "#FF0000"), (None, "#1068bf")])
def test_epics_have_a_color(fakeplat: Fakeplat, color: str | None, shown: str) -> None:
    """A colour is one of hex digits or a name; none is the default one."""
    dan, path = fakeplat.as_user("dan"), f"{ACME}/epics"

    assert shown == dan.post(path, json={"title": "New", "color": color}).json()["color"]
    refused = invalid_record(color=["must be a valid color code"])
    assert refused == refusal(fakeplat, "dan", "PUT", f"{path}/1", json={"color": "mauvish"})


# Users


@by_release(SAML_PROVIDERS_FIND_NOBODY, "is_refused", {"18.8": False, "18.9": True})
def test_users_are_not_filtered_by_their_single_sign_on(fakeplat: Fakeplat, is_refused: bool) -> None:
    """Later releases refuse the filter, and name what replaces it."""
    reply = fakeplat.as_user("ada").get("users?saml_provider_id=42")
    page = f"{fakeplat.url}/help/api/groups.md#list-all-saml-users"
    text = (
        "403 Forbidden - saml_provider_id attribute was removed for security reasons. "
        f"Consider using 'GET /groups/:id/saml_users' API endpoint instead, see {page}"
    )
    assert ((403, {"message": text}) if is_refused else (200, 6)) == (
        (reply.status, reply.json()) if is_refused else (reply.status, len(names(reply.json(), "id")))
    )


@by_release(NO_PLAN_IS_NO_TRIAL, "trial", {"19.2": None, "19.3": False})
def test_users_without_a_plan_have_no_trial(fakeplat: Fakeplat, trial: bool | None) -> None:
    """Administrators see that there is no plan, and no trial of one."""
    shown = fakeplat.as_user("root").get(f"users/{person(fakeplat, 'ada')}").json()
    assert (None, trial) == (shown["plan"], shown["trial"])


def test_the_editor_of_policies_is_a_preference(fakeplat: Fakeplat) -> None:
    """Users prefer the editor of policies as text; administrators set that, too."""
    ada, path = fakeplat.as_user("ada"), "user/preferences"
    assert False is ada.get(path).json()["policy_advanced_editor"]
    assert True is ada.put(path, json={"policy_advanced_editor": True}).json()["policy_advanced_editor"]
    body = {"policy_advanced_editor": False}
    assert 200 == outcome(fakeplat.as_user("root").put(f"users/{person(fakeplat, 'ada')}", json=body))[0]
    assert False is ada.get(path).json()["policy_advanced_editor"]


@pytest.mark.fakeplat(tier="free")
def test_free_tiers_have_no_editor_of_policies(fakeplat: Fakeplat) -> None:
    """The preference belongs to paid tiers."""
    shown = fakeplat.as_user("ada").put("user/preferences", json={"policy_advanced_editor": True})
    assert (200, False) == (shown.status, "policy_advanced_editor" in shown.json())
