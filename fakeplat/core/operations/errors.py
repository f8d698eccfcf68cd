"""Every refusal that a client can meet, as one hierarchy, rendered in one place.

Refusal
├── NotModified 304
├── BadRequest 400
│   ├── InvalidParams          (key ``error``: parameter validation)
│   ├── InvalidRecord          (``message`` is a hash of fields)
│   └── Inapplicable           (beside ``message`` an ``error_code``)
├── Unauthorized 401
│   └── InvalidToken           (key ``error``: expired, revoked)
├── Forbidden 403
│   ├── InsufficientScope      (key ``error``)
│   ├── ForbiddenAs            (a message of its own)
│   └── LimitReached           (key ``error``, a list)
├── NotFound 404
│   ├── RecordNotFound         (small f: ``404 Not found``)
│   ├── NotFoundAs             (a text of its own)
│   └── RouteNotFound          (key ``error``)
├── NotAllowed 405
│   └── Unpageable             (key ``error``: offset and keyset limits, wrong verb)
├── NotAcceptable 406
├── Conflict 409
├── Gone 410
├── PreconditionFailed 412
├── TooLarge 413
├── Unprocessable 422
│   └── UnprocessableError     (key ``error``)
├── TooManyRequests 429
│   └── Throttled              (plain text, ``Retry-After``)
├── NotBuilt 501
└── InPlainText                (what git and its users read, and what stands before the API says)
    ├── NullByte 400
    ├── UnreadableRequest 400
    ├── SignInToGit 401        (with a challenge)
    ├── GitForbidden 403
    ├── GitNotFound 404
    ├── GitUncreatable 422
    └── GitTooLarge 413

Source: docs/platform/errors.md, docs/platform/authentication.md.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar

import orjson

from fakeplat.core.operations.http_messages import JSON, TEXT, Headers, Response

Reason = str | Callable[[], str]
"""Why something was refused; what costs more than a few words is worked out when somebody reads it."""


def reason_text(reason: Reason) -> str:
    """A reason in words. One that cannot be worked out is said to be so: an answer does not depend on it."""
    if isinstance(reason, str):
        return reason
    try:
        return reason()
    except Exception as bug:  # noqa: BLE001  # whatever it is, the refusal itself is right
        return f"the reason cannot be told: {bug!r}"


def payload_text(payload: object) -> str:
    """Return what the body of a refusal says, without its braces."""
    if isinstance(payload, Mapping):
        texts = {name: payload_text(value) for name, value in payload.items()}
        return ", ".join(text if name in ("message", "error") else f"{name} {text}" for name, text in texts.items())
    return ", ".join(map(payload_text, payload)) if isinstance(payload, list) else str(payload)


class Refusal(Exception):
    """An answer other than success, with the platform's own body.

    ``payload`` is what the client reads. ``reason`` is the truth for the test author: it goes into the
    journal, the failing test's report and, where it is asked for, a header; never into the body.
    """

    status: ClassVar[int] = 500

    def __init__(self, payload: object, *, reason: Reason = "", headers: Headers = ()) -> None:
        super().__init__(payload)
        self.payload = payload
        self.why = reason
        self.headers = headers

    @property
    def reason(self) -> str:
        """Why, in words."""
        return reason_text(self.why)

    def explain(self) -> str:
        """Return the reason, or what the body says where no reason was given."""
        return self.reason or payload_text(self.payload)

    def response(self) -> Response:
        """The refusal as it goes over the wire."""
        headers = (("Content-Type", JSON), ("Cache-Control", "no-cache"), *self.headers)
        return Response(self.status, headers, orjson.dumps(self.payload))


class NotModified(Refusal):
    """304: the act would change nothing."""

    status = 304

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__(None, reason=reason)

    def response(self) -> Response:
        """Status only."""
        return Response(304, (("Cache-Control", "no-cache"),))


class BadRequest(Refusal):
    """400 with a ``message``; without one the bare text."""

    status = 400

    def __init__(self, message: object = "400 (Bad request)", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)

    @classmethod
    def not_given(cls, attribute: str) -> "BadRequest":
        """A required attribute is missing in a check that the platform wrote by hand (ruling 25)."""
        return cls(f'400 (Bad request) "{attribute}" not given')


class InvalidParams(BadRequest):
    """400 of the parameter validation; several texts are joined by ``, ``."""

    def __init__(self, *texts: str, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": ", ".join(texts)}, reason=reason)


class InvalidRecord(BadRequest):
    """400 of the model validation: texts per field."""

    def __init__(self, fields: dict[str, list[str]], *, reason: Reason = "") -> None:
        super().__init__(fields, reason=reason)
        self.fields = fields

    def sentence(self) -> str:
        """All of it in words: ``Access level is not included in the list``."""
        texts = [(name.replace("_", " ").capitalize(), text) for name, told in self.fields.items() for text in told]
        return ", ".join(f"{name} {text}" for name, text in texts)


class ChangeNotApplicable(BadRequest):
    """400 of a change that cannot be put upon a branch: ``error_code`` says why; ``dry_run`` if it was only tried."""

    def __init__(self, message: str, error_code: str, *, dry_run: bool = False, reason: Reason = "") -> None:
        tried = {"dry_run": "error"} if dry_run else {}
        Refusal.__init__(self, {"message": message, "error_code": error_code, **tried}, reason=reason)


class Unauthorized(Refusal):
    """401: nobody is signed in, or the credential is unknown."""

    status = 401

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__({"message": "401 Unauthorized"}, reason=reason)


class InvalidToken(Unauthorized):
    """401: the credential was valid once."""

    def __init__(self, description: str, *, reason: Reason = "") -> None:
        challenge = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}"'
        payload = {"error": "invalid_token", "error_description": description}
        Refusal.__init__(self, payload, reason=reason, headers=(("WWW-Authenticate", challenge),))


class Forbidden(Refusal):
    """403: seen, but not allowed. ``text`` says why, in the body."""

    status = 403
    text: str = ""

    def __init__(self, text: str = "", *, reason: Reason = "") -> None:
        super().__init__({"message": f"403 Forbidden - {text}" if text else "403 Forbidden"}, reason=reason)
        self.text = text

    def with_two_spaces(self) -> "Forbidden":
        """The same, as the release's own code joins the text to the status (ruling 33)."""
        if self.text:
            self.payload = {"message": f"403 Forbidden  - {self.text}"}
        return self


