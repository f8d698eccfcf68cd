"""Effects of settings that later releases brought: each row changes what users get from the API.

Source: doc/api/settings.md, doc/administration/settings and the model of 18.9.
"""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    API_HAS_THROTTLE_FOR_VISITORS,
    NOTES_ARE_LIMITED,
    RUNNER_REQUESTS_ARE_LIMITED,
    RUNNERS_ARE_LIMITED,
    VISITORS_DOWNLOAD_SO_OFTEN,
)
from tests.api.deliveries import URL, receive
from tests.api.requests import Outcome, invalid_record, outcome, person, refusal
from tests.api.test_setting_effects import (
    GIT,
    RAW,
    SITE,
    TOO_MANY,
    WEB,
    Effect,
    basic,
    create_and_read,
    name_effect,
    new_user,
    send_status,
    sign_up,
    signed_up,
)
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(
    scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", tier="ultimate", version="latest"
)
ALL_SIGN_UPS: Final = {"require_admin_approval_after_user_signup": False}


def ask_for_jobs(fake: Fakeplat) -> int:
    """Ask for a job twice with one token, which nobody has."""
    return [fake.as_user(None).post("jobs/request", json={"token": "of-nobody"}).status for _ in range(2)][-1]


def report_jobs(method: str, below: str = "") -> Callable[[Fakeplat], int]:
    """Report the state or the log of a job twice with one token, which is another job's."""

    def observe(fake: Fakeplat) -> int:
        fake.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": [{"jobs": [{"name": "build"}]}]}]})
        (job, *_) = fake.bench.platform.view.jobs.all()
        anonymous = fake.as_user(None)
        return [anonymous.request(method, f"jobs/{job.id}{below}", json={"token": "x"}).status for _ in range(2)][-1]

    return observe


def create_pipelines(fake: Fakeplat) -> Any:
    """Create two pipelines of one commit; return why the second one is refused."""
    body = {"ref": fake.as_user("ada").get(SITE).json()["default_branch"]}
    replies = [fake.as_user("ada").post(f"{SITE}/pipeline", json=body) for _ in range(2)]
    assert 201 == replies[0].status
    return replies[1].json().get("message")


def log_in_without_application(fake: Fakeplat) -> int:
    """Send a password for a token without the credentials of an application."""
    form = {"grant_type": "password", "username": "dev", "password": "dev-password"}
    fake.load({"users": [{"username": "dev", "password": "dev-password"}]})
    return fake.as_user(None).post("/oauth/token", json=form).status


def register_runner(token: str) -> Callable[[Fakeplat], int]:
    """Register a runner with the registration token of a project."""

    def observe(fake: Fakeplat) -> int:
        fake.load({"projects": [{"path_with_namespace": "acme/site", "runners_token": token}]})
        return fake.as_user(None).post("runners", json={"token": token}).status

    return observe


def token_expiry(fake: Fakeplat) -> Any:
    """The last day of a token that names none."""
    user = fake.world.user("dev").id
    body = {"name": "new", "scopes": ["api"]}
    return fake.as_user("root").post(f"users/{user}/personal_access_tokens", json=body).json()["expires_at"]


def protection(fake: Fakeplat) -> Any:
    """The protection of the default branch of a new project."""
    project = create_and_read("projects", "id", name="Fresh", initialize_with_readme=True)(fake)
    (branch,) = fake.as_user("ada").get(f"projects/{project}/protected_branches").json()
    accesses = (branch["push_access_levels"], branch["merge_access_levels"])
    return [*([entry["access_level"] for entry in access] for access in accesses), branch["allow_force_push"]]


def create_hook(url: str) -> Callable[[Fakeplat], int]:
    return send_status("POST", f"{SITE}/hooks", by="mia", json={"url": url})


def create_runner(runner_type: str, **owner: str) -> Callable[[Fakeplat], Any]:
    """Create a runner; return when its token expires."""

    def observe(fake: Fakeplat) -> Any:
        kind = "projects" if "project_id" in owner else "groups"
        ids = {name: fake.as_user("root").get(f"{kind}/{quote(path, '')}").json()["id"] for name, path in owner.items()}
        reply = fake.as_user("root").post("user/runners", json={"runner_type": runner_type, **ids})
        assert 201 == reply.status
        end = reply.json()["token_expires_at"]
        return end and end[:10]

    return observe


def index_project(fake: Fakeplat) -> int:
    project = fake.as_user("root").get(SITE).json()["id"]
    return fake.as_user("root").put(f"admin/zoekt/projects/{project}/index").status


