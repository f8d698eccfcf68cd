from typing import Any

import pytest

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import Request
from fakeplat.domain.people import bots
from fakeplat.model.people import TokenKind
from fakeplat.policy.credentials import Authenticator, CredentialRules
from tests.worlds import Site, SiteResponse, create_site

NOBODY = (401, {"message": "401 Unauthorized"})
EXPIRED = "Token is expired. You can either do re-authorization or token refresh."
REVOKED = "Token was revoked. You have to re-authorize from the user."
NO_IMPERSONATION = "Token is an impersonation token but impersonation was disabled."
NO_INTERNAL = "This action cannot be performed by internal users"
DEACTIVATED = (
    "Your account has been deactivated by your administrator. Please log back in from a web browser to "
    "reactivate your account at http://localhost"
)
TOO_LITTLE = "The request requires higher privileges than provided by the access token."

CARRIERS: dict[str, list[str]] = {
    "personal": ["private_token", "PRIVATE-TOKEN", "Bearer"],
    "impersonation": ["private_token", "PRIVATE-TOKEN", "Bearer"],
    "project": ["private_token", "PRIVATE-TOKEN", "Bearer"],
    "oauth": ["access_token", "Bearer"],
    "session": ["_platform_session", "_gitlab_session"],
}
"""How each kind of credential is sent."""

SENT: list[tuple[Any, str]] = [(kind, carrier) for kind, carriers in CARRIERS.items() for carrier in carriers]
KINDS: list[TokenKind] = ["personal", "impersonation", "project", "oauth"]


def send(
    site: Site, carrier: str, value: str, target: str = "user", method: str = "GET", **headers: str
) -> SiteResponse:
    """Ask with a credential in one of its places: a parameter, a header or a cookie."""
    if carrier in ("private_token", "access_token"):
        return site.ask(method, f"{target}{'&' if '?' in target else '?'}{carrier}={value}", headers=headers)
    if carrier.endswith("_session"):
        return site.ask(method, target, headers={"cookie": f"theme=dark; {carrier}={value}", **headers})
    name, text = ("authorization", f"Bearer {value}") if carrier == "Bearer" else (carrier.lower(), value)
    return site.ask(method, target, headers={name: text, **headers})


def get_caller(answer: SiteResponse) -> str:
    assert 200 == answer.status, answer
    return str(answer.json["username"])


def build_invalid_token(description: str) -> tuple[int, object]:
    return 401, {"error": "invalid_token", "error_description": description}


def build_insufficient_scope(scope: str) -> tuple[int, object]:
    return 403, {"error": "insufficient_scope", "error_description": TOO_LITTLE, "scope": scope}


def build_forbidden(text: str) -> tuple[int, object]:
    return 403, {"message": f"403 Forbidden - {text}"}


# the kinds of credentials and where they are looked for


@pytest.mark.parametrize(("kind", "carrier"), SENT)
def test_each_kind_of_credential_is_taken_where_it_belongs(kind: TokenKind, carrier: str) -> None:
    """Each kind of credential is accepted as its parameter, headers or cookies."""
    site = create_site()
    site.token("dev", "secret", kind)
    assert "dev" == get_caller(send(site, carrier, "secret"))


@pytest.mark.parametrize(
    ("kind", "carrier"),
    [(kind, carrier) for kind in CARRIERS for carrier in sorted({carrier for _, carrier in SENT} - {*CARRIERS[kind]})],
)
def test_a_credential_in_another_ones_place_is_none(kind: TokenKind, carrier: str) -> None:
    """A credential of one kind is refused in the place of another kind."""
    site = create_site()
    site.token("dev", "secret", kind)
    assert NOBODY == send(site, carrier, "secret").outcome


def test_no_credential_where_one_is_needed_is_refused_without_a_challenge() -> None:
    """A request without a credential gets 401 without WWW-Authenticate where a login is needed."""
    answer = create_site().get("user")
    assert NOBODY == answer.outcome
    assert "WWW-Authenticate" not in answer.headers


