"""Pages domains and the settings of pages. Source: the platform's request specs of both."""

import sys
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import PRIMARY_PAGES_DOMAIN
from tests.api import certificates
from tests.api.marks import STARTER_AT_NINE
from tests.api.requests import FORBIDDEN, Outcome, invalid, invalid_record, names, refusal, resource_not_found
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", start="2027-01-01T09:00:00.000Z")
DOMAINS = "projects/acme%2Fsite/pages/domains"
PAGES = "projects/acme%2Fsite/pages"
SECURE = {"domain": "www.acme.test", "certificate": certificates.RSA, "key": certificates.RSA_KEY}
NO_DOMAIN = resource_not_found("PagesDomain")
NOT_BOTH = "certificate, key provide all or none of parameters"
newer = pytest.mark.fakeplat(version="latest")


def create_domain(fake: Fakeplat, **fields: Any) -> Any:
    reply = fake.as_user("root").post(DOMAINS, json=fields)
    assert 201 == reply.status
    return reply.json()


def test_a_new_domain_waits_for_its_verification(fakeplat: Fakeplat) -> None:
    """A new domain has a verification code of 32 characters and no certificate."""
    domain = create_domain(fakeplat, domain="www.acme.test")
    code = domain["verification_code"]

    assert {
        "domain": "www.acme.test",
        "url": "http://www.acme.test",
        "verified": False,
        "verification_code": code,
        "enabled_until": None,
        "auto_ssl_enabled": False,
    } == domain
    assert 32 == len(code)
    assert domain == fakeplat.as_user("root").get(f"{DOMAINS}/www.acme.test").json()


@pytest.mark.parametrize(
    ("certificate", "key", "subject"),
    [
        (certificates.RSA, certificates.RSA_KEY, "/C=DE/O=Acme/CN=www.acme.test"),
        (certificates.CURVE, certificates.CURVE_KEY, "/CN=ec.acme.test"),
    ],
    ids=["rsa", "curve"],
)
def test_a_domain_shows_what_its_certificate_says(fakeplat: Fakeplat, certificate: str, key: str, subject: str) -> None:
    """A domain shows its certificate's subject and expiry, never its key."""
    domain = create_domain(fakeplat, domain="www.acme.test", certificate=certificate, key=key)
    shown_certificate = domain["certificate"]

    assert "https://www.acme.test" == domain["url"]
    assert (subject, False, certificate) == (
        shown_certificate["subject"],
        shown_certificate["expired"],
        shown_certificate["certificate"],
    )
    assert f"Subject: {subject}" in shown_certificate["certificate_text"]
    assert "PRIVATE" not in str(domain)


def test_administrators_list_the_domains_of_all_projects(fakeplat: Fakeplat) -> None:
    """Administrators list all domains with their project and the certificate's expiry."""
    plain, secure = create_domain(fakeplat, domain="a.acme.test"), create_domain(fakeplat, **SECURE)
    root = fakeplat.as_user("root")
    rows = root.get("pages/domains").json()

    assert [plain["domain"], secure["domain"]] == names(rows, "domain")
    assert [5001, 5001] == names(rows, "project_id")
    assert {"expired": False, "expiration": "2126-10-29T14:25:59.000Z"} == rows[1]["certificate_expiration"]
    assert "certificate_expiration" not in rows[0]
    assert [rows[1]] == root.get("pages/domains?domain=WWW.acme.test").json()
    assert NO_DOMAIN == refusal(fakeplat, "root", "GET", "pages/domains?domain=x.test")


@STARTER_AT_NINE
def test_a_certificate_that_is_not_valid_yet_counts_as_expired(fakeplat: Fakeplat) -> None:
    """A certificate that is not valid yet is shown as expired."""
    assert create_domain(fakeplat, **SECURE)["certificate"]["expired"] is True


def test_the_domains_of_a_project_are_listed_by_name(fakeplat: Fakeplat) -> None:
    """A deleted one is gone."""
    root = fakeplat.as_user("root")
    for name in ("b.acme.test", "a.acme.test"):
        create_domain(fakeplat, domain=name)
    assert ["a.acme.test", "b.acme.test"] == names(root.get(DOMAINS).json(), "domain")

    assert 204 == root.delete(f"{DOMAINS}/a.acme.test").status
    assert ["b.acme.test"] == names(root.get(DOMAINS).json(), "domain")
    assert NO_DOMAIN == refusal(fakeplat, "root", "DELETE", f"{DOMAINS}/a.acme.test")
    assert NO_DOMAIN == refusal(fakeplat, "root", "GET", f"{DOMAINS}/a.acme.test")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, invalid("domain is missing")),
        ({"domain": "x.test", "certificate": certificates.RSA}, invalid(NOT_BOTH)),
        ({"domain": "x.test", "auto_ssl_enabled": "maybe"}, invalid("auto_ssl_enabled is invalid")),
        (
            {"domain": "a b.test"},
            invalid_record(domain=[r"label contains invalid characters (valid characters: [a-z0-9\-_])"]),
        ),
        ({"domain": "-x.test"}, invalid_record(domain=["label begins or ends with hyphen"])),
        ({"domain": "x..test"}, invalid_record(domain=["label must be between 1 and 63 characters long"])),
        ({"domain": "Taken.test"}, invalid_record(domain=["has already been taken"])),
        ({"domain": "x.pages.localhost"}, invalid_record(domain=["*.pages.localhost is restricted"])),
        ({**SECURE, "key": certificates.CURVE_KEY}, invalid_record(key=["doesn't match the certificate"])),
        (
            {"domain": "x.test", "certificate": "x", "key": "y"},
            invalid_record(
                certificate=["must be a valid PEM certificate"],
                key=["must be a valid PEM private key", "doesn't match the certificate"],
            ),
        ),
    ],
    ids=range(10),
)
def test_invalid_domains_are_refused(fakeplat: Fakeplat, body: Any, expected: Outcome) -> None:
    """Pages domains are validated by their parameters first, then by the model."""
    create_domain(fakeplat, domain="taken.test")
    assert expected == refusal(fakeplat, "root", "POST", DOMAINS, json=body)


