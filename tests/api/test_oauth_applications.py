"""OAuth applications of the instance. Source: docs/platform/oauth.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import APPLICATIONS_NEED_SCOPES, MISSING_APPLICATIONS_ARE_NAMED
from tests.api.oauth import CALLBACK, SCENARIO, password_token
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, invalid, invalid_record, names, outcome, refusal
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, clock="virtual")
PATH = "applications"
NEW = {"name": "New", "redirect_uri": "http://new.example.test", "scopes": "api read_user"}
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})


def test_a_new_application_has_an_id_and_a_secret(fakeplat: Fakeplat) -> None:
    """The secret is shown only now."""
    root = fakeplat.as_user("root")
    application = root.post(PATH, json=NEW).json()
    fields = {
        "id": application["id"],
        "application_id": application["application_id"],
        "application_name": "New",
        "callback_url": "http://new.example.test",
        "confidential": True,
    }

    assert {**fields, "secret": application["secret"]} == application
    assert (64, 64) == (len(application["application_id"]), len(application["secret"]))
    assert fields == root.get(PATH).json()[-1]


@pytest.mark.parametrize(("sent", "expected"), [(None, True), (False, False), ("true", True)])
def test_an_application_is_confidential_by_default(fakeplat: Fakeplat, sent: Any, expected: bool) -> None:
    """An application is confidential by default, also if null is sent."""
    reply = fakeplat.as_user("root").post(PATH, json={**NEW, "confidential": sent})

    assert expected is reply.json()["confidential"]


def test_those_of_users_are_not_listed(fakeplat: Fakeplat) -> None:
    """The list contains only applications of the instance, on one page."""
    reply = fakeplat.as_user("root").get(f"{PATH}?per_page=1")

    assert ["App <1>", "Public", "Trusted", "Narrow"] == names(reply.json(), "application_name")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": None}, None),
        ({"redirect_uri": "http://"}, invalid_record(redirect_uri=["must be an absolute URI."])),
        ({"redirect_uri": "http://a.test\nhttp://b.test"}, invalid_record(redirect_uri=["must be an absolute URI."])),
        ({"redirect_uri": "/callback"}, invalid_record(redirect_uri=["must be an absolute URI."])),
        ({"redirect_uri": "javascript://alert()"}, invalid_record(redirect_uri=["is forbidden by the server."])),
        ({"redirect_uri": "http://a.test/#x"}, invalid_record(redirect_uri=["cannot contain a fragment."])),
        ({"name": " "}, invalid_record(name=["can't be blank"])),
    ],
)
def test_invalid_applications_are_refused(fakeplat: Fakeplat, changes: dict[str, Any], expected: Any) -> None:
    """Invalid addresses and names of applications are refused."""
    expected = expected or invalid_record(name=["can't be blank"])

    assert expected == refusal(fakeplat, "root", "POST", PATH, json={**NEW, **changes})


@pytest.mark.parametrize("name", ["name", "redirect_uri", "scopes"])
def test_missing_parameters_are_refused(fakeplat: Fakeplat, name: str) -> None:
    """A missing parameter of an application is refused by its name."""
    body = {key: value for key, value in NEW.items() if key != name}

    assert invalid(f"{name} is missing") == refusal(fakeplat, "root", "POST", PATH, json=body)


def test_deleting_an_application_deletes_its_tokens(fakeplat: Fakeplat) -> None:
    """Deleting an application makes its tokens invalid."""
    root, token = fakeplat.as_user("root"), password_token(fakeplat)["access_token"]
    id_ = root.get(PATH).json()[0]["id"]

    assert 204 == root.delete(f"{PATH}/{id_}").status
    assert UNAUTHORIZED == outcome(fakeplat.as_user(None).get(f"user?access_token={token}"))
    assert NOT_FOUND == outcome(root.delete(f"{PATH}/{id_}"))


@pytest.mark.parametrize("id_", ["1", "x", "22000005"], ids=["unknown", "no number", "of a user"])
def test_other_applications_are_not_found(fakeplat: Fakeplat, id_: str) -> None:
    """Unknown applications and those of users are not found."""
    assert NOT_FOUND == refusal(fakeplat, "root", "DELETE", f"{PATH}/{id_}")


@pytest.mark.parametrize(("user", "expected"), [(None, UNAUTHORIZED), ("ada", FORBIDDEN)])
@pytest.mark.parametrize(("method", "path"), [("GET", PATH), ("POST", PATH), ("DELETE", f"{PATH}/1")])
def test_only_administrators_manage_them(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, expected: Any
) -> None:
    """Only administrators manage applications, which is checked first."""
    assert expected == refusal(fakeplat, user, method, path)


def test_addresses_may_be_several(fakeplat_factory: Any) -> None:
    """Scenarios separate several redirect URIs by whitespace."""
    application = {"name": "x", "redirect_uri": f"{CALLBACK}\nhttp://localhost"}
    fake = fakeplat_factory(scenario={"extends": "empty", "applications": [application]})

    assert f"{CALLBACK}\nhttp://localhost" == fake.as_user("root").get(PATH).json()[0]["callback_url"]


@by_release(APPLICATIONS_NEED_SCOPES, "is_checked", {"17.11": False, "18.0": True})
@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        ("", invalid("scopes is empty")),
        ("api nothing", invalid_record(scopes=["doesn't match configured on the server."])),
        ("api read_user", None),
        ("openid profile", None),
    ],
)
def test_applications_need_known_scopes(fakeplat: Fakeplat, scopes: str, expected: Any, is_checked: bool) -> None:
    """Later releases refuse an application without scopes, or with unknown ones."""
    body = {**NEW, "scopes": scopes}
    if is_checked and expected:
        assert expected == refusal(fakeplat, "root", "POST", PATH, json=body)
    else:
        assert 201 == fakeplat.as_user("root").post(PATH, json=body).status


@by_release(MISSING_APPLICATIONS_ARE_NAMED, "expected", {"15.3": "404 Not found", "15.4": "404 Application Not Found"})
def test_a_missing_application_has_a_name(fakeplat: Fakeplat, expected: str) -> None:
    """Later releases say what was not found."""
    assert (404, {"message": expected}) == refusal(fakeplat, "root", "DELETE", f"{PATH}/1")
