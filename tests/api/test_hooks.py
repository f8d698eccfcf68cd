"""Webhooks of projects and groups, and system hooks, as records. Source: docs/platform/webhooks.md."""

from typing import Any, Final

import orjson
import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    HOOKS_ARE_CREATED_ALIKE,
    HOOKS_KEEP_VARIABLES,
    SYSTEM_HOOKS_ARE_READ,
    SYSTEM_HOOKS_ARE_RECORDS,
)
from tests.api.company import COMPANY
from tests.api.deliveries import Deliveries
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    NO_ROUTE,
    STALE,
    UNAUTHORIZED,
    Outcome,
    invalid,
    invalid_record,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
SITE, DOCS, ACME = "projects/acme%2Fsite/hooks", "projects/acme%2Fdocs/hooks", "groups/acme/hooks"
URL = "https://receiver.example.com/hook"
HOOK = {"url": URL}
NOT_FOUND = (404, {"message": "404 Not found"})
BAD_URL = (422, {"error": "Invalid url given"})
BAD_FILTER = (422, {"error": "Invalid branch filter given"})
premium = pytest.mark.fakeplat(scenario=COMPANY, tier="premium")
newer = pytest.mark.fakeplat(scenario=COMPANY, tier="premium", version="latest")
COMMON = {
    "url": URL,
    "push_events": True,
    "tag_push_events": False,
    "merge_requests_events": False,
    "repository_update_events": False,
    "enable_ssl_verification": True,
    "issues_events": False,
    "confidential_issues_events": False,
    "note_events": False,
    "confidential_note_events": None,
    "pipeline_events": False,
    "wiki_page_events": False,
    "job_events": False,
}
SYSTEM_HOOK = {
    "url": URL,
    "push_events": False,
    "tag_push_events": False,
    "merge_requests_events": False,
    "repository_update_events": True,
    "enable_ssl_verification": True,
}


def create_hook(fake: Fakeplat, path: str = SITE, **more: Any) -> dict[str, Any]:
    reply = fake.as_user("root" if path == "hooks" else "ada").post(path, json={**HOOK, **more})
    assert 201 == reply.status, reply.json()
    return dict(reply.json())


def test_a_new_project_hook_gets_pushes_only(fakeplat: Fakeplat) -> None:
    """A new project hook receives only pushes; its flag for confidential notes is null."""
    hook = create_hook(fakeplat)
    project_id = fakeplat.world.project("acme/site").id

    assert {
        **COMMON,
        "id": hook["id"],
        "created_at": "2020-11-20T09:00:00.000Z",
        "project_id": project_id,
        "deployment_events": False,
        "releases_events": False,
        "push_events_branch_filter": None,
    } == hook
    assert hook == fakeplat.as_user("ada").get(f"{SITE}/{hook['id']}").json()


def test_the_order_of_the_keys(fakeplat: Fakeplat) -> None:
    """First what system hooks have, too."""
    assert [
        "id",
        "url",
        "created_at",
        "push_events",
        "tag_push_events",
        "merge_requests_events",
        "repository_update_events",
        "enable_ssl_verification",
        "project_id",
        "issues_events",
        "confidential_issues_events",
        "note_events",
        "confidential_note_events",
        "pipeline_events",
        "wiki_page_events",
        "deployment_events",
        "job_events",
        "releases_events",
        "push_events_branch_filter",
    ] == list(create_hook(fakeplat))


def test_flags_of_a_new_hook(fakeplat: Fakeplat) -> None:
    """A new webhook keeps each flag that is sent."""
    sent = {"push_events": False, "confidential_note_events": False, "wiki_page_events": True, "job_events": True}
    more: dict[str, Any] = {**sent, "push_events_branch_filter": " feature/* ", "enable_ssl_verification": False}
    hook = create_hook(fakeplat, **more)

    assert sent == {name: hook[name] for name in sent}
    assert ("feature/*", False) == (hook["push_events_branch_filter"], hook["enable_ssl_verification"])


