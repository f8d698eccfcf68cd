"""The order in which a request is checked, and what every answer has."""

import logging
import re
import time
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from attrs import evolve

from fakeplat.catalog import KnownOperation, known_operations
from fakeplat.catalog.unbuilt import UnbuiltOperation, unbuilt_operations
from fakeplat.core.operations.errors import OperationNotImplemented
from fakeplat.core.operations.operation import OPERATIONS
from fakeplat.core.timestamps import HOUR, SECOND
from fakeplat.domain.hooks import hooks
from fakeplat.domain.projects import projects
from fakeplat.model.outgoing import Outgoing, OutgoingRequest
from fakeplat.model.people import Level
from fakeplat.pipeline import handler
from tests.worlds import API, Site, SiteResponse, create_site

SITE = "projects/acme%2Fsite"
STAR = f"{SITE}/star"
MB = 1024 * 1024
MALFORMED = (
    "Problem:\n  message body does not match declared format\nResolution:\n  when specifying application/json as "
    "content-type, you must pass valid application/json in the request's 'body'\n    "
)
NO_ROUTE = (404, {"error": "404 Not Found"})
NO_PROJECT = (404, {"message": "404 Project Not Found"})
UNAUTHORIZED = (401, {"message": "401 Unauthorized"})
FORBIDDEN = (403, {"message": "403 Forbidden"})
NO_NEW_USER = (
    "email is missing, name is missing, username is missing, "
    "password, reset_password, force_random_password are missing, at least one parameter must be provided"
)
NEW_USER = {"email": "new@example.test", "name": "New", "username": "new", "password": "long-enough"}


@pytest.fixture
def site() -> Site:
    return create_site()


# which refusal comes first


@pytest.mark.parametrize(
    ("method", "target", "by", "json", "outcome"),
    [
        # nobody is refused before anything is read, on writes
        ("POST", "users", None, {}, UNAUTHORIZED),
        ("POST", "projects", None, {}, UNAUTHORIZED),
        ("PUT", "projects/999", None, {"visibility": "secret"}, UNAUTHORIZED),
        ("DELETE", SITE, None, None, UNAUTHORIZED),
        ("GET", "namespaces?page=x", None, None, UNAUTHORIZED),
        ("GET", f"{SITE}/members?page=x", None, None, UNAUTHORIZED),
        # reads that nobody may make are checked in their order: parameters, record
        ("GET", "projects?page=x", None, None, (400, {"error": "page is invalid"})),
        ("GET", SITE, None, None, NO_PROJECT),
        # parameters come before the administrator
        (
            "POST",
            "users",
            "dev",
            {},
            (
                400,
                {"error": NO_NEW_USER},
            ),
        ),
        ("POST", "users", "dev", {**NEW_USER, "projects_limit": "many"}, (400, {"error": "projects_limit is invalid"})),
        ("POST", "users", "dev", NEW_USER, FORBIDDEN),
        ("PUT", "users/999", "dev", {"projects_limit": "many"}, (400, {"error": "projects_limit is invalid"})),
        ("DELETE", "users/2?hard_delete=maybe", "dev", None, (400, {"error": "hard_delete is invalid"})),
        ("DELETE", "users/2", "dev", None, FORBIDDEN),
        # parameters come before the record, and all that are wrong are told at once
        ("PUT", "projects/999", "dev", {}, (400, None)),
        (
            "POST",
            "projects/999/share",
            "dev",
            {},
            (
                400,
                {"error": "group_id is missing, group_access is missing, group_access does not have a valid value"},
            ),
        ),
        ("PUT", f"{SITE}/members/x", "ada", {"access_level": 30}, (400, {"error": "user_id is invalid"})),
        # the record comes before what may be done to it
        ("POST", f"{SITE}/archive", "eve", None, NO_PROJECT),
        ("POST", "projects/999/archive", "dev", None, NO_PROJECT),
        ("POST", f"{SITE}/archive", "dev", None, FORBIDDEN),
        ("PUT", SITE, "dev", {"description": "x"}, FORBIDDEN),
        ("DELETE", SITE, "dev", None, FORBIDDEN),
        ("DELETE", "users/999", "root", None, (404, {"message": "404 User Not Found"})),
        # a broken body comes before everything but the route
        ("POST", "nothing", None, b"{", NO_ROUTE),
        ("POST", "projects", None, b"{", (400, {"error": MALFORMED})),
        ("POST", "projects", "dev", b"{", (400, {"error": MALFORMED})),
    ],
)
def test_the_first_refusal_in_order_is_the_response(
    site: Site, method: str, target: str, by: str | None, json: Any, outcome: tuple[int, object]
) -> None:
    """Requests are refused in this order: route, body, login, parameters, administrator, record, ability."""
    sent: Any = {"json": json}
    if isinstance(json, bytes):
        sent = {"body": json, "headers": {"content-type": "application/json"}}
    answer = site.ask(method, target, by, **sent)
    assert outcome == (answer.outcome if outcome[1] is not None else (answer.status, None))


