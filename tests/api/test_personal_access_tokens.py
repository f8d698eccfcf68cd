"""Personal access tokens of later releases: by id, of the request itself, rotation, filters, and their use.

Source: docs/platform/impersonation-and-access-tokens.md, docs/platform/later-releases.md.
"""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CURRENT_USER_TOKEN_DAYS,
    EVERY_TOKEN_REVOKES_ITSELF,
    IMPERSONATION_TOKENS_ARE_HIDDEN,
    REUSE_REVOKES_TOKEN_FAMILIES,
    REVOKED_TOKEN_TEXT,
    TOKEN_USE_INTERVAL,
    TOKEN_USE_IS_RECORDED,
    UNKNOWN_TOKENS_ARE_TOLD_TO_ADMINISTRATORS,
)
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, names, outcome, person, refusal
from tests.api.test_access_tokens import EXPIRED, REVOKED
from tests.by_release import by_release

Factory = Callable[..., Fakeplat]
pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest")]
PATH, OWN = "personal_access_tokens", "personal_access_tokens/self"
NOT_FOUND: Outcome = (404, {"message": "404 Not Found"})
WRONG_KIND = "400 Bad request - This endpoint requires token type to be a personal access token"
MINUTES = len("2020-11-20T09:00")
ALREADY_REVOKED = "400 Bad request - Token already revoked"


def bad(message: str) -> Outcome:
    """Return the outcome of a bad request."""
    return 400, {"message": message}


def send(fake: Fakeplat, value: str, method: str, path: str, **options: Any) -> Outcome:
    """Return the answer to a request with a token."""
    reply = fake.as_user(None).request(method, path, headers={"PRIVATE-TOKEN": value}, **options)
    return outcome(reply)


def issue(fake: Fakeplat, user: str = "eve", **fields: Any) -> dict[str, Any]:
    """Create a personal access token of a user as an administrator, and return it."""
    body = {"name": "ci", "scopes": ["api"], **fields}
    reply = fake.as_user("root").post(f"users/{person(fake, user)}/personal_access_tokens", json=body)
    assert 201 == reply.status
    return dict(reply.json())


def insufficient(scope: str) -> Outcome:
    """Return the refusal of a token whose scopes do not suffice."""
    text = "The request requires higher privileges than provided by the access token."
    return 403, {"error": "insufficient_scope", "error_description": text, "scope": scope}


def test_users_get_their_tokens_by_id(fakeplat: Fakeplat) -> None:
    """Users get their own tokens, with the addresses that used them; of others they do not learn whether they exist."""
    token = issue(fakeplat, description="for the build")
    path = f"{PATH}/{token['id']}"
    fields: dict[str, Any] = {
        "id": token["id"],
        "name": "ci",
        "description": "for the build",
        "revoked": False,
        "created_at": "2020-11-20T09:00:00.000Z",
        "scopes": ["api"],
        "user_id": person(fakeplat, "eve"),
        "last_used_at": None,
        "active": True,
        "granular": False,
        "expires_at": "2021-11-20",
    }

    assert {**fields, "token": token["token"]} == token
    for reader in ("eve", "root"):
        assert {**fields, "last_used_ips": []} == fakeplat.as_user(reader).get(path).json()
    for caller in ("ada", None):
        assert UNAUTHORIZED == refusal(fakeplat, caller, "GET", path)
    for unknown in ("1", "abc"):
        assert UNAUTHORIZED == refusal(fakeplat, "eve", "GET", f"{PATH}/{unknown}")
        assert NOT_FOUND == refusal(fakeplat, "root", "GET", f"{PATH}/{unknown}")


