"""Remote mirrors. Source: the platform's request spec of remote mirrors."""

from typing import Any

import pytest

from fakeplat.core.ssh_keys import parse_public_key
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import MIRRORS_TAKE_HOST_KEYS
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, invalid_record, outcome, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter")
PATH = "projects/acme%2Fsite/remote_mirrors"
URL = "https://foo:bar@test.com/site.git"
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def create_mirror(fake: Fakeplat, **fields: Any) -> Any:
    reply = fake.as_user("mia").post(PATH, json={"url": URL, **fields})
    assert 201 == reply.status
    return reply.json()


def test_a_new_mirror_is_off_and_its_credentials_are_masked(fakeplat: Fakeplat) -> None:
    """A new mirror is disabled, mirrors all branches by default and masks its credentials."""
    mirror = create_mirror(fakeplat)

    assert {
        "id": mirror["id"],
        "enabled": False,
        "url": "https://*****:*****@test.com/site.git",
        "update_status": "none",
        "last_update_at": None,
        "last_update_started_at": None,
        "last_successful_update_at": None,
        "last_error": None,
        "only_protected_branches": False,
        "keep_divergent_refs": None,
    } == mirror
    assert [mirror] == fakeplat.as_user("mia").get(PATH).json()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ssh://git@test.com/a.git", "ssh://git@test.com/a.git"),
        ("ssh://deploy@test.com:2222/a.git", "ssh://*****@test.com:2222/a.git"),
        ("git://test.com/a.git", "git://test.com/a.git"),
        ("https://token@test.com/a.git", "https://*****@test.com/a.git"),
    ],
)
def test_users_are_masked_except_the_one_of_git(fakeplat: Fakeplat, url: str, expected: str) -> None:
    """A user name may be a token."""
    assert expected == create_mirror(fakeplat, url=url)["url"]


def test_a_mirror_is_updated_and_deleted(fakeplat: Fakeplat) -> None:
    """Numbers and texts stand for booleans."""
    mirror, mia = create_mirror(fakeplat, enabled=True), fakeplat.as_user("mia")
    changes = {"enabled": "0", "only_protected_branches": "false"}

    assert {**mirror, "enabled": False, "only_protected_branches": False} == mia.put(
        f"{PATH}/{mirror['id']}", json=changes
    ).json()
    assert 204 == mia.delete(f"{PATH}/{mirror['id']}").status
    assert [] == mia.get(PATH).json()


@pytest.mark.fakeplat(version="latest")
def test_divergent_refs_are_kept_in_newer_releases(fakeplat: Fakeplat) -> None:
    """From 13.6 on mirrors have `keep_divergent_refs`."""
    assert create_mirror(fakeplat, keep_divergent_refs=True)["keep_divergent_refs"] is True


