"""Git over HTTP: content types, refusals and credentials. Source: docs/platform/git-over-http.md."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fakeplat.core.operations.http_messages import Request
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.examples import examples
from tests.worlds import create_site

SITE, DOCS = "acme/site.git", "acme/docs.git"
FETCH, PUSH = "git-upload-pack", "git-receive-pack"
DENIED = (401, "HTTP Basic: Access denied\n")
NOT_FOUND = (404, "The project you were looking for could not be found or you don't have permission to view it.")
NOT_WRITABLE = (403, "You are not allowed to write to this project's wiki.")
NO_PUSH = (403, "You are not allowed to push code to this project.")
NO_FETCH = (403, "You are not allowed to download code from this project.")
NARROW = {FETCH: (403, "You are not allowed to download code."), PUSH: (403, "You are not allowed to upload code.")}


def basic(name: str, password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"}


def send_request(
    fake: Fakeplat, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b""
) -> Reply:
    return fake.as_user(None).request(method, f"{fake.url}/{path}", headers=headers or {}, data=body)


def refs(fake: Fakeplat, path: str, service: str, name: str | None = None, password: str | None = None) -> Reply:
    headers = basic(name, fake.token(name) if password is None else password) if name is not None else {}
    return send_request(fake, "GET", f"{path}/info/refs?service={service}", headers)


def text_outcome(reply: Reply) -> tuple[int, str]:
    return reply.status, reply.text


# what is answered


@pytest.mark.parametrize("service", [FETCH, PUSH])
def test_refs_are_advertised_with_their_type(fakeplat: Fakeplat, service: str) -> None:
    """Advertised refs have the content type of their service and must not be cached."""
    reply = refs(fakeplat, SITE, service, "ada")
    assert (200, f"application/x-{service}-advertisement", "no-cache") == (
        reply.status,
        reply.headers["Content-Type"],
        reply.headers["Cache-Control"],
    )
    assert reply.content.startswith(b"%04x# service=%b\n0000" % (len(service) + 15, service.encode()))


def test_refs_of_running_pipelines_are_advertised(fakeplat: Fakeplat) -> None:
    """A pipeline has a ref of its commit from its first job until it ends, which runners fetch."""
    statuses = ("created", "pending", "running", "success", "failed", "canceled")
    rows = [
        {"iid": number, "ref": "master", "status": status, "jobs": [{"name": "build", "status": status}]}
        for number, status in enumerate(statuses, 1)
    ]
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": rows}]})
    ids = {pipeline.status: pipeline.id for pipeline in fakeplat.bench.platform.view.pipelines.all()}
    content = refs(fakeplat, SITE, FETCH, "ada").content.decode()

    assert {"running"} == {status for status, id_ in ids.items() if f"refs/pipelines/{id_}\n" in content}


@pytest.mark.parametrize("service", [FETCH, PUSH])
def test_a_request_for_nothing_is_answered_with_nothing(fakeplat: Fakeplat, service: str) -> None:
    """A lone flush is how git tries whether it is let in."""
    reply = send_request(fakeplat, "POST", f"{SITE}/{service}", basic("ada", "ada-token"), b"0000")
    assert (200, b"", f"application/x-{service}-result", "no-cache") == (
        reply.status,
        reply.content,
        reply.headers["Content-Type"],
        reply.headers["Cache-Control"],
    )


@pytest.mark.parametrize("query", ["", "?service=", "?service=git-upload-archive"])
def test_other_protocols_are_refused(fakeplat: Fakeplat, query: str) -> None:
    """The dumb protocol and other git services are refused."""
    assert DENIED == text_outcome(send_request(fakeplat, "GET", f"{DOCS}/info/refs{query}"))
    reply = send_request(fakeplat, "GET", f"{DOCS}/info/refs{query}", basic("rep", "rep-token"))
    assert (403, "The command you're trying to execute is not allowed.") == text_outcome(reply)
    assert "text/plain; charset=utf-8" == reply.headers["Content-Type"]


def test_a_path_without_its_ending_is_redirected(fakeplat: Fakeplat) -> None:
    """A git path without `.git` is redirected with its query."""
    reply = send_request(fakeplat, "GET", "acme/nothing/info/refs?service=git-upload-pack")
    url = f"{fakeplat.url}/acme/nothing.git/info/refs?service=git-upload-pack"
    assert (301, url) == (reply.status, reply.headers["Location"])


@pytest.mark.parametrize("service", [FETCH, PUSH])
@pytest.mark.parametrize("path", ["acme/docs", "acme/site"])
def test_a_post_to_a_path_without_its_ending_finds_nothing(fakeplat: Fakeplat, path: str, service: str) -> None:
    """A git request to a path without `.git` answers 404 to everybody."""
    for headers in ({}, basic("ada", "ada-token")):
        assert 404 == send_request(fakeplat, "POST", f"{path}/{service}", headers, b"0000").status


@pytest.mark.parametrize("query", ["service=git-implode-pack", "service=git-upload-pack&x=1"])
def test_other_queries_without_the_ending_go_to_the_login(fakeplat: Fakeplat, query: str) -> None:
    """Other requests to git paths without `.git` are redirected to the login."""
    reply = send_request(fakeplat, "GET", f"acme/docs/info/refs?{query}")
    assert (302, f"{fakeplat.url}/users/sign_in") == (reply.status, reply.headers["Location"])


def test_the_challenge_names_the_product(fakeplat: Fakeplat) -> None:
    """git shows the realm when it asks for a password."""
    reply = refs(fakeplat, SITE, FETCH)
    assert (DENIED, 'Basic realm="Platform"') == (text_outcome(reply), reply.headers["WWW-Authenticate"])


@pytest.mark.fakeplat(product_name='My "Hub"\n')
def test_the_challenge_is_a_header_whatever_the_product_is_called(fakeplat: Fakeplat) -> None:
    """Quotes and line breaks would end it."""
    assert 'Basic realm="My Hub"' == refs(fakeplat, SITE, FETCH).headers["WWW-Authenticate"]


# who may

WHO = [
    # path, service, nobody, ext, eve, gus, rep, dev, mia, ada, root
    (SITE, FETCH, [DENIED, NOT_FOUND, NOT_FOUND, NO_FETCH, 200, 200, 200, 200, 200]),
    (SITE, PUSH, [DENIED, NOT_FOUND, NOT_FOUND, NO_PUSH, NO_PUSH, 200, 200, 200, 200]),
    (DOCS, FETCH, [200] * 9),
    (DOCS, PUSH, [DENIED, NO_PUSH, NO_PUSH, NO_PUSH, NO_PUSH, 200, 200, 200, 200]),
    ("acme/tools/kit.git", FETCH, [DENIED, NOT_FOUND, 200, 200, 200, 200, 200, 200, 200]),
    ("acme/nothing.git", FETCH, [DENIED, *[NOT_FOUND] * 8]),
    ("nowhere/nothing.git", PUSH, [DENIED, *[NOT_FOUND] * 8]),
    ("nothing.git", PUSH, [DENIED, *[NOT_FOUND] * 8]),
    ("acme/site.wiki.git", FETCH, [DENIED, NOT_FOUND, NOT_FOUND, NO_FETCH, 200, 200, 200, 200, 200]),
    ("acme/site.wiki.git", PUSH, [DENIED, NOT_FOUND, NOT_FOUND, *[NOT_WRITABLE] * 2, 200, 200, 200, 200]),
    ("acme/docs.wiki.git", FETCH, [200] * 9),
    ("acme/docs.wiki.git", PUSH, [DENIED, *[NOT_WRITABLE] * 4, 200, 200, 200, 200]),
    ("acme/nothing.wiki.git", FETCH, [DENIED, *[NOT_FOUND] * 8]),
    ("acme.git", FETCH, [DENIED, *[NOT_FOUND] * 8]),
]
ROLES = (None, "ext", "eve", "gus", "rep", "dev", "mia", "ada", "root")


@pytest.mark.parametrize(("path", "service", "expected"), WHO)
def test_roles_that_fetch_and_push(fakeplat: Fakeplat, path: str, service: str, expected: list[Any]) -> None:
    """The role decides alike about advertising refs and about fetching and pushing."""
    announced = [refs(fakeplat, path, service, name) for name in ROLES]
    headers = [basic(name, f"{name}-token") if name else {} for name in ROLES]
    done = [send_request(fakeplat, "POST", f"{path}/{service}", sent, b"0000") for sent in headers]
    for replies in (announced, done):
        assert expected == [200 if reply.status == 200 else text_outcome(reply) for reply in replies]


def test_roles_that_create_projects_by_a_push(fakeplat: Fakeplat) -> None:
    """A push creates a project only for those who may create projects in the namespace."""
    before = fakeplat.bench.platform.state
    for name, expected in (
        (None, DENIED),
        ("ext", NOT_FOUND),
        ("eve", NOT_FOUND),
        ("gus", NOT_FOUND),
        ("rep", NOT_FOUND),
    ):
        headers = basic(name, f"{name}-token") if name else {}
        assert expected == text_outcome(refs(fakeplat, "acme/nothing.git", PUSH, name))
        assert expected == text_outcome(send_request(fakeplat, "POST", f"acme/nothing.git/{PUSH}", headers, b"0000"))
    assert before is fakeplat.bench.platform.state
    assert 200 == send_request(fakeplat, "POST", f"acme/nothing.git/{PUSH}", basic("dev", "dev-token"), b"0000").status
    assert "private" == fakeplat.as_user("dev").get("projects/acme%2Fnothing").json()["visibility"]


CLOSED = [
    ({"archived": True}, FETCH, 200),
    ({"archived": True}, PUSH, NO_PUSH),
    ({"repository_access_level": "disabled"}, FETCH, NO_FETCH),
    ({"repository_access_level": "disabled"}, PUSH, NO_PUSH),
]


@pytest.mark.parametrize(("fields", "service", "expected"), CLOSED)
def test_archived_projects_and_disabled_repositories(
    fakeplat: Fakeplat, fields: dict[str, Any], service: str, expected: Any
) -> None:
    """Archived projects are read-only, and disabled repositories are not found."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", **fields}]})
    reply = refs(fakeplat, SITE, service, "ada")
    assert expected == (200 if reply.status == 200 else text_outcome(reply))


