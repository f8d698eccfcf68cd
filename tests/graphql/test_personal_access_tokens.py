"""Personal access tokens by GraphQL.

Source: specs of the platform: authz/personal_access_tokens, and mutations/users/personal_access_tokens.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.granular_scopes import FLAG
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

START = "2027-01-10T09:00:00Z"
FINE = {
    "value": "tok-fine",
    "name": "tok-fine",
    "granular_scopes": [
        {"access": "selected_memberships", "permissions": ["read_project"], "project": "acme/site"},
        {"access": "selected_memberships", "permissions": ["read_group"], "group": "acme"},
        {"access": "personal_projects", "permissions": ["read_project"]},
        {"access": "user", "permissions": ["read_user"]},
    ],
    "created_at": "2027-01-04T00:00:00Z",
    "expires_at": "2027-03-01",
}
TOKENS = [
    "dev-token",
    {
        "value": "tok-first",
        "name": "tok-first",
        "description": "Builds",
        "scopes": ["api", "read_user"],
        "created_at": "2027-01-01T00:00:00Z",
        "expires_at": "2027-02-01",
        "last_used_at": "2027-01-05T00:00:00Z",
        "last_used_ips": ["192.0.2.1"],
    },
    {"value": "tok-gone", "name": "tok-gone", "created_at": "2027-01-02T00:00:00Z", "revoked": True},
    {
        "value": "tok-old",
        "name": "tok-old",
        "created_at": "2027-01-03T00:00:00Z",
        "expires_at": "2027-01-09",
        "last_used_at": "2027-01-06T00:00:00Z",
    },
    FINE,
    {"value": "tok-as", "name": "tok-as", "kind": "impersonation", "created_at": "2027-01-05T00:00:00Z"},
]
USERS = [user | ({"tokens": TOKENS} if user["username"] == "dev" else {}) for user in COMPANY["users"]]
ROOT = {"username": "root", "admin": True}
pytestmark = pytest.mark.fakeplat(
    scenario={**COMPANY, "users": [*USERS, ROOT]}, version="latest", tier="premium", clock="virtual", start=START
)
LIST = '{ user(username: "dev") { personalAccessTokens(search: "tok-"%s) { count nodes { %s } } } }'
REVOKE = write_mutation("personalAccessTokenRevoke", "")
ROTATE = write_mutation("personalAccessTokenRotate", "token")
FIELDS = "name description granular revoked active lastUsedIps lastUsedAt createdAt expiresAt"
SCOPES = """scopes { __typename ... on AccessTokenLegacyScope { value }
    ... on AccessTokenGranularScope { access namespace { fullPath } } }"""


def query_tokens(fake: Fakeplat, selection: str = "name", arguments: str = "", by: str = "dev") -> Any:
    return query_data(fake, by, LIST % (arguments, selection))["user"]["personalAccessTokens"]


def list_names(fake: Fakeplat, arguments: str = "", by: str = "dev") -> list[str]:
    return [node["name"].removeprefix("tok-") for node in query_tokens(fake, "name", arguments, by)["nodes"]]


def find_token(fake: Fakeplat, name: str, selection: str = "id") -> Any:
    nodes = query_tokens(fake, f"name {selection}")["nodes"]
    return next(node for node in nodes if node["name"] == f"tok-{name}")


def change(fake: Fakeplat, mutation: str, name: str, by: str = "dev", **input_: Any) -> Any:
    (payload,) = query_data(fake, by, mutation, input={"id": find_token(fake, name)["id"], **input_}).values()
    return payload


def test_a_token_shows_what_it_is(fakeplat: Fakeplat) -> None:
    """A token shows its use, its days and its scopes."""
    token = find_token(fakeplat, "first", f"id {FIELDS} {SCOPES}")

    assert token.pop("id").startswith("gid://gitlab/PersonalAccessToken/")
    assert {
        "name": "tok-first",
        "description": "Builds",
        "granular": False,
        "revoked": False,
        "active": True,
        "lastUsedIps": ["192.0.2.1"],
        "lastUsedAt": "2027-01-05T00:00:00Z",
        "createdAt": "2027-01-01T00:00:00Z",
        "expiresAt": "2027-02-01",
        "scopes": [
            {"__typename": "AccessTokenLegacyScope", "value": "api"},
            {"__typename": "AccessTokenLegacyScope", "value": "read_user"},
        ],
    } == token


def test_a_fine_grained_token_shows_its_scopes(fakeplat: Fakeplat) -> None:
    """The scopes of a fine-grained token say where it has permissions."""
    token = find_token(fakeplat, "fine", f"granular {SCOPES}")

    assert token["granular"]
    assert [
        ("SELECTED_MEMBERSHIPS", "acme/site"),
        ("SELECTED_MEMBERSHIPS", "acme"),
        ("PERSONAL_PROJECTS", "dev"),
        ("USER", None),
    ] == [(scope["access"], (scope["namespace"] or {"fullPath": None})["fullPath"]) for scope in token["scopes"]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("", ["old", "first", "fine", "gone", "as"]),
        (", sort: EXPIRES_DESC", ["as", "gone", "fine", "first", "old"]),
        (", sort: CREATED_ASC", ["first", "gone", "old", "fine", "as"]),
        (", sort: CREATED_DESC", ["as", "fine", "old", "gone", "first"]),
        (", sort: ID_DESC", ["as", "fine", "old", "gone", "first"]),
        (", sort: LAST_USED_ASC", ["first", "old", "gone", "fine", "as"]),
        (", sort: NAME_ASC", ["as", "fine", "first", "gone", "old"]),
        (", state: ACTIVE", ["first", "fine", "as"]),
        (", state: INACTIVE", ["old", "gone"]),
        (", revoked: true", ["gone"]),
        (", revoked: false", ["old", "first", "fine", "as"]),
        (', expiresBefore: "2027-02-01"', ["old"]),
        (', expiresAfter: "2027-02-01"', ["first", "fine"]),
        (', createdBefore: "2027-01-02T00:00:00Z"', ["first", "gone"]),
        (', createdAfter: "2027-01-04T00:00:00Z"', ["fine", "as"]),
        (', lastUsedBefore: "2027-01-05T12:00:00Z"', ["first"]),
        (', lastUsedAfter: "2027-01-05T12:00:00Z"', ["old"]),
    ],
)
def test_tokens_are_filtered_and_sorted(fakeplat: Fakeplat, arguments: str, expected: list[str]) -> None:
    """Lists begin with the token that expires first; tokens without a value are the last then."""
    assert expected == list_names(fakeplat, arguments)
    assert len(expected) == query_tokens(fakeplat, arguments=arguments)["count"]


@pytest.mark.parametrize(("by", "sees"), [("root", True), ("ada", False)])
def test_who_sees_tokens(fakeplat: Fakeplat, by: str, sees: bool) -> None:
    """Administrators see the tokens of everybody; for others those of users are null."""
    assert sees is (query_tokens(fakeplat, by=by) is not None)


def test_a_token_is_revoked(fakeplat: Fakeplat) -> None:
    """A user revokes a token, also one that is revoked already."""
    for _ in range(2):
        assert {"errors": []} == change(fakeplat, REVOKE, "first")
    assert {"revoked": True, "active": False} == {
        key: value for key, value in find_token(fakeplat, "first", "revoked active").items() if key != "name"
    }


def test_who_revokes_impersonation_tokens(fakeplat: Fakeplat) -> None:
    """Only administrators revoke tokens for impersonation."""
    given = {"id": find_token(fakeplat, "as")["id"]}

    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", REVOKE, input=given))
    assert {"errors": []} == change(fakeplat, REVOKE, "as", "root")


@pytest.mark.parametrize(
    ("name", "given", "expires_at"),
    [
        ("first", {}, "2027-02-01"),
        ("first", {"expiresAt": "2027-02-14"}, "2027-02-14"),
        ("as", {}, "2027-01-17"),
    ],
    ids=["same", "chosen", "week"],
)
def test_a_token_is_rotated(fakeplat: Fakeplat, name: str, given: dict[str, str], expires_at: str) -> None:
    """A new token has the last day of the old one or a chosen one, or is valid for a week."""
    payload = change(fakeplat, ROTATE, name, **given)
    selection = f'personalAccessTokens(search: "tok-{name}", sort: ID_ASC) {{ nodes {{ revoked expiresAt }} }}'
    old, new = query_data(fakeplat, "dev", f"{{ currentUser {{ {selection} }} }}")["currentUser"][
        "personalAccessTokens"
    ]["nodes"]

    assert payload["token"]
    assert [] == payload["errors"]
    assert (True, {"revoked": False, "expiresAt": expires_at}) == (old["revoked"], new)


@pytest.mark.parametrize(
    ("name", "given", "error"),
    [
        ("gone", {}, "Token already revoked"),
        ("first", {"expiresAt": "2029-01-01"}, "Expiration date must be before 2028-01-10"),
    ],
    ids=["revoked", "late"],
)
def test_a_refused_rotation(fakeplat: Fakeplat, name: str, given: dict[str, str], error: str) -> None:
    """Neither is a revoked token rotated, nor is one valid for more than a year."""
    input_ = {"id": find_token(fakeplat, name)["id"], **given}
    payload = query_refused(fakeplat, "dev", ROTATE, input=input_)["data"]["personalAccessTokenRotate"]

    assert {"token": None, "errors": [error]} == payload


@pytest.mark.parametrize("mutation", [REVOKE, ROTATE], ids=["revoke", "rotate"])
def test_others_change_no_tokens(fakeplat: Fakeplat, mutation: str) -> None:
    """Other users and missing tokens are not available."""
    given = {"id": find_token(fakeplat, "first")["id"]}
    missing = {"id": "gid://gitlab/PersonalAccessToken/1"}
    for by, input_ in (("ada", given), ("dev", missing)):
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, by, mutation, input=input_))


@pytest.mark.parametrize("mutation", [REVOKE, ROTATE], ids=["revoke", "rotate"])
def test_the_feature_is_off(fakeplat: Fakeplat, mutation: str) -> None:
    """Without fine-grained tokens, GraphQL changes no token at all."""
    given = {"id": find_token(fakeplat, "first")["id"]}
    fakeplat.as_user("root").post(f"features/{FLAG}", json={"value": "false"})
    content = query_refused(fakeplat, "dev", mutation, input=given)

    assert ["`granular_personal_access_tokens` feature flag is disabled."] == list_messages(content)


@pytest.mark.fakeplat(version="18.5")
def test_earlier_releases_show_no_tokens(fakeplat: Fakeplat) -> None:
    """GraphQL shows tokens since 18.6."""
    query = "{ currentUser { personalAccessTokens { count } } }"

    assert "Field 'personalAccessTokens' doesn't exist on type 'CurrentUser'" in list_messages(
        query_refused(fakeplat, "dev", query)
    )


CREATE = write_mutation("personalAccessTokenCreate", "token")
USER_SCOPE = {"access": "USER", "permissions": ["read_user"]}
NEW = {"name": "tok-new", "description": "New", "granularScopes": [USER_SCOPE]}


def global_ids(fake: Fakeplat) -> list[str]:
    """Return the global IDs of a group and a project."""
    group, project = fake.world.group("acme").id, fake.world.project("acme/site").id
    return [f"gid://gitlab/Group/{group}", f"gid://gitlab/Project/{project}"]


def test_a_fine_grained_token_is_created(fakeplat: Fakeplat) -> None:
    """A new token has a scope for each group and project, and for other accesses one."""
    selected = {"access": "SELECTED_MEMBERSHIPS", "permissions": ["read_project"], "resourceIds": global_ids(fakeplat)}
    given = {**NEW, "expiresAt": "2027-02-14", "granularScopes": [USER_SCOPE, selected]}
    payload = query_data(fakeplat, "dev", CREATE, input=given)["personalAccessTokenCreate"]
    shown = find_token(fakeplat, "new", f"description granular expiresAt {SCOPES}")

    assert [] == payload["errors"]
    assert payload["token"]
    assert ("New", True, "2027-02-14") == (shown["description"], shown["granular"], shown["expiresAt"])
    assert [("USER", None), ("SELECTED_MEMBERSHIPS", "acme"), ("SELECTED_MEMBERSHIPS", "acme/site")] == [
        (scope["access"], scope["namespace"] and scope["namespace"]["fullPath"]) for scope in shown["scopes"]
    ]


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"granularScopes": []}, "At least one granular scope must be provided"),
        ({"expiresAt": "2029-01-01"}, "Expiration date must be before 2028-01-10"),
        ({"name": ""}, "Name can't be blank"),
    ],
    ids=["empty", "late", "nameless"],
)
def test_refused_fine_grained_tokens(fakeplat: Fakeplat, given: dict[str, Any], error: str) -> None:
    """A token needs scopes and a name, and is valid for at most a year."""
    content = query_refused(fakeplat, "dev", CREATE, input={**NEW, **given})

    assert {"personalAccessTokenCreate": {"token": None, "errors": [error]}} == content["data"]


def test_tokens_are_for_groups_of_the_user(fakeplat: Fakeplat) -> None:
    """A group or project to which the user does not belong is an error; one that does not exist is left out."""
    selected = {"access": "SELECTED_MEMBERSHIPS", "permissions": ["read_project"]}

    def refuse(by: str, ids: list[str]) -> dict[str, Any]:
        given = {**NEW, "granularScopes": [{**selected, "resourceIds": ids}]}
        return query_refused(fakeplat, by, CREATE, input=given)

    assert [NOT_AVAILABLE] == list_messages(refuse("eve", global_ids(fakeplat)))
    payload = refuse("dev", ["gid://gitlab/Group/404404"])["data"]["personalAccessTokenCreate"]
    assert ["At least one granular scope must be provided"] == payload["errors"]


@pytest.mark.fakeplat(version="18.9")
def test_fine_grained_tokens_are_created_behind_a_flag(fakeplat: Fakeplat) -> None:
    """Where the feature is off, no token is created."""
    assert [f"`{FLAG}` feature flag is disabled."] == list_messages(query_refused(fakeplat, "dev", CREATE, input=NEW))
