"""Commands besides those of git. Source: docs/platform/git-over-ssh.md."""

import base64
import hashlib
from typing import Any

import orjson
import pytest
import requests

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SSH_TOKEN_DAYS
from tests.api.oauth import Browser
from tests.by_release import by_release
from tests.git_http.remote import Remote
from tests.ssh.keys import KeyPair
from tests.ssh.sshed import add_deploy_key, add_key, frame, run_command

CONTENT = b"large\n"
OID = hashlib.sha256(CONTENT).hexdigest()
VALID_SCOPES = (
    '["api", "read_api", "read_registry", "read_repository", "read_user", "write_registry", "write_repository"]'
)


def test_the_internal_api_is_closed(fakeplat: Fakeplat) -> None:
    """Clients of HTTP do not reach the internal API, not even administrators."""
    root = fakeplat.as_user("root")
    for method, path in (
        ("GET", "discover"),
        ("POST", "personal_access_token?name=x&scopes[]=api"),
        ("POST", "lfs_authenticate?project=acme/site.git&operation=download"),
        ("POST", "two_factor_recovery_codes"),
    ):
        reply = root.request(method, f"internal/{path}")
        assert (401, {"message": "401 Unauthorized"}) == (reply.status, reply.json())


# Tokens


@by_release(SSH_TOKEN_DAYS, "expires", {"13.5": False, "16.0": True})
def test_a_token_is_created(fakeplat: Fakeplat, *, expires: bool) -> None:
    """The command prints a new token, which expires by itself since 16.0."""
    answer = run_command(fakeplat, add_key(fakeplat, "ada"), "personal_access_token robot read_api,read_user")
    token, scopes, expiry = [line.split(":", 1)[1].strip() for line in answer.output.decode().splitlines()]
    assert (0, "", "read_api,read_user") == (answer.status, answer.errors, scopes)
    assert expires == (expiry != "never")
    tokens = fakeplat.as_user("root").get("personal_access_tokens").json() if expires else []
    assert all(row["expires_at"] == expiry for row in tokens if row["name"] == "robot")
    assert "ada" == fakeplat.as_user(None).get("user", headers={"Private-Token": token}).json()["username"]


def test_a_token_lives_for_days(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """A token of 0 days is valid until tomorrow."""
    fakeplat.clock.advance_to("2030-05-01T10:00:00Z")
    answer = run_command(fakeplat, ada, "personal_access_token robot api 0")
    assert b"Expires: 2030-05-02" == answer.output.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", "Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]"),
        ("robot", "Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]"),
        ("robot api 1 2", "Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]"),
        ("robot api soon", "Invalid value for days_ttl: 'soon'"),
        ("robot api -- -1", "Usage: personal_access_token <name> <scope1[,scope2,...]> [ttl_days]"),
        (
            "robot api,sudo",
            f"Invalid scope: 'sudo'. Valid scopes are: {VALID_SCOPES}",
        ),
    ],
)
def test_wrong_tokens_are_refused(fakeplat: Fakeplat, ada: KeyPair, arguments: str, text: str) -> None:
    """Wrong arguments of a token are refused, and nothing is created."""
    with fakeplat.changes() as changes:
        assert (1, b"", frame(text)) == run_command(fakeplat, ada, f"personal_access_token {arguments}")
    assert not changes.created


def test_deploy_keys_create_no_token(fakeplat: Fakeplat, remote: Remote) -> None:
    """A deploy key creates no token for the user who added it."""
    key = add_deploy_key(fakeplat, remote.path)
    expected = frame("Deploy keys cannot be used to create personal access tokens")
    assert (1, b"", expected) == run_command(fakeplat, key, "personal_access_token robot api")


# Recovery codes

QUESTION = (
    "Are you sure you want to generate new two-factor recovery codes?\n"
    "Any existing recovery codes you saved will be invalidated. (yes/no)\n"
)


