"""What operations of paid tiers refuse and allow in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    BLOCKS_NAME_NUMBERS,
    CHECKS_HIDE_URLS,
    GROUPS_NAME_PUSH_RULES,
    GUESTS_LINK_EPICS,
    LINKS_ARE_OF_THEIR_ISSUES,
    MAINTAINERS_CHANGE_PUSH_RULES,
    MIRRORS_NAME_WEB_SCHEMES_FIRST,
    NAME_OF_PUSH_RULES,
    OWNERS_CREATE_DEPLOY_TOKENS,
    PATTERNS_ARE_LIMITED,
    RESPONSES_NEED_STATUS,
    SUGGESTIONS_ARE_NUMBERED,
)
from tests.api.merge_requests import OPEN, SITE
from tests.api.planning_records import create_record
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, invalid_record, names, outcome, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", default_branch="master", tier="ultimate", version="latest")
CHECKS, ACME, PUSH_RULE = f"{SITE}/external_status_checks", "groups/acme", f"{SITE}/push_rule"
NOT_FOUND = (404, {"message": "404 Not found"})
NO_SUGGESTION = (404, {"message": "Suggestion is not applicable as the suggestion was not found."})
URL = "https://checks.example.test/status"


def check(fake: Fakeplat) -> Any:
    """Create a status check whose address has a secret."""
    return create_record(fake, CHECKS, "mia", name="first", external_url=f"{URL}?token=secret")


# Push rules


@by_release(MAINTAINERS_CHANGE_PUSH_RULES, "status", {"13.11": 404, "13.12": 201})
def test_maintainers_change_push_rules_of_groups(fakeplat: Fakeplat, status: int) -> None:
    """Maintainers change the push rule of a group in 13.12 at the latest, Developers do not find it."""
    body = {"deny_delete_tag": True}
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "dev", "POST", f"{ACME}/push_rule", json=body)
    assert status == fakeplat.as_user("mia").post(f"{ACME}/push_rule", json=body).status


@by_release(NAME_OF_PUSH_RULES, "name", {"18.8": "Push Rule", "18.9": "Push rule"})
def test_missing_push_rules_are_named(fakeplat: Fakeplat, name: str) -> None:
    """Changing or deleting the missing push rule of a project names it."""
    missing = (404, {"message": f"404 {name} Not Found"})
    assert missing == refusal(fakeplat, "mia", "PUT", PUSH_RULE, json={"deny_delete_tag": True})
    assert missing == refusal(fakeplat, "mia", "DELETE", PUSH_RULE)


@by_release(GROUPS_NAME_PUSH_RULES, "name", {"16.1": "", "16.2": "Push Rule "})
def test_missing_push_rules_of_groups_are_named(fakeplat: Fakeplat, name: str) -> None:
    """Changing the missing push rule of a group names it, too; reading or deleting it does not."""
    path = f"{ACME}/push_rule"
    missing = (404, {"message": f"404 {name}Not Found"})
    assert missing == refusal(fakeplat, "ada", "PUT", path, json={"deny_delete_tag": True})
    for method in ("GET", "DELETE"):
        assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", method, path)


@by_release(PATTERNS_ARE_LIMITED, "is_limited", {"18.8": False, "18.9": True})
def test_patterns_of_push_rules_are_limited(fakeplat: Fakeplat, is_limited: bool) -> None:
    """The patterns of a push rule have at most 511 characters, the negative one 2047, in 18.9 at the latest."""
    mia, limits = fakeplat.as_user("mia"), {"branch_name_regex": 511, "commit_message_negative_regex": 2047}
    for name, limit in limits.items():
        answer = mia.post(PUSH_RULE, json={name: "a" * (limit + 1)})
        refused = invalid_record(**{name: [f"is too long (maximum is {limit} characters)"]})
        assert is_limited == (refused == outcome(answer))
        mia.delete(PUSH_RULE)
    assert 201 == mia.post(PUSH_RULE, json={name: "a" * limit for name, limit in limits.items()}).status


# Status checks


@by_release(CHECKS_HIDE_URLS, "expected", {"18.8": (403, f"{URL}?token=secret"), "18.9": (200, URL)})
def test_addresses_of_status_checks_are_hidden(fakeplat: Fakeplat, expected: tuple[int, str]) -> None:
    """Reporters see status checks without addresses, Developers addresses without queries, in 18.9 at the latest."""
    check(fakeplat)
    status, url = expected
    listed = fakeplat.as_user("rep").get(f"{OPEN}/status_checks")

    assert status == listed.status
    assert status == 403 or [""] == names(listed.json(), "external_url")
    assert [url] == names(fakeplat.as_user("dev").get(f"{OPEN}/status_checks").json(), "external_url")


@by_release(RESPONSES_NEED_STATUS, "status", {"18.8": 201, "18.9": 400})
def test_responses_to_status_checks_have_a_status(fakeplat: Fakeplat, status: int) -> None:
    """A response without a status passes the check at first, and is refused in 18.9 at the latest."""
    sha = fakeplat.as_user("dev").get(OPEN).json()["sha"]
    body = {"external_status_check_id": check(fakeplat)["id"], "sha": sha}
    answer = fakeplat.as_user("dev").post(f"{OPEN}/status_check_responses", json=body)

    assert status == answer.status
    assert status == 201 or invalid("status is missing, status does not have a valid value") == outcome(answer)


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", CHECKS),
        ("POST", CHECKS),
        ("PUT", f"{CHECKS}/1"),
        ("DELETE", f"{CHECKS}/1"),
        ("GET", f"{OPEN}/status_checks"),
        ("POST", f"{OPEN}/status_checks/1/retry"),
    ],
)
def test_status_checks_are_unauthorized_below_ultimate(fakeplat: Fakeplat, method: str, path: str) -> None:
    """Below ultimate the operations on status checks answer 401, and those who see no project 404."""
    body = {"name": "first", "external_url": URL}
    assert UNAUTHORIZED == refusal(fakeplat, "ada", method, path, json=body)
    assert 404 == refusal(fakeplat, "eve", method, path, json=body)[0]


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize("path", ["member_roles", f"{ACME}/member_roles"])
def test_custom_roles_are_forbidden_below_ultimate(fakeplat: Fakeplat, path: str) -> None:
    """Below ultimate the operations on custom roles answer 403."""
    assert FORBIDDEN == refusal(fakeplat, "root", "GET", path)


# Merge requests that block others


@by_release(BLOCKS_NAME_NUMBERS, "is_known", {"19.2": False, "19.3": True})
def test_blocks_are_made_by_numbers(fakeplat: Fakeplat, is_known: bool) -> None:
    """What blocks a merge request is named by its number, too, in 19.3 at the latest."""
    answer = fakeplat.as_user("mia").post(f"{OPEN}/blocks", json={"blocking_merge_request_iid": 2})
    missing = invalid("blocking_merge_request_id is missing")

    assert is_known == (answer.status == 201)
    assert is_known or missing == outcome(answer)
    assert not is_known or 2 == answer.json()["blocking_merge_request"]["iid"]


def test_blocks_name_one_merge_request(fakeplat: Fakeplat) -> None:
    """Exactly one merge request is named, in this project or another one that the caller sees."""
    id_ = fakeplat.as_user("mia").get(f"{SITE}/merge_requests/2").json()["id"]
    both = {"blocking_merge_request_id": id_, "blocking_merge_request_iid": 2}
    either = "blocking_merge_request_id, blocking_merge_request_iid"
    unknown = (404, {"message": "Blocking merge request not found"})
    elsewhere = {"blocking_merge_request_iid": 1, "blocking_project_id": "ada/notes"}

    for body, expected in (
        ({}, invalid(f"{either} are missing, exactly one parameter must be provided")),
        (both, invalid(f"{either} are mutually exclusive")),
        ({"blocking_merge_request_iid": 99}, unknown),
        ({"blocking_merge_request_iid": 2, "blocking_project_id": "acme/docs"}, unknown),
        (elsewhere, (404, {"message": "404 Project Not Found"})),
    ):
        assert expected == refusal(fakeplat, "mia", "POST", f"{OPEN}/blocks", json=body)
    named = {"blocking_merge_request_iid": 2, "blocking_project_id": "acme/site"}
    assert 201 == fakeplat.as_user("mia").post(f"{OPEN}/blocks", json=named).status


# Issues and epics


@by_release(LINKS_ARE_OF_THEIR_ISSUES, "status", {"16.11": 200, "17.0": 404})
def test_links_are_deleted_from_their_issues(fakeplat: Fakeplat, status: int) -> None:
    """A link is deleted from one of its issues only, in 17.0 at the latest."""
    target = {"target_project_id": "acme/site", "target_issue_iid": 2}
    create_record(fakeplat, f"{SITE}/issues/1/links", "rep", **target)
    rep = fakeplat.as_user("rep")
    id_ = rep.get(f"{SITE}/issues/1/links").json()[0]["issue_link_id"]

    assert status == rep.delete(f"{SITE}/issues/4/links/{id_}").status
    assert status == 200 or 200 == rep.delete(f"{SITE}/issues/2/links/{id_}").status


@by_release(GUESTS_LINK_EPICS, "is_allowed", {"15.7": False, "15.8": True})
def test_guests_put_epics_below_others(fakeplat: Fakeplat, is_allowed: bool) -> None:
    """Guests add, create, move and remove the children of epics from 15.8 on, others of a public group never."""
    parent, child, other = (create_record(fakeplat, f"{ACME}/epics", "ada", title=title) for title in "abc")
    path, gus = f"{ACME}/epics/{parent['iid']}/epics", fakeplat.as_user("gus")
    fakeplat.as_user("ada").post(f"{path}/{other['id']}")

    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", f"{path}/{child['id']}")
    statuses = [
        gus.post(f"{path}/{child['id']}").status,
        gus.post(path, json={"title": "new"}).status,
        gus.put(f"{path}/{other['id']}", json={"move_after_id": other["id"]}).status,
        gus.delete(f"{path}/{other['id']}").status,
    ]
    assert ([201, 201, 200, 200] if is_allowed else [403] * 4) == statuses


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_links_of_other_issues_are_not_found(fakeplat: Fakeplat, method: str) -> None:
    """A link is found at its own issues alone."""
    target = {"target_project_id": "acme/site", "target_issue_iid": 2}
    link = create_record(fakeplat, f"{SITE}/issues/1/links", "rep", **target)
    assert NOT_FOUND == refusal(fakeplat, "rep", method, f"{SITE}/issues/4/links/{link['id']}")


@by_release(SUGGESTIONS_ARE_NUMBERED, "expected", {"15.6": NO_SUGGESTION, "15.7": invalid("id is invalid")})
def test_suggestions_are_numbered(fakeplat: Fakeplat, expected: Any) -> None:
    """An id of a suggestion that is no number is invalid in 15.7 at the latest."""
    assert expected == refusal(fakeplat, "mia", "PUT", "suggestions/foo-123/apply")
    assert NO_SUGGESTION == refusal(fakeplat, "mia", "PUT", "suggestions/9999/apply")


# Deploy tokens and mirrors


@by_release(OWNERS_CREATE_DEPLOY_TOKENS, "is_allowed", {"14.7": True, "14.8": False})
def test_owners_create_deploy_tokens_of_groups(fakeplat: Fakeplat, is_allowed: bool) -> None:
    """Maintainers create and delete deploy tokens of their projects, of groups only up to 14.7."""
    body = {"name": "ci", "scopes": ["read_repository"]}
    token = create_record(fakeplat, f"{ACME}/deploy_tokens", "ada", **body)
    mia = fakeplat.as_user("mia")

    statuses = [
        mia.post(f"{ACME}/deploy_tokens", json=body).status,
        mia.delete(f"{ACME}/deploy_tokens/{token['id']}").status,
    ]
    assert ([201, 204] if is_allowed else [403, 403]) == statuses
    assert 200 == mia.get(f"{ACME}/deploy_tokens").status
    own = create_record(fakeplat, f"{SITE}/deploy_tokens", "mia", **body)
    assert 204 == mia.delete(f"{SITE}/deploy_tokens/{own['id']}").status


@by_release(
    MIRRORS_NAME_WEB_SCHEMES_FIRST, "schemes", {"17.7": "ssh, git, http, https", "17.8": "http, https, ssh, git"}
)
def test_schemes_of_mirrors(fakeplat: Fakeplat, schemes: str) -> None:
    """A refused address of a mirror is told which schemes are allowed."""
    expected = invalid_record(url=[f"is blocked: Only allowed schemes are {schemes}"])
    assert expected == refusal(fakeplat, "mia", "POST", f"{SITE}/remote_mirrors", json={"url": "ftp://a@example.com"})


# Service accounts


def test_made_up_addresses_of_service_accounts(fakeplat: Fakeplat) -> None:
    """The address of a service account is made up, whatever its name is."""
    account = create_record(fakeplat, "service_accounts", "root", name="Deploy", username="deploy")
    assert ("deploy", True) == (account["username"], account["email"].startswith("service_account_"))


@pytest.mark.parametrize("setting", ["off", "hard"])
def test_new_addresses_of_service_accounts(fakeplat: Fakeplat, setting: str) -> None:
    """A new address of a service account is confirmed only if the instance asks for that."""
    root = fakeplat.as_user("root")
    root.put("application/settings", json={"email_confirmation_setting": setting})
    account = create_record(fakeplat, "service_accounts", "root")
    changed = root.patch(f"service_accounts/{account['id']}", json={"email": "new@example.com"}).json()

    kept = account["email"] if setting == "hard" else "new@example.com"
    assert kept == changed["email"]
    assert (setting == "hard") == (changed.get("unconfirmed_email") == "new@example.com")