def big_diff(fake: Fakeplat) -> int:
    """Observe how many of 1,200 files the diff of a commit lists."""
    actions = [{"action": "create", "file_path": f"{number}.txt", "content": "x"} for number in range(1200)]
    branch = fake.as_user("ada").get(SITE).json()["default_branch"]
    body = {"branch": branch, "commit_message": "Add", "actions": actions}
    sha = fake.as_user("ada").post(f"{SITE}/repository/commits", json=body).json()["id"]
    limit = {"per_page": 100, "page": 11}
    return len(fake.as_user("ada").get(f"{SITE}/repository/commits/{sha}/diff", params=limit).json())


def deliveries(fake: Fakeplat) -> int:
    """Observe how many mails and webhooks follow from a note that mentions somebody."""
    received = receive(fake, url=URL, note_events=True)
    fake.as_user("ada").post(f"{SITE}/issues/1/notes", json={"body": "Hello @dev"})
    return len(received.take()) + len(fake.mails)


def search(scope: str) -> Callable[[Fakeplat], int]:
    return send_status("GET", f"search?scope={scope}&search=site")


def write_notes(number: int) -> Callable[[Fakeplat], int]:
    return send_status("POST", f"{SITE}/issues/1/notes", times=number, json={"body": "Hello"})


def limited(setting: str, path: str, by: str | None = "ada") -> Effect:
    """Return the effect of a limit of one request."""
    return Effect({setting: 1}, send_status("GET", path, by=by, times=2), 200, TOO_MANY)


def download_twice(by: str | None) -> Callable[[Fakeplat], int]:
    """Download two files of a public project; observe the last status."""

    def observe(fake: Fakeplat) -> int:
        body = {"name": "Open", "visibility": "public", "initialize_with_readme": True}
        project = fake.as_user("ada").post("projects", json=body).json()
        web = f"{WEB}/{project['path_with_namespace']}/-/raw/{project['default_branch']}"
        return [fake.as_user(by).get(f"{web}/{file}").status for file in ("missing.md", "README.md")][-1]

    return observe


def throttle(name: str) -> dict[str, Any]:
    return {
        f"throttle_{name}_enabled": True,
        f"throttle_{name}_requests_per_period": 1,
        f"throttle_{name}_period_in_seconds": 60,
    }