@by_release(UNKNOWN_TOKENS_ARE_TOLD_TO_ADMINISTRATORS, "expected", {"15.2": UNAUTHORIZED, "15.3": NOT_FOUND})
def test_administrators_learn_later_that_a_token_is_unknown(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Before 15.3 the answer for an unknown token is 401 for administrators, too."""
    assert expected == refusal(fakeplat, "root", "GET", f"{PATH}/1")


@pytest.mark.parametrize("scope", ["api", "read_user", "read_repository", "sudo", "k8s_proxy", "self_rotate"])
def test_a_token_of_any_scope_shows_and_revokes_itself(fakeplat: Fakeplat, scope: str) -> None:
    """Whatever its scopes, a token shows and revokes itself, after which it is refused."""
    token = issue(fakeplat, scopes=[scope])
    status, body = send(fakeplat, token["token"], "GET", OWN)

    assert (200, token["id"], [scope]) == (status, body["id"], body["scopes"])
    assert "token" not in body
    assert (204, None) == send(fakeplat, token["token"], "DELETE", OWN)
    assert REVOKED == send(fakeplat, token["token"], "GET", OWN)


def test_each_token_of_a_user_shows_itself(fakeplat: Fakeplat) -> None:
    """Two tokens of the same user get answers of their own."""
    first, second = issue(fakeplat), issue(fakeplat)

    ids = [send(fakeplat, token["token"], "GET", OWN)[1]["id"] for token in (first, second, first)]
    assert [first["id"], second["id"], first["id"]] == ids


@by_release(EVERY_TOKEN_REVOKES_ITSELF, "expected", {"15.3": insufficient("api read_api"), "15.4": (204, None)})
def test_tokens_of_any_scope_revoke_themselves_later(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Before 15.4 a token needs the scope api to revoke itself."""
    value = fakeplat.token("eve", scopes=["read_user"])

    assert expected == send(fakeplat, value, "DELETE", OWN)
    assert (204 != expected[0]) == (200 == send(fakeplat, value, "GET", "user")[0])
    assert (204, None) == send(fakeplat, fakeplat.token("eve", scopes=["api"]), "DELETE", OWN)


def test_other_credentials_have_no_token_of_their_own(fakeplat: Fakeplat) -> None:
    """An OAuth token neither shows nor revokes nor rotates itself."""
    value = fakeplat.token("eve", kind="oauth")
    headers = {"Authorization": f"Bearer {value}"}
    anonymous = fakeplat.as_user(None)

    for method, path in (("GET", OWN), ("DELETE", OWN), ("GET", f"{OWN}/associations")):
        assert bad(WRONG_KIND) == outcome(anonymous.request(method, path, headers=headers))
    answer = outcome(anonymous.post(f"{OWN}/rotate", headers=headers))
    assert (405, {"message": "405 Method Not Allowed"}) == answer
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", OWN)


def test_impersonation_tokens_belong_to_administrators(fakeplat: Fakeplat) -> None:
    """Users neither list nor revoke the impersonation tokens of their accounts, which rotate nevertheless."""
    path = f"users/{person(fakeplat, 'eve')}/impersonation_tokens"
    token = fakeplat.as_user("root").post(path, json={"name": "support", "scopes": ["api"]}).json()

    assert ["personal token"] == names(fakeplat.as_user("eve").get(PATH).json(), "name")
    assert bad("400 Bad request") == refusal(fakeplat, "eve", "DELETE", f"{PATH}/{token['id']}")
    assert bad("400 Bad request") == send(fakeplat, token["token"], "DELETE", OWN)
    status, rotated = send(fakeplat, token["token"], "POST", f"{OWN}/rotate")
    assert (200, "support") == (status, rotated["name"])
    assert [True, False] == names(fakeplat.as_user("root").get(path).json(), "revoked")


def test_a_rotated_token_is_replaced_by_one_like_it(fakeplat: Fakeplat) -> None:
    """Rotation revokes a token and answers 200 with a new one, valid for a week unless a day is given."""
    token, root = issue(fakeplat, scopes=["api", "read_user"], description="x"), fakeplat.as_user("root")
    reply = fakeplat.as_user("eve").post(f"{PATH}/{token['id']}/rotate")
    rotated = reply.json()
    kept = ("name", "scopes", "description", "user_id", "revoked", "active", "last_used_at")

    assert (200, "2020-11-27") == (reply.status, rotated["expires_at"])
    assert {name: token[name] for name in kept} == {name: rotated[name] for name in kept}
    assert token["id"] != rotated["id"]
    assert REVOKED == send(fakeplat, token["token"], "GET", "user")
    assert 200 == send(fakeplat, rotated["token"], "GET", "user")[0]
    again = root.post(f"{PATH}/{rotated['id']}/rotate", json={"expires_at": "2020-12-24"})
    assert (200, "2020-12-24") == (again.status, again.json()["expires_at"])


def test_refused_rotations_change_nothing(fakeplat: Fakeplat) -> None:
    """A revoked or foreign token is not rotated, and none to a day that is too late."""
    token, revoked = issue(fakeplat), issue(fakeplat)
    fakeplat.as_user("root").delete(f"{PATH}/{revoked['id']}")
    path = f"{PATH}/{token['id']}/rotate"
    late = bad("400 Bad request - Expiration date must be before 2021-11-20")

    assert bad(ALREADY_REVOKED) == refusal(fakeplat, "eve", "POST", f"{PATH}/{revoked['id']}/rotate")
    assert late == refusal(fakeplat, "eve", "POST", path, json={"expires_at": "2021-11-21"})
    assert invalid("expires_at is invalid") == refusal(fakeplat, "eve", "POST", path, json={"expires_at": "x"})
    for caller in ("ada", None):
        assert UNAUTHORIZED == refusal(fakeplat, caller, "POST", path)
    assert UNAUTHORIZED == refusal(fakeplat, "eve", "POST", f"{PATH}/1/rotate")
    assert NOT_FOUND == refusal(fakeplat, "root", "POST", f"{PATH}/1/rotate")
    assert 200 == send(fakeplat, token["token"], "GET", "user")[0]


def test_a_token_rotates_itself_with_a_scope_for_that(fakeplat: Fakeplat) -> None:
    """To rotate itself a token needs the scope api or self_rotate."""
    for scopes in (["api"], ["self_rotate"], ["read_user", "self_rotate"]):
        token = issue(fakeplat, scopes=scopes)
        status, rotated = send(fakeplat, token["token"], "POST", f"{OWN}/rotate", json={"expires_at": "2020-12-01"})
        assert (200, scopes, "2020-12-01") == (status, rotated["scopes"], rotated["expires_at"])
        assert REVOKED == send(fakeplat, token["token"], "GET", OWN)
    for scope in ("read_api", "read_user", "sudo"):
        token = issue(fakeplat, scopes=[scope])
        expected = insufficient("self_rotate api read_api")
        assert expected == send(fakeplat, token["token"], "POST", f"{OWN}/rotate")


@pytest.mark.parametrize("path", [f"{OWN}/rotate", f"{PATH}/1/rotate", "projects/acme%2Fsite/access_tokens/1/rotate"])
def test_a_revoked_token_that_rotates_again_revokes_its_family(fakeplat: Fakeplat, path: str) -> None:
    """Whoever sends a revoked token to rotate a token loses all tokens into which it was rotated."""
    token, other = issue(fakeplat), issue(fakeplat)
    first = send(fakeplat, token["token"], "POST", f"{OWN}/rotate")[1]
    second = send(fakeplat, first["token"], "POST", f"{OWN}/rotate")[1]

    assert REVOKED == send(fakeplat, token["token"], "GET", "user")
    assert 200 == send(fakeplat, second["token"], "GET", "user")[0]
    assert REVOKED == send(fakeplat, token["token"], "POST", path)
    assert REVOKED == send(fakeplat, second["token"], "GET", "user")
    assert 200 == send(fakeplat, other["token"], "GET", "user")[0]


@by_release(REUSE_REVOKES_TOKEN_FAMILIES, "status", {"16.2": 200, "16.3": 401})
def test_reuse_has_consequences_later(fakeplat: Fakeplat, status: int) -> None:
    """Before 16.3 a revoked token that is to rotate a token is refused, and nothing else happens."""
    eve, value = fakeplat.as_user("eve"), fakeplat.token("eve")
    token = send(fakeplat, value, "GET", OWN)[1]
    rotated = eve.post(f"{PATH}/{token['id']}/rotate").json()

    assert REVOKED == send(fakeplat, value, "POST", f"{PATH}/{rotated['id']}/rotate")
    assert status == send(fakeplat, rotated["token"], "GET", "user")[0]


@by_release(REVOKED_TOKEN_TEXT, "text", {"16.0": "token already revoked", "18.9": "Token already revoked"})
def test_a_revoked_token_is_not_rotated(fakeplat: Fakeplat, text: str) -> None:
    """The text of the refusal begins with a capital letter in later releases."""
    token = issue(fakeplat)
    fakeplat.as_user("root").delete(f"{PATH}/{token['id']}")

    expected = bad(f"400 Bad request - {text}")
    assert expected == refusal(fakeplat, "eve", "POST", f"{PATH}/{token['id']}/rotate")


def test_expired_tokens_do_not_rotate_themselves(fakeplat: Fakeplat) -> None:
    """An expired token is refused as for everything else."""
    token = issue(fakeplat, expires_at="2020-11-21")
    fakeplat.clock.advance("1d")

    assert EXPIRED == send(fakeplat, token["token"], "POST", f"{OWN}/rotate")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("revoked=true", ["old"]),
        ("revoked=false", ["expired", "used", "x"]),
        ("state=active", ["used", "x"]),
        ("state=inactive", ["old", "expired"]),
        ("created_before=2020-11-10", ["old", "expired"]),
        ("created_before=2020-11-02T12:30:25Z", ["old", "expired"]),
        ("created_before=2020-11-02T12:30:24Z", ["old"]),
        ("created_before=2020-11-02T:12:30:26", ["old", "expired"]),
        ("created_after=2020-11-02T12:30:25Z", ["expired", "used", "x"]),
        ("created_after=2020-11-02T12:30:26Z", ["used", "x"]),
        ("last_used_before=2020-11-19", ["used"]),
        ("last_used_before=2020-11-18", []),
        ("last_used_after=2020-11-18T10:00:00Z", ["used", "x"]),
        ("last_used_after=2020-11-19", ["x"]),
        ("expires_before=2020-11-20", ["expired"]),
        ("expires_before=2020-11-19", []),
        ("expires_after=2020-11-19", ["expired", "used"]),
        ("search=SE", []),
        ("search=used", ["used"]),
        ("search=", ["old", "expired", "used", "x"]),
        ("sort=name_asc", ["expired", "old", "used", "x"]),
        ("sort=name_desc", ["x", "used", "old", "expired"]),
        ("sort=created_desc", ["x", "used", "expired", "old"]),
        ("sort=expires_asc", ["expired", "used", "x", "old"]),
        ("sort=expires_desc", ["x", "old", "used", "expired"]),
        ("sort=last_used_asc", ["used", "x", "expired", "old"]),
        ("sort=unknown", ["old", "expired", "used", "x"]),
    ],
)
def test_tokens_are_filtered_and_sorted(fakeplat_factory: Factory, query: str, expected: list[str]) -> None:
    """Lists of tokens have filters by state, time and name, and orders."""
    tokens = [
        {"value": "old-token", "name": "old", "created_at": "2020-11-01", "revoked": True},
        {
            "value": "expired-token",
            "name": "expired",
            "created_at": "2020-11-02T12:30:25Z",
            "expires_at": "2020-11-19",
        },
        {
            "value": "used-token",
            "name": "used",
            "created_at": "2020-11-12",
            "expires_at": "2020-12-24",
            "last_used_at": "2020-11-18T10:00:00Z",
        },
        {"value": "x-token", "name": "x", "created_at": "2020-11-13"},
    ]
    scenario = {"users": [{"username": "una", "created_at": "2020-10-01", "tokens": tokens}]}
    world = fakeplat_factory(scenario=scenario, start="2020-11-20T09:00:00Z", version="latest")

    status, listed = send(world, "x-token", "GET", f"{PATH}?{query}")
    assert (200, expected) == (status, names(listed, "name"))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("revoked=x", "revoked is invalid"),
        ("state=all", "state does not have a valid value"),
        ("created_before=x", "created_before is invalid"),
        ("created_after=x", "created_after is invalid"),
        ("last_used_before=x", "last_used_before is invalid"),
        ("last_used_after=x", "last_used_after is invalid"),
        ("expires_before=x", "expires_before is invalid"),
        ("expires_after=x", "expires_after is invalid"),
    ],
)
def test_invalid_filters_of_tokens_are_refused(fakeplat: Fakeplat, query: str, text: str) -> None:
    """Each filter refuses what it cannot read."""
    assert invalid(text) == refusal(fakeplat, "eve", "GET", f"{PATH}?{query}")


