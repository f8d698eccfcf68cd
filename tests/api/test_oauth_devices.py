"""Devices without a browser that ask for tokens. Source: docs/platform/oauth.md. See RFC 8628."""

import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DEVICE_CODES_CAN_BE_OFF, DEVICE_GRANTS_ARE_ON, DEVICES_ASK_FOR_TOKENS
from fakeplat.workbench.journal_entries import Reply
from tests.api.oauth import SCENARIO, basic, browser, error, forms_of, query_of, request_token, send
from tests.api.requests import Outcome, outcome

OFF = {"name": "Off", "uid": "off", "secret": "s", "redirect_uri": "https://o.test", "device_code_enabled": False}
WITH_OFF = {**SCENARIO, "applications": [*SCENARIO["applications"], OFF]}
pytestmark = pytest.mark.fakeplat(version="latest", scenario=WITH_OFF, clock="virtual")
GRANT = "urn:ietf:params:oauth:grant-type:device_code"
APP = basic("app", "app-secret")
UNEXPECTED = (
    "The authorization server encountered an unexpected condition which prevented it from fulfilling the request."
)
PENDING = error("authorization_pending", UNEXPECTED)
SLOW_DOWN = error("slow_down", UNEXPECTED)


def authorize(fake: Fakeplat, scope: str = "api", /, **form: str) -> Reply:
    return send(fake, "POST", "oauth/authorize_device", {"client_id": "public", "scope": scope, **form})


def poll(fake: Fakeplat, device_code: str, client_id: str = "public") -> Reply:
    return request_token(fake, GRANT, {"client_id": client_id}, device_code=device_code)


def confirm(fake: Fakeplat, user_code: str, username: str = "dev") -> Reply:
    """Confirm a code as a user does: on the first page the code, on the second the consent."""
    walk = browser(fake, username)
    return walk.submit(walk.submit(walk.open("oauth/device"), user_code=user_code))


def test_a_device_gets_codes(fakeplat: Fakeplat) -> None:
    """A device gets a code for itself, one for its user, where to send that, and how long both are valid."""
    reply = authorize(fakeplat)
    codes = reply.json()
    address = f"{fakeplat.url.rstrip('/')}/oauth/device"
    assert (200, "no-store", "no-cache") == (reply.status, reply.headers["Cache-Control"], reply.headers["Pragma"])
    assert re.fullmatch("[0-9a-f]{64}", codes.pop("device_code"))
    user_code = codes.pop("user_code")
    assert re.fullmatch("[0-9A-Z]{8}", user_code)
    assert {
        "verification_uri": address,
        "verification_uri_complete": f"{address}?user_code={user_code}",
        "expires_in": 300,
        "interval": 5,
    } == codes


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"client_id": "unknown"}, error("invalid_client", status=401)),
        # A confidential application has to send its secret.
        ({"client_id": "app"}, error("invalid_client", status=401)),
        ({"scope": ""}, error("invalid_scope")),
        ({"scope": "fly"}, error("invalid_scope")),
        ({"client_id": "narrow", "client_secret": "s", "scope": "read_user api"}, error("invalid_scope")),
        ({"client_id": "off", "client_secret": "s"}, error("access_denied")),
    ],
)
def test_a_device_is_refused(fakeplat: Fakeplat, form: dict[str, str], expected: Outcome) -> None:
    """The application has to be known, to have the scopes that are asked for, and to serve devices."""
    before = fakeplat.bench.platform.state
    assert expected == outcome(authorize(fakeplat, **form))
    assert before is fakeplat.bench.platform.state


def test_a_confidential_application_sends_its_secret(fakeplat: Fakeplat) -> None:
    """A confidential application identifies itself with HTTP Basic."""
    form = {"scope": "read_user"}
    codes = send(fakeplat, "POST", "oauth/authorize_device", form, **APP).json()
    confirm(fakeplat, codes["user_code"])
    token = send(fakeplat, "POST", "oauth/token", {"grant_type": GRANT, "device_code": codes["device_code"]}, **APP)
    assert (200, "read_user") == (token.status, token.json()["scope"])