class InsufficientScope(Forbidden):
    """403: the token's scopes do not reach."""

    def __init__(self, scope: str, *, reason: Reason = "") -> None:
        text = "The request requires higher privileges than provided by the access token."
        payload = {"error": "insufficient_scope", "error_description": text, "scope": scope}
        Refusal.__init__(self, payload, reason=reason)


class ForbiddenWithMessage(Forbidden):
    """403 with a message of the operation's own."""

    def __init__(self, message: object, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message}, reason=reason)


class LimitReached(Forbidden):
    """403 of a quota: a list of texts under ``error``."""

    def __init__(self, *texts: str, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": list(texts)}, reason=reason)
        self.texts = list(texts)


class NotFound(Refusal):
    """404: ``404 <Resource> Not Found``; without a resource ``404 Not Found``."""

    status = 404

    def __init__(self, resource: str = "", *, reason: Reason = "") -> None:
        super().__init__({"message": f"404 {resource} Not Found" if resource else "404 Not Found"}, reason=reason)


class RecordNotFound(NotFound):
    """404 of a record looked up in the database: small f."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": "404 Not found"}, reason=reason)


class NotFoundWithMessage(NotFound):
    """404 with a text of the operation's own."""

    def __init__(self, message: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message}, reason=reason)


class RouteNotFound(NotFound):
    """404: no such route."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": "404 Not Found"}, reason=reason)


class MethodNotAllowed(Refusal):
    """405 of an operation that the record's state does not allow."""

    status = 405

    def __init__(self, message: str = "405 Method Not Allowed", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class PageNotAllowed(MethodNotAllowed):
    """405 with key ``error``: a page that the platform does not serve."""

    def __init__(self, error: str, *, reason: Reason = "", headers: Headers = ()) -> None:
        Refusal.__init__(self, {"error": error}, reason=reason, headers=headers)


class NotAcceptable(Refusal):
    """406."""

    status = 406

    def __init__(self, message: str = "406 Not Acceptable", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class Conflict(Refusal):
    """409."""

    status = 409

    def __init__(self, message: object = "409 Conflict", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class Gone(Refusal):
    """410: an API version that is no more."""

    status = 410

    def __init__(self) -> None:
        super().__init__({"error": "API V3 is no longer supported. Use API V4 instead."})


class PreconditionFailed(Refusal):
    """412: the record changed after ``If-Unmodified-Since``."""

    status = 412

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__({"message": "412 Precondition Failed"}, reason=reason)


class ContentTooLarge(Refusal):
    """413: the body is over the limit."""

    status = 413

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__({"message": "413 Request Entity Too Large"}, reason=reason)


class Unprocessable(Refusal):
    """422."""

    status = 422

    def __init__(self, message: object = "422 Unprocessable Entity", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class UnprocessableError(Unprocessable):
    """422 with key ``error``."""

    def __init__(self, error: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": error}, reason=reason)


class TooManyRequests(Refusal):
    """429 of a per-endpoint limit."""

    status = 429

    def __init__(self, what: str = "endpoint", *, reason: Reason = "", headers: Headers = ()) -> None:
        text = f"This {what} has been requested too many times. Try again later."
        super().__init__({"message": {"error": text}}, reason=reason, headers=headers)


class Throttled(TooManyRequests):
    """429 of the throttle in front of the platform: plain text."""

    def __init__(self, *, reason: Reason = "", headers: Headers = ()) -> None:
        Refusal.__init__(self, None, reason=reason, headers=headers)

    def response(self) -> Response:
        """Plain text, as the throttle knows no JSON."""
        return Response(429, (("Content-Type", "text/plain"), *self.headers), b"Retry later\n")


class OperationNotImplemented(Refusal):
    """501: the platform knows the operation, the fake does not yet."""

    status = 501

    def __init__(self, operation: str) -> None:
        super().__init__({"message": f"501 Not Implemented: {operation}. See /_fakeplat/coverage"})
        self.operation = operation


class PlainTextRefusal(Refusal):
    """An answer of text alone: to git, which shows it to whoever uses it, or of what stands before the API."""

    def response(self) -> Response:
        """The text alone."""
        headers = (("Content-Type", TEXT), ("Cache-Control", "no-cache"), *self.headers)
        return Response(self.status, headers, str(self.payload).encode("utf-8", "replace"))


class NullByte(PlainTextRefusal):
    """400: a parameter has a byte of zero, which nothing could keep."""

    status = 400

    def __init__(self) -> None:
        super().__init__("Bad Request", reason="a parameter has a byte of zero (U+0000)")


class UnreadableRequest(PlainTextRefusal):
    """400: bytes that are not git's protocol."""

    status = 400


class GitUnauthorized(PlainTextRefusal):
    """401: nobody is signed in, or the credential is none; the challenge makes git ask for another."""

    status = 401

    def __init__(self, realm: str, hint: str = "", *, reason: Reason = "") -> None:
        plain = "".join(sign for sign in realm if sign.isascii() and sign.isprintable() and sign not in '"\\')
        challenge = ("WWW-Authenticate", f'Basic realm="{plain}"')
        super().__init__(f"HTTP Basic: Access denied\n{hint}", reason=reason, headers=(challenge,))


class GitForbidden(PlainTextRefusal):
    """403: seen, but not allowed."""

    status = 403


class GitNotFound(PlainTextRefusal):
    """404: no such repository, or none that the caller may know of."""

    status = 404


class GitUnprocessable(PlainTextRefusal):
    """422: no project can be created at the path that is pushed to."""

    status = 422


class GitTooLarge(PlainTextRefusal):
    """413: a file over the limit."""

    status = 413