def test_administrators_name_a_user_that_exists(fakeplat: Fakeplat) -> None:
    """An unknown and a blank user are 404 for administrators, who otherwise list the tokens of everybody."""
    for user_id in ("99", ""):
        assert NOT_FOUND == refusal(fakeplat, "root", "GET", f"{PATH}?user_id={user_id}")


def test_the_use_of_a_token_is_recorded_every_ten_minutes(fakeplat: Fakeplat) -> None:
    """A request with a token records time and address, but not again within ten minutes; a refused one does not."""
    token, root = issue(fakeplat), fakeplat.as_user("root")
    path = f"{PATH}/{token['id']}"

    def last_use() -> str | None:
        used_at: str | None = root.get(path).json()["last_used_at"]
        return None if used_at is None else used_at[:MINUTES]

    assert 404 == send(fakeplat, token["token"], "GET", "projects/1")[0]
    assert last_use() is None
    assert 200 == send(fakeplat, token["token"], "GET", "user")[0]
    assert "2020-11-20T09:00" == last_use()
    assert ["127.0.0.1"] == root.get(path).json()["last_used_ips"]
    fakeplat.clock.advance("9m")
    send(fakeplat, token["token"], "GET", "user")
    assert "2020-11-20T09:00" == last_use()
    fakeplat.clock.advance("1m")
    send(fakeplat, token["token"], "GET", "user")
    assert "2020-11-20T09:10" == last_use()
    fakeplat.clock.advance("10m")
    send(fakeplat, token["token"], "PUT", "user/status", json={"message": "x"})
    assert "2020-11-20T09:20" == last_use()