def test_a_repository_for_members_is_hidden_from_the_public(fakeplat: Fakeplat) -> None:
    """A public project with a repository for members hides it without asking for a password."""
    fakeplat.load({"projects": [{"path_with_namespace": "acme/docs", "repository_access_level": "private"}]})
    assert [DENIED, NO_FETCH] == [text_outcome(refs(fakeplat, DOCS, FETCH, name)) for name in (None, "eve")]
    assert 200 == refs(fakeplat, DOCS, FETCH, "rep").status


# credentials

SCOPES = [
    # scopes, fetch, push
    (["api"], True, True),
    (["read_repository"], True, False),
    (["write_repository"], True, True),
    (["read_api"], False, False),
    (["read_user", "read_registry"], False, False),
]


@pytest.mark.parametrize("kind", ["personal", "oauth", "impersonation"])
@pytest.mark.parametrize(("scopes", "fetch", "push"), SCOPES)
def test_scopes(fakeplat: Fakeplat, kind: str, scopes: list[str], fetch: bool, push: bool) -> None:
    """The scopes of tokens decide about fetches and pushes under any username."""
    token = fakeplat.token("ada", kind, scopes=scopes)
    for service, reaches in ((FETCH, fetch), (PUSH, push)):
        for name in ("oauth2", "gitlab-ci-token", "ada", "anybody"):
            reply = refs(fakeplat, SITE, service, name, token)
            assert (200 if reaches else NARROW[service]) == (200 if reply.status == 200 else text_outcome(reply))