FILE: Final = f"{SITE}/repository/files/README.md?ref=HEAD"
TOO_MANY_PIPELINES: Final = {"base": ["Too many pipelines created in the last minute. Try again later."]}
LEFT_PAD: Final = "packages/npm/left-pad"
EFFECTS: Final = [
    Effect({"can_create_group": False}, lambda fake: new_user(fake).json()["can_create_group"], True, False),
    Effect(
        {"user_defaults_to_private_profile": True}, lambda fake: new_user(fake).json()["private_profile"], False, True
    ),
    Effect(
        {"user_defaults_to_private_profile": True},
        lambda fake: (
            fake.as_user("root")
            .put(f"users/{person(fake, 'eve')}", json={"private_profile": None})
            .json()["private_profile"]
        ),
        False,
        True,
    ),
    *(
        Effect(
            {f"password_{kind}_required": True},
            lambda fake, word=word: new_user(fake, password=word).status,  # type: ignore[misc]  # a default
            201,
            400,
        )
        for kind, word in (
            ("number", "Sixteen-or-more!"),
            ("symbol", "SixteenOrMore16"),
            ("uppercase", "sixteen-or-more-16"),
            ("lowercase", "SIXTEEN-OR-MORE-16"),
        )
    ),
    Effect({**ALL_SIGN_UPS, "email_confirmation_setting": "hard"}, sign_up, "/users/sign_in", "/users/sign_in"),
    Effect({**ALL_SIGN_UPS, "email_confirmation_setting": "soft"}, sign_up, "/users/sign_in", "/"),
    Effect(
        {**ALL_SIGN_UPS, "email_confirmation_setting": "soft"},
        lambda fake: signed_up("confirmed_at")(fake) is None,
        False,
        True,
    ),
    Effect({"disable_personal_access_tokens": True}, send_status("GET", "user"), 200, 401),
    Effect({"silent_mode_enabled": True}, lambda fake: deliveries(fake) > 0, True, False),
    Effect({"diff_max_files": 1100}, big_diff, 0, 100),
    Effect({"default_branch_protection": 3}, protection, [[40], [40], False], [[40], [30], False]),
    Effect(
        {
            "default_branch_protection_defaults": {
                "allowed_to_push": [{"access_level": 30}],
                "allowed_to_merge": [{"access_level": 0}],
                "allow_force_push": True,
            }
        },
        protection,
        [[40], [40], False],
        [[30], [0], True],
    ),
    Effect(
        {"default_project_creation": 4},
        create_and_read("groups", "project_creation_level", name="x", path="x"),
        "developer",
        "owner",
    ),
    *(Effect({f"global_search_{scope}_enabled": False}, search(scope), 200, 403) for scope in ("issues", "users")),
    Effect(
        {"global_search_issues_enabled": False},
        send_status("GET", f"{SITE}/search?scope=issues&search=site"),
        200,
        200,
    ),
    Effect({"notes_create_limit": 1}, write_notes(2), 201, TOO_MANY),
    Effect({"notes_create_limit": 1, "notes_create_limit_allowlist_raw": "Ada"}, write_notes(2), 201, 201),
    limited("search_rate_limit", "search?scope=users&search=ada"),
    limited("search_rate_limit", f"{SITE}/search?scope=issues&search=site"),
    Effect(
        {"search_rate_limit": 1, "search_rate_limit_allowlist_raw": "ada"},
        send_status("GET", "search?scope=users&search=ada", times=2),
        200,
        200,
    ),
    limited("ci_lint_limit_per_user", f"{SITE}/ci/lint"),
    Effect({"raw_blob_request_limit_unauthenticated": 1}, download_twice(None), 200, TOO_MANY),
    Effect({"raw_blob_request_limit_unauthenticated": 1}, download_twice("dev"), 200, 200),
    limited("projects_api_limit", "projects"),
    limited("projects_api_rate_limit_unauthenticated", "projects", by=None),
    limited("project_api_limit", "projects/acme%2Fsite"),
    limited("project_jobs_api_rate_limit", f"{SITE}/jobs"),
    limited("groups_api_limit", "groups"),
    limited("group_projects_api_limit", "groups/acme/projects"),
    limited("user_projects_api_limit", "users/2/projects"),
    limited("users_get_by_id_limit", "users/2"),
    limited("users_api_limit_ssh_keys", "users/2/keys"),
    Effect(throttle("unauthenticated_api"), send_status("GET", "projects", by=None, times=2), 200, TOO_MANY),
    Effect(throttle("unauthenticated_api"), send_status("GET", RAW, by=None, times=2), 302, 302),
    Effect(throttle("unauthenticated_web"), send_status("GET", "projects", by=None, times=2), 200, 200),
    Effect(throttle("unauthenticated_web"), send_status("GET", RAW, by=None, times=2), 302, TOO_MANY),
    Effect(throttle("authenticated_files_api"), send_status("GET", FILE, times=2), 200, TOO_MANY),
    Effect(throttle("authenticated_files_api"), send_status("GET", "projects", times=2), 200, 200),
    Effect(
        {**throttle("authenticated_api"), "throttle_authenticated_files_api_enabled": True},
        send_status("GET", FILE, times=2),
        200,
        200,
    ),
    Effect(throttle("authenticated_packages_api"), send_status("GET", LEFT_PAD, times=2), 302, TOO_MANY),
    Effect(throttle("authenticated_deprecated_api"), send_status("GET", "groups/acme", times=2), 200, TOO_MANY),
    Effect(
        throttle("authenticated_git_http"),
        send_status("GET", GIT, None, times=2, headers=basic("ada", "ada-token")),
        200,
        TOO_MANY,
    ),
    Effect(
        {
            "throttle_protected_paths_enabled": True,
            "throttle_protected_paths_requests_per_period": 1,
            "protected_paths_for_get_request_raw": "/api/v4/version",
        },
        send_status("GET", "version", times=2),
        200,
        TOO_MANY,
    ),
    Effect({"allow_runner_registration_token": False}, register_runner("site-registration"), 201, 410),
    Effect({"valid_runner_registrars": ["group"]}, register_runner("site-registration"), 201, 403),
    Effect({"valid_runner_registrars": ["project"]}, register_runner("site-registration"), 201, 201),
    Effect(
        {"allow_project_creation_for_guest_and_below": False},
        send_status("POST", "projects", by="gus", json={"name": "Own"}),
        201,
        400,
    ),
    Effect(
        {"allow_project_creation_for_guest_and_below": False},
        send_status("POST", "groups", by="gus", json={"name": "Own", "path": "own"}),
        201,
        403,
    ),
    Effect(
        {"allow_project_creation_for_guest_and_below": False},
        send_status("POST", "projects", by="rep", json={"name": "Own"}),
        201,
        201,
    ),
    Effect({"max_personal_access_token_lifetime": 30}, token_expiry, "2021-11-20", "2020-12-20"),
    Effect({"require_personal_access_token_expiry": False}, token_expiry, "2021-11-20", None),
    *(
        Effect(
            {"top_level_group_creation_enabled": False},
            send_status("POST", "groups", by=user, json={"name": "New", "path": "new"}),
            201,
            403,
        )
        for user in ("ada", "root")
    ),
    Effect({"deny_all_requests_except_allowed": True}, create_hook("https://hooks.example.test/"), 201, 422),
    Effect(
        {"deny_all_requests_except_allowed": True, "outbound_local_requests_whitelist": ["hooks.example.test"]},
        create_hook("https://hooks.example.test/"),
        201,
        201,
    ),
    Effect(
        {"project_runner_token_expiration_interval": 86400},
        create_runner("project_type", project_id="acme/site"),
        None,
        "2020-11-21",
    ),
    Effect(
        {"group_runner_token_expiration_interval": 86400},
        create_runner("group_type", group_id="acme"),
        None,
        "2020-11-21",
    ),
    Effect(
        {"runner_token_expiration_interval": 86400},
        create_runner("instance_type"),
        None,
        "2020-11-21",
    ),
    Effect({"zoekt_indexing_enabled": True}, index_project, 400, 200),
    Effect({"runner_jobs_request_api_limit": 1}, ask_for_jobs, 403, TOO_MANY),
    Effect({"runner_jobs_endpoints_api_limit": 1}, report_jobs("PUT"), 403, TOO_MANY),
    Effect({"runner_jobs_patch_trace_api_limit": 1}, report_jobs("PATCH", "/trace"), 403, TOO_MANY),
    Effect({"pipeline_limit_per_project_user_sha": 1}, create_pipelines, None, TOO_MANY_PIPELINES),
    Effect({"pipeline_limit_per_user": 1}, create_pipelines, None, TOO_MANY_PIPELINES),
    Effect({"ropc_without_client_credentials": False}, log_in_without_application, 200, 401),
]