@by_release(TOKEN_USE_INTERVAL, "last_use", {"16.0": "2020-11-20T09:00", "16.1": "2020-11-21T08:00"})
def test_the_use_of_a_token_was_recorded_once_a_day_at_first(fakeplat: Fakeplat, last_use: str) -> None:
    """Before 16.1 the use of a token is recorded once in 24 hours."""
    value = fakeplat.token("eve")
    send(fakeplat, value, "GET", "user")
    fakeplat.clock.advance("23h")

    assert last_use == send(fakeplat, value, "GET", OWN)[1]["last_used_at"][:MINUTES]


@by_release(TOKEN_USE_IS_RECORDED, "is_recorded", {"14.9": False, "14.10": True})
def test_the_use_of_a_token_is_shown_later(fakeplat: Fakeplat, is_recorded: bool) -> None:
    """Early releases do not say when a token was used."""
    fakeplat.as_user("eve").get("user")
    (token,) = fakeplat.as_user("eve").get(PATH).json()

    assert is_recorded == bool(token.get("last_used_at"))


@by_release(IMPERSONATION_TOKENS_ARE_HIDDEN, "count", {"14.10": 2, "15.0": 1})
def test_impersonation_tokens_were_listed_at_first(fakeplat: Fakeplat, count: int) -> None:
    """In early releases users list and revoke the impersonation tokens of their accounts."""
    value = fakeplat.token("eve", kind="impersonation")
    token = next(row for row in fakeplat.bench.platform.view.tokens.all() if value == row.value)

    assert count == len(fakeplat.as_user("eve").get(PATH).json())
    assert (204 if count == 2 else 400) == fakeplat.as_user("eve").delete(f"{PATH}/{token.id}").status