def test_narrow_scopes_keep_from_what_is_public(fakeplat: Fakeplat) -> None:
    """A token without the scope cannot fetch what anonymous callers can."""
    token = fakeplat.token("ada", scopes=["read_user"])
    assert NARROW[FETCH] == text_outcome(refs(fakeplat, DOCS, FETCH, "ada", token))


def test_the_token_of_an_administrators_job_reads_as_a_member_does(fakeplat: Fakeplat) -> None:
    """An administrator's job token reads only projects of which the user is a member."""
    token = fakeplat.token("root", "job", project="acme/docs")
    assert NO_FETCH == text_outcome(refs(fakeplat, SITE, FETCH, "gitlab-ci-token", token))
    assert 200 == refs(fakeplat, DOCS, FETCH, "gitlab-ci-token", token).status
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "members": {"root": "reporter"}}]})
    assert 200 == refs(fakeplat, SITE, FETCH, "gitlab-ci-token", token).status


def test_a_jobs_token_only_reads(fakeplat: Fakeplat) -> None:
    """A job token fetches only under the username of jobs and never pushes."""
    token = fakeplat.token("dev", "job", project="acme/site")
    assert 200 == refs(fakeplat, SITE, FETCH, "gitlab-ci-token", token).status
    assert NARROW[PUSH] == text_outcome(refs(fakeplat, SITE, PUSH, "gitlab-ci-token", token))
    assert DENIED == text_outcome(refs(fakeplat, SITE, FETCH, "dev", token))


