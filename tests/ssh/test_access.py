"""Who may connect over SSH, and what they may do. Source: docs/platform/git-over-ssh.md."""

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import asyncssh
import pytest
from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import EXPIRED_SSH_KEYS_ARE_REFUSED, EXPIRING_SSH_KEYS_ARE_ANNOUNCED
from tests.by_release import by_release
from tests.git_http.remote import MAINTAINER, Remote, error_output
from tests.ssh.keys import KeyPair, create_key
from tests.ssh.sshed import SshGit, add_deploy_key, add_key, frame, run_command

NOT_FOUND = "The project you were looking for could not be found or you don't have permission to view it."


def test_a_user_is_welcomed(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """A session without a command says who is connected."""
    assert (0, b"Welcome to GitLab, @ada!\n", "") == run_command(fakeplat, ada)
    assert (0, b"Welcome to GitLab, @ada!\n", "") == run_command(fakeplat, ada, "discover")


def test_unknown_keys_are_refused(fakeplat: Fakeplat) -> None:
    """A key that nobody has opens no session."""
    with pytest.raises(asyncssh.PermissionDenied):
        run_command(fakeplat, create_key("stranger"))


def test_sessions_need_a_key(fakeplat: Fakeplat) -> None:
    """Nobody connects without a key."""
    with pytest.raises(asyncssh.PermissionDenied):
        run_command(fakeplat, None)


def test_all_connect_as_git(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """The name of a user is not known to the server: all connect as git."""
    with pytest.raises(asyncssh.PermissionDenied):
        run_command(fakeplat, ada, username="ada")


@pytest.mark.fakeplat(version="latest")
def test_keys_for_signing_do_not_connect(fakeplat: Fakeplat) -> None:
    """A key whose use is signing opens no session; one for authentication does."""
    signing = add_key(fakeplat, "ada", "signing", usage_type="signing")
    with pytest.raises(asyncssh.PermissionDenied):
        run_command(fakeplat, signing)
    assert 0 == run_command(fakeplat, add_key(fakeplat, "ada", "auth", usage_type="auth")).status


@pytest.mark.parametrize(
    ("command", "text", "status"),
    [
        ("ls -l", "Unknown command: ls -l", 128),
        ("git-upload-pack", "Disallowed command", 1),
        ("git-upload-pack a b", "Disallowed command", 1),
        ("git-lfs-authenticate acme/work.git", "Disallowed command", 1),
        ("git-lfs-authenticate acme/work.git erase", "Disallowed command", 1),
        ("git-upload-pack 'acme", "Failed to parse command: Invalid SSH command: invalid command line string", 128),
    ],
)
def test_unknown_commands_are_refused(fakeplat: Fakeplat, ada: KeyPair, command: str, text: str, status: int) -> None:
    """A command that is none, or has the wrong arguments, is refused with the text of gitlab-shell."""
    assert (status, b"", frame(text)) == run_command(fakeplat, ada, command)


@pytest.mark.parametrize("command", ["git-upload-pack", "git-receive-pack", "git-upload-archive"])
@pytest.mark.parametrize("path", ["acme/work.git", "/acme/work.git", "acme/nothing", "nobody/nothing.git"])
def test_hidden_projects_look_like_missing_ones(fakeplat: Fakeplat, remote: Remote, command: str, path: str) -> None:
    """A project that the user cannot see gets the refusal of one that does not exist."""
    bob = add_key(fakeplat, "eve")
    assert (1, b"", frame(NOT_FOUND)) == run_command(fakeplat, bob, f"{command} '{path}'")


def test_who_may_only_read_does_not_push(fakeplat: Fakeplat, work: SshGit, tmp_path: Path) -> None:
    """A Reporter fetches over SSH and does not push; a Developer pushes."""
    bob = SshGit(tmp_path / "eve", fakeplat, add_key(fakeplat, "eve"))
    user = fakeplat.world.user("eve").id
    fakeplat.as_user("ada").post("projects/acme%2Fwork/members", json={"user_id": user, "access_level": 20})
    bob("fetch", "-q", bob.url("acme/work"), "master")
    refused = bob.tried("push", bob.url("acme/work"), "FETCH_HEAD:refs/heads/mine")
    assert "remote: ERROR: You are not allowed to push code to this project." in error_output(refused)
    fakeplat.as_user("ada").put(f"projects/acme%2Fwork/members/{user}", json={"access_level": 30})
    bob("push", "-q", bob.url("acme/work"), "FETCH_HEAD:refs/heads/mine")
    assert "mine" in Remote(fakeplat, "acme/work").branches


def test_archived_projects_are_read_only(fakeplat: Fakeplat, work: SshGit, remote: Remote) -> None:
    """An archived project is fetched from, and not pushed to."""
    remote.call("POST", "/archive")
    work("fetch", "-q")
    output = error_output(work.tried("push", "origin", "master:other"))
    assert "remote: ERROR: You are not allowed to push code to this project." in output


@pytest.mark.fakeplat(version="14.10", tier="premium")
def test_nothing_is_pushed_in_maintenance_mode(fakeplat: Fakeplat, work: SshGit) -> None:
    """In maintenance mode repositories are fetched from, and not pushed to."""
    fakeplat.as_user("root").put("application/settings", json={"maintenance_mode": True})
    work("fetch", "-q")
    text = "Git push is not allowed because this GitLab instance is currently in (read-only) maintenance mode."
    assert f"remote: ERROR: {text}" in error_output(work.tried("push", "origin", "master:other"))


def test_blocked_users_do_nothing(fakeplat: Fakeplat, ada: KeyPair, remote: Remote) -> None:
    """A blocked user is told so."""
    fakeplat.as_user("root").post(f"users/{fakeplat.world.user('ada').id}/block")
    expected = (1, b"", frame("Your account has been blocked."))
    assert expected == run_command(fakeplat, ada, "git-upload-pack acme/work.git")


@by_release(EXPIRED_SSH_KEYS_ARE_REFUSED, "is_refused", {"13.12": False, "14.0": True})
def test_expired_keys_are_refused_later(fakeplat: Fakeplat, remote: Remote, *, is_refused: bool) -> None:
    """An expired key still counts before 14.0."""
    key = add_key(fakeplat, "ada", expires_at=f"{fakeplat.clock.now[:4]}-12-31")
    fakeplat.clock.advance("100d")
    answer = run_command(fakeplat, key, "git-upload-pack acme/work.git", input=b"" if is_refused else b"0000")
    assert is_refused == (frame("Your SSH key has expired.") in answer.errors)
    assert (not is_refused) == (answer.status == 0)


@by_release(EXPIRING_SSH_KEYS_ARE_ANNOUNCED, "is_announced", {"13.5": False, "13.12": True})
def test_keys_that_expire_soon_are_announced(fakeplat: Fakeplat, remote: Remote, *, is_announced: bool) -> None:
    """The owner of a key is told in its last week, in later releases."""
    year = fakeplat.clock.now[:4]
    key = add_key(fakeplat, "ada", expires_at=f"{year}-12-31")
    fakeplat.clock.advance_to(f"{year}-12-28T00:00:00Z")
    answer = run_command(fakeplat, key, "git-upload-pack acme/work.git", input=b"0000")
    text = "remote: \nremote: INFO: Your SSH key is expiring soon. Please generate a new key.\nremote: \n"
    assert (text if is_announced else "") == answer.errors


def test_ssh_can_be_switched_off(fakeplat: Fakeplat, ada: KeyPair, remote: Remote) -> None:
    """Where only HTTP is enabled, SSH is refused."""
    fakeplat.as_user("root").put("application/settings", json={"enabled_git_access_protocol": "http"})
    expected = (1, b"", frame("Git access over SSH is not allowed"))
    assert expected == run_command(fakeplat, ada, "git-upload-pack acme/work.git")


def test_ssh_works_where_http_is_off(fakeplat: Fakeplat, work: SshGit) -> None:
    """Where only SSH is enabled, SSH works."""
    fakeplat.as_user("root").put("application/settings", json={"enabled_git_access_protocol": "ssh"})
    work("fetch", "-q")


@pytest.mark.fakeplat(version="latest")
def test_the_use_of_a_key_is_noted(fakeplat: Fakeplat) -> None:
    """The last use of a key is noted with a command for a repository, once a day at most."""
    Remote.make(fakeplat, "work")
    ada = add_key(fakeplat, "ada")
    mine = fakeplat.as_user("ada")
    assert [None] == [key["last_used_at"] for key in mine.get("user/keys").json()]
    run_command(fakeplat, ada, "git-upload-pack acme/work.git", input=b"0000")
    first = mine.get("user/keys").json()[0]["last_used_at"]
    assert first is not None
    fakeplat.clock.advance("1h")
    run_command(fakeplat, ada, "git-upload-pack acme/work.git", input=b"0000")
    assert first == mine.get("user/keys").json()[0]["last_used_at"]


def test_a_deleted_key_connects_no_more(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """A key that was deleted opens no session."""
    mine = fakeplat.as_user("ada")
    mine.delete(f"user/keys/{mine.get('user/keys').json()[0]['id']}")
    with pytest.raises(asyncssh.PermissionDenied):
        run_command(fakeplat, ada)


# Deploy keys


def test_a_deploy_key_is_its_creator(fakeplat: Fakeplat, remote: Remote) -> None:
    """A session with a deploy key names the user who added it."""
    assert b"Welcome to GitLab, @ada!\n" == run_command(fakeplat, add_deploy_key(fakeplat, remote.path)).output


def test_a_deploy_key_reads_its_project(fakeplat: Fakeplat, work: SshGit, tmp_path: Path) -> None:
    """A deploy key fetches from its project, and from no other, even one that its creator sees."""
    Remote.make(fakeplat, "other")
    robot = SshGit(tmp_path / "robot", fakeplat, add_deploy_key(fakeplat, "acme/work"))
    robot("fetch", "-q", robot.url("acme/work"), "master")
    assert work.sha() == robot.sha("FETCH_HEAD")
    assert f"remote: ERROR: {NOT_FOUND}" in error_output(robot.tried("fetch", robot.url("acme/other"), "master"))


def test_a_deploy_key_needs_the_right_to_write(fakeplat: Fakeplat, work: SshGit, tmp_path: Path) -> None:
    """A deploy key pushes only if it may."""
    robot = SshGit(tmp_path / "robot", fakeplat, add_deploy_key(fakeplat, "acme/work"))
    robot("fetch", "-q", robot.url("acme/work"), "master")
    output = error_output(robot.tried("push", robot.url("acme/work"), "FETCH_HEAD:refs/heads/mine"))
    assert "remote: ERROR: This deploy key does not have write access to this project." in output
    assert ["master"] == [*Remote(fakeplat, "acme/work").branches]


def test_a_deploy_key_pushes_in_its_creators_name(fakeplat: Fakeplat, work: SshGit, tmp_path: Path) -> None:
    """A deploy key that may write pushes branches and tags, as the user who added it."""
    robot = SshGit(tmp_path / "robot", fakeplat, add_deploy_key(fakeplat, "acme/work", can_push=True))
    robot("fetch", "-q", robot.url("acme/work"), "master")
    robot("push", "-q", robot.url("acme/work"), "FETCH_HEAD:refs/heads/mine", "FETCH_HEAD:refs/tags/v1")
    remote = Remote(fakeplat, "acme/work")
    assert {"master", "mine"} == {*remote.branches}
    assert {"v1"} == {*remote.tags}
    assert {"ada"} == {event["author_username"] for event in remote.get("/events")}


def test_a_deploy_key_obeys_protected_branches(fakeplat: Fakeplat, work: SshGit, tmp_path: Path) -> None:
    """To a protected branch a deploy key pushes only if its creator may."""
    remote = Remote(fakeplat, "acme/work")
    user = fakeplat.world.user("eve").id
    remote.call("POST", "/members", json={"user_id": user, "access_level": MAINTAINER})
    robot = SshGit(tmp_path / "robot", fakeplat, add_deploy_key(fakeplat, "acme/work", by="eve", can_push=True))
    remote.call("PUT", f"/members/{user}", json={"access_level": 30})
    robot("fetch", "-q", robot.url("acme/work"), "master")
    robot("checkout", "-q", "FETCH_HEAD")
    robot.commit("second", {"c": "c\n"})
    output = error_output(robot.tried("push", robot.url("acme/work"), "HEAD:master"))
    assert "You are not allowed to push code to protected branches on this project." in output
    robot("push", "-q", robot.url("acme/work"), "HEAD:refs/heads/mine")


def test_a_deploy_key_creates_no_project(fakeplat: Fakeplat, work: SshGit, tmp_path: Path) -> None:
    """A deploy key does not create a project by a push."""
    robot = SshGit(tmp_path / "robot", fakeplat, add_deploy_key(fakeplat, "acme/work", can_push=True))
    robot.commit("first")
    assert NOT_FOUND in error_output(robot.tried("push", robot.url("ada/fresh"), "HEAD:master"))


# Certificates


def test_certificates_are_refused(fakeplat: Fakeplat, ada: KeyPair) -> None:
    """A certificate of a user's key is refused, and the reason is said; the key itself connects."""
    authority = create_key("authority").private
    certificate = authority.generate_user_certificate(ada.private, "ada", principals=["git"])
    banners: list[str] = []

    class Client(asyncssh.SSHClient):
        @override
        def auth_banner_received(self, msg: str, lang: str) -> None:
            banners.append(msg)

    async def attempt() -> None:
        address = urlsplit(fakeplat.ssh_url)
        async with asyncssh.connect(
            address.hostname or "",
            address.port or 0,
            username="git",
            client_keys=[(ada.private, certificate)],
            client_factory=Client,
            known_hosts=None,
            config=[],
            agent_path=None,
        ) as connection:
            assert "Welcome to GitLab, @ada!\n" == (await connection.run()).stdout

    asyncio.run(attempt())
    assert any("SSH certificates are not supported" in banner for banner in banners)