def test_without_mirrors_on_the_instance_only_administrators_have_them(fakeplat: Fakeplat) -> None:
    """Where the instance disables mirrors only administrators use them."""
    root = fakeplat.as_user("root")
    root.put("application/settings", json={"mirror_available": False})

    assert UNAUTHORIZED == refusal(fakeplat, "mia", "GET", PATH)
    assert (200, []) == outcome(root.get(PATH))


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", PATH, {}, invalid("url is missing")),
        ("POST", PATH, {"url": " "}, invalid_record(url=["can't be blank"])),
        (
            "POST",
            PATH,
            {"url": "ftp://foo:bar@test.com"},
            invalid_record(url=["is blocked: Only allowed schemes are ssh, git, http, https"]),
        ),
        (
            "POST",
            PATH,
            {"url": "https://localhost/a.git"},
            invalid_record(url=["is blocked: Requests to localhost are not allowed"]),
        ),
        (
            "POST",
            PATH,
            {"url": "https://-x@test.com/a.git"},
            invalid_record(url=["is blocked: Username needs to start with an alphanumeric character"]),
        ),
        ("POST", PATH, {"url": URL, "enabled": "maybe"}, invalid("enabled is invalid")),
        (
            "POST",
            PATH,
            {"url": URL, "only_protected_branches": None},
            invalid_record(only_protected_branches=["can't be blank"]),
        ),
        ("PUT", f"{PATH}/1", {}, NOT_FOUND),
        ("PUT", f"{PATH}/x", {}, NOT_FOUND),
        ("DELETE", f"{PATH}/1", None, NOT_FOUND),
    ],
    ids=range(10),
)
def test_invalid_and_unknown_mirrors_are_refused(
    fakeplat: Fakeplat, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """The URL is never called."""
    assert expected == refusal(fakeplat, "mia", method, path, json=body)


def test_developers_are_refused_before_their_parameters_are_read(fakeplat: Fakeplat) -> None:
    """Remote mirrors answer 401 to Developers before their parameters are validated."""
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", PATH, json={})


newest = pytest.mark.fakeplat(version="latest", clock="virtual")
OFF: Outcome = (
    400,
    {"message": "Cannot proceed with the push mirroring. Please verify your mirror configuration."},
)


def read_mirror(fake: Fakeplat, id_: int) -> Any:
    return fake.as_user("root").get(f"{PATH}/{id_}").json()


@newest
def test_an_update_of_a_remote_mirror_goes_through_its_states(fakeplat: Fakeplat) -> None:
    """An update starts and finishes, and the mirror has its times; while one runs, a second request is none."""
    id_, mia = create_mirror(fakeplat, enabled=True)["id"], fakeplat.as_user("mia")
    seen = [read_mirror(fakeplat, id_)["update_status"]]
    for _ in range(2):
        assert 204 == mia.post(f"{PATH}/{id_}/sync").status
        fakeplat.clock.advance("1s")
        seen.append(read_mirror(fakeplat, id_)["update_status"])
    fakeplat.clock.advance("1h")
    mirror = read_mirror(fakeplat, id_)

    assert ["none", "started", "finished"] == seen
    assert mirror["last_update_at"] == mirror["last_successful_update_at"] > mirror["last_update_started_at"]


@newest
@pytest.mark.parametrize(("protected", "before", "after"), [(False, "299s", "2s"), (True, "59s", "2s")])
def test_updates_of_a_remote_mirror_keep_a_distance(
    fakeplat: Fakeplat, protected: bool, before: str, after: str
) -> None:
    """An update that follows another waits five minutes, or one minute for a mirror of protected branches only."""
    id_ = create_mirror(fakeplat, enabled=True, only_protected_branches=protected)["id"]
    mia, sync = fakeplat.as_user("mia"), f"{PATH}/{id_}/sync"
    mia.post(sync)
    fakeplat.clock.advance("2s")
    first = read_mirror(fakeplat, id_)["last_update_started_at"]
    mia.post(sync)
    fakeplat.clock.advance(before)
    assert first == read_mirror(fakeplat, id_)["last_update_started_at"]
    fakeplat.clock.advance(after)

    assert first < read_mirror(fakeplat, id_)["last_update_started_at"]


@newest
def test_a_remote_mirror_that_is_off_is_not_updated(fakeplat: Fakeplat) -> None:
    """A mirror is not updated if it is off itself or by the instance's setting, nor for those who may not mirror."""
    off, on = create_mirror(fakeplat)["id"], create_mirror(fakeplat, enabled=True)["id"]
    assert OFF == refusal(fakeplat, "mia", "POST", f"{PATH}/{off}/sync")
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "POST", f"{PATH}/{on}/sync")
    assert NOT_FOUND == refusal(fakeplat, "mia", "POST", f"{PATH}/99999/sync")
    fakeplat.as_user("root").put("application/settings", json={"mirror_available": False})

    assert OFF == refusal(fakeplat, "root", "POST", f"{PATH}/{on}/sync")


@newest
def test_a_deleted_remote_mirror_is_not_updated(fakeplat: Fakeplat) -> None:
    """Deleting a mirror ends its update."""
    id_, mia = create_mirror(fakeplat, enabled=True)["id"], fakeplat.as_user("mia")
    mia.post(f"{PATH}/{id_}/sync")
    mia.delete(f"{PATH}/{id_}")
    fakeplat.clock.advance("1h")

    assert (200, []) == outcome(mia.get(PATH))


@newest
def test_the_public_key_of_a_remote_mirror(fakeplat: Fakeplat) -> None:
    """A mirror over SSH that signs in by a key has a public key, which stays the same."""
    mirror, mia = create_mirror(fakeplat, url="ssh://git@test.com/a.git", auth_method="ssh_public_key"), "mia"
    path = f"{PATH}/{mirror['id']}/public_key"
    reply = fakeplat.as_user(mia).get(path)
    text = reply.json()["public_key"]
    key = parse_public_key(text)
    assert key is not None
    assert (200, ["public_key"], "rsa", 2048) == (reply.status, list(reply.json()), key.type, key.bits)
    assert text == fakeplat.as_user(mia).get(path).json()["public_key"]
    assert "git@127.0.0.1" == text.split()[2]

    assert UNAUTHORIZED == refusal(fakeplat, "dev", "GET", path)


@newest
@pytest.mark.parametrize(
    "fields",
    [
        {"url": "ssh://git@test.com/a.git"},
        {"auth_method": "ssh_public_key"},
        {"url": "ssh://git@test.com/a.git", "auth_method": None},
    ],
    ids=["password", "not over SSH", "null"],
)
def test_remote_mirrors_without_a_key(fakeplat: Fakeplat, fields: dict[str, Any]) -> None:
    """A mirror that signs in by a password, or is not reached over SSH, has no public key."""
    mirror = create_mirror(fakeplat, **fields)
    assert (fields.get("auth_method") or "password") == mirror["auth_method"]

    expected = (404, {"message": "404 Not Found"})
    assert expected == refusal(fakeplat, "mia", "GET", f"{PATH}/{mirror['id']}/public_key")