@pytest.mark.parametrize(
    ("by", "parameters_first", "record_first"),
    [(None, 401, 401), ("eve", 400, 404), ("dev", 400, 403), ("ada", 400, 400)],
)
def test_an_area_may_look_at_the_record_before_the_parameters(
    site: Site, monkeypatch: pytest.MonkeyPatch, by: str | None, parameters_first: int, record_first: int
) -> None:
    """An area with `located_first` answers 404 and 403 before invalid parameters; 401 comes first in any area."""
    target = f"{SITE}/share"
    assert parameters_first == site.ask("POST", target, by).status
    ordinary = OPERATIONS["share_project"]
    other = evolve(ordinary, area=evolve(ordinary.area, located_first=True))
    monkeypatch.setattr(handler, "route", lambda request, world: (other, {"id": "acme/site"}))
    assert record_first == site.ask("POST", target, by).status


@pytest.mark.parametrize(
    ("target", "outcome"),
    [
        ("users/ada", NO_ROUTE),
        ("users/2x", NO_ROUTE),
        ("users/999", (404, {"message": "404 User Not Found"})),
        ("projects/site", NO_PROJECT),
        ("projects/999", NO_PROJECT),
        ("projects/nobody%2Fnothing", NO_PROJECT),
        ("projects/acme/site", NO_ROUTE),
        (SITE, 200),
        ("projects/ACME%2Fsite", 200),
        ("projects/5001", 200),
        ("projects/5001.json", 200),
        ("projects.json", 200),
        ("users/2.json", 200),
        ("user.json", 200),
    ],
)
def test_a_path_is_an_id_or_a_full_path(site: Site, target: str, outcome: object) -> None:
    """A project is named by an id or by its full path with ``%2F``, and ``.json`` may follow."""
    answer = site.get(target, "dev")
    assert outcome == (answer.status if isinstance(outcome, int) else answer.outcome)


ENDLESS = "9" * 5000


@pytest.mark.parametrize(
    ("target", "resource"),
    [
        (f"users/{ENDLESS}", "User"),
        (f"users/{ENDLESS}/projects", "User"),
        (f"projects/{ENDLESS}", "Project"),
        (f"groups/{ENDLESS}", "Group"),
        (f"namespaces/{ENDLESS}", "Namespace"),
    ],
)
def test_an_id_of_any_length_is_only_not_found(site: Site, target: str, resource: str) -> None:
    """An id of thousands of digits gets 404."""
    assert (404, {"message": f"404 {resource} Not Found"}) == site.get(target, "root").outcome


def test_a_sudo_target_of_any_length_is_only_not_found(site: Site) -> None:
    """A sudo target of thousands of digits gets 404."""
    expected = {"message": f"404 User with ID or username '{ENDLESS}' Not Found"}
    assert (404, expected) == site.get("user", "root", headers={"sudo": ENDLESS}).outcome


# routes that are not there


def fill_path(entry: KnownOperation) -> str:
    return "/" + re.sub(r"[:*]\w+", "1", entry.path).strip("/")