@pytest.mark.parametrize("effect", EFFECTS, ids=name_effect)
def test_without_the_later_setting(fakeplat: Fakeplat, effect: Effect) -> None:
    """The platform behaves as by default."""
    assert effect.before == effect.observe(fakeplat)


@pytest.mark.parametrize("effect", EFFECTS, ids=name_effect)
def test_with_the_later_setting(fakeplat: Fakeplat, effect: Effect) -> None:
    """The setting counts from the next request on."""
    reply = fakeplat.as_user("root").put("application/settings", json=effect.values)
    assert (200, effect.after) == (reply.status, effect.observe(fakeplat))


def test_passwords_need_every_kind_of_character(fakeplat: Fakeplat) -> None:
    """Each kind of character that a password lacks is an error of its own; generated passwords lack none."""
    kinds = ("number", "lowercase", "uppercase", "symbol")
    fakeplat.as_user("root").put("application/settings", json={f"password_{kind}_required": True for kind in kinds})
    texts = ["requires at least one number", "requires at least one uppercase letter"]
    body = {"username": "new", "name": "New", "email": "new@corp.test"}

    refused = refusal(fakeplat, "root", "POST", "users", json={**body, "password": "lower-case-only"})
    assert invalid_record(password=[*texts]) == refused
    assert 201 == fakeplat.as_user("root").post("users", json={**body, "force_random_password": True}).status


@pytest.mark.fakeplat(tier="free")
def test_passwords_of_the_free_tier_are_simple(fakeplat: Fakeplat) -> None:
    """The complexity of passwords is a feature of paid tiers, below which the settings are ignored."""
    fakeplat.as_user("root").put("application/settings", json={"password_number_required": True})
    assert 201 == new_user(fakeplat, password="Sixteen-or-more!").status


LIMITED: Final[Outcome] = (
    429,
    {"message": {"error": "This endpoint has been requested too many times. Try again later."}},
)


def test_the_limit_of_an_endpoint_ends(fakeplat: Fakeplat) -> None:
    """Above the limit of an endpoint, requests are refused until its period is over."""
    fakeplat.as_user("root").put("application/settings", json={"users_get_by_id_limit": 1})
    calls = fakeplat.as_user("ada")
    assert [200, 429] == [calls.get("users/2").status for _ in range(2)]
    assert LIMITED == outcome(calls.get("users/2"))
    fakeplat.clock.advance("9m")
    assert 429 == calls.get("users/2").status
    fakeplat.clock.advance("1m")

    assert 200 == calls.get("users/2").status