def test_a_projects_token_pushes(fakeplat: Fakeplat) -> None:
    """A project token pushes as its bot to that project alone."""
    token = fakeplat.token("root", "project", project="acme/site", scopes=["write_repository"])
    assert 200 == refs(fakeplat, SITE, PUSH, "any", token).status
    assert NO_PUSH == text_outcome(refs(fakeplat, DOCS, PUSH, "any", token))


@pytest.mark.parametrize("name", ["ada", "ADA", "ada@example.test"])
def test_a_users_own_password(fakeplat: Fakeplat, name: str) -> None:
    """A user's password is accepted with the username or address in any case."""
    assert 200 == refs(fakeplat, SITE, PUSH, name, "ada-password").status


WRONG = [
    ("ada", "wrong"),
    ("ada", ""),
    ("", ""),
    ("nobody", "ada-password"),
    ("bob", "bob-password"),
    ("ada", "ada-password "),
]


@pytest.mark.parametrize(("name", "password"), WRONG)
def test_wrong_passwords(fakeplat: Fakeplat, name: str, password: str) -> None:
    """A wrong password is denied even for public repositories."""
    assert [DENIED, DENIED] == [text_outcome(refs(fakeplat, path, FETCH, name, password)) for path in (SITE, DOCS)]


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic YWRh", "Basic /w==", "Bearer ada-token", "Digest x"])
def test_other_headers_are_nobodys(fakeplat: Fakeplat, header: str) -> None:
    """An authorization header without name and password is anonymous."""
    sent = {"Authorization": header}
    assert DENIED == text_outcome(send_request(fakeplat, "GET", f"{SITE}/info/refs?service={FETCH}", sent))
    assert 200 == send_request(fakeplat, "GET", f"{DOCS}/info/refs?service={FETCH}", sent).status


DEAD = [
    ({"expires_at": "2020-11-01"}, DENIED),
    ({"revoked": True}, DENIED),
]


@pytest.mark.parametrize(("fields", "expected"), DEAD)
@pytest.mark.parametrize("kind", ["personal", "oauth"])
def test_dead_tokens(fakeplat: Fakeplat, kind: str, fields: dict[str, Any], expected: Any) -> None:
    """Revoked and expired tokens are denied like missing ones."""
    token = {"kind": kind, "value": "dead-token", "scopes": ["api"], **fields}
    fakeplat.load({"users": [{"username": "dev", "tokens": [token]}]})
    assert expected == text_outcome(refs(fakeplat, SITE, FETCH, "dev", "dead-token"))


@pytest.mark.fakeplat(impersonation=False)
def test_impersonation_can_be_off(fakeplat: Fakeplat) -> None:
    """Git denies impersonation tokens where the instance's setting disables them."""
    token = fakeplat.token("dev", "impersonation", scopes=["api"])
    assert DENIED == text_outcome(refs(fakeplat, SITE, FETCH, "dev", token))


BARRED = [
    ("blocked", "Your account has been blocked."),
    (
        "deactivated",
        (
            "Your account has been deactivated by your administrator. Please log back in from a web browser to "
            "reactivate your account at {url}"
        ),
    ),
]


@pytest.mark.parametrize(("state", "text"), BARRED)
def test_tokens_of_who_is_barred(fakeplat: Fakeplat, state: str, text: str) -> None:
    """Git denies tokens of barred users with 403 and the reason."""
    fakeplat.load({"users": [{"username": "dev", "state": state}]})
    expected = (403, text.format(url=fakeplat.url))
    assert [expected] * 2 == [text_outcome(refs(fakeplat, path, FETCH, "dev", "dev-token")) for path in (SITE, DOCS)]
    assert DENIED == text_outcome(refs(fakeplat, SITE, FETCH, "dev", "dev-password"))


