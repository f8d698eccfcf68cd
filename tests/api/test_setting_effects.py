"""Effects of settings: each row is set by an administrator and changes what users get from the API.

Source: docs/platform/settings.md.
"""

from base64 import b64encode, urlsafe_b64decode
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson
import pytest

from fakeplat.domain.repository import repositories
from fakeplat.domain.settings import FORBIDDEN, get_key_restriction
from fakeplat.harness.fake import Fakeplat
from fakeplat.model.repository import BRANCHES
from fakeplat.model.settings import Settings
from tests.api.jobs import create_pipeline
from tests.api.jobs import path as job_path
from tests.api.oauth import Browser
from tests.api.requests import form
from tests.api.test_minutes_quotas import next_status, run_job
from tests.api.test_runner_protocol import create_runner

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2020-11-20T09:00:00.000Z", tier="premium")
SITE = "projects/acme%2Fsite"
WEB = "http://site.test"  # paths outside the API are sent as URLs
TOO_MANY = 429


def create_and_read(path: str, /, *fields: str, by: str = "ada", **body: Any) -> Callable[[Fakeplat], Any]:
    """Create a record; observe some of its fields."""

    def observe(fake: Fakeplat) -> Any:
        record = fake.as_user(by).post(path, json=body).json()
        return [record.get(field) for field in fields] if len(fields) > 1 else record.get(fields[0])

    return observe


def read_field(path: str, field: str, by: str = "ada") -> Callable[[Fakeplat], Any]:
    """Read a field."""
    return lambda fake: fake.as_user(by).get(path).json()[field]


def send_status(
    method: str, path: str, by: str | None = "ada", times: int = 1, **rest: Any
) -> Callable[[Fakeplat], int]:
    """Send a request, several times; observe the last status."""
    return lambda fake: [fake.as_user(by).request(method, path, **rest).status for _ in range(times)][-1]


