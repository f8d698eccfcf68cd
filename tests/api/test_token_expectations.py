"""What the platform's own specs of later releases ask of tokens, service accounts, members and lists.

Source: spec/requests/api/resource_access_tokens_spec.rb, spec/requests/api/personal_access_tokens_spec.rb,
spec/requests/api/groups_spec.rb, docs/platform/impersonation-and-access-tokens.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ANONYMOUS_LISTS_OF_GROUPS_END, BUFFERED_TOKEN_LIFETIME
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import UNAUTHORIZED, Outcome, invalid, names, outcome, person, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(version="latest", tier="ultimate")]
PLACES = pytest.mark.parametrize(
    ("path", "kind"), [("projects/acme%2Fsite", "project"), ("groups/acme", "group")], ids=["project", "group"]
)
OTHERS = {"project": "projects/acme%2Ftools%2Fkit", "group": "groups/acme%2Ftools"}
NEW = {"name": "ci", "scopes": ["api"], "expires_at": "2020-12-20"}


def bad(text: str) -> Outcome:
    """Return the outcome of a bad request."""
    return 400, {"message": f"400 Bad request - {text}"}


def issue(fake: Fakeplat, path: str, **fields: Any) -> dict[str, Any]:
    """Create an access token of a project or group as its owner."""
    reply = fake.as_user("ada").post(f"{path}/access_tokens", json={**NEW, **fields})
    assert 201 == reply.status, reply.text
    return dict(reply.json())


def send(fake: Fakeplat, token: dict[str, Any], method: str, path: str, **rest: Any) -> Outcome:
    """Return the answer to a request with a token."""
    return outcome(fake.as_user(None).request(method, path, headers={"PRIVATE-TOKEN": token["token"]}, **rest))


def unknown(kind: str, token_id: int) -> Outcome:
    """Return the refusal of an id that no token of the project or group has."""
    return resource_not_found(f"Could not find {kind} access token with token_id: {token_id}")


# tokens of projects and groups


@PLACES
def test_lists_have_the_tokens_of_their_container_only(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """A list shows the tokens of its project or group without their values; another has none."""
    tokens = [issue(fakeplat, path, name=name) for name in ("first", "second")]
    ada = fakeplat.as_user("ada")

    rows = ada.get(f"{path}/access_tokens").json()
    assert [token["id"] for token in tokens] == names(rows, "id")
    assert all("token" not in row and kind == row["resource_type"] for row in rows)
    assert [] == ada.get(f"{OTHERS[kind]}/access_tokens").json()


@PLACES
def test_a_token_reads_other_tokens(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """The token of a bot with enough rights lists, shows and revokes other tokens there, but creates none."""
    first, second = issue(fakeplat, path, access_level=50), issue(fakeplat, path, name="second")

    status, rows = send(fakeplat, first, "GET", f"{path}/access_tokens")
    assert (200, {first["id"], second["id"]}) == (status, set(names(rows, "id")))
    shown = send(fakeplat, first, "GET", f"{path}/access_tokens/{second['id']}")
    assert (200, "second", ["api"], "2020-12-20") == (
        shown[0],
        shown[1]["name"],
        shown[1]["scopes"],
        shown[1]["expires_at"],
    )
    text = f"User does not have permission to create {kind} access token"
    assert bad(text) == send(fakeplat, first, "POST", f"{path}/access_tokens", json=NEW)
    assert (204, None) == send(fakeplat, first, "DELETE", f"{path}/access_tokens/{second['id']}")
    assert UNAUTHORIZED[0] == send(fakeplat, second, "GET", "user")[0]


@PLACES
def test_unknown_tokens_are_named_in_the_refusal(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """A token that does not exist, and one of another project or group, are not found by the same text."""
    token = issue(fakeplat, path)

    for place, id_ in ((path, 1), (OTHERS[kind], token["id"])):
        for method in ("GET", "DELETE"):
            assert unknown(kind, id_) == refusal(fakeplat, "ada", method, f"{place}/access_tokens/{id_}")


@PLACES
def test_others_do_not_learn_of_tokens(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """Developers get 401 for lists and single tokens, and a sentence when they revoke or create one."""
    token = issue(fakeplat, path)
    token_path = f"{path}/access_tokens/{token['id']}"

    assert UNAUTHORIZED == refusal(fakeplat, "dev", "GET", f"{path}/access_tokens")
    assert UNAUTHORIZED == refusal(fakeplat, "dev", "GET", token_path)
    assert bad("Dev Example cannot delete ci") == refusal(fakeplat, "dev", "DELETE", token_path)
    text = f"User does not have permission to create {kind} access token"
    assert bad(text) == refusal(fakeplat, "dev", "POST", f"{path}/access_tokens", json=NEW)


@pytest.mark.parametrize("path", ["projects/acme%2Fsite", "groups/acme"], ids=["project", "group"])
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": None}, invalid("name is missing")),
        ({"scopes": None}, invalid("scopes is missing")),
        ({"scopes": ["test"]}, invalid("scopes does not have a valid value")),
        ({"scopes": ["sudo", "granular"]}, invalid("scopes does not have a valid value")),
        ({"scopes": []}, bad("Scopes can't be blank")),
        ({"access_level": 0}, invalid("access_level does not have a valid value")),
        ({"expires_at": "soon"}, invalid("expires_at is invalid")),
        ({"expires_at": "2021-11-21"}, bad("Expiration date must be before 2021-11-20")),
    ],
    ids=["no name", "no scopes", "unknown scope", "granular", "empty scopes", "no access", "no date", "too late"],
)
def test_unusable_tokens_are_refused(
    fakeplat: Fakeplat, path: str, change: dict[str, object], expected: Outcome
) -> None:
    """A token needs a name, known scopes, a role and a day that is not too late."""
    body = {name: value for name, value in {**NEW, **change}.items() if value is not None}

    assert expected == refusal(fakeplat, "ada", "POST", f"{path}/access_tokens", json=body)


@PLACES
def test_tokens_have_defaults(fakeplat: Fakeplat, path: str, kind: str) -> None:
    """Without a role the bot is a maintainer; without a day the token is valid for a year."""
    token = fakeplat.as_user("ada").post(f"{path}/access_tokens", json={"name": "ci", "scopes": ["api"]}).json()

    assert (40, "2021-11-20", None) == (token["access_level"], token["expires_at"], token["description"])
    assert token["token"].startswith("glpat-")
    assert (kind, True) == (token["resource_type"], token["active"])
    assert 200 == send(fakeplat, token, "GET", path)[0]


@pytest.mark.parametrize(("tier", "expected"), [("free", "2021-11-20"), ("ultimate", "2021-12-25")])
@pytest.mark.fakeplat(version="17.6")
def test_a_flag_makes_tokens_valid_for_longer(fakeplat: Fakeplat, tier: str, expected: str) -> None:
    """With the flag, a token of a user is valid for 400 days at most, on every tier."""
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}/personal_access_tokens"
    body = {"name": "ci", "scopes": ["api"]}
    if tier == "ultimate":
        root.post("features/buffered_token_expiration_limit", json={"value": "true"})

    assert expected == root.post(path, json=body).json()["expires_at"]
    late = (422, {"message": f"Expiration date must be before {expected}"})
    assert late == refusal(fakeplat, "root", "POST", path, json={**body, "expires_at": "2021-12-26"})


@by_release(BUFFERED_TOKEN_LIFETIME, "expected", {"17.5": "2021-11-20", "17.6": "2021-12-25"})
def test_the_flag_for_longer_tokens_came_with_17_6(fakeplat: Fakeplat, expected: str) -> None:
    """Before 17.6 the flag changes nothing."""
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}/personal_access_tokens"
    root.post("features/buffered_token_expiration_limit", json={"value": "true"})

    assert expected == root.post(path, json={"name": "ci", "scopes": ["api"]}).json()["expires_at"]


# lists of groups


TOO_FAR: Outcome = (
    405,
    {
        "error": "Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type "
        "Group. Remaining records can be retrieved using keyset pagination."
    },
)


@by_release(ANONYMOUS_LISTS_OF_GROUPS_END, "expected", {"13.12": (200, []), "14.10": TOO_FAR})
def test_anonymous_lists_of_groups_end(fakeplat: Fakeplat, expected: Outcome) -> None:
    """Anonymous callers see at most 50,000 groups by pages; others have no limit."""
    path = "groups?page=3000&per_page=25"

    assert expected == outcome(fakeplat.as_user(None).get(path))
    assert (200, []) == outcome(fakeplat.as_user("eve").get(path))
    assert 200 == fakeplat.as_user(None).get("groups?page=2000&per_page=25").status


@pytest.mark.fakeplat(tier="free")
@pytest.mark.parametrize(("is_required", "expected"), [(True, "2020-11-27"), (False, None)])
def test_rotated_tokens_expire_if_tokens_have_to(fakeplat: Fakeplat, is_required: bool, expected: str | None) -> None:
    """A token that is rotated without a date is valid for a week, or for ever where tokens need not expire."""
    root, token = fakeplat.as_user("root"), issue(fakeplat, "projects/acme%2Fsite")
    root.put("application/settings", json={"require_personal_access_token_expiry": is_required})

    rotated = fakeplat.as_user("ada").post(f"projects/acme%2Fsite/access_tokens/{token['id']}/rotate").json()
    assert expected == rotated["expires_at"]
    rotated = root.post(f"personal_access_tokens/{rotated['id']}/rotate").json()
    assert expected == rotated["expires_at"]