def list_unbuilt(**wanted: str) -> Iterator[UnbuiltOperation]:
    """The operations of a kind that are not built."""
    return (
        entry for entry in unbuilt_operations() if all(getattr(entry, name) == value for name, value in wanted.items())
    )


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/api/v3/projects", "/api/v3/", "/api/v3/users/1"])
def test_version_3_is_gone(site: Site, method: str, path: str) -> None:
    """Every request to version 3 of the API gets 410 with the platform's text."""
    answer = site.ask(method, path)
    assert (410, {"error": "API V3 is no longer supported. Use API V4 instead."}) == answer.outcome


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "target", ["nothing", "", "projects/1/nothing", "/api/v5/projects", "/api", "/nothing", "/api/v4x/user"]
)
def test_an_unknown_route_is_not_found(site: Site, method: str, target: str) -> None:
    """An unknown route gets 404 with key ``error``, whatever the method, signed in or not."""
    for by in (None, "root"):
        assert NO_ROUTE == site.ask(method, target, by).outcome


@pytest.mark.parametrize(
    ("method", "target", "allowed"),
    [
        ("PATCH", "user", {"GET", "HEAD"}),
        ("DELETE", "version", {"GET", "HEAD"}),
        ("POST", SITE, {"GET", "HEAD", "PUT", "DELETE"}),
        ("GET", STAR, {"POST"}),
        ("HEAD", STAR, {"POST"}),
        ("DELETE", "projects", {"GET", "HEAD", "POST"}),
    ],
)
def test_a_known_path_with_another_method_is_not_allowed(
    site: Site, method: str, target: str, allowed: set[str]
) -> None:
    """A known path with another method gets 405 and the methods in ``Allow``, also without a login."""
    answer = site.ask(method, target)
    assert (405, set(answer.headers["Allow"].split(", "))) == (answer.status, allowed)
    assert method == "HEAD" or {"error": "405 Not Allowed"} == answer.json


@pytest.mark.parametrize(
    ("method", "target"), [("DELETE", f"{SITE}/hooks"), ("POST", f"{SITE}/issues/1/participants"), ("PATCH", "user")]
)
def test_a_known_path_with_another_method_is_not_found_on_the_platform(method: str, target: str) -> None:
    """With ``documented: false`` another method is an unknown route; SCIM, an API of its own, answers 405."""
    site = create_site(documented=False)
    assert NO_ROUTE == site.ask(method, target).outcome
    assert NO_ROUTE == site.ask(method, target, "root").outcome
    scim = site.ask("PUT", "/api/scim/v2/groups/acme/Users")
    assert (405, {"error": "405 Not Allowed"}) == scim.outcome


def test_allow_names_every_method_that_the_platform_has(site: Site) -> None:
    """``Allow`` lists every method of the platform for a path, also those that are not implemented here."""
    methods: dict[str, set[str]] = {}
    for entry in known_operations():
        if not entry.since and entry.path.startswith(API):
            methods.setdefault(fill_path(entry), set()).add(entry.method)
    denied = {
        path: missing
        for path, having in methods.items()
        if (missing := having - set(site.ask("BREW", path).headers.get("Allow", "").split(", ")))
    }
    assert {} == denied


@pytest.mark.parametrize(
    ("method", "target", "expected"),
    [
        ("GET", "groups/acme/epics", (403, {"message": "403 Forbidden"})),
        ("POST", "groups/acme/epics", (403, {"message": "403 Forbidden"})),
        ("GET", "groups/acme/epics/1/issues", (403, {"message": "403 Forbidden"})),
        ("GET", "groups/acme/audit_events", (403, {"message": "403 Forbidden"})),
        ("GET", "projects/acme%2Fsite/push_rule", (404, {"message": "404 Not Found"})),
    ],
)
def test_paid_operations_on_the_free_tier(site: Site, method: str, target: str, expected: object) -> None:
    """On the free tier operations of epics and audit events get 403 and other paid operations 404."""
    assert expected == site.ask(method, target, "root").outcome


@pytest.mark.parametrize("by", [None, "root"])
def test_what_came_after_the_release_is_not_there(by: str | None) -> None:
    """An operation newer than 13.5 is an unknown route, except in a newer instance."""
    entry = next(entry for entry in list_unbuilt(tier="", left_out="") if entry.since)
    assert NO_ROUTE == create_site().ask(entry.method, fill_path(entry), by).outcome
    assert (
        OperationNotImplemented(entry.name).payload
        == create_site(version="latest").ask(entry.method, fill_path(entry), by).json
    )