@by_release(NOTES_ARE_LIMITED, "status", {"13.7": 201, "13.8": TOO_MANY})
def test_notes_are_limited(fakeplat: Fakeplat, status: int) -> None:
    """A user may write 300 notes in a minute."""
    assert status == write_notes(301)(fakeplat)


@by_release(API_HAS_THROTTLE_FOR_VISITORS, "status", {"14.2": TOO_MANY, "14.3": 200})
def test_visitors_of_the_api_have_a_throttle(fakeplat: Fakeplat, status: int) -> None:
    """The throttle for visitors counts requests of the API until these have a throttle of their own."""
    fakeplat.as_user("root").put("application/settings", json=throttle("unauthenticated"))
    assert status == send_status("GET", "projects", by=None, times=2)(fakeplat)


@pytest.mark.fakeplat(scenario={"extends": "starter", "instance": {"throttle": {"requests": 1, "period": "60s"}}})
def test_the_throttle_of_the_instance_is_for_everyone(fakeplat: Fakeplat) -> None:
    """The throttle of a scenario limits visitors of the API in every release."""
    assert TOO_MANY == send_status("GET", "projects", by=None, times=2)(fakeplat)


@by_release(RUNNER_REQUESTS_ARE_LIMITED, "status", {"18.4": 403, "18.5": TOO_MANY})
def test_requests_of_runners_are_limited(fakeplat: Fakeplat, status: int) -> None:
    """A runner may ask for jobs 2,000 times in a minute with one token."""
    anonymous = fakeplat.as_user(None)
    for _ in range(2000):
        anonymous.post("jobs/request", json={"token": "of-nobody"})
    assert status == anonymous.post("jobs/request", json={"token": "of-nobody"}).status


def test_a_forbidden_registration_says_why(fakeplat: Fakeplat) -> None:
    """Registration tokens that the settings turned off are gone."""
    fakeplat.as_user("root").put("application/settings", json={"allow_runner_registration_token": False})
    expected = (410, {"message": "410 Gone - runner registration disallowed"})
    assert expected == refusal(fakeplat, None, "POST", "runners", json={"token": "x"})


def test_a_runner_whose_token_expired(fakeplat: Fakeplat) -> None:
    """A token that expired is unknown to the platform; whoever has a new one goes on."""
    root = fakeplat.as_user("root")
    root.put("application/settings", json={"runner_token_expiration_interval": 86400})
    created = root.post("user/runners", json={"runner_type": "instance_type"}).json()
    body = {"token": created["token"]}
    assert 200 == fakeplat.as_user(None).post("runners/verify", json=body).status
    fakeplat.clock.advance("86401s")

    assert (403, {"message": "403 Forbidden"}) == refusal(fakeplat, None, "POST", "runners/verify", json=body)
    renewed = root.post(f"runners/{created['id']}/reset_authentication_token").json()
    assert renewed["token_expires_at"].startswith("2020-11-22T09:00:01")
    assert 200 == fakeplat.as_user(None).post("runners/verify", json={"token": renewed["token"]}).status


@by_release(RUNNERS_ARE_LIMITED, "expected", {"14.3": 201, "14.4": 400})
def test_the_number_of_runners_is_limited(fakeplat: Fakeplat, expected: int) -> None:
    """Projects and groups have as many runners as the plan allows; those not seen for long do not count."""
    anonymous = fakeplat.as_user(None)
    fakeplat.load({"settings": {"ci_registered_group_runners": 1, "ci_registered_project_runners": 1}})
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "runners_token": "of-site"}]})
    fakeplat.load({"groups": [{"path": "acme", "runners_token": "of-acme"}]})
    for token, owner, word in (("of-site", "projects", "project"), ("of-acme", "namespaces", "group")):
        assert 201 == anonymous.post("runners", json={"token": token}).status
        reply = anonymous.post("runners", json={"token": token})
        assert expected == reply.status
        if expected == 400:
            text = f"Maximum number of ci registered {word} runners (1) exceeded"
            assert {"message": {f"runner_{owner}.base": [text]}} == reply.json()
            fakeplat.clock.advance("100d")
            assert 201 == anonymous.post("runners", json={"token": token}).status


@by_release(VISITORS_DOWNLOAD_SO_OFTEN, "expected", {"19.2": 200, "19.3": TOO_MANY})
def test_downloads_of_visitors_are_limited(fakeplat: Fakeplat, expected: int) -> None:
    """Later releases limit the downloads from a project by all who are not signed in."""
    fakeplat.load({"settings": {"raw_blob_request_limit_unauthenticated": 1}})

    assert expected == download_twice(None)(fakeplat)