def test_the_token_is_stored_and_never_shown(fakeplat: Fakeplat) -> None:
    """The token of a webhook is stored and never shown."""
    hook = create_hook(fakeplat, token="secret token")
    changed = fakeplat.as_user("ada").put(f"{SITE}/{hook['id']}", json={**HOOK, "token": "another"}).json()

    assert ("token" in hook, "token" in changed) == (False, False)
    assert "another" == fakeplat.bench.platform.view.hooks[hook["id"]].token


def test_a_null_removes_only_what_can_be_absent(fakeplat: Fakeplat) -> None:
    """A null removes the token and the filter of branches, and leaves the flags of events as they are."""
    hook = create_hook(fakeplat, token="secret", push_events_branch_filter="main")
    values = {"token": None, "push_events_branch_filter": None, "push_events": None, "issues_events": None}
    changed = fakeplat.as_user("ada").put(f"{SITE}/{hook['id']}", json={**HOOK, **values}).json()

    assert {**hook, "push_events_branch_filter": None} == changed
    assert fakeplat.bench.platform.view.hooks[hook["id"]].token is None


def test_lists_are_paginated(fakeplat: Fakeplat) -> None:
    """Webhooks are listed by ascending id with totals."""
    ids = [create_hook(fakeplat)["id"] for _ in range(3)]
    reply = fakeplat.as_user("ada").get(f"{SITE}?per_page=2")

    assert ids[:2] == [hook["id"] for hook in reply.json()]
    assert "3" == reply.headers["X-Total"]


def test_an_update_changes_only_what_it_names(fakeplat: Fakeplat) -> None:
    """The address is required all the same."""
    hook = create_hook(fakeplat, issues_events=True)
    sent = {**HOOK, "push_events": False, "job_events": True}
    reply = fakeplat.as_user("ada").put(f"{SITE}/{hook['id']}", json=sent)

    assert (200, {**hook, "push_events": False, "job_events": True}) == outcome(reply)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({}, invalid("url is missing")),
        ({**HOOK, "push_events": "maybe"}, invalid("push_events is invalid")),
        ({"url": "ftp://example.com"}, BAD_URL),
        ({"url": ""}, BAD_URL),
        ({"url": "nowhere"}, BAD_URL),
        ({**HOOK, "push_events_branch_filter": "~badbranchname/"}, BAD_FILTER),
        ({**HOOK, "push_events_branch_filter": "bad branch name"}, BAD_FILTER),
        ({**HOOK, "push_events_branch_filter": "refs/heads/x"}, BAD_FILTER),
        ({**HOOK, "push_events_branch_filter": "x" * 4001}, BAD_FILTER),
        ({**HOOK, "token": "two\nlines"}, (422, {"message": 'Project hook {:token=>["is invalid"]}'})),
    ],
    ids=["none", "flag", "scheme", "blank", "no URL", "filter", "blanks", "full name", "long", "token"],
)
def test_invalid_project_hooks_are_refused(fakeplat: Fakeplat, sent: dict[str, Any], expected: Any) -> None:
    """Invalid project hooks are refused on creation and update."""
    hook_id = create_hook(fakeplat)["id"]

    assert expected == refusal(fakeplat, "ada", "POST", SITE, json=sent)
    assert expected == refusal(fakeplat, "ada", "PUT", f"{SITE}/{hook_id}", json=sent)


@pytest.mark.parametrize("pattern", ["good_branch_name", "another/good-branch_name", "*", "master*", "feature/*/x"])
def test_branch_filters(fakeplat: Fakeplat, pattern: str) -> None:
    """Names with or without wildcards."""
    assert pattern == create_hook(fakeplat, push_events_branch_filter=pattern)["push_events_branch_filter"]