def test_the_user_confirms_the_device(fakeplat: Fakeplat) -> None:
    """Once the user has confirmed the code, the device gets a token of the user, and only once."""
    codes = authorize(fakeplat).json()
    assert PENDING == outcome(poll(fakeplat, codes["device_code"]))
    assert {"notice": "Device successfully authorized"} == query_of(confirm(fakeplat, codes["user_code"]))
    fakeplat.clock.advance("6s")
    token = poll(fakeplat, codes["device_code"])
    assert 200 == token.status
    assert {"access_token", "token_type", "expires_in", "refresh_token", "scope", "created_at"} == set(token.json())
    assert ("Bearer", 7200, "api") == tuple(token.json()[name] for name in ("token_type", "expires_in", "scope"))
    headers = {"authorization": f"Bearer {token.json()['access_token']}"}
    assert "dev" == send(fakeplat, "GET", "api/v4/user", **headers).json()["username"]
    assert error("invalid_grant") == outcome(poll(fakeplat, codes["device_code"]))


def test_a_device_that_asks_too_often_is_slowed_down(fakeplat: Fakeplat) -> None:
    """Within five seconds of an answered question, the next one is not answered, nor does it count."""
    codes = authorize(fakeplat).json()
    answers: list[Any] = []
    for pause in ("0s", "4s", "2s"):
        fakeplat.clock.advance(pause)
        answers.append(outcome(poll(fakeplat, codes["device_code"])))
    assert [PENDING, SLOW_DOWN, PENDING] == answers
    assert "/oauth/device" in (fakeplat.requests[-1].reason or "")


@pytest.mark.fakeplat(clock="auto")
def test_under_the_auto_clock_devices_have_waited(fakeplat: Fakeplat) -> None:
    """Clients wait in real time, which the auto clock does not follow: no question comes too early."""
    codes = authorize(fakeplat).json()
    assert [PENDING, PENDING] == [outcome(poll(fakeplat, codes["device_code"])) for _ in range(2)]


def test_a_code_expires(fakeplat: Fakeplat) -> None:
    """After five minutes neither the user nor the device can use the codes, and the device starts anew."""
    codes = authorize(fakeplat).json()
    fakeplat.clock.advance("5m")
    walk = browser(fakeplat, "dev")
    reply = walk.submit(walk.open("oauth/device"), user_code=codes["user_code"])
    assert {"notice": "The user code is expired"} == query_of(reply)
    assert error("expired_token", UNEXPECTED) == outcome(poll(fakeplat, codes["device_code"]))
    assert error("invalid_grant") == outcome(poll(fakeplat, codes["device_code"]))


def test_expired_codes_are_deleted_with_the_next_request(fakeplat: Fakeplat) -> None:
    """A new request of a device deletes the codes that have expired."""
    codes = authorize(fakeplat).json()
    fakeplat.clock.advance("5m")
    authorize(fakeplat)
    assert error("invalid_grant") == outcome(poll(fakeplat, codes["device_code"]))


@pytest.mark.parametrize(
    ("device_code", "client_id", "expected"),
    [
        ("", "public", error("invalid_grant")),
        ("unknown", "public", error("invalid_grant")),
        ("", "unknown", error("invalid_client", status=401)),
    ],
)
def test_a_code_has_to_be_known(fakeplat: Fakeplat, device_code: str, client_id: str, expected: Outcome) -> None:
    """An unknown application, and a code that it was not given, are refused."""
    assert expected == outcome(poll(fakeplat, device_code, client_id))


def test_a_code_belongs_to_its_application(fakeplat: Fakeplat) -> None:
    """Another application cannot use the code."""
    codes = authorize(fakeplat).json()
    form = {"grant_type": GRANT, "device_code": codes["device_code"]}
    assert error("invalid_grant") == outcome(send(fakeplat, "POST", "oauth/token", form, **APP))


def test_the_page_has_the_code_of_the_link(fakeplat: Fakeplat) -> None:
    """The complete address has the code in its form; whoever is not signed in comes back to it afterwards."""
    codes = authorize(fakeplat).json()
    walk = browser(fakeplat, "dev")
    (form,) = forms_of(walk.open(codes["verification_uri_complete"]))
    assert ("/oauth/device/confirm", codes["user_code"]) == (form[0], form[1]["user_code"])
    redirect = send(fakeplat, "GET", codes["verification_uri_complete"])
    assert (302, f"{fakeplat.url.rstrip('/')}/users/sign_in") == (redirect.status, redirect.headers["location"])


