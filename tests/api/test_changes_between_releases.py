"""What operations do differently from a release on: each change is asked for just before and just after it.

Source: the platform's lists of deprecations, removals and version histories, as fakeplat/policy/behaviours.py says.
"""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ADMINISTRATORS_BYPASS_PROTECTION,
    DEFAULT_BRANCH,
    DELETION_IS_DELAYED_FOR_ALL,
    DEPLOY_TOKEN_PREFIX,
    DEVELOPERS_IMPORT_PROJECTS,
    DRAFT_TOGGLES,
    FEATURE_FLAG_CLIENT_PREFIX,
    GROUPS_WITHOUT_PROJECTS_HAVE_SHARES,
    JOB_TOKEN_PREFIX,
    LONG_STATUS_TEXTS_ARE_REFUSED,
    MARKDOWN_NEEDS_LOGIN,
    MAX_IMPORT_SIZE,
    METADATA_HAS_PROXY,
    OAUTH_SECRET_PREFIX,
    PAGES_HAVE_UNIQUE_DOMAINS,
    PERSONAL_TOKEN_PREFIX,
    READY_QUICK_ACTION,
    REGISTERED_RUNNER_TOKEN_PREFIX,
    RELEASES_NAME_THEIR_EVIDENCE,
    RUNNER_ADDRESSES_ARE_NULL,
    RUNNER_STALE_DAYS,
    RUNNERS_BECOME_STALE,
    SHORT_ENVIRONMENT_SEARCHES_ARE_REFUSED,
    TOKEN_LIFETIME,
    TRIGGER_TOKEN_PREFIX,
    UPDATED_DEPLOYMENTS_ARE_SORTED_SO,
    UPLOADS_HAVE_PATHS_BY_ID,
    USER_AGENTS_ARE_RECORDED,
)
from tests.api.marks import STARTER_AT_NINE
from tests.api.quick_actions import run_commands
from tests.api.requests import Outcome, form, invalid_record, outcome, person, refusal
from tests.api.test_import_export import archive_of, build_import_form
from tests.api.test_runner_protocol import create_runner, take_one
from tests.by_release import by_release

pytestmark = STARTER_AT_NINE
SITE: Final = "projects/acme%2Fsite"
MERGE_REQUEST: Final = f"{SITE}/merge_requests/1"
INVALID_NAMESPACE: Final[Outcome] = (400, {"message": "Namespace is not valid"})
ACCEPTED: Final[Outcome] = (202, {"message": "202 Accepted"})


def create(fake: Fakeplat, path: str, by: str = "root", **fields: Any) -> dict[str, Any]:
    reply = fake.as_user(by).post(path, json=fields)
    assert 201 == reply.status, reply.json()
    return dict(reply.json())


def bad_request(text: str) -> Outcome:
    return 400, {"message": f"400 Bad request - {text}"}


# The first branch


@by_release(DEFAULT_BRANCH, "branch", {"13.12": "master", "14.0": "main"})
def test_the_first_branch_has_the_name_of_the_release(fakeplat: Fakeplat, branch: str) -> None:
    """New projects and declared repositories begin with the branch main from 14.0 on."""
    created = create(fakeplat, "projects", by="dev", name="Fresh", initialize_with_readme=True)

    assert branch == created["default_branch"]
    assert branch == fakeplat.as_user("dev").get(SITE).json()["default_branch"]


@pytest.mark.fakeplat(version="16.11", default_branch="trunk")
def test_the_branch_of_a_scenario_wins(fakeplat: Fakeplat) -> None:
    """The default branch that a scenario names is that of every release."""
    assert "trunk" == fakeplat.as_user("dev").get(SITE).json()["default_branch"]


# Prefixes of tokens


@by_release(PERSONAL_TOKEN_PREFIX, "prefix", {"14.4": None, "14.5": "glpat-"})
def test_access_tokens_begin_with_the_prefix_of_the_settings(fakeplat: Fakeplat, prefix: str | None) -> None:
    """The setting of the prefix of personal access tokens is glpat- from 14.5 on, and changes apply to new tokens."""
    path = f"users/{person(fakeplat, 'eve')}/impersonation_tokens"
    before = create(fakeplat, path, name="a", scopes=["api"])["token"]
    settings = fakeplat.as_user("root").get("application/settings").json()
    fakeplat.as_user("root").put("application/settings", json={"personal_access_token_prefix": "own-"})
    after = create(fakeplat, path, name="b", scopes=["api"])["token"]

    assert prefix == settings["personal_access_token_prefix"]
    assert (prefix or "", 20) == (before[: len(prefix or "")], len(before.removeprefix(prefix or "")))
    assert ("own-", 24) == (after[:4], len(after))