@pytest.mark.parametrize("url", ["http://localhost/x", "http://127.0.0.1:80", "http://10.1.2.3", "http://[fe80::1]"])
def test_local_addresses_need_a_setting(fakeplat: Fakeplat, url: str) -> None:
    """Worlds start with it; without it the address is refused unless it is on the list of the allowed ones."""
    root = fakeplat.as_user("root")
    assert url == create_hook(fakeplat, url=url)["url"]
    root.put("application/settings", json={"allow_local_requests_from_web_hooks_and_services": False})
    assert BAD_URL == refusal(fakeplat, "ada", "POST", SITE, json={"url": url})
    assert 201 == root.post("hooks", json={"url": url}).status
    allowed = ["localhost", "127.0.0.1:80", "10.0.0.0/8", "fe80::1"]
    root.put("application/settings", json={"outbound_local_requests_whitelist": allowed})
    assert url == create_hook(fakeplat, url=url)["url"]


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("hp://mep.mep", "Only allowed schemes are http, https"),
        ("http://localhost", "Requests to localhost are not allowed"),
        ("http://0.0.0.0", "Requests to localhost are not allowed"),
        ("http://127.0.0.2", "Requests to loopback addresses are not allowed"),
        ("http://172.16.0.1", "Requests to the local network are not allowed"),
        ("http://169.254.169.254", "Requests to the link local network are not allowed"),
        ("http://255.255.255.255", "Requests to the limited broadcast address are not allowed"),
    ],
)
def test_refused_addresses_of_system_hooks(fakeplat: Fakeplat, url: str, text: str) -> None:
    """System hooks have their own setting for local addresses and say why one is refused."""
    fakeplat.as_user("root").put("application/settings", json={"allow_local_requests_from_system_hooks": False})

    assert invalid_record(url=[f"is blocked: {text}"]) == refusal(fakeplat, "root", "POST", "hooks", json={"url": url})


def test_a_project_has_at_most_100_hooks(fakeplat: Fakeplat) -> None:
    """A project has at most 100 webhooks, which can still be changed at the limit."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "hooks": [HOOK] * 100}]})
    text = 'Project hook {:base=>["Maximum number of project hooks (100) exceeded"]}'

    assert (422, {"message": text}) == refusal(fakeplat, "ada", "POST", SITE, json=HOOK)
    create_hook(fakeplat, DOCS)
    hook_id = fakeplat.as_user("ada").get(SITE).json()[0]["id"]
    assert 200 == fakeplat.as_user("ada").put(f"{SITE}/{hook_id}", json={**HOOK, "job_events": True}).status


def test_deletion(fakeplat: Fakeplat) -> None:
    """A condition about its last change is respected."""
    hook_path = f"{SITE}/{create_hook(fakeplat)['id']}"

    assert STALE == refusal(fakeplat, "ada", "DELETE", hook_path, headers=LONG_AGO)
    assert 204 == fakeplat.as_user("ada").delete(hook_path).status
    assert NOT_FOUND == refusal(fakeplat, "ada", "DELETE", hook_path)


def test_a_hook_of_another_project_is_not_found(fakeplat: Fakeplat) -> None:
    """A hook of another project is not found and stays unchanged."""
    other = create_hook(fakeplat, DOCS)["id"]

    for method, body in (("GET", {}), ("PUT", {"json": HOOK}), ("DELETE", {})):
        assert NOT_FOUND == refusal(fakeplat, "ada", method, f"{SITE}/{other}", **body)
    assert 200 == fakeplat.as_user("ada").get(f"{DOCS}/{other}").status


def test_the_order_of_the_checks(fakeplat: Fakeplat) -> None:
    """Webhooks check login, project, role, parameters and hook in this order."""
    hook_path = f"{SITE}/1"
    assert UNAUTHORIZED == refusal(fakeplat, None, "PUT", hook_path)
    assert resource_not_found("Project") == refusal(fakeplat, "eve", "PUT", hook_path)
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", hook_path)
    assert invalid("url is missing") == refusal(fakeplat, "mia", "PUT", hook_path)
    assert NOT_FOUND == refusal(fakeplat, "mia", "PUT", hook_path, json=HOOK)


@premium
def test_group_hooks(fakeplat: Fakeplat) -> None:
    """Group hooks have the flags of project hooks except those for deployments and releases."""
    hook = create_hook(fakeplat, ACME, deployment_events=True, subgroup_events=True)
    group_id = fakeplat.world.group("acme").id

    assert {**COMMON, "id": hook["id"], "created_at": "2020-11-20T09:00:00.000Z", "group_id": group_id} == hook
    assert [hook] == fakeplat.as_user("ada").get(ACME).json()


@premium
def test_refusals_of_group_hooks(fakeplat: Fakeplat) -> None:
    """Only owners manage group hooks, at most 50 of them."""
    text = 'Group hook {:base=>["Maximum number of group hooks (50) exceeded"]}'

    assert FORBIDDEN == refusal(fakeplat, "mia", "POST", ACME, json=HOOK)
    assert resource_not_found("Group") == refusal(fakeplat, "ada", "POST", "groups/none/hooks", json=HOOK)
    assert BAD_URL == refusal(fakeplat, "ada", "POST", ACME, json={"url": "ftp://x.test"})
    fakeplat.load({"groups": [{"full_path": "acme", "hooks": [HOOK] * 50}]})
    assert (422, {"message": text}) == refusal(fakeplat, "ada", "POST", ACME, json=HOOK)


@newer
def test_newer_flags_of_group_hooks(fakeplat: Fakeplat) -> None:
    """Newer group hooks have flags for members, subgroups, deployments and releases."""
    sent = {
        "deployment_events": True,
        "releases_events": True,
        "subgroup_events": True,
        "member_events": True,
        "feature_flag_events": True,
        "push_events_branch_filter": "x*",
    }
    hook = create_hook(fakeplat, ACME, **sent)
    assert sent == {name: hook[name] for name in sent}


def test_group_hooks_are_paid(fakeplat: Fakeplat) -> None:
    """On the free tier group hooks have no operations."""
    assert 404 == fakeplat.as_user("ada").get(ACME).status


def test_system_hooks(fakeplat: Fakeplat) -> None:
    """A new one gets repository updates only, beside what all of them get."""
    hook = create_hook(fakeplat, "hooks", token="secret")
    assert {**SYSTEM_HOOK, "id": hook["id"], "created_at": "2020-11-20T09:00:00.000Z"} == hook
    flags = {"push_events": True, "tag_push_events": True, "repository_update_events": False}
    assert flags.items() <= create_hook(fakeplat, "hooks", **flags).items()
    assert 2 == len(fakeplat.as_user("root").get("hooks").json())


@by_release(SYSTEM_HOOKS_ARE_RECORDS, "expected", {"16.11": resource_not_found("System hook"), "17.0": NOT_FOUND})
def test_an_unknown_system_hook_is_not_deleted(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Later releases answer the deletion of an unknown hook as all other operations."""
    assert expected == refusal(fakeplat, "root", "DELETE", "hooks/1")