def test_a_token_lists_the_groups_and_projects_that_it_reaches(fakeplat: Fakeplat) -> None:
    """The associations of a token are the visible groups and projects, or those where its user has a level."""
    value = fakeplat.token("mia", scopes=["read_user"])
    status, reached = send(fakeplat, value, "GET", f"{OWN}/associations")
    site = next(project for project in reached["projects"] if "acme/site" == project["path_with_namespace"])
    acme = next(group for group in reached["groups"] if "Acme" == group["name"])
    found = fakeplat.as_user("mia").get("projects/acme%2Fsite").json()

    assert 200 == status
    assert {
        "id": found["namespace"]["id"],
        "web_url": found["namespace"]["web_url"],
        "name": "Acme",
        "parent_id": None,
        "organization_id": 1,
        "access_levels": 40,
        "visibility": "public",
    } == acme
    basic = ("id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at")
    assert {
        **{name: found[name] for name in (*basic, "visibility", "web_url", "namespace")},
        "access_levels": {"project_access_level": None, "group_access_level": 40},
    } == site
    _, none = send(fakeplat, value, "GET", f"{OWN}/associations?min_access_level=50")
    assert {"groups": [], "projects": []} == none
    _, page = send(fakeplat, value, "GET", f"{OWN}/associations?per_page=1")
    assert (1, 1) == (len(page["groups"]), len(page["projects"]))
    expected = invalid("min_access_level does not have a valid value")
    assert expected == send(fakeplat, value, "GET", f"{OWN}/associations?min_access_level=7")


