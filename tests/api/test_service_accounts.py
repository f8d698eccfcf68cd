"""Service accounts of the instance and of groups, and their tokens.

Source: docs/platform/impersonation-and-access-tokens.md ('Service accounts').
"""

from typing import Any

import pytest

from fakeplat.domain.purging import purge
from fakeplat.harness.fake import Fakeplat
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import UNAUTHORIZED, invalid, names, person, refusal, resource_not_found
from tests.api.test_access_tokens import REVOKED
from tests.api.test_personal_access_tokens import ALREADY_REVOKED, NOT_FOUND, bad, send

pytestmark = [STARTER_AT_NINE, pytest.mark.fakeplat(tier="premium", version="latest")]
OF_GROUP, OF_INSTANCE = "groups/acme/service_accounts", "service_accounts"
TOKEN = {"name": "ci", "scopes": ["api"]}


def create(fake: Fakeplat, path: str = OF_GROUP, **fields: Any) -> dict[str, Any]:
    """Create a service account as an administrator, and return it."""
    reply = fake.as_user("root").post(path, json=fields)
    assert 201 == reply.status
    return dict(reply.json())


@pytest.mark.parametrize("path", [OF_GROUP, OF_INSTANCE])
def test_a_service_account_has_given_or_made_up_names(fakeplat: Fakeplat, path: str) -> None:
    """Name, username and address are made up unless they are sent; taken ones are refused."""
    account = create(fakeplat, path, username="robot", name="Robot", email="robot@example.com")
    made_up, acme = create(fakeplat, path), fakeplat.as_user("ada").get("groups/acme").json()["id"]
    prefix = f"service_account_group_{acme}_" if path == OF_GROUP else "service_account_"

    texts = {"username": "robot", "name": "Robot", "email": "robot@example.com", "public_email": ""}
    assert {"id": account["id"], **texts} == account
    assert made_up["username"].startswith(prefix)
    assert "Service account user" == made_up["name"]
    both = bad("400 Bad request - Email has already been taken and Username has already been taken")
    assert both == refusal(fakeplat, "root", "POST", path, json={"username": "Robot", "email": "Robot@example.com"})
    username = bad("400 Bad request - Username has already been taken")
    assert username == refusal(fakeplat, "root", "POST", path, json={"username": "dev"})
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", path)


@pytest.mark.fakeplat(tier="premium", version="16.9")
def test_names_of_service_accounts_were_made_up_at_first(fakeplat: Fakeplat) -> None:
    """Before 16.10 a name that is sent is ignored, and the address is not shown."""
    account = create(fakeplat, username="robot")

    assert account["username"].startswith("service_account_group_")
    assert {"id", "username", "name"} == {*account}


def test_only_top_level_groups_have_service_accounts(fakeplat: Fakeplat) -> None:
    """A subgroup has no service accounts of its own."""
    text = "400 Bad request - User does not have permission to create a service account in this namespace."
    assert bad(text) == refusal(fakeplat, "ada", "POST", "groups/acme%2Ftools/service_accounts")


def test_service_accounts_are_listed_by_group_and_all_together(fakeplat: Fakeplat) -> None:
    """Owners list the accounts of their group, administrators those of the whole instance."""
    b, a = create(fakeplat, username="b"), create(fakeplat, username="a")
    c = create(fakeplat, OF_INSTANCE, username="c")
    ada, root = fakeplat.as_user("ada"), fakeplat.as_user("root")

    assert [a, b] == ada.get(OF_GROUP).json()
    assert [b, a] == ada.get(f"{OF_GROUP}?sort=asc").json() == ada.get(f"{OF_GROUP}?order_by=username").json()
    assert [c, a, b] == root.get(OF_INSTANCE).json()
    assert [b] == ada.get(f"{OF_GROUP}?per_page=1&page=2").json()
    expected = invalid("order_by does not have a valid value")
    assert expected == refusal(fakeplat, "ada", "GET", f"{OF_GROUP}?order_by=name")


def test_a_new_address_of_a_service_account_waits_for_confirmation(fakeplat: Fakeplat) -> None:
    """Accounts are renamed at once, while a new address has to be confirmed."""
    fakeplat.as_user("root").put("application/settings", json={"email_confirmation_setting": "hard"})
    account, ada = create(fakeplat, username="robot"), fakeplat.as_user("ada")
    path = f"{OF_GROUP}/{account['id']}"
    body = {"name": "R2", "username": "r2", "email": "r2@example.com"}

    expected = {**account, "name": "R2", "username": "r2", "unconfirmed_email": "r2@example.com"}
    assert expected == ada.patch(path, json=body).json()
    assert bad("Username has already been taken") == refusal(fakeplat, "ada", "PATCH", path, json={"username": "dev"})
    dev = person(fakeplat, "dev")
    assert resource_not_found("User") == refusal(fakeplat, "ada", "PATCH", f"{OF_GROUP}/{dev}", json={"name": "x"})
    own = create(fakeplat, OF_INSTANCE)
    assert resource_not_found("User") == refusal(fakeplat, "ada", "PATCH", f"{OF_GROUP}/{own['id']}")
    assert "R3" == fakeplat.as_user("root").patch(f"{OF_INSTANCE}/{own['id']}", json={"name": "R3"}).json()["name"]
    wrong = bad("User is not a service account")
    assert wrong == refusal(fakeplat, "root", "PATCH", f"{OF_INSTANCE}/{dev}", json={"name": "x"})
    unknown = (404, {"message": "404 Not found"})
    assert unknown == refusal(fakeplat, "root", "PATCH", f"{OF_INSTANCE}/999", json={"name": "x"})


