import pytest

from fakeplat.core.operations.errors import (
    BadRequest,
    Conflict,
    ContentTooLarge,
    Forbidden,
    Gone,
    InsufficientScope,
    InvalidParams,
    InvalidRecord,
    InvalidToken,
    LimitReached,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    NotFoundWithMessage,
    NotModified,
    OperationNotImplemented,
    PageNotAllowed,
    PreconditionFailed,
    RecordNotFound,
    Refusal,
    RouteNotFound,
    Throttled,
    TooManyRequests,
    Unauthorized,
    Unprocessable,
)

EXPIRED = "Token is expired. You can either do re-authorization or token refresh."
HIGHER = "The request requires higher privileges than provided by the access token."
OFTEN = b'{"message":{"error":"This %b has been requested too many times. Try again later."}}'
JSON = {"Content-Type": "application/json", "Cache-Control": "no-cache"}

TABLE = [
    (BadRequest.not_given("ref"), 400, rb'{"message":"400 (Bad request) \"ref\" not given"}'),
    (BadRequest(), 400, b'{"message":"400 (Bad request)"}'),
    (BadRequest("400 Bad Request"), 400, b'{"message":"400 Bad Request"}'),
    (BadRequest({"error": "Spam detected"}), 400, b'{"message":{"error":"Spam detected"}}'),
    (InvalidRecord({"title": ["can't be blank"]}), 400, b'{"message":{"title":["can\'t be blank"]}}'),
    (InvalidParams("title is missing"), 400, b'{"error":"title is missing"}'),
    (InvalidParams("title is missing", "page is invalid"), 400, b'{"error":"title is missing, page is invalid"}'),
    (Unauthorized(), 401, b'{"message":"401 Unauthorized"}'),
    (InvalidToken(EXPIRED), 401, b'{"error":"invalid_token","error_description":"%b"}' % EXPIRED.encode()),
    (Forbidden(), 403, b'{"message":"403 Forbidden"}'),
    (Forbidden("Must be admin to use sudo"), 403, b'{"message":"403 Forbidden - Must be admin to use sudo"}'),
    (
        InsufficientScope("api read_api"),
        403,
        b'{"error":"insufficient_scope","error_description":"%b","scope":"api read_api"}' % HIGHER.encode(),
    ),
    (LimitReached("Your project limit is 0 projects!"), 403, b'{"error":["Your project limit is 0 projects!"]}'),
    (NotFound("Project"), 404, b'{"message":"404 Project Not Found"}'),
    (NotFound(), 404, b'{"message":"404 Not Found"}'),
    (RecordNotFound(), 404, b'{"message":"404 Not found"}'),
    (NotFoundWithMessage("Email has already been taken"), 404, b'{"message":"Email has already been taken"}'),
    (RouteNotFound(), 404, b'{"error":"404 Not Found"}'),
    (MethodNotAllowed(), 405, b'{"message":"405 Method Not Allowed"}'),
    (PageNotAllowed("405 Not Allowed"), 405, b'{"error":"405 Not Allowed"}'),
    (NotAcceptable(), 406, b'{"message":"406 Not Acceptable"}'),
    (Conflict(), 409, b'{"message":"409 Conflict"}'),
    (Conflict("409 Conflict: Resource lock"), 409, b'{"message":"409 Conflict: Resource lock"}'),
    (Gone(), 410, b'{"error":"API V3 is no longer supported. Use API V4 instead."}'),
    (PreconditionFailed(), 412, b'{"message":"412 Precondition Failed"}'),
    (ContentTooLarge(), 413, b'{"message":"413 Request Entity Too Large"}'),
    (Unprocessable(), 422, b'{"message":"422 Unprocessable Entity"}'),
    (TooManyRequests(), 429, OFTEN % b"endpoint"),
    (TooManyRequests("archive"), 429, OFTEN % b"archive"),
    (
        OperationNotImplemented("list_wikis"),
        501,
        b'{"message":"501 Not Implemented: list_wikis. See /_fakeplat/coverage"}',
    ),
]


@pytest.mark.parametrize(("refusal", "status", "body"), TABLE, ids=[str(row[2], "ascii")[:60] for row in TABLE])
def test_a_refusal_has_the_platforms_own_status_and_body(refusal: Refusal, status: int, body: bytes) -> None:
    """Every refusal has the status and the exact JSON body of the platform, and forbids caching."""
    response = refusal.response()
    headers = {name: text for name, text in response.headers if name != "WWW-Authenticate"}
    assert (status, JSON, body) == (response.status, headers, response.body)


@pytest.mark.parametrize("refusal", [row[0] for row in TABLE], ids=lambda refusal: type(refusal).__name__)
def test_only_a_token_that_was_valid_once_gets_a_challenge(refusal: Refusal) -> None:
    """WWW-Authenticate is in the 401 of the invalid_token family and in no other refusal."""
    challenge = dict(refusal.response().headers).get("WWW-Authenticate")
    expected = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{EXPIRED}"'
    assert (expected if isinstance(refusal, InvalidToken) else None) == challenge


def test_the_throttle_answers_in_plain_text() -> None:
    """A throttled request gets ``Retry later`` in plain text and a Retry-After header."""
    response = Throttled(headers=(("Retry-After", "60"),)).response()
    assert (429, b"Retry later\n") == (response.status, response.body)
    assert {"Content-Type": "text/plain", "Retry-After": "60"} == dict(response.headers)


def test_not_modified_is_a_status_alone() -> None:
    """A 304 response has neither a body nor a content type."""
    response = NotModified().response()
    assert (304, b"") == (response.status, response.body)
    assert "Content-Type" not in dict(response.headers)


@pytest.mark.parametrize("refusal", [NotFound("Project", reason="hidden from eve"), Forbidden(reason="eve is a guest")])
def test_the_reason_never_goes_out(refusal: Refusal) -> None:
    """The reason for the test author is neither in the body nor in a header of a refusal."""
    response = refusal.response()
    assert "eve" not in f"{response.headers}{response.body!r}"