def test_refusals_of_system_hooks(fakeplat: Fakeplat) -> None:
    """Only administrators manage system hooks, and updating one is an unknown route before its release."""
    hook_path = f"hooks/{create_hook(fakeplat, 'hooks')['id']}"

    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", "hooks")
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", "hooks")
    assert invalid("url is missing") == refusal(fakeplat, "root", "POST", "hooks")
    assert NOT_FOUND == refusal(fakeplat, "root", "GET", "hooks/1")
    assert resource_not_found("System hook") == refusal(fakeplat, "root", "DELETE", "hooks/1")
    assert STALE == refusal(fakeplat, "root", "DELETE", hook_path, headers=LONG_AGO)
    assert NO_ROUTE == refusal(fakeplat, "root", "PUT", hook_path, json=HOOK)
    assert 204 == fakeplat.as_user("root").delete(hook_path).status


def test_hooks_are_deleted_with_their_project(fakeplat: Fakeplat) -> None:
    """Deleting a project deletes its hooks but not those of the instance."""
    create_hook(fakeplat)
    create_hook(fakeplat, "hooks")
    fakeplat.as_user("ada").delete("projects/acme%2Fsite")

    assert [None] == [hook.source for hook in fakeplat.bench.platform.view.hooks.all()]


VARIABLES: Final = [
    pytest.param(part, owner, id=f"{owner.partition('/')[0]}-{part}")
    for part in ("url_variables", "custom_headers")
    for owner in (SITE, ACME, "hooks")
]