@pytest.mark.parametrize(("tier", "status"), [("free", 404), ("premium", 400), ("ultimate", 400)])
def test_a_declared_operation_above_the_tier_is_not_there(tier: str, status: int) -> None:
    """Restoring a project, a paid operation, gets 404 on the free tier, also without a login."""
    site = create_site(tier=tier)
    answer = site.ask("POST", f"{SITE}/restore", "ada")
    assert status == answer.status
    assert tier != "free" or [(404, {"message": "404 Not Found"})] * 2 == [
        answer.outcome,
        site.ask("POST", f"{SITE}/restore").outcome,
    ]


@pytest.mark.parametrize("headers", [{}, {"private-token": "root-token"}, {"private-token": "wrong"}], ids=str)
def test_what_is_not_built_says_so_before_it_asks_who_is_there(site: Site, headers: dict[str, str]) -> None:
    """An operation that is not implemented gets 501 with its name, whatever the credentials."""
    entry = next(list_unbuilt(since="", tier="", left_out=""))
    expected = {"message": f"501 Not Implemented: {entry.name}. See /_fakeplat/coverage"}
    assert (501, expected) == site.ask(entry.method, fill_path(entry), headers=headers).outcome


# bodies


def test_a_body_may_be_ten_megabytes(site: Site) -> None:
    """A body of 10 MB is read, and a larger one gets 413 before the login is checked."""
    start, end = b'{"name": "own", "x": "', b'"}'
    for size, status in ((10 * MB, 401), (10 * MB + 1, 413)):
        body = start + b"x" * (size - len(start) - len(end)) + end
        assert status == site.ask("POST", "projects", body=body, headers={"content-type": "application/json"}).status
    answer = site.ask("POST", "projects", body=b"x" * (10 * MB + 1))
    assert (413, {"message": "413 Request Entity Too Large"}) == answer.outcome


def test_an_upload_may_be_larger(site: Site) -> None:
    """An upload may exceed 10 MB if `max_attachment_size` allows it."""
    part = b'--X\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    headers = {"content-type": "multipart/form-data; boundary=X"}
    site.change_settings(max_attachment_size=20)
    answer = site.ask("POST", f"{SITE}/uploads", "dev", headers=headers, body=part + b"x" * 11 * MB + b"\r\n--X--\r\n")
    assert 201 == answer.status


@pytest.mark.parametrize(
    ("headers", "body", "target"),
    [
        ({"content-type": "application/json"}, b'{"name": "own"}', "projects"),
        ({"content-type": "application/vnd.api+json"}, b'{"name": "own"}', "projects"),
        ({"content-type": "application/x-www-form-urlencoded"}, b"name=own", "projects"),
        (
            {"content-type": "multipart/form-data; boundary=X"},
            b'--X\r\nContent-Disposition: form-data; name="name"\r\n\r\nown\r\n--X--\r\n',
            "projects",
        ),
        ({}, b"name=own", "projects"),
        ({}, b"", "projects?name=own"),
        ({"content-type": "application/json"}, b'{"name": "own"}', "projects?name=other"),
    ],
)
def test_parameters_may_come_in_every_shape(site: Site, headers: dict[str, str], body: bytes, target: str) -> None:
    """Parameters are accepted as JSON, forms, multipart and in the query of a POST; the body beats the query."""
    answer = site.ask("POST", target, "dev", headers=headers, body=body)
    assert (201, "own") == (answer.status, answer.json["name"])


def test_the_path_beats_every_parameter_of_its_name(site: Site) -> None:
    """An ``id`` in the query or the body does not override the one in the path."""
    assert site.place("acme/site").id == site.get(f"{SITE}?id=999", "dev").json["id"]
    assert 200 == site.ask("PUT", SITE, "ada", json={"id": 999, "description": "x"}).status


def test_a_body_of_a_get_is_not_read(site: Site) -> None:
    """The body of a GET is ignored, malformed or not."""
    headers = {"content-type": "application/json"}
    assert 200 == site.get("projects", body=b"{", headers=headers).status


# a refusal changes nothing