@by_release(PERSONAL_TOKEN_PREFIX, "prefix", {"13.12": "", "14.7": "glpat-"})
def test_project_access_tokens_have_the_prefix_of_personal_ones(fakeplat: Fakeplat, prefix: str) -> None:
    """Access tokens of projects have the prefix of personal access tokens."""
    token = create(fakeplat, f"{SITE}/access_tokens", name="ci", scopes=["api"])["token"]
    assert (prefix, 20) == (token[: len(prefix)], len(token.removeprefix(prefix)))


@by_release(DEPLOY_TOKEN_PREFIX, "prefix", {"16.6": "", "16.7": "gldt-"})
def test_deploy_tokens_have_a_prefix(fakeplat: Fakeplat, prefix: str) -> None:
    """Deploy tokens begin with gldt- from 16.7 on."""
    token = create(fakeplat, f"{SITE}/deploy_tokens", name="x", scopes=["read_repository"])["token"]
    assert (prefix, 20) == (token[: len(prefix)], len(token.removeprefix(prefix)))


@by_release(OAUTH_SECRET_PREFIX, "prefix", {"16.8": "", "16.9": "gloas-"})
def test_secrets_of_applications_have_a_prefix(fakeplat: Fakeplat, prefix: str) -> None:
    """Secrets of OAuth applications begin with gloas-; the first release that is known to do so is 16.9."""
    created = create(fakeplat, "applications", name="a", redirect_uri="https://a.example.test", scopes="api")
    assert (prefix, 64) == (created["secret"][: len(prefix)], len(created["secret"].removeprefix(prefix)))


@by_release(TRIGGER_TOKEN_PREFIX, "prefix", {"16.8": "", "16.9": "glptt-"})
def test_trigger_tokens_have_a_prefix(fakeplat: Fakeplat, prefix: str) -> None:
    """Tokens of triggers begin with glptt-; the first release that is known to do so is 16.9."""
    token = create(fakeplat, f"{SITE}/triggers", description="x")["token"]
    assert (prefix, 30) == (token[: len(prefix)], len(token.removeprefix(prefix)))


@by_release(JOB_TOKEN_PREFIX, "prefix", {"16.8": "", "16.9": "glcbt-64_"})
def test_job_tokens_have_a_prefix(fakeplat: Fakeplat, prefix: str) -> None:
    """Tokens of jobs begin with glcbt- and their partition from 16.9 on."""
    token = take_one(fakeplat)["token"]
    assert (prefix, 20) == (token[: len(prefix)], len(token.removeprefix(prefix)))


@by_release(REGISTERED_RUNNER_TOKEN_PREFIX, "prefix", {"17.10": "", "17.11": "glrtr-"})
def test_registered_runners_have_tokens_with_a_prefix(fakeplat: Fakeplat, prefix: str) -> None:
    """Tokens of runners that register begin with glrtr- from 17.11 on, those of created ones with glrt-."""
    token = create_runner(fakeplat).token
    created = create(fakeplat, "user/runners", runner_type="instance_type")["token"]

    assert (prefix, 20) == (token[: len(prefix)], len(token.removeprefix(prefix)))
    assert ("glrt-", 25) == (created[:5], len(created))


@by_release(FEATURE_FLAG_CLIENT_PREFIX, "prefix", {"18.1": "", "18.2": "glffct-"})
def test_clients_of_feature_flags_have_ids_with_a_prefix(fakeplat: Fakeplat, prefix: str) -> None:
    """Instance ids of Unleash clients begin with glffct-; the first release that is known to do so is 18.2."""
    id_ = create(fakeplat, "projects", by="dev", name="Fresh")["id"]
    instance_id = fakeplat.bench.platform.view.projects[id_].unleash_instance_id
    assert (prefix, 20) == (instance_id[: len(prefix)], len(instance_id.removeprefix(prefix)))


# Expiry of tokens