@pytest.mark.parametrize("carrier", ["private_token", "PRIVATE-TOKEN", "Bearer", "access_token"])
@pytest.mark.parametrize("target", ["user", "projects", "users?username=ada"])
def test_an_unknown_token_is_refused_even_where_nobody_is_let_in(target: str, carrier: str) -> None:
    """An unknown token gets 401, also where anonymous requests are accepted."""
    answer = send(create_site(), carrier, "no-such-token", target)
    assert NOBODY == answer.outcome
    assert "WWW-Authenticate" not in answer.headers


@pytest.mark.parametrize("cookie", ["_gitlab_session=unknown", "_gitlab_session=", "theme=dark", "=;;=", "a b; c"])
def test_an_unknown_session_is_nobodys(cookie: str) -> None:
    """A request with an unknown session cookie is anonymous."""
    site = create_site()
    assert 200 == site.get("projects", headers={"cookie": cookie}).status
    assert NOBODY == site.get("user", headers={"cookie": cookie}).outcome


@pytest.mark.parametrize("header", ["Basic YWRhOnBhc3N3b3Jk", "Bearer", "Bearer  ", "Token ada-token"])
def test_another_authorization_is_none(header: str) -> None:
    """A request with an Authorization header other than a bearer with a value is anonymous."""
    assert NOBODY == create_site().get("user", headers={"authorization": header}).outcome
    assert 200 == create_site().get("projects", headers={"authorization": header}).status


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_of_a_bearer_may_be_in_any_case(scheme: str) -> None:
    """The scheme of a bearer token is accepted in upper and lower case."""
    assert "dev" == get_caller(create_site().get("user", headers={"authorization": f"{scheme} dev-token"}))


@pytest.mark.parametrize("value", ["x" * 20, "x" * 19, "x" * 64])
@pytest.mark.parametrize("kind", ["personal", "oauth"])
def test_a_bearer_is_looked_up_among_both_whatever_its_length(kind: TokenKind, value: str) -> None:
    """A bearer token of any length is looked up among personal and OAuth tokens (ruling 29)."""
    site = create_site()
    site.token("dev", value, kind)
    assert "dev" == get_caller(send(site, "Bearer", value))


@pytest.mark.parametrize(
    ("target", "headers", "expected"),
    [
        ("user?private_token=ada-token", {"private-token": "dev-token"}, "ada"),
        ("user?private_token=ada-token", {"authorization": "Bearer dev-token"}, "ada"),
        ("user?private_token=", {"private-token": "dev-token"}, "dev"),
        ("user?private_token", {"private-token": "dev-token"}, "dev"),
        ("user", {"private-token": "ada-token", "authorization": "Bearer dev-token"}, "ada"),
        ("user", {"private-token": "", "authorization": "Bearer dev-token"}, "dev"),
        ("user", {"private-token": "ada-token", "authorization": "Bearer dev-oauth"}, "dev"),
        ("user?access_token=dev-oauth", {"private-token": "ada-token"}, "dev"),
        ("user?private_token=ada-token", {"cookie": "_gitlab_session=dev-session"}, "ada"),
        ("user", {"authorization": "Bearer ada-token", "cookie": "_gitlab_session=dev-session"}, "ada"),
        ("user", {"cookie": "_gitlab_session=other; _platform_session=dev-session"}, "dev"),
    ],
)
def test_of_several_credentials_the_first_in_order_counts(target: str, headers: dict[str, str], expected: str) -> None:
    """Of several credentials OAuth tokens come first, then personal tokens, then the session."""
    site = create_site()
    site.token("dev", "dev-oauth", "oauth")
    site.token("dev", "dev-session", "session")
    assert expected == get_caller(site.get(target, headers=headers))


def test_a_wrong_token_is_not_made_good_by_a_right_session() -> None:
    """A wrong token gets 401, although the request has a valid session."""
    site = create_site()
    site.token("dev", "dev-session", "session")
    headers = {"private-token": "wrong", "cookie": "_gitlab_session=dev-session"}
    assert NOBODY == site.get("user", headers=headers).outcome


def test_a_token_may_come_in_the_body() -> None:
    """A token is accepted as a parameter in the body."""
    site = create_site()
    assert 201 == site.ask("POST", "projects", json={"name": "own", "private_token": "dev-token"}).status