def add_system_hook(site: Site) -> None:
    with site.platform.acting() as ctx:
        hooks.create(ctx, None, url="https://receiver.example.com")


REFUSED = [
    ("POST", f"{SITE}/unstar", "dev", None, 304),
    ("POST", "projects", "ada", {"name": "Site", "path": "-"}, 400),
    ("POST", f"{SITE}/members", "ada", {"user_id": 4, "access_level": 50}, 400),
    ("POST", f"{SITE}/members", "ada", {"user_id": 3, "access_level": 30}, 409),
    ("POST", "users", "root", {**NEW_USER, "email": "ada@example.test"}, 409),
    ("PUT", "users/2", "root", {"username": "dev", "bio": "changed"}, 404),
    ("PUT", SITE, "dev", {"description": "x"}, 403),
    ("DELETE", SITE, "eve", None, 404),
    ("DELETE", "users/2", "root", None, 409),
    ("POST", STAR, None, None, 401),
]


@pytest.mark.parametrize(("method", "target", "by", "json", "status"), REFUSED)
def test_a_refusal_leaves_the_world_as_it_was(
    site: Site, method: str, target: str, by: str | None, json: object, status: int
) -> None:
    """A refused request changes neither the state nor the time, and sends nothing."""
    add_system_hook(site)
    sent: list[Outgoing] = []
    site.platform.outgoing_handlers.append(sent.append)
    before, now = site.platform.state, site.clock.now()
    assert status == site.ask(method, target, by, json=json).status
    assert before is site.platform.state
    assert (now, []) == (site.clock.now(), sent)


def test_deliveries_are_handed_over_after_the_commit(site: Site) -> None:
    """The request to a system hook is sent after the new project is committed."""
    add_system_hook(site)
    handed_over: list[tuple[str, bool]] = []

    def collect(outgoing: Outgoing) -> None:
        if isinstance(outgoing, OutgoingRequest):
            payload = orjson.loads(outgoing.body)
            handed_over.append((payload["event_name"], payload["project_id"] in site.world.projects.all_ids()))

    site.platform.outgoing_handlers.append(collect)
    site.ask("POST", "projects", "dev", json={"name": "own"})
    assert ("project_create", True) in handed_over


def test_a_read_never_changes_the_world(site: Site) -> None:
    """A GET leaves the state as it was."""
    before = site.platform.state
    for target in ("projects", SITE, "users", "user", "namespaces", f"{SITE}/members/all", "version"):
        assert 200 == site.get(target, "dev").status
    assert before is site.platform.state


# bugs