@by_release(TOKEN_LIFETIME, "expires_at", {"15.11": None, "16.0": "2021-11-20"})
def test_access_tokens_expire_after_a_year(fakeplat: Fakeplat, expires_at: str | None) -> None:
    """From 16.0 on, access tokens without a date expire after 365 days."""
    fields: dict[str, Any] = {"name": "x", "scopes": ["api"]}
    user = f"users/{person(fakeplat, 'eve')}"
    paths = (f"{user}/impersonation_tokens", f"{user}/personal_access_tokens", f"{SITE}/access_tokens")

    assert [expires_at] * 3 == [create(fakeplat, path, **fields)["expires_at"] for path in paths]


@by_release(TOKEN_LIFETIME, "text", {"15.11": "", "16.0": "must be before 2021-11-20"})
def test_access_tokens_are_valid_for_a_year_at_most(fakeplat: Fakeplat, text: str) -> None:
    """From 16.0 on, an access token that expires after more than 365 days is refused."""
    user, own = (f"users/{person(fakeplat, 'eve')}/{kind}_tokens" for kind in ("impersonation", "personal_access"))
    fields: dict[str, Any] = {"name": "x", "scopes": ["api"]}
    assert "2021-11-20" == create(fakeplat, user, **fields, expires_at="2021-11-20")["expires_at"]
    late = {**fields, "expires_at": "2021-11-21"}
    if not text:
        assert "2021-11-21" == create(fakeplat, user, **late)["expires_at"]
        return
    assert invalid_record(expires_at=[text]) == refusal(fakeplat, "root", "POST", user, json=late)
    sentence = f"Expiration date {text}"
    assert (422, {"message": sentence}) == refusal(fakeplat, "root", "POST", own, json=late)
    assert bad_request(sentence) == refusal(fakeplat, "root", "POST", f"{SITE}/access_tokens", json=late)


# Deletion


@by_release(DELETION_IS_DELAYED_FOR_ALL, "is_delayed", {"17.11": False, "18.0": True})
def test_the_deletion_of_a_project_is_delayed_in_all_tiers(fakeplat: Fakeplat, is_delayed: bool) -> None:
    """From 18.0 on, a deleted project can be restored for a week in every tier."""
    ada = fakeplat.as_user("ada")
    assert ACCEPTED == outcome(ada.delete(SITE))
    left = ada.get(SITE)

    assert (200 if is_delayed else 404) == left.status
    if is_delayed:
        assert "2020-11-20" == left.json()["marked_for_deletion_on"]
        fakeplat.clock.advance("6d")
        assert 201 == ada.post(f"{SITE}/restore").status
        assert ACCEPTED == outcome(ada.delete(SITE))
        fakeplat.clock.advance("8d")
    assert 404 == ada.get(SITE).status


@by_release(DELETION_IS_DELAYED_FOR_ALL, "is_delayed", {"17.11": False, "18.0": True})
def test_the_deletion_of_a_group_is_delayed_in_all_tiers(fakeplat: Fakeplat, is_delayed: bool) -> None:
    """From 18.0 on, a deleted group can be restored for a week in every tier."""
    ada = fakeplat.as_user("ada")
    assert ACCEPTED == outcome(ada.delete("groups/acme"))
    left = ada.get("groups/acme")

    assert (200 if is_delayed else 404) == left.status
    if is_delayed:
        assert "2020-11-20" == left.json()["marked_for_deletion_on"]
        assert 201 == ada.post("groups/acme/restore").status
        assert ada.get("groups/acme").json()["marked_for_deletion_on"] is None


@by_release(DELETION_IS_DELAYED_FOR_ALL, "status", {"17.11": 404, "18.0": 400})
def test_restoring_came_to_all_tiers(fakeplat: Fakeplat, status: int) -> None:
    """Below premium, projects and groups are restored from 18.0 on; what is not marked is refused with 400."""
    assert [status] * 2 == [refusal(fakeplat, "ada", "POST", f"{path}/restore")[0] for path in (SITE, "groups/acme")]