def test_deleting_a_service_account_leaves_its_contributions(fakeplat: Fakeplat) -> None:
    """What a deleted account wrote belongs to the ghost user, or is deleted, too."""
    ada = fakeplat.as_user("ada")
    kept, dropped = create(fakeplat), create(fakeplat)
    issues = []
    for account in (kept, dropped):
        ada.post("groups/acme/members", json={"user_id": account["id"], "access_level": 30})
        token = ada.post(f"{OF_GROUP}/{account['id']}/personal_access_tokens", json=TOKEN).json()["token"]
        issues.append(send(fakeplat, token, "POST", "projects/acme%2Fsite/issues", json={"title": "x"})[1]["iid"])

    assert 204 == ada.delete(f"{OF_GROUP}/{kept['id']}").status
    assert 204 == ada.delete(f"{OF_GROUP}/{dropped['id']}?hard_delete=true").status
    assert "ghost" == ada.get(f"projects/acme%2Fsite/issues/{issues[0]}").json()["author"]["username"]
    assert 404 == ada.get(f"projects/acme%2Fsite/issues/{issues[1]}").status
    assert [] == ada.get(OF_GROUP).json()
    assert resource_not_found("User") == refusal(fakeplat, "ada", "DELETE", f"{OF_GROUP}/{kept['id']}")


def test_owners_manage_the_tokens_of_service_accounts(fakeplat: Fakeplat) -> None:
    """Owners create, list, rotate and revoke the tokens of an account of their group."""
    account, ada = create(fakeplat, username="robot"), fakeplat.as_user("ada")
    path = f"{OF_GROUP}/{account['id']}/personal_access_tokens"
    token = ada.post(path, json={**TOKEN, "description": "d", "expires_at": "2020-12-24"}).json()

    assert (account["id"], "d", "2020-12-24") == (token["user_id"], token["description"], token["expires_at"])
    assert "robot" == send(fakeplat, token["token"], "GET", "user")[1]["username"]
    reply = ada.post(f"{path}/{token['id']}/rotate", json={"expires_at": "2020-12-01"})
    rotated = reply.json()
    assert (200, "2020-12-01") == (reply.status, rotated["expires_at"])
    assert bad(ALREADY_REVOKED) == refusal(fakeplat, "ada", "POST", f"{path}/{token['id']}/rotate")
    assert [True, False] == names(ada.get(path).json(), "revoked")
    assert [rotated["id"]] == names(ada.get(f"{path}?state=active").json(), "id")
    assert 204 == ada.delete(f"{path}/{rotated['id']}").status
    assert REVOKED == send(fakeplat, rotated["token"], "GET", "user")


def test_refused_tokens_of_service_accounts_change_nothing(fakeplat: Fakeplat) -> None:
    """Tokens belong to an account of the group, and their scopes and days are checked."""
    account = create(fakeplat)
    path = f"{OF_GROUP}/{account['id']}/personal_access_tokens"
    foreign = send(fakeplat, "dev-token", "GET", "personal_access_tokens/self")[1]["id"]
    no_token = resource_not_found("Personal Access Token")

    assert invalid("name is missing, scopes is missing") == refusal(fakeplat, "ada", "POST", path)
    blank = (422, {"message": "Scopes can't be blank"})
    assert blank == refusal(fakeplat, "ada", "POST", path, json={"name": "x", "scopes": []})
    late = (422, {"message": "Expiration date must be before 2021-11-20"})
    assert late == refusal(fakeplat, "ada", "POST", path, json={**TOKEN, "expires_at": "2021-11-21"})
    assert no_token == refusal(fakeplat, "ada", "DELETE", f"{path}/{foreign}")
    assert NOT_FOUND == refusal(fakeplat, "ada", "POST", f"{path}/{foreign}/rotate")
    elsewhere = f"{OF_GROUP}/{person(fakeplat, 'dev')}/personal_access_tokens"
    for method in ("GET", "POST"):
        assert resource_not_found("User") == refusal(fakeplat, "ada", method, elsewhere, json=TOKEN)


def test_a_person_of_a_group_is_no_service_account(fakeplat: Fakeplat) -> None:
    """Somebody whom a group provides otherwise is refused as of another kind."""
    dev = person(fakeplat, "dev")
    acme = fakeplat.as_user("ada").get("groups/acme").json()["id"]
    with fakeplat.bench.platform.acting() as ctx:
        ctx.world.users.change(ctx.world.users[dev], provisioned_by_group_id=acme)

    expected = bad("400 Bad request - User is not of type Service Account")
    assert expected == refusal(fakeplat, "ada", "GET", f"{OF_GROUP}/{dev}/personal_access_tokens")
    assert expected == refusal(fakeplat, "ada", "DELETE", f"{OF_GROUP}/{dev}")


def test_deleting_a_group_keeps_its_service_accounts(fakeplat: Fakeplat) -> None:
    """The accounts of a deleted group are accounts of the instance."""
    root = fakeplat.as_user("root")
    root.post("groups", json={"name": "Gone", "path": "gone"})
    account = create(fakeplat, "groups/gone/service_accounts")
    with fakeplat.bench.platform.acting() as ctx:
        purge(ctx, ctx.world.namespaces[root.get("groups/gone").json()["id"]])

    assert [account["id"]] == names(root.get(OF_INSTANCE).json(), "id")