def test_a_bug_of_ours_is_a_500_that_says_so(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A bug gets 500 with a reference that is in the log beside the traceback, and its changes are rolled back."""

    def broken(ctx: Any, project: Any, user: Any) -> None:
        ctx.world.projects.change(project, description="half done")
        raise ZeroDivisionError("a mistake")

    monkeypatch.setattr(projects, "star", broken)
    before = site.platform.state, site.clock.now()
    with caplog.at_level(logging.ERROR, "fakeplat"):
        answer = site.ask("POST", STAR, "dev")
    assert (500, "500 Internal Server Error") == (answer.status, answer.json["message"])
    [record] = caplog.records
    [reference] = re.findall(r"reference ([0-9a-f]+)", record.getMessage())
    assert answer.headers["X-Request-Id"] == reference
    assert reference in answer.json["fakeplat"]
    assert "star_project" in record.getMessage()
    assert "ZeroDivisionError: a mistake" in caplog.text
    assert [True] == ["ZeroDivisionError: a mistake" in failure for failure in site.platform.failures]
    assert before == (site.platform.state, site.clock.now())


def test_after_a_bug_the_platform_goes_on(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a bug in a read the next request is answered."""
    with monkeypatch.context() as patch:
        patch.setattr(handler, "render_list", lambda *_: 1 // 0)
        assert 500 == site.get("projects").status
    assert 200 == site.get("projects").status


# what every answer has


@pytest.mark.parametrize(
    ("method", "target", "by", "status"),
    [
        ("GET", "user", "dev", 200),
        ("HEAD", "user", "dev", 200),
        ("POST", STAR, "dev", 201),
        ("DELETE", f"{SITE}/members/3", "ada", 204),
        ("POST", f"{SITE}/unstar", "dev", 304),
        ("GET", "user?page=x", None, 401),
        ("GET", "projects?page=x", None, 400),
        ("POST", f"{SITE}/archive", "dev", 403),
        ("GET", SITE, "eve", 404),
        ("GET", "nothing", None, 404),
        ("PATCH", "user", None, 405),
        ("GET", "/api/v3/users", None, 410),
        ("GET", "/api/v3/user", None, 401),
    ],
)
def test_every_answer_has_the_platforms_headers(
    site: Site, method: str, target: str, by: str | None, status: int
) -> None:
    """Every response has the platform's headers, and only a 200 to a read has an ETag and may be cached."""
    answer = site.ask(method, target, by)
    expected = {"X-Frame-Options": "SAMEORIGIN", "X-Content-Type-Options": "nosniff", "Vary": "Origin"}
    assert status == answer.status
    assert expected.items() <= answer.headers.items()
    assert answer.headers["X-Request-Id"]
    assert float(answer.headers["X-Runtime"]) >= 0
    caching = "max-age=0, private, must-revalidate" if status == 200 else "no-cache"
    assert (caching, status == 200) == (answer.headers["Cache-Control"], "ETag" in answer.headers)


def test_a_bug_has_the_platforms_headers_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The 500 of a bug has the platform's headers."""
    monkeypatch.setattr(projects, "star", lambda *_: 1 // 0)
    answer = site.ask("POST", STAR, "dev")
    expected = {"X-Frame-Options": "SAMEORIGIN", "X-Content-Type-Options": "nosniff"}
    assert (500, True) == (answer.status, expected.items() <= answer.headers.items())


@pytest.mark.parametrize(
    ("method", "target", "status"), [("DELETE", f"{SITE}/members/3", 204), ("POST", f"{SITE}/unstar", 304)]
)
def test_an_answer_without_content_has_no_content_type(site: Site, method: str, target: str, status: int) -> None:
    """Responses with 204 and 304 have neither a body nor a content type."""
    answer = site.ask(method, target, "ada")
    assert (status, b"") == (answer.status, answer.body)
    assert "Content-Type" not in answer.headers


@pytest.mark.parametrize("target", [SITE, "projects", "user", "nothing", "version"])
def test_head_is_get_without_the_body(site: Site, target: str) -> None:
    """HEAD has the status and headers of GET, including the ETag, and no body."""
    get, head = (site.ask(method, target, "dev") for method in ("GET", "HEAD"))
    assert (get.status, get.lasting, b"") == (head.status, head.lasting, head.body)


EXPOSED = "Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page"


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        (None, {}),
        ("http://elsewhere.test", {"Access-Control-Expose-Headers": EXPOSED}),
        ("http://localhost", {"Access-Control-Expose-Headers": EXPOSED, "Access-Control-Allow-Credentials": "true"}),
    ],
)
@pytest.mark.parametrize("target", ["projects", "user"])
def test_any_site_may_read_and_only_the_own_one_with_credentials(
    site: Site, target: str, origin: str | None, expected: dict[str, str]
) -> None:
    """CORS allows any origin without credentials, its own origin with them, and exposes the paging headers."""
    for _ in range(2):
        answer = site.get(target, headers={"origin": origin} if origin else {})
        allowed = {name: text for name, text in answer.headers.items() if name.startswith("Access-Control-")}
        assert (origin is None) == (allowed.pop("Access-Control-Allow-Origin", None) not in ("*", origin or "*"))
        assert expected == allowed


# conditions


def list_matching_tags(tag: str) -> list[str]:
    plain = tag.removeprefix("W/")
    return [tag, plain, "*", f'"other", {tag}', f'{plain},"other"', f'W/"other" , {plain} ,W/"third"']


@pytest.mark.parametrize("form", range(6))
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("target", ["projects", SITE, "user"])
def test_a_client_that_has_the_content_gets_304(site: Site, method: str, target: str, form: int) -> None:
    """If-None-Match with the ETag, weak or not, alone or in a list, or with ``*`` gets 304 without a body."""
    tag = site.get(target, "dev").headers["ETag"]
    answer = site.ask(method, target, "dev", headers={"if-none-match": list_matching_tags(tag)[form]})
    assert (304, b"", tag) == (answer.status, answer.body, answer.headers["ETag"])
    assert "Content-Type" not in answer.headers


@pytest.mark.parametrize("header", ["", '"other"', 'W/"other", "third"', "nonsense", ",,"])
def test_a_client_that_has_other_content_gets_this(site: Site, header: str) -> None:
    """If-None-Match without the current ETag gets 200."""
    assert 200 == site.get("projects", headers={"if-none-match": header}).status


@pytest.mark.parametrize(
    ("method", "target", "status"), [("POST", STAR, 201), ("GET", "projects?page=x", 400), ("GET", "nothing", 404)]
)
def test_only_reads_that_succeed_are_conditional(site: Site, method: str, target: str, status: int) -> None:
    """If-None-Match has no effect on writes and refusals."""
    assert status == site.ask(method, target, "dev", headers={"if-none-match": "*"}).status


PRECONDITION = (412, {"message": "412 Precondition Failed"})


def delete_since(site: Site, target: str, since: str) -> SiteResponse:
    """Delete, an hour after the world began, what was made when it began."""
    site.platform.advance(HOUR)
    return site.ask("DELETE", target, "root", headers={"if-unmodified-since": since})


@pytest.mark.parametrize(("target", "status"), [(SITE, 202), ("users/4", 204), ("groups/acme", 202)])
@pytest.mark.parametrize(
    ("since", "passes"),
    [
        ("Fri, 20 Nov 2020 08:59:59 GMT", False),
        ("Thu, 01 Jan 1970 00:00:00 GMT", False),
        ("Fri, 20 Nov 2020 10:59:59 +0200", False),
        ("Fri, 20 Nov 2020 09:00:00 GMT", True),
        ("Fri, 20 Nov 2020 09:30:00 GMT", True),
        ("Fri, 20 Nov 2020 11:00:00 +0200", True),
        ("", True),
        ("soon", True),
        ("Fri, 99 Nov 2020 08:00:00 GMT", True),
        ("9" * 5000, True),
    ],
)
def test_what_changed_since_is_not_deleted(site: Site, target: str, status: int, since: str, passes: bool) -> None:
    """If-Unmodified-Since before the record's last change makes DELETE a 412; an invalid time is ignored."""
    before = site.platform.state
    answer = delete_since(site, target, since)
    assert (status if passes else 412) == answer.status
    assert passes or (PRECONDITION, before) == (answer.outcome, site.platform.state)


def test_a_later_change_counts(site: Site) -> None:
    """If-Unmodified-Since is compared with the record's last change, not with its creation."""
    site.platform.advance(10 * SECOND)
    site.ask("PUT", SITE, "ada", json={"description": "changed"})
    assert PRECONDITION == delete_since(site, SITE, "Fri, 20 Nov 2020 09:00:05 GMT").outcome


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("since", ["Fri, 20 Nov 2020 09:30:00", "Fri, 20 Nov 2020 09:30:00 -0000"])
def test_a_time_without_a_zone_does_not_depend_on_the_machine(
    site: Site, monkeypatch: pytest.MonkeyPatch, zone: str, since: str
) -> None:
    """A time in If-Unmodified-Since is in UTC, whatever the time zone of the machine."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert 202 == delete_since(site, SITE, since).status
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_precondition_comes_after_the_ability(site: Site) -> None:
    """A user who may not delete a record gets 401 or 403, not 412."""
    headers = {"if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT"}
    site.member("acme/site", "eve", Level.GUEST)
    outcomes = [site.ask("DELETE", SITE, by, headers=headers).outcome for by in (None, "eve", "ada")]
    assert [UNAUTHORIZED, FORBIDDEN, PRECONDITION] == outcomes


def test_only_deletes_are_conditional_on_time(site: Site) -> None:
    """If-Unmodified-Since has no effect on a PUT."""
    headers = {"if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT"}
    assert 200 == site.ask("PUT", SITE, "ada", json={"description": "x"}, headers=headers).status