def test_two_factors_ask_for_a_token(fakeplat: Fakeplat) -> None:
    """The password alone is not enough, and the answer says what is."""
    fakeplat.load({"users": [{"username": "dev", "two_factor_enabled": True}]})
    status, text = text_outcome(refs(fakeplat, SITE, FETCH, "dev", "dev-password"))
    assert (401, True) == (status, text.startswith(f"{DENIED[1]}You must use a personal access token with"))
    assert 200 == refs(fakeplat, SITE, FETCH, "dev", "dev-token").status


@pytest.mark.fakeplat(throttle={"requests": 1, "period": "60s"})
def test_sign_ins_by_git_are_throttled_separately(fakeplat: Fakeplat) -> None:
    """The throttle knows users by their passwords, too."""
    statuses = [refs(fakeplat, DOCS, FETCH, name).status for name in ("ada", "dev", None, "ada")]
    assert [200, 200, 200, 429] == statuses


# what is no git

SHA = "a" * 40
UNREADABLE = [
    (FETCH, b"hello"),
    (FETCH, b"0009want"),
    (FETCH, b"0032want " + b"b" * 40 + b"\n0000"),
    (PUSH, b"hello"),
    (PUSH, b"000bgarbage"),
    (PUSH, b"ffff"),
]


@pytest.mark.parametrize(("service", "body"), UNREADABLE)
def test_bytes_that_are_no_git(fakeplat: Fakeplat, service: str, body: bytes) -> None:
    """A refusal that says so, and nothing changed."""
    before = fakeplat.bench.platform.state
    reply = send_request(fakeplat, "POST", f"{SITE}/{service}", basic("ada", "ada-token"), body)
    assert (reply.status, reply.content[:6]) in [(400, b"fatal:"), (200, reply.content[:4] + b"ER")]
    assert before is fakeplat.bench.platform.state


lines = st.one_of(
    st.binary(max_size=12),
    st.sampled_from([b"want ", b"have ", b"done", b"deepen 1", b"shallow ", b"command=ls-refs", b"push-options"]),
    st.sampled_from(
        [f"{old} {new} refs/heads/{name}" for old in (ZERO_SHA, SHA) for new in (ZERO_SHA, SHA) for name in "a/"]
    ),
).map(lambda line: line if isinstance(line, bytes) else f"{line}\0 report-status side-band-64k atomic".encode())
bodies = st.lists(st.one_of(lines.map(lambda line: b"%04x" % (len(line) + 4) + line), st.just(b"0000"), lines))
paths = st.sampled_from(["acme/site.git", "acme/site", "nowhere/nothing.git", "acme.git", ".git", "acme/site.git/x"])
ways = st.sampled_from(
    [
        ("GET", "info/refs"),
        ("POST", FETCH),
        ("POST", PUSH),
        ("POST", "info/lfs/objects/batch"),
        ("PUT", f"gitlab-lfs/objects/{SHA}/1"),
        ("GET", f"gitlab-lfs/objects/{SHA}"),
        ("GET", "info/lfs/locks"),
        ("POST", "info/lfs/locks/verify"),
    ]
)
queries = st.one_of(st.text(max_size=8), st.sampled_from([f"service={FETCH}", f"service={PUSH}", "service[]=x"]))
senders = st.sampled_from([{}, basic("dev", "dev-token"), basic("dev", "wrong"), basic("eve", "eve-password")])
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@settings(patient, max_examples=examples(100))
@given(ways, paths, queries, senders, bodies.map(b"".join) | st.sampled_from([b"{}", b"[]", b'{"operation":[]}']))
def test_arbitrary_bytes_change_nothing(
    way: tuple[str, str], path: str, query: str, sent: dict[str, str], body: bytes
) -> None:
    """Arbitrary bytes are answered without a server error and move no ref."""
    site = create_site()
    before = site.platform.state
    headers = {name.lower(): text for name, text in sent.items()}
    response = site.platform.handle(Request(way[0], f"/{path}/{way[1]}", query, headers, body))
    assert ([], True) == (site.platform.failures, response.status < 500)
    assert before is site.platform.state