# tokens that were good once


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fields", "description"), [({"expires_at": "2020-11-19"}, EXPIRED), ({"revoked": True}, REVOKED)], ids=str
)
def test_a_token_that_is_over_says_why(kind: TokenKind, fields: dict[str, Any], description: str) -> None:
    """An expired or revoked token gets 401 ``invalid_token`` with the reason, also in WWW-Authenticate."""
    site = create_site()
    site.token("dev", "old", kind, **fields)
    answer = send(site, "Bearer", "old", "projects")
    assert build_invalid_token(description) == answer.outcome
    challenge = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}"'
    assert challenge == answer.headers["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("expires_at", "status"),
    [
        ("2020-11-19", 401),
        ("2020-11-20", 401),
        ("2020-11-21", 200),
        ("2020-11-20T09:00:00Z", 401),
        ("2020-11-20T09:00:00.001Z", 200),
        (None, 200),
    ],
)
def test_a_token_is_dead_from_the_first_moment_of_its_date(expires_at: str | None, status: int) -> None:
    """A token expires at the start of its expiry date."""
    site = create_site()
    site.token("dev", "brief", expires_at=expires_at)
    assert status == site.get("user?private_token=brief").status


@pytest.mark.parametrize(("enabled", "outcome"), [(True, 200), (False, 401)])
def test_impersonation_can_be_switched_off(enabled: bool, outcome: int) -> None:
    """An instance that disables impersonation refuses impersonation tokens with a reason, and no others."""
    site = create_site(impersonation=enabled)
    site.token("dev", "secret", "impersonation")
    answer = site.get("user?private_token=secret")
    assert outcome == answer.status
    assert enabled or build_invalid_token(NO_IMPERSONATION) == answer.outcome
    assert 200 == site.get("user", "dev").status


@pytest.mark.parametrize("fields", [{"revoked": True}, {"expires_at": "2020-11-20"}], ids=str)
def test_a_session_that_is_over_lets_nobody_in(fields: dict[str, Any]) -> None:
    """A session that was signed out or has expired gets 401."""
    site = create_site()
    site.token("dev", "old", "session", **fields)
    assert 401 == send(site, "_gitlab_session", "old").status


# what a token is good for


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("scope", "method", "target", "outcome"),
    [
        ("api", "GET", "user", 200),
        ("api", "GET", "projects", 200),
        ("api", "POST", "projects/acme%2Fsite/star", 201),
        ("read_api", "GET", "user", 200),
        ("read_api", "GET", "projects", 200),
        ("read_api", "HEAD", "projects", 200),
        ("read_user", "GET", "user", 200),
        ("read_user", "GET", "users", 200),
        ("read_user", "GET", "users/1", 200),
        ("read_api", "POST", "projects/acme%2Fsite/star", build_insufficient_scope("api read_api")),
        ("read_api", "PUT", "users/3", build_insufficient_scope("read_user api read_api")),
        ("read_user", "GET", "projects", build_insufficient_scope("api read_api")),
        ("read_user", "POST", "users", build_insufficient_scope("read_user api read_api")),
        ("read_user", "POST", "projects/acme%2Fsite/star", build_insufficient_scope("api read_api")),
        ("read_repository", "GET", "user", build_insufficient_scope("read_user api read_api")),
        ("read_repository", "GET", "projects", build_insufficient_scope("api read_api")),
        ("write_repository", "DELETE", "projects/acme%2Fsite", build_insufficient_scope("api read_api")),
        ("sudo", "GET", "projects", build_insufficient_scope("api read_api")),
        ("openid", "GET", "user", build_insufficient_scope("read_user api read_api")),
    ],
)
def test_a_token_reaches_as_far_as_its_scopes(
    kind: TokenKind, scope: str, method: str, target: str, outcome: object
) -> None:
    """A token is limited to its scopes, and a refusal names the scopes that would be sufficient."""
    site = create_site()
    site.token("dev", "narrow", kind, scopes=(scope,))
    answer = send(site, "Bearer", "narrow", target, method)
    assert outcome == (answer.status if isinstance(outcome, int) else answer.outcome)
    assert "WWW-Authenticate" not in answer.headers