@pytest.mark.fakeplat(version="18.0")
def test_a_marked_project_is_deleted_for_good(fakeplat: Fakeplat) -> None:
    """A project that is marked for deletion is deleted at once with permanently_remove and its full path."""
    query = f"{SITE}?permanently_remove=true&full_path="
    first = (400, {"message": "Project must be marked for deletion first."})
    text = "`full_path` is incorrect. You must enter the complete path for the project."

    assert first == refusal(fakeplat, "ada", "DELETE", f"{query}acme/site")
    assert ACCEPTED == outcome(fakeplat.as_user("ada").delete(SITE))
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "DELETE", f"{query}acme/docs")
    assert ACCEPTED == outcome(fakeplat.as_user("ada").delete(f"{query}acme/site"))
    assert 404 == fakeplat.as_user("ada").get(SITE).status


@pytest.mark.fakeplat(version="18.0")
def test_a_marked_subgroup_is_deleted_for_good(fakeplat: Fakeplat) -> None:
    """A subgroup that is marked for deletion is deleted at once with permanently_remove and its full path."""
    query = "groups/acme%2Ftools?permanently_remove=true&full_path="
    only = (400, {"message": "`permanently_remove` option is only available for subgroups."})
    first = (400, {"message": "Group must be marked for deletion first."})
    text = "`full_path` is incorrect. You must enter the complete path for the subgroup."

    assert only == refusal(fakeplat, "ada", "DELETE", "groups/acme?permanently_remove=true&full_path=acme")
    assert first == refusal(fakeplat, "ada", "DELETE", f"{query}acme/tools")
    assert ACCEPTED == outcome(fakeplat.as_user("ada").delete("groups/acme%2Ftools"))
    assert (400, {"message": text}) == refusal(fakeplat, "ada", "DELETE", f"{query}tools")
    assert ACCEPTED == outcome(fakeplat.as_user("ada").delete(f"{query}acme/tools"))
    assert 404 == fakeplat.as_user("ada").get("groups/acme%2Ftools").status


@by_release(GROUPS_WITHOUT_PROJECTS_HAVE_SHARES, "has_shares", {"18.8": False, "18.9": True})
def test_a_group_without_its_projects_has_its_shares(fakeplat: Fakeplat, has_shares: bool) -> None:
    """Once, with_projects decided about all details of a group; today only the two lists of projects depend on it."""
    ada = fakeplat.as_user("ada")
    left_out = set(ada.get("groups/acme").json()) - set(ada.get("groups/acme?with_projects=false").json())
    assert has_shares == (left_out == {"projects", "shared_projects"})
    assert has_shares == ("shared_with_groups" not in left_out)


@by_release(RELEASES_NAME_THEIR_EVIDENCE, "extra", {"18.8": {"evidence_file_path"}, "18.9": set()})
def test_assets_lose_the_file_of_the_evidence(fakeplat: Fakeplat, extra: set[str]) -> None:
    """The obsolete path of the evidence is no field of releases any more."""
    create(fakeplat, f"{SITE}/releases", tag_name="v9", ref="feature", description="Ninth")
    assets = fakeplat.as_user("ada").get(f"{SITE}/releases/v9").json()["assets"]
    assert {"count", "sources", "links"} | extra == set(assets)


# Rights


@by_release(MARKDOWN_NEEDS_LOGIN, "expected", {"15.2": [201, 400], "15.3": [401, 401]})
def test_only_users_render_markdown(fakeplat: Fakeplat, expected: list[int]) -> None:
    """From 15.3 on, anonymous callers render no Markdown, whatever they send."""
    texts: list[dict[str, str]] = [{"text": "*a*"}, {}]
    assert expected == [fakeplat.as_user(None).post("markdown", json=text).status for text in texts]
    assert [201, 400] == [fakeplat.as_user("eve").post("markdown", json=text).status for text in texts]


@by_release(ADMINISTRATORS_BYPASS_PROTECTION, "status", {"15.11": 201, "16.0": 403})
def test_administrators_keep_to_protected_branches(fakeplat: Fakeplat, status: int) -> None:
    """From 16.0 on, administrators push to a protected branch only with a role that may."""
    branch = fakeplat.as_user("root").get(SITE).json()["default_branch"]
    commit = {
        "branch": branch,
        "commit_message": "Add a file",
        "actions": [{"action": "create", "file_path": "new.md", "content": "new"}],
    }

    assert status == fakeplat.as_user("root").post(f"{SITE}/repository/commits", json=commit).status
    create(fakeplat, f"{SITE}/members", user_id=person(fakeplat, "root"), access_level=40)
    commit["actions"] = [{"action": "create", "file_path": "other.md", "content": "new"}]
    assert 201 == fakeplat.as_user("root").post(f"{SITE}/repository/commits", json=commit).status