@newest
def test_the_method_of_a_remote_mirror_changes(fakeplat: Fakeplat) -> None:
    """The method of signing in is one of two."""
    mirror = create_mirror(fakeplat)
    path = f"{PATH}/{mirror['id']}"
    changed = fakeplat.as_user("mia").put(path, json={"auth_method": "ssh_public_key"}).json()
    assert {**mirror, "auth_method": "ssh_public_key"} == changed
    expected = 400, {"message": {"auth_method": ["is not included in the list"]}}
    assert expected == refusal(fakeplat, "mia", "PUT", path, json={"auth_method": "key"})
    created = refusal(fakeplat, "mia", "POST", PATH, json={"url": "https://a.test", "auth_method": "key"})
    assert invalid("auth_method does not have a valid value") == created


ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIWvFUqz+rlv+kcfVQTnm0MSLDX6ShPnVnzIF7EPcD7b"
FINGERPRINT = {"fingerprint_sha256": "SHA256:EjHLY1wevDDdBPa9kKsegwaEqMMyriLJqgDxmQf1T5o"}


@newest
@pytest.mark.parametrize(
    ("url", "keys", "lines"),
    [
        ("ssh://git@test.com/a.git", [ED25519], [f"test.com {ED25519}"]),
        ("ssh://git@test.com:22/a.git", [f"  {ED25519} ", ""], [f"test.com {ED25519}"]),
        ("ssh://git@test.com:2222/a.git", [ED25519], [f"[test.com]:2222 {ED25519}"]),
        ("https://test.com/a.git", [f"b.test,10.0.0.1 {ED25519}"], [f"b.test,10.0.0.1 {ED25519}"]),
        ("ssh://git@test.com/a.git", [ED25519.replace("+", " ")], [f"test.com {ED25519}"]),
    ],
    ids=["of the URL", "standard port", "other port", "hosts", "from a form"],
)
def test_keys_of_the_host_of_a_mirror(fakeplat: Fakeplat, url: str, keys: list[str], lines: list[str]) -> None:
    """Keys with or without their hosts are kept as known hosts, and shown by their fingerprints."""
    mirror = create_mirror(fakeplat, url=url, host_keys=keys)

    assert [FINGERPRINT] == mirror["host_keys"]
    (site,) = [row for row in fakeplat.export()["projects"] if row["path_with_namespace"] == "acme/site"]
    assert lines == site["remote_mirrors"][0]["host_keys"]


@newest
@pytest.mark.parametrize(
    ("url", "keys", "why"),
    [
        ("ssh://git@test.com/a.git", ["invalid_key", ED25519], "invalid_key"),
        ("ssh://git@test.com/a.git", ["ssh-ed25519 invalid_base64"], "ssh-ed25519 invalid_base64"),
        ("ssh://git@test.com/a.git", [ED25519] * 11, "too many host keys (maximum is 10)"),
        ("no-host", [ED25519], "cannot determine hostname from URL for bare key"),
    ],
    ids=["no key", "no base64", "too many", "no host"],
)
def test_invalid_keys_of_hosts(fakeplat: Fakeplat, url: str, keys: list[str], why: str) -> None:
    """Keys that are invalid, and more than ten, are refused."""
    expected = 400, {"message": f"Invalid SSH host key(s): {why}"}
    assert expected == refusal(fakeplat, "mia", "POST", PATH, json={"url": url, "host_keys": keys})


@by_release(MIRRORS_TAKE_HOST_KEYS, "shown", {"19.1": [], "19.2": [FINGERPRINT]})
def test_later_mirrors_take_keys_of_hosts(fakeplat: Fakeplat, shown: list[dict[str, str]]) -> None:
    """Earlier releases ignore the keys."""
    assert shown == create_mirror(fakeplat, url="ssh://git@test.com/a.git", host_keys=[ED25519])["host_keys"]


@newest
def test_keys_of_hosts_are_replaced(fakeplat: Fakeplat) -> None:
    """A change replaces all keys of a mirror; without the parameter they stay."""
    mirror = create_mirror(fakeplat, url="ssh://git@test.com/a.git", host_keys=[ED25519])
    path, mia = f"{PATH}/{mirror['id']}", fakeplat.as_user("mia")
    assert [FINGERPRINT] == mia.put(path, json={"enabled": True}).json()["host_keys"]
    assert [] == mia.put(path, json={"host_keys": []}).json()["host_keys"]


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_mirrors_of_some_branches(fakeplat: Fakeplat) -> None:
    """A mirror can be one of the branches that an expression matches (paid)."""
    mirror = create_mirror(fakeplat, mirror_branch_regex="^release/")
    path = f"{PATH}/{mirror['id']}"
    changed = fakeplat.as_user("mia").put(path, json={"mirror_branch_regex": "^stable"}).json()

    assert ("^release/", "^stable", []) == (
        mirror["mirror_branch_regex"],
        changed["mirror_branch_regex"],
        changed["host_keys"],
    )