def test_the_second_page_says_who_asks_for_what(fakeplat: Fakeplat) -> None:
    """Before the user confirms a code, the page names the application and the scopes."""
    codes = authorize(fakeplat, "read_user read_api").json()
    walk = browser(fakeplat, "dev")
    page = walk.submit(walk.open("oauth/device"), user_code=codes["user_code"])
    assert ["Public", "read_user", "read_api"] == re.findall("Public|read_user|read_api", page.text)


def test_a_wrong_code_is_not_confirmed(fakeplat: Fakeplat) -> None:
    """A code that nobody has is refused on the page; JSON is answered with 422."""
    walk = browser(fakeplat, "dev")
    page = walk.open("oauth/device")
    assert {"notice": "The user code is invalid"} == query_of(walk.submit(page, user_code="WRONG"))
    token = forms_of(page)[0][1]["authenticity_token"]
    form = {"user_code": "WRONG", "authenticity_token": token}
    reply = send(fakeplat, "POST", "oauth/device", form, cookie=walk.cookie, accept="application/json")
    assert (422, {"errors": ["The user code is invalid"]}) == outcome(reply)


def test_a_code_is_confirmed_with_json(fakeplat: Fakeplat) -> None:
    """JSON is answered with 204, and the form needs its authenticity token."""
    codes = authorize(fakeplat).json()
    walk = browser(fakeplat, "dev")
    token = forms_of(walk.open("oauth/device"))[0][1]["authenticity_token"]
    headers = {"cookie": walk.cookie, "accept": "application/json"}
    form = {"user_code": codes["user_code"]}
    assert 422 == send(fakeplat, "POST", "oauth/device", form, **headers).status
    assert 204 == send(fakeplat, "POST", "oauth/device", {**form, "authenticity_token": token}, **headers).status
    assert 200 == poll(fakeplat, codes["device_code"]).status


@pytest.mark.parametrize(
    ("version", "status"),
    [("17.1.0", 404), (DEVICES_ASK_FOR_TOKENS.since, 204), (DEVICE_GRANTS_ARE_ON.since, 200), ("latest", 200)],
)
def test_devices_ask_since_17_2(fakeplat_factory: Any, version: str, status: int) -> None:
    """Devices ask for tokens from 17.2 on; in 17.2 a feature of the platform has to be switched on for that."""
    fake = fakeplat_factory(version=version, scenario=SCENARIO)
    assert status == authorize(fake).status
    grant = outcome(poll(fake, "unknown"))
    assert (error("unsupported_grant_type") if status == 404 else error("invalid_grant")) == grant


def test_the_feature_is_switched_on_in_17_2(fakeplat_factory: Any) -> None:
    """An administrator switches the feature on."""
    fake = fakeplat_factory(version="17.2", scenario=SCENARIO)
    fake.as_user("root").post("features/oauth2_device_grant_flow", json={"value": True})
    assert 200 == authorize(fake).status


@pytest.mark.parametrize(("version", "status"), [("18.10", 200), (DEVICE_CODES_CAN_BE_OFF.since, 400)])
def test_an_application_can_be_closed_to_devices_since_18_11(fakeplat_factory: Any, version: str, status: int) -> None:
    """Whether an application serves devices is asked from 18.11 on."""
    fake = fakeplat_factory(version=version, scenario=WITH_OFF)
    assert status == authorize(fake, client_id="off", client_secret="s").status


@pytest.mark.fakeplat(
    scenario={
        **SCENARIO,
        "applications": [
            {
                "name": "TV",
                "uid": "tv",
                "secret": "s",
                "redirect_uri": "https://tv.test",
                "confidential": False,
                "device_grants": [
                    {"device_code": "d-1", "user_code": "WAITING1", "scopes": ["api"]},
                    {"device_code": "d-2", "user": "dev", "scopes": ["api"]},
                ],
            }
        ],
    },
)
def test_a_scenario_begins_with_codes(fakeplat: Fakeplat) -> None:
    """A world begins with codes that wait for their user, or that a user has confirmed."""
    assert PENDING == outcome(poll(fakeplat, "d-1", "tv"))
    assert 200 == poll(fakeplat, "d-2", "tv").status
    assert {"notice": "Device successfully authorized"} == query_of(confirm(fakeplat, "WAITING1"))