@pytest.mark.parametrize("damage", [1, 40, 400])
def test_a_damaged_certificate_is_no_certificate(fakeplat: Fakeplat, damage: int) -> None:
    """A certificate with any missing part is refused."""
    lines = certificates.RSA.splitlines()
    body = "".join(lines[1:-1])
    cut = body[: len(body) - damage - (len(body) - damage) % 4]
    certificate = "\n".join([lines[0], cut, lines[-1]])
    expected = invalid_record(certificate=["must be a valid PEM certificate"], key=["doesn't match the certificate"])
    assert expected == refusal(fakeplat, "root", "POST", DOMAINS, json={**SECURE, "certificate": certificate})


def test_a_project_without_pages_has_no_domains(fakeplat: Fakeplat) -> None:
    """Without pages the domains of a project answer 404."""
    fakeplat.as_user("root").put("projects/acme%2Fsite", json={"pages_access_level": "disabled"})
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "root", "GET", DOMAINS)


@newer
def test_administrators_change_how_pages_are_served(fakeplat: Fakeplat) -> None:
    """The address follows; the redirect leads to a domain of the project."""
    root = fakeplat.as_user("root")
    create_domain(fakeplat, domain="www.acme.test")
    settings = {
        "url": "http://site-5001.pages.localhost",
        "is_unique_domain_enabled": True,
        "force_https": False,
        "deployments": [],
        "pages_primary_domain": None,
    }
    assert settings == root.get(PAGES).json()

    changes = {
        "pages_unique_domain_enabled": False,
        "pages_https_only": True,
        "pages_primary_domain": "www.acme.test",
    }
    assert {
        "url": "https://acme.pages.localhost/site",
        "is_unique_domain_enabled": False,
        "force_https": True,
        "deployments": [],
        "pages_primary_domain": "www.acme.test",
    } == root.patch(PAGES, json=changes).json()


@newer
def test_a_redirect_to_an_unknown_domain_is_refused(fakeplat: Fakeplat) -> None:
    """The text names the attribute; a value that is no boolean is refused before."""
    text = (
        "400 Bad request - The `pages_primary_domain` attribute is missing from the domain list in the Pages "
        "project configuration. Assign `pages_primary_domain` to the Pages project or reset it."
    )
    redirect = {"pages_primary_domain": "x.test"}
    assert (400, {"message": text}) == refusal(fakeplat, "root", "PATCH", PAGES, json=redirect)
    expected = invalid("pages_https_only is invalid")
    assert expected == refusal(fakeplat, "root", "PATCH", PAGES, json={"pages_https_only": "not_a_boolean"})


@by_release(PRIMARY_PAGES_DOMAIN, "name", {"17.7": "pages_default_domain_redirect", "17.8": "pages_primary_domain"})
def test_the_primary_domain_of_pages_was_called_a_redirect(fakeplat: Fakeplat, name: str) -> None:
    """The settings of pages name the domain that they redirect to by the name that it has in the release."""
    create_domain(fakeplat, domain="www.acme.test")
    root = fakeplat.as_user("root")

    assert "www.acme.test" == root.patch(PAGES, json={name: "www.acme.test"}).json()[name]
    text = (
        f"400 Bad request - The `{name}` attribute is missing from the domain list in the Pages project "
        f"configuration. Assign `{name}` to the Pages project or reset it."
    )
    assert (400, {"message": text}) == refusal(fakeplat, "root", "PATCH", PAGES, json={name: "x.test"})


def test_unpublishing_removes_the_domains(fakeplat: Fakeplat) -> None:
    """Unpublishing pages deletes their domains."""
    create_domain(fakeplat, domain="www.acme.test")
    root = fakeplat.as_user("root")
    assert 204 == root.delete(PAGES).status
    assert [] == root.get(DOMAINS).json()