def test_one_sufficient_scope_among_several_is_enough() -> None:
    """A token with several scopes is accepted if one of them is sufficient."""
    site = create_site()
    site.token("dev", "wide", scopes=("read_repository", "read_api"))
    assert 200 == site.get("projects?private_token=wide").status


# who may not use any


@pytest.mark.parametrize(("kind", "carrier"), SENT)
@pytest.mark.parametrize(
    ("state", "text"),
    [
        ("blocked", "Your account has been blocked."),
        ("ldap_blocked", "Your account has been blocked."),
        ("deactivated", DEACTIVATED),
    ],
)
def test_an_account_that_is_closed_is_refused_with_its_reason(
    kind: TokenKind, carrier: str, state: str, text: str
) -> None:
    """A token of a blocked or deactivated user gets 403, also where no login is needed."""
    site = create_site()
    site.token("dev", "secret", kind)
    site.change_user("dev", state=state)
    for target in ("user", "projects"):
        assert build_forbidden(text) == send(site, carrier, "secret", target).outcome


@pytest.mark.parametrize(
    ("kind", "username"),
    [
        ("ghost", "ghost"),
        ("alert_bot", "alert-bot"),
        ("support_bot", "support-bot"),
        ("visual_review_bot", "visual-review-bot"),
    ],
)
def test_the_platforms_own_users_cannot_call(kind: Any, username: str) -> None:
    """A token of an internal user is refused with its reason."""
    site = create_site()
    with site.platform.acting() as ctx:
        bots.get_or_create_bot(ctx, kind)
    site.token(username, "secret")
    assert build_forbidden(NO_INTERNAL) == site.get("projects?private_token=secret").outcome


def test_the_bot_of_a_project_token_can_call() -> None:
    """The bot user of a project access token can use the API."""
    site = create_site()
    site.change_user("dev", kind="project_bot")
    assert "dev" == get_caller(site.get("user", "dev"))


# the session's writes


@pytest.mark.parametrize("name", ["_platform_session", "_gitlab_session"])
@pytest.mark.parametrize(
    ("method", "target", "csrf", "status"),
    [
        ("GET", "user", None, 200),
        ("HEAD", "user", None, 200),
        ("POST", "projects/acme%2Fsite/star", "csrf-secret", 201),
        ("POST", "projects/acme%2Fsite/star", None, 401),
        ("POST", "projects/acme%2Fsite/star", "csrf-other", 401),
        ("POST", "projects/acme%2Fsite/star", "", 401),
        ("PUT", "projects/acme%2Fsite?description=x", None, 401),
        ("DELETE", "projects/acme%2Fsite", None, 401),
    ],
)
def test_a_sessions_writes_must_prove_where_they_come_from(
    name: str, method: str, target: str, csrf: str | None, status: int
) -> None:
    """A write by a session without the right X-CSRF-Token is anonymous; GET and HEAD need none."""
    site = create_site()
    site.token("dev", "secret", "session")
    headers = {} if csrf is None else {"x-csrf-token": csrf}
    assert status == send(site, name, "secret", target, method, **headers).status


# job tokens


def authenticate_job(
    site: Site, target: str = "", *, flagged: bool = True, headers: dict[str, str] | None = None, **given: object
) -> str | None:
    """Who is let in by an operation that takes job tokens, or one that does not."""
    request = Request("GET", f"/api/v4/{target}", headers=headers or {})
    user = (
        Authenticator(site.world, site.clock, request, given, CredentialRules(reads=True, job_token=flagged))
        .caller()
        .user
    )
    return user.username if user else None


def create_site_with_job(**options: Any) -> Site:
    site = create_site(**options)
    site.token("dev", "job-secret", "job", scopes=(), project_id=site.place("acme/site").id)
    return site


@pytest.mark.parametrize("headers", [{"job-token": "job-secret"}, {"authorization": "Bearer job-secret"}])
@pytest.mark.parametrize("tier", ["free", "premium"])
def test_a_job_token_is_taken_where_the_operation_says_so(tier: str, headers: dict[str, str]) -> None:
    """A job token is accepted as a JOB-TOKEN header and as a bearer on every tier."""
    assert "dev" == authenticate_job(create_site_with_job(tier=tier), headers=headers)