def test_recovery_codes_sign_in_once(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """New recovery codes replace one-time codes when the user signs in, each once."""
    fakeplat.load({"users": [{"username": "two", "two_factor_enabled": True}]})
    key = add_key(fakeplat, "two")
    output = run_command(fakeplat, key, "2fa_recovery_codes", input=b"yes\n").output.decode()
    assert output.startswith(f"{QUESTION}\nYour two-factor authentication recovery codes are:\n\n")
    codes = output.split("\n\n")[2].split("\n")
    assert (10, {16}) == (len(codes), {len(code) for code in codes})
    assert [302, 200] == [_sign_in(fakeplat, codes[0]) for _ in range(2)]


def _sign_in(fake: Fakeplat, code: str) -> int:
    browser = Browser(fake)
    return browser.submit(browser.sign_in("two"), **{"user[otp_attempt]": code}).status


@pytest.mark.parametrize("answer", [b"no\n", b"\n", b""])
def test_recovery_codes_need_a_yes(fakeplat: Fakeplat, ada: KeyPair, answer: bytes) -> None:
    """Without a yes, nothing is generated."""
    text = f"{QUESTION}\nNew recovery codes have *not* been generated. Existing codes will remain valid.\n"
    assert (0, text.encode(), "") == run_command(fakeplat, ada, "2fa_recovery_codes", input=answer)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("user", "Two-factor authentication is not enabled for this user"),
        ("deploy", "Deploy keys cannot be used to retrieve recovery codes"),
    ],
)
def test_recovery_codes_are_refused(fakeplat: Fakeplat, remote: Remote, kind: str, text: str) -> None:
    """Who has no second factor, and a deploy key, get no codes."""
    key = add_key(fakeplat, "ada") if kind == "user" else add_deploy_key(fakeplat, remote.path)
    expected = f"{QUESTION}\nAn error occurred while trying to generate new recovery codes.\n{text}\n"
    assert (0, expected.encode(), "") == run_command(fakeplat, key, "2fa_recovery_codes", input=b"yes\n")


# Git LFS


def authenticate(fake: Fakeplat, key: KeyPair, operation: str = "upload") -> Any:
    answer = run_command(fake, key, f"git-lfs-authenticate acme/work.git {operation}")
    assert (0, "") == (answer.status, answer.errors)
    return orjson.loads(answer.output)


def send_batch(session: Any, operation: str) -> requests.Response:
    row = {"operation": operation, "objects": [{"oid": OID, "size": len(CONTENT)}]}
    return requests.post(f"{session['href']}/objects/batch", json=row, headers=session["header"], timeout=10)


def test_objects_are_uploaded_and_downloaded(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """The credentials of a session upload and download objects over HTTP."""
    session = authenticate(fakeplat, ada)
    assert (f"{fakeplat.url}/acme/work.git/info/lfs", 7200) == (session["href"], session["expires_in"])
    action = send_batch(session, "upload").json()["objects"][0]["actions"]["upload"]
    assert 200 == requests.put(action["href"], CONTENT, headers=action["header"], timeout=10).status_code
    action = send_batch(session, "download").json()["objects"][0]["actions"]["download"]
    assert CONTENT == requests.get(action["href"], headers=action["header"], timeout=10).content


def test_credentials_for_objects_expire(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """The credentials of a session expire after two hours, and are no token of the API."""
    session = authenticate(fakeplat, ada)
    assert 401 == fakeplat.as_user(None).get("user", headers=session["header"]).status
    fakeplat.clock.advance("119m")
    assert 200 == send_batch(session, "download").status_code
    fakeplat.clock.advance("1m")
    assert 401 == send_batch(session, "download").status_code


def test_forged_credentials_are_refused(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """Credentials for another user cannot be made from one's own."""
    session = authenticate(fakeplat, ada)
    name, _, password = base64.b64decode(session["header"]["Authorization"].split()[1]).decode().partition(":")
    for forged in (f"root:{password}", f"{name}:{password}x", f"{name}:!.{password}", f"{name}:a.b", f"{name}:."):
        header = {"Authorization": f"Basic {base64.b64encode(forged.encode()).decode()}"}
        assert 401 == send_batch({**session, "header": header}, "download").status_code


def test_deploy_keys_download_objects(fakeplat: Fakeplat, remote: Remote) -> None:
    """A deploy key that cannot push gets credentials for downloads only."""
    key = add_deploy_key(fakeplat, remote.path)
    session = authenticate(fakeplat, key, "download")
    assert 200 == send_batch(session, "download").status_code
    assert 403 == send_batch(session, "upload").status_code
    expected = frame("This deploy key does not have write access to this project.")
    assert (1, b"", expected) == run_command(fakeplat, key, "git-lfs-authenticate acme/work.git upload")


def test_nothing_is_said_without_lfs(fakeplat: Fakeplat, remote: Remote, ada: KeyPair) -> None:
    """Where Git LFS is off, the command answers nothing."""
    remote.call("PUT", "", json={"lfs_enabled": False})
    assert (0, b"", "") == run_command(fakeplat, ada, "git-lfs-authenticate acme/work.git download")