@pytest.mark.fakeplat(version="latest")
def test_the_refusal_of_an_administrators_push_tells_that_a_membership_is_missing(fakeplat: Fakeplat) -> None:
    """An administrator without a role in the project is told to be no member, not to have one of its roles."""
    file = {"branch": "main", "commit_message": "Add a file", "content": "new"}

    assert 403 == fakeplat.as_user("root").post(f"{SITE}/repository/files/new.md", json=file).status
    reason = fakeplat.requests[-1].reason
    assert reason is not None
    assert reason.startswith("pushing to 'main', which 'main' protects, needs Maintainer (40) on project acme/site ")
    assert reason.endswith("; root is no member")


@by_release(ADMINISTRATORS_BYPASS_PROTECTION, "status", {"15.11": 201, "16.0": 201})
def test_protection_for_administrators_is_for_them(fakeplat: Fakeplat, status: int) -> None:
    """A tag that is protected with the access level of administrators is created by them in every release."""
    body = {"name": "v*", "create_access_level": 60}
    assert status == fakeplat.as_user("root").post(f"{SITE}/protected_tags", json=body).status
    tag = {"tag_name": "v9", "ref": "feature"}
    assert 201 == fakeplat.as_user("root").post(f"{SITE}/repository/tags", json=tag).status
    assert 400 == fakeplat.as_user("ada").post(f"{SITE}/repository/tags", json={**tag, "tag_name": "v8"}).status


@by_release(DEVELOPERS_IMPORT_PROJECTS, "expected", {"15.11": None, "16.0": INVALID_NAMESPACE})
def test_only_maintainers_import_into_groups(fakeplat: Fakeplat, expected: Outcome | None) -> None:
    """From 16.0 on, developers import no projects into a group; maintainers and owners of namespaces do."""
    archive = archive_of(fakeplat)
    request = build_import_form(archive, path="copy", namespace="acme")
    reply = outcome(fakeplat.as_user("dev").post("projects/import", **request))

    assert (expected or (201, reply[1])) == reply
    for user, fields in (("mia", {"namespace": "acme", "path": "second"}), ("dev", {"path": "third"})):
        assert 201 == fakeplat.as_user(user).post("projects/import", **build_import_form(archive, **fields)).status


@by_release(MAX_IMPORT_SIZE, "limit", {"13.7": 50, "13.8": 0})
def test_imports_are_not_limited_later(fakeplat: Fakeplat, limit: int) -> None:
    """The default of max_import_size is 0, which is no limit, from 13.8 on."""
    assert limit == fakeplat.as_user("root").get("application/settings").json()["max_import_size"]


# Runners


def create_seen_runner(fake: Fakeplat, contacted_at: str | None = None) -> str:
    """Return the path of a runner with details of its host."""
    fields: dict[str, Any] = {"version": "13.5.0", "revision": "1", "platform": "linux", "architecture": "amd64"}
    runner = create_runner(fake, contacted_at=contacted_at, ip_address="192.0.2.1", **fields)
    return f"runners/{runner.id}"


@by_release(RUNNERS_BECOME_STALE, "status", {"14.10": "not_connected", "15.0": "never_contacted"})
def test_a_runner_that_never_contacted_the_platform(fakeplat: Fakeplat, status: str) -> None:
    """The status not_connected of runners is never_contacted from 15.0 on."""
    assert status == fakeplat.as_user("root").get(create_seen_runner(fakeplat)).json()["status"]


@by_release(RUNNERS_BECOME_STALE, "statuses", {"14.10": ["offline", "offline"], "15.0": ["offline", "stale"]})
def test_a_runner_becomes_stale(fakeplat: Fakeplat, statuses: list[str]) -> None:
    """From 15.0 on, a runner that was not seen for three months is stale."""
    path = create_seen_runner(fakeplat, "2020-11-20T09:00:00.000Z")
    seen = []
    for _ in range(2):
        fakeplat.clock.advance("50d")
        seen.append(fakeplat.as_user("root").get(path).json()["status"])
    assert statuses == seen


