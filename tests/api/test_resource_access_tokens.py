"""Access tokens of projects and groups in later releases: by id, rotation, filters, and credentials of any kind.

Source: docs/platform/impersonation-and-access-tokens.md, docs/platform/later-releases.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import INACTIVE_BOTS_STAY
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, person, refusal
from tests.api.test_access_tokens import ACME, REVOKED, SITE, TOKEN
from tests.api.test_personal_access_tokens import ALREADY_REVOKED, NOT_FOUND, bad, insufficient, send
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
PLACES = pytest.mark.parametrize(
    ("path", "kind", "manager", "other"), [(SITE, "project", "mia", "dev"), (ACME, "group", "ada", "mia")]
)


def create(fake: Fakeplat, path: str, manager: str, **fields: Any) -> dict[str, Any]:
    """Create an access token of a project or group, and return it."""
    reply = fake.as_user(manager).post(path, json={**TOKEN, **fields})
    assert 201 == reply.status
    return dict(reply.json())


def unknown(kind: str, token_id: object) -> Outcome:
    """Return the refusal of an id that no token of the project or group has."""
    return 404, {"message": f"404 Could not find {kind} access token with token_id: {token_id} Not Found"}


@PLACES
def test_managers_get_a_token_by_id(fakeplat: Fakeplat, path: str, kind: str, manager: str, other: str) -> None:
    """Whoever may list the tokens gets each of them, with the role of its bot."""
    token = create(fakeplat, path, manager, description="d", access_level=30)
    details = fakeplat.as_user(manager).get(f"{path}/{token['id']}").json()

    assert {name: value for name, value in token.items() if name != "token"} == details
    assert ("d", 30, kind, None) == tuple(
        details[name] for name in ("description", "access_level", "resource_type", "last_used_at")
    )
    for caller in (other, None):
        assert UNAUTHORIZED == refusal(fakeplat, caller, "GET", f"{path}/{token['id']}")
    for unknown_id in (1, "abc"):
        assert unknown(kind, unknown_id) == refusal(fakeplat, manager, "GET", f"{path}/{unknown_id}")


@PLACES
def test_managers_rotate_tokens(fakeplat: Fakeplat, path: str, kind: str, manager: str, other: str) -> None:
    """Rotation keeps the bot and its role; others, and bots, are refused as if there were no such token."""
    token = create(fakeplat, path, manager, access_level=30)
    rotate = f"{path}/{token['id']}/rotate"
    for caller in (other, None):
        assert UNAUTHORIZED == refusal(fakeplat, caller, "POST", rotate)
    assert UNAUTHORIZED == send(fakeplat, token["token"], "POST", rotate)
    late = bad("400 Bad request - Expiration date must be before 2021-11-20")
    assert late == refusal(fakeplat, manager, "POST", rotate, json={"expires_at": "2021-11-21"})

    reply = fakeplat.as_user(manager).post(rotate)
    rotated = reply.json()
    kept = ("user_id", "name", "scopes", "access_level", "resource_type", "resource_id")
    assert (200, "2020-11-27") == (reply.status, rotated["expires_at"])
    assert {name: token[name] for name in kept} == {name: rotated[name] for name in kept}
    assert REVOKED == send(fakeplat, token["token"], "GET", "user")
    assert 200 == send(fakeplat, rotated["token"], "GET", "user")[0]
    assert bad(ALREADY_REVOKED) == refusal(fakeplat, manager, "POST", rotate)
    assert UNAUTHORIZED == refusal(fakeplat, manager, "POST", f"{path}/1/rotate")
    assert NOT_FOUND == refusal(fakeplat, "root", "POST", f"{path}/1/rotate")


def test_maintainers_do_not_rotate_tokens_above_their_role(fakeplat: Fakeplat) -> None:
    """Whoever is below the bot of a token does not rotate it."""
    token = create(fakeplat, SITE, "mia")
    fakeplat.as_user("ada").delete(f"groups/acme/members/{person(fakeplat, 'dev')}")
    with fakeplat.bench.platform.acting() as ctx:
        member = next(iter(ctx.world.members.where("user", token["user_id"])))
        ctx.world.members.change(member, access_level=50)

    text = "400 Bad request - Not eligible to rotate token with access level higher than the user"
    assert bad(text) == refusal(fakeplat, "mia", "POST", f"{SITE}/{token['id']}/rotate")
    assert 200 == fakeplat.as_user("root").post(f"{SITE}/{token['id']}/rotate").status


@PLACES
@pytest.mark.parametrize("scope", ["api", "self_rotate"])
def test_tokens_of_bots_rotate_themselves(
    fakeplat: Fakeplat, path: str, kind: str, manager: str, other: str, scope: str
) -> None:
    """The token of a bot rotates itself if its scopes allow that, where it belongs."""
    token = create(fakeplat, path, manager, scopes=[scope, "read_repository"])
    reader = create(fakeplat, path, manager, scopes=["read_api"])
    elsewhere = ACME if kind == "project" else SITE

    assert insufficient("self_rotate api read_api") == send(fakeplat, reader["token"], "POST", f"{path}/self/rotate")
    assert UNAUTHORIZED == send(fakeplat, token["token"], "POST", f"{elsewhere}/self/rotate")
    not_allowed = (405, {"message": "405 Method Not Allowed"})
    assert not_allowed == refusal(fakeplat, manager, "POST", f"{path}/self/rotate")
    status, rotated = send(fakeplat, token["token"], "POST", f"{path}/self/rotate", json={"expires_at": "2020-12-01"})
    assert (200, "2020-12-01", kind) == (status, rotated["expires_at"], rotated["resource_type"])
    assert REVOKED == send(fakeplat, token["token"], "POST", f"{path}/self/rotate")
    assert REVOKED == send(fakeplat, rotated["token"], "POST", f"{path}/self/rotate")


def test_owners_revoke_tokens_of_groups(fakeplat: Fakeplat) -> None:
    """Owners revoke the access tokens of a group; others are told that they cannot delete the bot."""
    token = create(fakeplat, ACME, "ada")
    path = f"{ACME}/{token['id']}"

    assert bad("400 Bad request - Mia Example cannot delete ci") == refusal(fakeplat, "mia", "DELETE", path)
    assert 204 == fakeplat.as_user("ada").delete(path).status
    assert REVOKED == send(fakeplat, token["token"], "GET", "user")
    assert unknown("group", 1) == refusal(fakeplat, "ada", "DELETE", f"{ACME}/1")


@by_release(INACTIVE_BOTS_STAY, "stays", {"17.8": False, "17.9": True})
def test_bots_of_revoked_tokens_stay_in_later_releases(fakeplat: Fakeplat, stays: bool) -> None:
    """From 17.9 on, revoked tokens are still listed, and the membership of a bot does not end with its token."""
    token = create(fakeplat, SITE, "mia", expires_at="2020-12-24")
    mia = fakeplat.as_user("mia")
    member = mia.get(f"projects/acme%2Fsite/members/{token['user_id']}").json()

    assert (None if stays else "2020-12-24") == member["expires_at"]
    assert 204 == mia.delete(f"{SITE}/{token['id']}").status
    assert ([True] if stays else []) == names(mia.get(SITE).json(), "revoked")
    assert (200 if stays else 404) == mia.get(f"users/{token['user_id']}").status


def test_tokens_of_projects_are_filtered(fakeplat: Fakeplat) -> None:
    """Lists of access tokens of projects and groups have the filters of personal ones."""
    old, new = create(fakeplat, SITE, "mia", name="old"), create(fakeplat, SITE, "mia", name="new")
    mia = fakeplat.as_user("mia")
    mia.delete(f"{SITE}/{old['id']}")

    def listed(query: str) -> list[Any]:
        return names(mia.get(f"{SITE}?{query}").json(), "name")

    assert ["new"] == listed("state=active")
    assert ["old"] == listed("state=inactive") == listed("revoked=true")
    assert ["new", "old"] == listed("sort=name_asc")
    assert ["new"] == listed("search=new")
    assert new["id"] == mia.get(f"{SITE}?revoked=false").json()[0]["id"]
    assert invalid("state does not have a valid value") == refusal(fakeplat, "mia", "GET", f"{SITE}?state=all")


def test_administrators_identify_credentials(fakeplat: Fakeplat) -> None:
    """An administrator sends a credential of some kind, and gets the record that it belongs to."""
    root = fakeplat.as_user("root")
    mia = fakeplat.as_user("mia")
    site_token = create(fakeplat, SITE, "mia")
    deploy = mia.post("projects/acme%2Fsite/deploy_tokens", json={"name": "d", "scopes": ["read_repository"]}).json()
    trigger = mia.post("projects/acme%2Fsite/triggers", json={"description": "t"}).json()
    body = {"name": "app", "redirect_uri": "https://app.test", "scopes": "api"}
    application = root.post("applications", json=body).json()
    runner = root.post("user/runners", json={"runner_type": "instance_type"}).json()

    for value, id_ in (
        (site_token["token"], site_token["id"]),
        (deploy["token"], deploy["id"]),
        (trigger["token"], trigger["id"]),
        (application["secret"], application["id"]),
        (runner["token"], runner["id"]),
    ):
        reply = root.post("admin/token", json={"token": value})
        assert (200, id_) == (reply.status, reply.json()["id"])
    unknown_value = (404, {"message": {"error": "Not found"}})
    unsupported = (422, {"message": "Token type not supported."})
    for method in ("POST", "DELETE"):
        assert unknown_value == refusal(fakeplat, "root", method, "admin/token", json={"token": "glpat-none"})
        assert unsupported == refusal(fakeplat, "root", method, "admin/token", json={"token": "none"})
        assert invalid("token is missing") == refusal(fakeplat, "root", method, "admin/token")
        assert FORBIDDEN == refusal(fakeplat, "ada", method, "admin/token", json={"token": "x"})
        assert UNAUTHORIZED == refusal(fakeplat, None, method, "admin/token", json={"token": "x"})


def test_administrators_revoke_credentials(fakeplat: Fakeplat) -> None:
    """Tokens are revoked, the credentials of runners and applications are replaced."""
    root, mia = fakeplat.as_user("root"), fakeplat.as_user("mia")
    personal, bot = fakeplat.token("eve"), create(fakeplat, SITE, "mia")["token"]
    deploy = mia.post("projects/acme%2Fsite/deploy_tokens", json={"name": "d", "scopes": ["read_repository"]}).json()
    runner = root.post("user/runners", json={"runner_type": "instance_type"}).json()
    body = {"name": "app", "redirect_uri": "https://app.test", "scopes": "api"}
    secret = root.post("applications", json=body).json()["secret"]

    for value in (personal, bot, deploy["token"], runner["token"], secret):
        assert 204 == root.delete("admin/token", json={"token": value}).status
    assert REVOKED == send(fakeplat, personal, "GET", "user")
    assert REVOKED == send(fakeplat, bot, "GET", "user")
    assert [True] == names(mia.get("projects/acme%2Fsite/deploy_tokens").json(), "revoked")
    gone = (404, {"message": {"error": "Not found"}})
    for value in (runner["token"], secret):
        assert gone == refusal(fakeplat, "root", "POST", "admin/token", json={"token": value})
    trigger = mia.post("projects/acme%2Fsite/triggers", json={"description": "t"}).json()
    unsupported = (422, {"message": "Unsupported token type"})
    assert unsupported == refusal(fakeplat, "root", "DELETE", "admin/token", json={"token": trigger["token"]})