@newer
@pytest.mark.parametrize(("part", "owner"), VARIABLES)
def test_variables_are_set_one_by_one(fakeplat: Fakeplat, part: str, owner: str) -> None:
    """A variable of the URL or a header is set and deleted by its name, and its value is never shown."""
    path = f"{owner}/{create_hook(fakeplat, owner)['id']}"
    calls = fakeplat.as_user("root")
    answers = [
        calls.put(f"{path}/{part}/{key}", json={"value": value}) for key, value in (("a", "1"), ("b", "2"), ("a", "3"))
    ]
    assert [(204, "")] * 3 == [(answer.status, answer.text) for answer in answers]
    assert [{"key": "a"}, {"key": "b"}] == calls.get(path).json()[part]
    assert 204 == calls.delete(f"{path}/{part}/a").status

    assert [{"key": "b"}] == calls.get(path).json()[part]


@newer
@pytest.mark.parametrize(("part", "owner"), VARIABLES)
def test_refusals_of_variables(fakeplat: Fakeplat, part: str, owner: str) -> None:
    """A name or a value that is not possible, a missing value, and an unknown variable are refused."""
    path = f"{owner}/{create_hook(fakeplat, owner)['id']}/{part}"
    illegal = (422, {"error": "Illegal key or value"})
    word = {"url_variables": "URL variable", "custom_headers": "Custom header"}[part]

    assert invalid("value is missing") == refusal(fakeplat, "root", "PUT", f"{path}/a")
    assert illegal == refusal(fakeplat, "root", "PUT", f"{path}/1a", json={"value": "x"})
    assert illegal == refusal(fakeplat, "root", "PUT", f"{path}/a", json={"value": ""})
    assert resource_not_found(word) == refusal(fakeplat, "root", "DELETE", f"{path}/a")
    assert NOT_FOUND == refusal(fakeplat, "root", "PUT", f"{owner}/1/{part}/a", json={"value": "x"})


@newer
@pytest.mark.parametrize(("part", "owner"), VARIABLES)
def test_changes_of_variables_are_merged(fakeplat: Fakeplat, part: str, owner: str) -> None:
    """A change adds variables and headers, or replaces those of the same name."""
    sent = [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]
    path = f"{owner}/{create_hook(fakeplat, owner, **{part: sent})['id']}"

    changes = {part: [{"key": "b", "value": "3"}, {"key": "c", "value": "4"}]}
    changed = fakeplat.as_user("root").put(path, json=changes).json()
    assert [{"key": key} for key in "abc"] == changed[part]


@by_release(HOOKS_KEEP_VARIABLES, "text", {"15.1": "url is missing", "15.2": "No parameters provided"})
def test_changes_of_hooks_say_something(fakeplat: Fakeplat, text: str) -> None:
    """A change without any parameter is refused."""
    path = f"{SITE}/{create_hook(fakeplat)['id']}"
    assert invalid(text) == refusal(fakeplat, "ada", "PUT", path, json={})


@by_release(
    HOOKS_ARE_CREATED_ALIKE,
    "answer",
    {"17.0": {"message": {"token": ["is invalid"]}}, "17.1": {"error": "Token is invalid"}},
)
def test_new_hooks_are_refused_with_a_sentence(fakeplat: Fakeplat, answer: dict[str, Any]) -> None:
    """A new webhook is first refused like a change, later with a sentence."""
    body = {"url": URL, "token": "two\nlines"}
    assert (422, answer) == refusal(fakeplat, "ada", "POST", SITE, json=body)


@newer
@pytest.mark.parametrize("owner", [SITE, ACME, "hooks"])
def test_all_webhooks_are_refused_alike(fakeplat: Fakeplat, owner: str) -> None:
    """New webhooks are refused with a sentence, changes of other fields than the URL with the texts of the fields."""
    path = f"{owner}/{create_hook(fakeplat, owner)['id']}"
    bad_header = {"custom_headers": [{"key": "1", "value": "x"}]}
    text = "must be a valid json schema"

    def refused(method: str, path: str, **fields: Any) -> Outcome:
        return refusal(fakeplat, "root", method, path, json={"url": URL, **fields})

    assert (422, {"error": "Invalid url given"}) == refused("POST", owner, url="ftp://example.com")
    assert (422, {"error": "Token is invalid"}) == refused("POST", owner, token="two\nlines")
    assert (422, {"message": {"token": ["is invalid"]}}) == refused("PUT", path, token="two\nlines")
    assert (422, {"error": f"Custom headers {text}"}) == refused("POST", owner, **bad_header)
    assert (422, {"error": f"Custom headers validation failed: {text}"}) == refused("PUT", path, **bad_header)


