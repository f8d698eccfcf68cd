"""Enforced terms: without accepting them users are refused by the API and git and redirected to their page.

Source: docs/platform/authentication.md; app/controllers/users/terms_controller.rb of the platform.
"""

from base64 import b64encode
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.oauth import SCENARIO, Browser, authorize_path, browser, forms_of
from tests.api.test_two_factor import read_location

pytestmark = pytest.mark.fakeplat(
    scenario={
        **SCENARIO,
        "users": [
            *SCENARIO["users"],
            {"username": "fair", "accepted_terms": True},
            {"username": "root", "accepted_terms": True},
        ],
        "settings": {"enforce_terms": True, "terms": "Be kind."},
    },
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
)
TERMS = "/-/users/terms"


def build_terms_message(username: str) -> str:
    return (
        f"You (@{username}) must accept the Terms of Service in order to perform this action. "
        "Please access GitLab from a web browser to accept these terms."
    )


def test_the_api_refuses_who_has_not_accepted(fakeplat: Fakeplat) -> None:
    """The API refuses users, also administrators, who have not accepted the terms."""
    reply = fakeplat.as_user("dev").get("user")
    assert (403, {"message": f"403 Forbidden - {build_terms_message('dev')}"}) == (reply.status, reply.json())
    assert [200, 200] == [fakeplat.as_user(name).get("projects").status for name in ("fair", None)]


@pytest.mark.parametrize("password", ["dev-token", "dev-password"])
@pytest.mark.parametrize("service", ["git-upload-pack", "git-receive-pack"])
def test_git_refuses_who_has_not_accepted(fakeplat: Fakeplat, service: str, password: str) -> None:
    """Git refuses users who have not accepted the terms with plain text."""
    url = f"{fakeplat.url}/acme/site.git/info/refs?service={service}"
    headers = {"Authorization": f"Basic {b64encode(f'dev:{password}'.encode()).decode()}"}
    reply = fakeplat.as_user(None).get(url, headers=headers)
    assert (403, build_terms_message("dev")) == (reply.status, reply.text)


def test_bots_need_not_accept(fakeplat: Fakeplat) -> None:
    """Access tokens of projects go on."""
    value = fakeplat.token("root", kind="project", project="acme/site")
    reply = fakeplat.as_user(None).get("projects/acme%2Fsite", headers={"Private-Token": value})
    assert 200 == reply.status


def test_pages_lead_to_the_terms_and_back(fakeplat: Fakeplat) -> None:
    """Pages redirect to the terms and back after they were accepted."""
    walk = browser(fakeplat, "dev")
    assert (302, f"{TERMS}?redirect=%2Fprofile%2Fpassword%2Fnew%3Fa%3D1") == read_location(
        fakeplat, walk.open("profile/password/new?a=1")
    )
    page = walk.open(f"{TERMS}?redirect=%2Fprofile%2Fpassword%2Fnew")
    assert (200, True) == (page.status, "Be kind." in page.text)
    assert (302, "/profile/password/new") == read_location(fakeplat, walk.submit(page, 0))
    assert 200 == walk.open("").status
    assert 200 == fakeplat.as_user("dev").get("user").status


def test_declining_signs_out(fakeplat: Fakeplat) -> None:
    """Declining the terms signs the user out without accepting them."""
    walk = browser(fakeplat, "dev")
    assert (302, "/") == read_location(fakeplat, walk.submit(walk.open(TERMS), 1))
    assert (302, "/users/sign_in") == read_location(fakeplat, walk.open(""))
    assert 403 == fakeplat.as_user("dev").get("user").status


@pytest.mark.parametrize("path", ["//evil.test", "https://evil.test"])
def test_acceptance_never_leads_elsewhere(fakeplat: Fakeplat, path: str) -> None:
    """The way back is a path of the instance."""
    walk = browser(fakeplat, "dev")
    assert (302, "/") == read_location(fakeplat, walk.submit(walk.open(TERMS), 0, redirect=path))


def test_the_page_of_applications_does_not_ask(fakeplat: Fakeplat) -> None:
    """Applications are authorized before the terms are accepted, but their tokens are refused."""
    assert 200 == browser(fakeplat, "dev").open(authorize_path()).status


def test_anybody_can_read_the_terms(fakeplat: Fakeplat) -> None:
    """Anonymous callers read the terms, without forms to accept them."""
    page = Browser(fakeplat).open(TERMS)
    assert (True, []) == ("Be kind." in page.text, forms_of(page))


@pytest.mark.parametrize("answer", ["accept", "decline"])
def test_a_form_without_its_token_is_refused(fakeplat: Fakeplat, answer: str) -> None:
    """An answer to the terms without its authenticity token answers 422."""
    assert 422 == browser(fakeplat, "dev").open(f"{TERMS}/1/{answer}", {}).status


def test_signing_up_accepts_the_terms(fakeplat: Fakeplat) -> None:
    """The form is taken for acceptance."""
    names = ("first_name", "last_name", "username", "email", "password")
    values = ("New", "One", "newest", "newest@corp.test", "Sixteen-or-more!")
    walk = Browser(fakeplat)
    fields: dict[str, Any] = {f"new_user[{name}]": value for name, value in zip(names, values, strict=True)}
    walk.submit(walk.open("users/sign_up"), 0, **fields)
    assert "Signed in as newest" in walk.open("").text


@pytest.mark.fakeplat(scenario=SCENARIO)
def test_without_terms_there_is_no_page(fakeplat: Fakeplat) -> None:
    """Without terms their page redirects to the home page."""
    assert (302, "/") == read_location(fakeplat, Browser(fakeplat).open(TERMS))