@by_release(RUNNER_STALE_DAYS, "status", {"18.1": "offline", "18.2": "stale"})
def test_a_runner_becomes_stale_within_a_week(fakeplat: Fakeplat, status: str) -> None:
    """A runner is stale after seven days; the first release that is known to do so is 18.2."""
    path = create_seen_runner(fakeplat, "2020-11-20T09:00:00.000Z")
    fakeplat.clock.advance("8d")
    assert status == fakeplat.as_user("root").get(path).json()["status"]


@by_release(RUNNER_ADDRESSES_ARE_NULL, "address", {"16.11": "192.0.2.1", "17.0": None})
def test_the_address_of_a_runner_is_no_longer_shown(fakeplat: Fakeplat, address: str | None) -> None:
    """The ip_address of runners is null from 17.0 on, because each of its managers has one."""
    assert address == fakeplat.as_user("root").get(create_seen_runner(fakeplat)).json()["ip_address"]


# Requests


@by_release(SHORT_ENVIRONMENT_SEARCHES_ARE_REFUSED, "status", {"15.11": 200, "16.0": 400})
def test_environments_are_searched_by_three_characters(fakeplat: Fakeplat, status: int) -> None:
    """From 16.0 on, a search for environments needs three characters; an empty one finds all."""
    reply = outcome(fakeplat.as_user("dev").get(f"{SITE}/environments?search=st"))
    expected: Outcome = (200, []) if status == 200 else bad_request("Search query is less than 3 characters")

    assert expected == reply
    assert (200, []) == outcome(fakeplat.as_user("dev").get(f"{SITE}/environments?search=sta"))
    assert (200, []) == outcome(fakeplat.as_user("dev").get(f"{SITE}/environments?search="))


@by_release(UPDATED_DEPLOYMENTS_ARE_SORTED_SO, "status", {"15.11": 200, "16.0": 400})
@pytest.mark.parametrize("name", ["updated_after", "updated_before"])
def test_deployments_by_update_are_sorted_by_it(fakeplat: Fakeplat, name: str, status: int) -> None:
    """From 16.0 on, deployments are filtered by their update only in the order of their updates."""
    path = f"{SITE}/deployments?{name}=2020-11-20T09:00:00Z"
    text = "`updated_at` filter requires `updated_at` sort"

    assert ((200, []) if status == 200 else bad_request(text)) == outcome(fakeplat.as_user("dev").get(path))
    assert (200, []) == outcome(fakeplat.as_user("dev").get(f"{path}&order_by=updated_at"))


@by_release(LONG_STATUS_TEXTS_ARE_REFUSED, "status", {"15.11": 201, "16.0": 400})
def test_descriptions_of_commit_statuses_are_short(fakeplat: Fakeplat, status: int) -> None:
    """From 16.0 on, the description of a commit status has 255 characters at most."""
    path = f"{SITE}/statuses/feature"
    create(fakeplat, path, by="dev", state="success", name="a", description="x" * 255)
    long = {"state": "success", "name": "b", "description": "x" * 256}
    reply = outcome(fakeplat.as_user("dev").post(path, json=long))
    text = "is too long (maximum is 255 characters)"

    assert ((201, reply[1]) if status == 201 else invalid_record(description=[text])) == reply


@by_release(UPLOADS_HAVE_PATHS_BY_ID, "prefix", {"17.0": "/acme/site/uploads/", "17.1": "/-/project/5001/uploads/"})
def test_uploads_have_paths_with_the_id_of_the_project(fakeplat: Fakeplat, prefix: str) -> None:
    """From 17.1 on, the full path of an upload names the project by its id; the file is there."""
    dev = fakeplat.as_user("dev")
    uploaded = dev.post(f"{SITE}/uploads", **form(file=("a.txt", "text/plain", b"text"))).json()

    assert prefix == uploaded["full_path"][: len(prefix)]
    address = f"{fakeplat.url}{uploaded['full_path']}"
    assert (200, b"text") == ((page := dev.get(address)).status, page.content)
    assert 404 == fakeplat.as_user(None).get(address).status