def test_pages_are_unpublished_where_they_are_disabled(fakeplat: Fakeplat) -> None:
    """Deletion does not ask for the feature, only for an administrator."""
    root = fakeplat.as_user("root")
    root.put("projects/acme%2Fsite", json={"pages_access_level": "disabled"})
    assert FORBIDDEN == refusal(fakeplat, "ada", "DELETE", PAGES)
    assert 204 == root.delete(PAGES).status


def test_the_certificate_of_a_domain_is_changed(fakeplat: Fakeplat) -> None:
    """The certificate of a domain is replaced, or removed by empty texts."""
    create_domain(fakeplat, domain="www.acme.test")
    mia, path = fakeplat.as_user("mia"), f"{DOMAINS}/www.acme.test"
    pair = {"certificate": certificates.RSA, "key": certificates.RSA_KEY}

    secure = mia.put(path, json=pair)
    assert (200, certificates.RSA) == (secure.status, secure.json()["certificate"]["certificate"])
    assert 200 == mia.put(path, json={"certificate": certificates.RSA}).status
    assert True is mia.put(path, json={"auto_ssl_enabled": True}).json()["auto_ssl_enabled"]
    removed = mia.put(path, json={"certificate": "", "key": ""}).json()
    assert ("http://www.acme.test", False) == (removed["url"], "certificate" in removed)


@pytest.mark.parametrize(
    ("body", "texts"),
    [
        ({"certificate": certificates.CURVE}, {"key": ["doesn't match the certificate"]}),
        ({"key": certificates.CURVE_KEY}, {"key": ["doesn't match the certificate"]}),
        (
            {"certificate": "x", "key": "x"},
            {
                "certificate": ["must be a valid PEM certificate"],
                "key": ["must be a valid PEM private key", "doesn't match the certificate"],
            },
        ),
    ],
    ids=["other certificate", "other key", "no PEM"],
)
def test_a_certificate_that_does_not_fit_is_refused(
    fakeplat: Fakeplat, body: dict[str, str], texts: dict[str, list[str]]
) -> None:
    """A changed certificate or key has to match the other one."""
    create_domain(fakeplat, **SECURE)

    assert invalid_record(**texts) == refusal(fakeplat, "mia", "PUT", f"{DOMAINS}/www.acme.test", json=body)
    assert NO_DOMAIN == refusal(fakeplat, "mia", "PUT", f"{DOMAINS}/x.test", json=body)
    assert FORBIDDEN == refusal(fakeplat, "dev", "PUT", f"{DOMAINS}/www.acme.test", json=body)


def test_without_the_extra_certificates_are_not_judged(fakeplat: Fakeplat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without cryptography a certificate gets 501, which names the extra; domains without one need none."""
    create_domain(fakeplat, domain="docs.acme.test")
    monkeypatch.setitem(sys.modules, "cryptography", None)
    explanation = "certificates of pages domains and SSH signatures need an extra: pip install 'fakeplat[certificates]'"
    expected = (501, {"message": f"501 Not Implemented: {explanation}"})

    assert expected == refusal(fakeplat, "root", "POST", DOMAINS, json=SECURE)
    assert explanation == fakeplat.requests[-1].reason
    body = {name: SECURE[name] for name in ("certificate", "key")}
    assert expected == refusal(fakeplat, "root", "PUT", f"{DOMAINS}/docs.acme.test", json=body)
    create_domain(fakeplat, domain="www.acme.test")


@pytest.mark.fakeplat(version="latest")
def test_a_domain_is_verified_where_no_proof_is_asked_for(fakeplat: Fakeplat) -> None:
    """Without a DNS record the verification fails with 422, unless the settings turn it off."""
    root, path = fakeplat.as_user("root"), "projects/acme%2Fsite/pages/domains"
    root.post(path, json={"domain": "www.site.test"})
    own = f"{path}/www.site.test/verify"

    assert (422, {"message": "Couldn't verify www.site.test"}) == refusal(fakeplat, "mia", "PUT", own)
    root.put("application/settings", json={"pages_domain_verification_enabled": False})
    assert fakeplat.as_user("mia").put(own).json()["verified"]
    assert (403, {"message": "403 Forbidden"}) == refusal(fakeplat, "dev", "PUT", own)


@pytest.mark.fakeplat(version="latest")
def test_access_to_pages_is_that_of_their_level(fakeplat: Fakeplat) -> None:
    """Private pages are for members, public ones for everybody who sees the project."""
    path, ada = "projects/acme%2Fdocs/pages_access", fakeplat.as_user("ada")
    ada.put("projects/acme%2Fdocs", json={"pages_access_level": "private"})

    assert (200, 200) == (ada.get(path).status, ada.get(path).json())
    assert [(403, {"message": "403 Forbidden"})] * 2 == [refusal(fakeplat, name, "GET", path) for name in ("eve", None)]
    ada.put("projects/acme%2Fdocs", json={"pages_access_level": "enabled"})
    assert 200 == fakeplat.as_user(None).get(path).status
    assert (404, {"message": "404 Project Not Found"}) == refusal(
        fakeplat, "eve", "GET", "projects/acme%2Fsite/pages_access"
    )