@pytest.mark.parametrize("name", ["job_token", "token"])
@pytest.mark.parametrize(("tier", "expected"), [("free", None), ("premium", "dev"), ("ultimate", "dev")])
def test_a_job_token_as_a_parameter_is_paid(name: str, tier: str, expected: str | None) -> None:
    """``job_token`` and ``token`` are read on paid tiers and ignored on the free one (ruling 19)."""
    given: dict[str, Any] = {name: "job-secret"}
    assert expected == authenticate_job(create_site_with_job(tier=tier), **given)


@pytest.mark.parametrize("name", ["job_token", "token"])
@pytest.mark.parametrize("tier", ["free", "premium"])
def test_a_job_token_as_a_parameter_is_taken_by_the_platform(name: str, tier: str) -> None:
    """With ``documented: false`` job tokens as parameters are read on every tier."""
    given: dict[str, Any] = {name: "job-secret"}
    assert "dev" == authenticate_job(create_site_with_job(tier=tier, documented=False), **given)


def test_a_job_token_as_a_parameter_comes_before_the_header() -> None:
    """Of several job tokens the one of ``job_token`` counts, then that of ``token``, then that of the header."""
    site, headers = create_site_with_job(documented=False), {"job-token": "dev-job"}
    for username in ("dev", "ada", "root"):
        site.token(username, f"{username}-job", "job", scopes=(), project_id=site.place("acme/site").id)
    assert "ada" == authenticate_job(site, headers=headers, job_token="ada-job", token="root-job")
    assert "root" == authenticate_job(site, headers=headers, token="root-job")
    assert "dev" == authenticate_job(site, headers=headers)


def test_a_job_token_dies_with_its_job() -> None:
    """A job token of a finished job and any other value are refused with 401."""
    site = create_site_with_job()
    site.token("dev", "over", "job", revoked=True)
    for value in ("over", "no-such-job", "dev-token"):
        with pytest.raises(Refusal) as caught:
            authenticate_job(site, headers={"job-token": value})
        assert NOBODY == (caught.value.status, caught.value.payload)


@pytest.mark.parametrize("tier", ["free", "premium"])
def test_a_job_token_is_ignored_elsewhere(tier: str) -> None:
    """An operation that takes no job token treats a request with one as anonymous."""
    site = create_site_with_job(tier=tier)
    assert authenticate_job(site, flagged=False, headers={"job-token": "job-secret"}, job_token="job-secret") is None
    for target, headers in (("", {"job-token": "job-secret"}), ("?job_token=job-secret", {})):
        assert 200 == site.get(f"projects{target}", headers=headers).status
        assert NOBODY == site.get(f"user{target}", headers=headers).outcome


def test_a_job_token_is_no_bearer_elsewhere() -> None:
    """A job token as a bearer gets 401 from an operation that takes none."""
    assert NOBODY == create_site_with_job().get("projects", headers={"authorization": "Bearer job-secret"}).outcome


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"private-token": "ada-token", "job-token": "job-secret"}, "ada"),
        ({"job-token": "job-secret", "cookie": "_gitlab_session=ada-session"}, "dev"),
        ({"authorization": "Bearer job-secret", "cookie": "_gitlab_session=ada-session"}, "dev"),
    ],
)
def test_a_job_token_comes_after_tokens_and_before_the_session(headers: dict[str, str], expected: str) -> None:
    """A job token is used before the session and after other tokens."""
    site = create_site_with_job()
    site.token("ada", "ada-session", "session")
    assert expected == authenticate_job(site, headers=headers)


# sudo


@pytest.mark.parametrize("target", ["ada", "ADA", "Ada", "2"])
@pytest.mark.parametrize("carrier", ["parameter", "header"])
def test_an_administrator_may_act_as_another(carrier: str, target: str) -> None:
    """An administrator can use sudo with an id or a user name in any case, as a parameter or a header."""
    site = create_site()
    sent = {"sudo": target} if carrier == "header" else {}
    query = f"?sudo={target}" if carrier == "parameter" else ""
    assert "ada" == get_caller(site.get(f"user{query}", "root", headers=sent))