def test_users_create_tokens_that_reach_little(fakeplat: Fakeplat) -> None:
    """Users create tokens of their own for Kubernetes and for rotation only."""
    eve, path = fakeplat.as_user("eve"), "user/personal_access_tokens"
    reply = eve.post(path, json={"name": "k", "scopes": ["k8s_proxy"], "description": "d"})
    token = reply.json()

    assert (201, "2021-11-20", "d") == (reply.status, token["expires_at"], token["description"])
    assert insufficient("read_user api read_api") == send(fakeplat, token["token"], "GET", "user")
    assert 200 == send(fakeplat, token["token"], "GET", OWN)[0]
    expected = invalid("scopes does not have a valid value")
    assert expected == refusal(fakeplat, "eve", "POST", path, json={"name": "k", "scopes": ["api"]})
    neither = "name is missing, scopes, granular_scopes are missing, exactly one parameter must be provided"
    assert invalid(neither) == refusal(fakeplat, "eve", "POST", path)
    blank = (422, {"message": "Scopes can't be blank"})
    assert blank == refusal(fakeplat, "eve", "POST", path, json={"name": "k", "scopes": []})
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path, json={"name": "k", "scopes": ["k8s_proxy"]})


@pytest.mark.fakeplat(version="19.1")
def test_own_tokens_needed_scopes_before_permissions(fakeplat: Fakeplat) -> None:
    """Before tokens with permissions, a token of the caller needs scopes; those with permissions are ignored."""
    body = {"granular_scopes": [{"access": "user", "permissions": ["read_user"]}]}

    expected = invalid("name is missing, scopes is missing")
    assert expected == refusal(fakeplat, "eve", "POST", "user/personal_access_tokens", json=body)


@by_release(CURRENT_USER_TOKEN_DAYS, "expiry", {"16.5": "2020-11-21", "18.9": "2021-11-20"})
def test_tokens_of_users_for_themselves_were_for_a_day_at_first(fakeplat: Fakeplat, expiry: str) -> None:
    """At first, a token that users create for themselves is valid for a day."""
    eve, path = fakeplat.as_user("eve"), "user/personal_access_tokens"

    assert expiry == eve.post(path, json={"name": "k", "scopes": ["k8s_proxy"]}).json()["expires_at"]


@pytest.mark.fakeplat(version="16.5")
def test_tokens_of_users_for_themselves_were_for_kubernetes_at_first(fakeplat: Fakeplat) -> None:
    """At first, users create tokens for Kubernetes only."""
    path = "user/personal_access_tokens"
    expected = invalid("scopes does not have a valid value")
    assert expected == refusal(fakeplat, "eve", "POST", path, json={"name": "k", "scopes": ["self_rotate"]})


def test_only_administrators_create_tokens_of_others(fakeplat: Fakeplat) -> None:
    """The list of tokens of another user has no counterpart for creation by that user."""
    path = f"users/{person(fakeplat, 'eve')}/personal_access_tokens"
    assert FORBIDDEN == refusal(fakeplat, "eve", "POST", path, json={"name": "x", "scopes": ["api"]})
