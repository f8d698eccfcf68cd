"""Approval settings of projects and groups. Source: docs/platform/merge-requests.md ('Approval settings')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.merge_requests import OPEN, commit, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, refusal, resource_not_found

pytestmark = pytest.mark.fakeplat(version="latest", tier="premium")
PROJECT, GROUP = (f"{owner}/merge_request_approval_setting" for owner in ("projects/acme%2Fsite", "groups/acme"))
APPROVALS = "projects/acme%2Fsite/approvals"


def setting(*, value: bool, by: str | None = None) -> dict[str, Any]:
    return {"value": value, "locked": by is not None, "inherited_from": by}


def test_the_settings_of_a_project(fakeplat: Fakeplat) -> None:
    """A project decides for itself as long as nobody above it does."""
    assert {
        "allow_author_approval": setting(value=False),
        "allow_committer_approval": setting(value=True),
        "allow_overrides_to_approver_list_per_merge_request": setting(value=True),
        "retain_approvals_on_push": setting(value=False),
        "selective_code_owner_removals": {**setting(value=False), "locked": None},
        "require_password_to_approve": setting(value=False),
        "require_reauthentication_to_approve": setting(value=False),
    } == get_json(fakeplat, PROJECT, by="mia")


def test_changing_the_settings_of_a_project(fakeplat: Fakeplat) -> None:
    """Both forms of a project's settings change together."""
    body = {"allow_author_approval": True, "retain_approvals_on_push": True, "selective_code_owner_removals": True}
    changed = fakeplat.as_user("mia").put(PROJECT, json=body).json()
    approvals = get_json(fakeplat, APPROVALS, by="mia")

    assert [True] * 3 == [changed[name]["value"] for name in body]
    assert (True, False, True) == (
        approvals["merge_requests_author_approval"],
        approvals["reset_approvals_on_push"],
        approvals["selective_code_owner_removals"],
    )


def test_a_group_locks_settings(fakeplat: Fakeplat) -> None:
    """What a group prevents or demands counts in its projects, whatever they choose."""
    body = {"allow_author_approval": False, "require_reauthentication_to_approve": True}
    changed = fakeplat.as_user("ada").put(GROUP, json=body).json()
    fakeplat.as_user("mia").put(PROJECT, json={"allow_author_approval": True})
    inherited = get_json(fakeplat, PROJECT, by="mia")

    assert (setting(value=False), setting(value=True)) == (
        changed["allow_author_approval"],
        changed["require_password_to_approve"],
    )
    assert (setting(value=False, by="group"), setting(value=True, by="group"), setting(value=True)) == (
        inherited["allow_author_approval"],
        inherited["require_password_to_approve"],
        inherited["allow_committer_approval"],
    )


def test_the_instance_locks_settings(fakeplat: Fakeplat) -> None:
    """What the instance prevents counts in groups and projects."""
    fakeplat.as_user("root").put("application/settings", json={"prevent_merge_requests_author_approval": True})
    allowances = [get_json(fakeplat, path)["allow_author_approval"] for path in (PROJECT, GROUP)]

    assert [setting(value=False, by="instance")] * 2 == allowances


def test_a_group_keeps_approvals(fakeplat: Fakeplat) -> None:
    """A group that does not let approvals be retained has them removed by a push."""
    fakeplat.as_user("mia").put(PROJECT, json={"retain_approvals_on_push": True})
    fakeplat.as_user("mia").post(f"{OPEN}/approve")
    commit(fakeplat, "feature", "one.txt")
    kept = len(get_json(fakeplat, f"{OPEN}/approvals")["approved_by"])
    fakeplat.as_user("ada").put(GROUP, json={"retain_approvals_on_push": False})
    commit(fakeplat, "feature", "two.txt")

    assert (1, 0) == (kept, len(get_json(fakeplat, f"{OPEN}/approvals")["approved_by"]))


@pytest.mark.parametrize("path", [PROJECT, GROUP], ids=["project", "group"])
def test_changes_without_any_setting(fakeplat: Fakeplat, path: str) -> None:
    """A change needs a setting, and a setting a value."""
    status, body = refusal(fakeplat, "ada", "PUT", path, json={})
    assert (400, "at least one parameter must be provided") == (status, body["error"].partition("missing, ")[2])
    expected = (400, {"error": "allow_author_approval is empty"})
    assert expected == refusal(fakeplat, "ada", "PUT", path, json={"allow_author_approval": ""})


def test_who_may_change_settings(fakeplat: Fakeplat) -> None:
    """Maintainers change the settings of a project, owners those of a group."""
    body = {"allow_author_approval": True}
    assert UNAUTHORIZED == refusal(fakeplat, None, "PUT", PROJECT, json=body)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "PUT", PROJECT, json=body)
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", PROJECT, json=body)
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", PROJECT)
    assert FORBIDDEN == refusal(fakeplat, "mia", "PUT", GROUP, json=body)
    assert FORBIDDEN == refusal(fakeplat, "mia", "GET", GROUP)


def test_rules_by_id(fakeplat: Fakeplat) -> None:
    """A rule of a project and one of a merge request are got by their ids; those of others are unknown."""
    rule = {"name": "Look", "approvals_required": 1, "usernames": ["mia"]}
    site = "projects/acme%2Fsite/approval_rules"
    own = fakeplat.as_user("ada").post(site, json={**rule, "applies_to_all_protected_branches": True}).json()
    other = fakeplat.as_user("ada").post(f"{OPEN}/approval_rules", json=rule).json()

    assert own == get_json(fakeplat, f"{site}/{own['id']}", by="dev")
    assert other == get_json(fakeplat, f"{OPEN}/approval_rules/{other['id']}", by="dev")
    assert (["mia"], True, None) == (
        [user["username"] for user in own["users"]],
        own["applies_to_all_protected_branches"],
        own["report_type"],
    )
    missing = (404, {"message": "404 Not found"})
    assert missing == refusal(fakeplat, "ada", "GET", f"{site}/{other['id']}")
    assert missing == refusal(fakeplat, "ada", "GET", f"{OPEN}/approval_rules/{own['id']}")


def test_rules_of_all_protected_branches(fakeplat: Fakeplat) -> None:
    """A rule for all protected branches counts for merge requests into one of them."""
    rule = {"name": "Look", "approvals_required": 1, "usernames": ["mia"], "applies_to_all_protected_branches": True}
    assert 201 == fakeplat.as_user("ada").post("projects/acme%2Fsite/approval_rules", json=rule).status
    site = "projects/acme%2Fsite/protected_branches"
    target = get_json(fakeplat)["target_branch"]
    counts = []
    for method, path, body in (("post", site, {"name": target}), ("delete", f"{site}/{target}", None)):
        getattr(fakeplat.as_user("ada"), method)(path, json=body)
        counts.append(len(get_json(fakeplat, f"{OPEN}/approval_state")["rules"]))

    assert [1, 0] == counts