def test_the_parameter_beats_the_header() -> None:
    """The sudo parameter beats the header, unless it is blank."""
    site = create_site()
    assert "dev" == get_caller(site.get("user?sudo=dev", "root", headers={"sudo": "ada"}))
    assert "ada" == get_caller(site.get("user?sudo=", "root", headers={"sudo": "ada"}))


def test_the_target_may_come_in_the_body() -> None:
    """The sudo target is accepted in the body, also as a number."""
    site = create_site()
    answer = site.ask("POST", "projects", "root", json={"name": "own", "sudo": site.person("dev").id})
    assert (201, "dev/own") == (answer.status, answer.json["path_with_namespace"])


def test_who_is_acted_as_has_their_own_rights_and_no_others() -> None:
    """A request with sudo has the permissions of the target, not those of the administrator."""
    site = create_site()
    assert 200 == site.get("projects/acme%2Fsite", "root").status
    assert (404, {"message": "404 Project Not Found"}) == site.get("projects/acme%2Fsite?sudo=eve", "root").outcome
    assert "is_admin" not in site.get("user?sudo=eve", "root").json


@pytest.mark.parametrize("kind", KINDS)
def test_sudo_checks_no_other_scope(kind: TokenKind) -> None:
    """A token with the scope ``sudo`` alone can write as another user, and is refused as its own."""
    site = create_site()
    site.token("root", "only-sudo", kind, scopes=("sudo",))
    target = "projects/acme%2Fsite/star"
    assert 201 == send(site, "Bearer", "only-sudo", f"{target}?sudo=dev", "POST").status
    assert build_insufficient_scope("api read_api") == send(site, "Bearer", "only-sudo", target, "POST").outcome


def build_unknown_token(value: str) -> tuple[int, object]:
    return 404, {"message": f"404 User with ID or username '{value}' Not Found"}


MUST_BE_ADMIN = build_forbidden("Must be admin to use sudo")
MUST_HAVE_TOKEN = build_forbidden("Must be authenticated using an OAuth or Personal Access Token to use sudo")

SUDOERS = {
    "nobody": {},
    "dev's session": {"cookie": "_gitlab_session=dev-session"},
    "dev's narrow token": {"private-token": "dev-narrow"},
    "root's session": {"cookie": "_gitlab_session=root-session"},
    "root's narrow token": {"private-token": "root-narrow"},
    "root": {"private-token": "root-token"},
}


@pytest.mark.parametrize(
    ("sudoer", "outcome"),
    [
        ("nobody", NOBODY),
        ("dev's session", MUST_BE_ADMIN),
        ("dev's narrow token", MUST_BE_ADMIN),
        ("root's session", MUST_HAVE_TOKEN),
        ("root's narrow token", build_insufficient_scope("sudo")),
        ("root", build_unknown_token("nosuch")),
    ],
)
@pytest.mark.parametrize("target", ["projects", "user", "version"])
def test_sudo_is_refused_in_this_order(target: str, sudoer: str, outcome: object) -> None:
    """Sudo is refused in this order: no caller, no administrator, a session, a missing scope, an unknown target."""
    site = create_site()
    site.token("dev", "dev-session", "session")
    site.token("root", "root-session", "session")
    for username in ("dev", "root"):
        site.token(username, f"{username}-narrow", scopes=("api", "read_user"))
    assert outcome == site.get(target, headers={**SUDOERS[sudoer], "sudo": "nosuch"}).outcome


@pytest.mark.parametrize("value", ["999", "0", "nosuch", "ad", "ada@example.test", "2x"])
def test_an_unknown_target_is_named_as_it_was_sent(value: str) -> None:
    """The refusal of an unknown sudo target names it as sent; emails and partial names are unknown."""
    assert build_unknown_token(value) == create_site().get("user", "root", headers={"sudo": value}).outcome


def test_a_write_by_a_session_without_proof_is_nobodys_sudo() -> None:
    """A write with sudo by a session without X-CSRF-Token gets 401."""
    site = create_site()
    site.token("root", "root-session", "session")
    headers = {"cookie": "_gitlab_session=root-session", "sudo": "dev"}
    assert NOBODY == site.ask("POST", "projects?name=own", headers=headers).outcome