@newer
def test_variables_of_the_url_are_needed(fakeplat: Fakeplat) -> None:
    """A variable that the URL contains cannot be deleted."""
    hook = create_hook(fakeplat, url=f"{URL}/{{secret}}", url_variables=[{"key": "secret", "value": "x"}])
    expected = (422, {"error": "Could not unset variable"})
    assert expected == refusal(fakeplat, "ada", "DELETE", f"{SITE}/{hook['id']}/url_variables/secret")


@newer
@pytest.mark.parametrize("owner", [SITE, ACME, "hooks"])
def test_hooks_have_names(fakeplat: Fakeplat, owner: str) -> None:
    """A webhook has a name and a description, which may be removed."""
    hook = create_hook(fakeplat, owner, name="Builds", description="Starts builds")
    assert ("Builds", "Starts builds") == (hook["name"], hook["description"])
    changes = {"url": URL, "name": "Tests", "description": None}
    changed = fakeplat.as_user("root").put(f"{owner}/{hook['id']}", json=changes).json()

    assert ("Tests", None) == (changed["name"], changed["description"])


@newer
def test_system_hooks_of_later_releases(fakeplat: Fakeplat) -> None:
    """Later releases show and update a system hook, and send it a sample with a POST."""
    hook, calls = create_hook(fakeplat, "hooks"), fakeplat.as_user("root")
    path = f"hooks/{hook['id']}"
    assert hook == calls.get(path).json()
    sent = Deliveries(fakeplat)
    reply = calls.post(path)
    (request,) = sent.take()
    assert (201, "project_create") == (reply.status, reply.json()["event_name"])
    assert reply.json() == orjson.loads(request.body)
    changes = {"push_events": True, "push_events_branch_filter": "main"}
    assert {**hook, **changes} == calls.put(path, json=changes).json()
    url = "http://[::1"

    assert (422, {"error": "Invalid url given"}) == outcome(calls.put(path, json={"url": url}))
    assert {**hook, **changes} == calls.get(path).json()


@newer
def test_samples_of_groups(fakeplat: Fakeplat) -> None:
    """A webhook of a group gets a sample from the group's first project with a repository."""
    hook, calls = create_hook(fakeplat, ACME), fakeplat.as_user("ada")
    path = f"{ACME}/{hook['id']}/test"
    namespace = calls.get("groups/acme").json()["id"]
    calls.post("projects", json={"name": "Fresh", "namespace_id": namespace, "initialize_with_readme": True})
    sent = Deliveries(fakeplat)
    reply = calls.post(f"{path}/push_events")
    (request,) = sent.take()
    assert (201, {"message": "201 Created"}) == (reply.status, reply.json())
    assert "push" == orjson.loads(request.body)["object_kind"]
    assert invalid("trigger does not have a valid value") == refusal(fakeplat, "ada", "POST", f"{path}/none")

    calls.post("groups", json={"name": "Empty", "path": "empty"})
    empty = create_hook(fakeplat, "groups/empty/hooks")["id"]
    expected = (422, {"message": "Ensure the group has a project with commits."})
    assert expected == refusal(fakeplat, "ada", "POST", f"groups/empty/hooks/{empty}/test/push_events")


@by_release(SYSTEM_HOOKS_ARE_READ, "expected", {"15.3": [1, "event_name"], "15.4": [0, "url"]})
def test_a_system_hook_is_read(fakeplat: Fakeplat, expected: list[Any]) -> None:
    """A GET of a system hook sends a sample, until a release reads the hook."""
    hook = create_hook(fakeplat, "hooks")
    sent = Deliveries(fakeplat)
    details = fakeplat.as_user("root").get(f"hooks/{hook['id']}").json()
    assert expected == [len(sent.take()), next(name for name in ("event_name", "url") if name in details)]