@by_release(METADATA_HAS_PROXY, "has_proxy", {"17.5": False, "17.6": True})
def test_the_metadata_has_the_proxy_of_the_agent_server(fakeplat: Fakeplat, has_proxy: bool) -> None:
    """The metadata has the address of the agent server's proxy from 17.6 on."""
    assert has_proxy is ("externalK8sProxyUrl" in fakeplat.as_user("dev").get("metadata").json()["kas"])


# Quick actions


MARKED: Final = "Marked this merge request as a draft."
UNCHANGED: Final = "No change to this merge request's draft status."


def prepare_merge_request(fake: Fakeplat) -> None:
    assert 200 == fake.as_user("dev").put(MERGE_REQUEST, json={"title": "One"}).status


@by_release(
    DRAFT_TOGGLES,
    "expected",
    {
        "15.11": [({"wip_event": "wip"}, MARKED), ({"wip_event": "unwip"}, "Unmarked this merge request as a draft.")],
        "16.0": [({"wip_event": "draft"}, MARKED), ({}, UNCHANGED)],
    },
)
def test_draft_does_not_toggle(fakeplat: Fakeplat, expected: list[tuple[dict[str, Any], str]]) -> None:
    """From 16.0 on, /draft leaves a draft as it is."""
    prepare_merge_request(fakeplat)
    assert expected == [run_commands(fakeplat, "/draft", "dev", MERGE_REQUEST) for _ in range(2)]


@by_release(READY_QUICK_ACTION, "status", {"15.0": 201, "15.1": 202})
def test_ready_ends_a_draft(fakeplat: Fakeplat, status: int) -> None:
    """The quick action /ready exists from 15.1 on; before, it is text."""
    prepare_merge_request(fakeplat)
    run_commands(fakeplat, "/draft", "dev", MERGE_REQUEST)
    dev = fakeplat.as_user("dev")

    assert status == dev.post(f"{MERGE_REQUEST}/notes", json={"body": "/ready"}).status
    assert ("One" if status == 202 else "Draft: One") == dev.get(MERGE_REQUEST).json()["title"]


# Pages


@by_release(PAGES_HAVE_UNIQUE_DOMAINS, "is_unique", {"15.10": False, "15.11": True})
def test_pages_of_new_projects_have_domains_of_their_own(fakeplat: Fakeplat, is_unique: bool) -> None:
    """From 15.11 on, the pages of projects have a domain of their own unless they are told otherwise."""
    id_ = create(fakeplat, "projects", by="dev", name="Fresh")["id"]
    projects = fakeplat.bench.platform.view.projects

    assert [is_unique, is_unique] == [
        projects[row].pages_unique_domain_enabled for row in (id_, fakeplat.world.project("acme/site").id)
    ]


@pytest.mark.fakeplat(version="latest")
def test_the_address_of_pages_says_whether_their_domain_is_unique(fakeplat: Fakeplat) -> None:
    """The address of pages follows the setting of their domain."""
    root, id_ = fakeplat.as_user("root"), create(fakeplat, "projects", by="dev", name="Fresh")["id"]
    before = root.get(f"projects/{id_}/pages").json()
    after = root.patch(f"projects/{id_}/pages", json={"pages_unique_domain_enabled": False}).json()

    assert [(True, f"http://fresh-{id_}.pages.localhost"), (False, "http://dev.pages.localhost/fresh")] == [
        (pages["is_unique_domain_enabled"], pages["url"]) for pages in (before, after)
    ]


# User agents


@by_release(USER_AGENTS_ARE_RECORDED, "status", {"16.9": 200, "16.10": 404})
@pytest.mark.parametrize(
    ("path", "number", "fields"),
    [
        (f"{SITE}/issues", "iid", {"title": "x"}),
        ("snippets", "id", {"title": "x", "files": [{"file_path": "a", "content": "x"}]}),
    ],
    ids=["issue", "snippet"],
)
def test_user_agents_are_recorded_no_more(
    fakeplat: Fakeplat, path: str, number: str, fields: dict[str, Any], status: int
) -> None:
    """Later releases record no user agent of issues and snippets; the first that is known not to is 16.10."""
    reply = fakeplat.as_user("root").post(path, json=fields, headers={"User-Agent": "tests/1.0"})
    shown = fakeplat.as_user("root").get(f"{path}/{reply.json()[number]}/user_agent_detail")

    assert status == shown.status
    assert status == 200 or {"message": "404 UserAgentDetail Not Found"} == shown.json()