def basic(name: str, password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"}


def protected_branches(fake: Fakeplat) -> list[str]:
    """The protected branches of a new project with a README."""
    project = create_and_read("projects", "id", name="Fresh", initialize_with_readme=True)(fake)
    return [branch["name"] for branch in fake.as_user("ada").get(f"projects/{project}/protected_branches").json()]


def first_branch(fake: Fakeplat) -> str | None:
    project = create_and_read("projects", "id", name="Fresh", initialize_with_readme=True)(fake)
    return str(fake.as_user("ada").get(f"projects/{project}").json()["default_branch"])


def commit_author(fake: Fakeplat) -> str:
    """The address with which ada commits, if she chose a private one."""
    fake.load({"users": [{"username": "ada", "commit_email": "_private"}]})
    body = {"branch": "master", "content": "x", "commit_message": "x"}
    fake.as_user("ada").post("projects/acme%2Fsite/repository/files/new.txt", json=body)
    return str(fake.as_user("ada").get("projects/acme%2Fsite/repository/commits/master").json()["author_email"])


def new_user(fake: Fakeplat, email: str = "new@corp.test", password: str = "Sixteen-or-more!") -> Any:
    body = {"username": "new", "name": "New", "email": email, "password": password}
    return fake.as_user("root").post("users", json=body)


def sign_up(fake: Fakeplat, email: str = "new@corp.test") -> Any:
    """Sign up at the page; observe the path that follows, or the page if that shows an error."""
    walk = Browser(fake)
    fields = {
        "first_name": "New",
        "last_name": "One",
        "username": "new",
        "email": email,
        "password": "Sixteen-or-more!",
    }
    form_page = walk.open("users/sign_up")
    if form_page.status != 200:
        return "closed"
    reply = walk.submit(form_page, 0, **{f"new_user[{name}]": value for name, value in fields.items()})
    return reply.headers["location"].removeprefix(fake.url.rstrip("/")) if reply.status == 302 else reply.text


def signed_up(field: str) -> Callable[[Fakeplat], Any]:
    """Sign up; observe a field of the new user."""

    def observe(fake: Fakeplat) -> Any:
        sign_up(fake)
        (user,) = fake.as_user("root").get("users?username=new").json()
        return fake.as_user("root").get(f"users/{user['id']}").json()[field]

    return observe


def sign_up_refused(text: str, email: str = "new@corp.test") -> Callable[[Fakeplat], bool]:
    """Sign up; observe whether the page shows an error."""
    return lambda fake: f"<p>{text}</p>" in sign_up(fake, email)


def retry_old_job(fake: Fakeplat) -> int:
    """Retry a job that is two days old."""
    create_pipeline(fake, {"name": "test", "status": "failed"})
    fake.clock.advance("48h")
    return int(fake.as_user("ada").post(job_path(fake, "test", "/retry")).status)


def token_lifetime(fake: Fakeplat) -> int:
    """The seconds for which a token for the registry is valid."""
    reply = fake.as_user(None).get(
        f"{WEB}/jwt/auth?service=container_registry&scope=repository:acme/site:pull", headers=basic("ada", "ada-token")
    )
    payload = reply.json()["token"].split(".")[1]
    claims = orjson.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return int(claims["exp"] - claims["iat"])


def big_diff(fake: Fakeplat) -> bool:
    """Observe whether the diff of a file of 150 kB is shown."""
    action = {"action": "create", "file_path": "big.txt", "content": "0123456789\n" * 14_000}
    body = {"branch": "master", "commit_message": "Add", "actions": [action]}
    sha = fake.as_user("ada").post(f"{SITE}/repository/commits", json=body).json()["id"]
    return bool(fake.as_user("ada").get(f"{SITE}/repository/commits/{sha}/diff").json()[0]["diff"])


def job_after_ten_minutes(fake: Fakeplat) -> int:
    """Let a runner of the instance ask for a job after one that took ten minutes."""
    runner = create_runner(fake, "instance_type")
    run_job(fake, runner)
    return next_status(fake, runner)


def big_commit(fake: Fakeplat) -> int:
    """Commit a file of more than a megabyte."""
    body = {"branch": "master", "commit_message": "Add", "content": "x" * 1_100_000}
    return int(fake.as_user("ada").post(f"{SITE}/repository/files/big.txt", json=body).status)


def delete_project(path: str, by: str = "ada") -> Callable[[Fakeplat], tuple[int, int]]:
    """Delete a project; observe that and whether it is still there."""

    def observe(fake: Fakeplat) -> tuple[int, int]:
        calls = fake.as_user(by)
        return calls.delete(path).status, calls.get(path).status

    return observe


def upload_file(fake: Fakeplat) -> Any:
    """Upload 1.5 MB. The answer to a larger file than allowed is null."""
    big_file = form(file=("big.bin", "application/octet-stream", b"x" * 1_500_000))
    return fake.as_user("ada").request("POST", f"{SITE}/uploads", **big_file).json()


def read_estimate(fake: Fakeplat) -> Any:
    estimate = fake.as_user("ada").post(f"{SITE}/issues/1/time_estimate", json={"duration": "2w 3h"})
    return estimate.json()["human_time_estimate"]


def group_protection(fake: Fakeplat) -> Any:
    """The protection that an owner gives to the default branches of a group."""
    return (
        fake.as_user("ada")
        .put("groups/acme", json={"default_branch_protection": 0})
        .json()["default_branch_protection"]
    )


def home_page(fake: Fakeplat) -> str:
    """The page that ada is led to after signing in."""
    walk = Browser(fake)
    walk.sign_in("ada")
    reply = walk.open("")
    return "home" if reply.status == 200 else reply.headers["location"].removeprefix(fake.url.rstrip("/"))


class Effect(NamedTuple):
    """What is set, what is done, and what is observed by default and with the setting."""

    values: dict[str, Any]
    observe: Callable[[Fakeplat], Any]
    before: Any
    after: Any


GIT = f"{WEB}/acme/site.git/info/refs?service=git-upload-pack"
RAW = f"{WEB}/acme/site/-/raw/master/README.md"
NEW_PROJECT = create_and_read(
    "projects", "auto_devops_enabled", "ci_config_path", "shared_runners_enabled", name="Fresh"
)
THROTTLE = "throttle_unauthenticated_"
API_THROTTLE = "throttle_authenticated_api_"
ONE_WEB_REQUEST = {"throttle_authenticated_web_enabled": True, "throttle_authenticated_web_requests_per_period": 1}
ONE_PROTECTED_REQUEST = {"throttle_protected_paths_enabled": True, "throttle_protected_paths_requests_per_period": 1}
NOT_PERMITTED = "Email domain is not authorized for sign-up"
DENIED = "Email is not from an allowed domain."
RESTRICTED = "Email is not allowed. Try again with a different email address, or contact your GitLab admin."
SIGN_UPS = [
    Effect({"signup_enabled": False}, sign_up, "/", "closed"),
    Effect({"password_authentication_enabled_for_web": False}, sign_up, "/", "closed"),
    Effect({"domain_whitelist": ["good.test"]}, sign_up_refused(NOT_PERMITTED), False, True),
    Effect({"domain_whitelist": ["good.test", "CORP.test"]}, sign_up, "/", "/"),
    Effect({"domain_whitelist": ["*.corp.test"]}, lambda fake: sign_up(fake, "new@a.b.corp.test"), "/", "/"),
    Effect({"domain_whitelist": ["orp.test"]}, sign_up_refused(NOT_PERMITTED), False, True),
    Effect({"domain_blacklist_enabled": True, "domain_blacklist": ["corp.*"]}, sign_up_refused(DENIED), False, True),
    Effect({"domain_blacklist_enabled": False, "domain_blacklist": ["corp.test"]}, sign_up, "/", "/"),
    Effect(
        {"domain_blacklist_enabled": True, "domain_blacklist": ["corp.test"], "domain_whitelist": ["corp.test"]},
        sign_up,
        "/",
        "/",
    ),
    Effect(
        {"email_restrictions_enabled": True, "email_restrictions": "new@"}, sign_up_refused(RESTRICTED), False, True
    ),
    Effect({"email_restrictions_enabled": False, "email_restrictions": "new@"}, sign_up, "/", "/"),
    Effect({"send_user_confirmation_email": True}, sign_up, "/", "/users/sign_in"),
    Effect(
        {"send_user_confirmation_email": True},
        lambda fake: signed_up("confirmed_at")(fake) is None,
        False,
        True,
    ),
    Effect({"require_admin_approval_after_user_signup": True}, sign_up, "/", "/users/sign_in"),
    Effect(
        {"require_admin_approval_after_user_signup": True}, signed_up("state"), "active", "blocked_pending_approval"
    ),
    Effect(
        {"minimum_password_length": 20},
        sign_up_refused("Password is too short (minimum is 20 characters)"),
        False,
        True,
    ),
    Effect({"default_projects_limit": 3}, signed_up("projects_limit"), 100_000, 3),
    Effect({"user_default_external": True}, signed_up("external"), False, True),
]
EFFECTS = [
    *SIGN_UPS,
    Effect({"default_projects_limit": 3}, lambda fake: new_user(fake).json()["projects_limit"], 100_000, 3),
    Effect(
        {"default_project_visibility": "internal"},
        create_and_read("projects", "visibility", name="x"),
        "private",
        "internal",
    ),
    Effect(
        {"default_group_visibility": "public"},
        create_and_read("groups", "visibility", name="x", path="x"),
        "private",
        "public",
    ),
    Effect(
        {"default_snippet_visibility": "public"},
        create_and_read("snippets", "visibility", title="x", file_name="x", content="x"),
        "internal",
        "public",
    ),
    Effect(
        {"restricted_visibility_levels": ["public"]},
        send_status("POST", "projects", json={"name": "x", "visibility": "public"}),
        201,
        400,
    ),
    Effect({"restricted_visibility_levels": ["public"]}, send_status("GET", "users?username=ada", by=None), 200, 403),
    Effect({"commit_email_hostname": "mail.test"}, commit_author, "2-ada@users.noreply.127.0.0.1", "2-ada@mail.test"),
    Effect({"default_branch_protection": 0}, protected_branches, ["master"], []),
    Effect(
        {"default_branch_protection": 1},
        create_and_read("groups", "default_branch_protection", name="x", path="x"),
        2,
        1,
    ),
    Effect(
        {"default_project_creation": 0},
        create_and_read("groups", "project_creation_level", name="x", path="x"),
        "developer",
        "noone",
    ),
    Effect({"default_branch_name": "main"}, first_branch, "master", "main"),
    Effect({"deletion_adjourned_period": 0}, delete_project(SITE), (202, 200), (202, 404)),
    Effect({"default_project_deletion_protection": True}, send_status("DELETE", SITE), 202, 403),
    Effect({"group_owners_can_manage_default_branch_protection": False}, group_protection, 0, 2),
    Effect(
        {"issues_create_limit": 1}, send_status("POST", f"{SITE}/issues", times=2, json={"title": "x"}), 201, TOO_MANY
    ),
    Effect({"raw_blob_request_limit": 1}, send_status("GET", RAW, times=2), 200, TOO_MANY),
    Effect({"max_attachment_size": 1}, lambda fake: upload_file(fake) is None, False, True),
    Effect(
        {"snippet_size_limit": 5},
        send_status("POST", "snippets", json={"title": "x", "file_name": "x", "content": "123456"}),
        201,
        400,
    ),
    Effect({"diff_max_patch_bytes": 300_000}, big_diff, False, True),
    Effect({"gravatar_enabled": False}, lambda fake: bool(read_field("user", "avatar_url")(fake)), True, False),
    Effect({"minimum_password_length": 20}, lambda fake: new_user(fake).status, 201, 400),
    Effect({"user_default_external": True}, lambda fake: new_user(fake).json()["external"], False, True),
    Effect(
        {"user_default_external": True, "user_default_internal_regex": "@CORP[.]test$"},
        lambda fake: new_user(fake).json()["external"],
        False,
        False,
    ),
    Effect(
        {"user_default_external": True, "user_default_internal_regex": "@CORP[.]test$"},
        lambda fake: new_user(fake, "new@other.test").json()["external"],
        False,
        True,
    ),
    Effect(
        {f"{THROTTLE}enabled": True, f"{THROTTLE}requests_per_period": 1, f"{THROTTLE}period_in_seconds": 60},
        send_status("GET", "projects", by=None, times=2),
        200,
        TOO_MANY,
    ),
    Effect(
        {f"{API_THROTTLE}enabled": True, f"{API_THROTTLE}requests_per_period": 1},
        send_status("GET", "projects", times=2),
        200,
        TOO_MANY,
    ),
    Effect(ONE_WEB_REQUEST, send_status("GET", RAW, times=2), 200, TOO_MANY),
    Effect(ONE_WEB_REQUEST, send_status("GET", "projects", times=2), 200, 200),
    Effect(
        {f"{API_THROTTLE}enabled": True, f"{API_THROTTLE}requests_per_period": 1},
        send_status("GET", RAW, times=2),
        200,
        200,
    ),
    Effect(ONE_PROTECTED_REQUEST, send_status("POST", f"{WEB}/users/sign_in", by=None, times=2), 422, TOO_MANY),
    Effect(ONE_PROTECTED_REQUEST, send_status("GET", f"{WEB}/users/sign_in", by=None, times=2), 200, 200),
    Effect(
        {**ONE_PROTECTED_REQUEST, "protected_paths_raw": "/api/v4/markdown"},
        send_status("POST", "markdown", times=2, json={"text": "x"}),
        201,
        TOO_MANY,
    ),
    Effect(
        {**ONE_PROTECTED_REQUEST, "protected_paths_raw": ""},
        send_status("POST", f"{WEB}/users/sign_in", by=None, times=2),
        422,
        422,
    ),
    Effect(
        {"enabled_git_access_protocol": "ssh"}, send_status("GET", GIT, None, headers=basic("x", "ada-token")), 200, 403
    ),
    Effect({"enabled_git_access_protocol": "ssh"}, send_status("GET", GIT.replace("site", "docs"), by=None), 200, 403),
    Effect(
        {"enabled_git_access_protocol": "http"},
        send_status("GET", GIT, None, headers=basic("x", "ada-token")),
        200,
        200,
    ),
    Effect(
        {"password_authentication_enabled_for_git": False},
        send_status("GET", GIT, None, headers=basic("ada", "ada-password")),
        200,
        401,
    ),
    Effect({"shared_runners_minutes": 10}, job_after_ten_minutes, 201, 204),
    Effect({"shared_runners_minutes": 11}, job_after_ten_minutes, 201, 201),
    Effect({"repository_size_limit": 1}, big_commit, 201, 400),
    Effect({"repository_size_limit": 2}, big_commit, 201, 201),
    Effect({"enforce_terms": True, "terms": "Be kind."}, send_status("GET", "user"), 200, 403),
    Effect({"enforce_terms": True, "terms": "Be kind."}, send_status("GET", "projects", by=None), 200, 200),
    Effect(
        {"enforce_terms": True, "terms": "Be kind."},
        send_status("GET", GIT, None, headers=basic("x", "ada-token")),
        200,
        403,
    ),
    Effect(
        {"require_two_factor_authentication": True, "two_factor_grace_period": 0},
        home_page,
        "home",
        "/profile/two_factor_auth",
    ),
    Effect({"archive_builds_in_human_readable": "1 day"}, retry_old_job, 201, 403),
    Effect({"archive_builds_in_human_readable": "3 days"}, retry_old_job, 201, 201),
    Effect({"container_registry_token_expire_delay": 15}, token_lifetime, 300, 900),
    Effect(
        {"custom_http_clone_url_root": "https://git.test/"},
        lambda fake: read_field(SITE, "http_url_to_repo")(fake).startswith("https://git.test/acme/"),
        False,
        True,
    ),
    Effect({"default_ci_config_path": "ci.yml"}, NEW_PROJECT, [True, None, True], [True, "ci.yml", True]),
    Effect({"auto_devops_enabled": False}, NEW_PROJECT, [True, None, True], [False, None, True]),
    Effect({"shared_runners_enabled": False}, NEW_PROJECT, [True, None, True], [True, None, False]),
    Effect({"time_tracking_limit_to_hours": True}, read_estimate, "2w 3h", "83h"),
    Effect({"npm_package_requests_forwarding": False}, send_status("GET", "packages/npm/left-pad"), 302, 403),
    *(
        Effect({setting: True}, read_field(f"{SITE}/approvals", field), before, not before)
        for setting, field, before in (
            (
                "disable_overriding_approvers_per_merge_request",
                "disable_overriding_approvers_per_merge_request",
                False,
            ),
            ("prevent_merge_requests_committers_approval", "merge_requests_disable_committers_approval", False),
        )
    ),
]


def name_effect(effect: Effect) -> str:
    return "-".join(effect.values)


@pytest.mark.parametrize("effect", EFFECTS, ids=name_effect)
def test_without_the_setting(fakeplat: Fakeplat, effect: Effect) -> None:
    """The platform behaves as by default."""
    assert effect.before == effect.observe(fakeplat)


@pytest.mark.parametrize("effect", EFFECTS, ids=name_effect)
def test_with_the_setting(fakeplat: Fakeplat, effect: Effect) -> None:
    """The setting counts from the next request on."""
    reply = fakeplat.as_user("root").put("application/settings", json=effect.values)
    assert (200, effect.after) == (reply.status, effect.observe(fakeplat))


@pytest.mark.parametrize(("limit", "expected"), [(3, [None] * 3), (2, [3])])
def test_pushes_of_many_branches_are_one_event(fakeplat: Fakeplat, limit: int, expected: list[int | None]) -> None:
    """A push of more branches than the limit is one event with their number."""
    fakeplat.as_user("root").put("application/settings", json={"push_event_activities_limit": limit})
    with fakeplat.bench.platform.acting(fakeplat.bench.platform.view.users.find("username", "ada")) as ctx:
        project = fakeplat.bench.platform.view.projects[fakeplat.world.project("acme/site").id]
        sha = repositories.open_repository(ctx.world, project).branches()["master"]
        repositories.move_refs(ctx, project, {f"{BRANCHES}new-{number}": sha for number in range(3)}, ctx.user)
    events = [event["push_data"] for event in fakeplat.as_user("ada").get("events").json() if "push_data" in event]

    assert expected == [push["ref_count"] for push in events]


def test_keys_can_be_restricted() -> None:
    """SSH keys can be restricted by type and size."""
    restricted = Settings().with_values({"rsa_key_restriction": 2048, "dsa_key_restriction": -1})
    kinds = ("rsa", "dsa", "ed25519")

    assert [2048, FORBIDDEN, 0] == [get_key_restriction(restricted, kind) for kind in kinds]
