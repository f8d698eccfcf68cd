"""All refusals (error responses), as one hierarchy.

Refusal
├── NotModified 304
├── BadRequest 400
│   ├── InvalidParams          (key ``error``: parameter validation)
│   ├── InvalidRecord          (``message`` is a hash of fields)
│   └── ChangeNotApplicable    (also an ``error_code``)
├── Unauthorized 401
│   ├── InvalidToken           (key ``error``: expired, revoked)
│   └── PasswordRequired       (with a challenge)
├── Forbidden 403
│   ├── InsufficientScope      (key ``error``)
│   ├── ForbiddenWithMessage   (a message of its own)
│   └── LimitReached           (key ``error``, a list)
├── NotFound 404
│   ├── RecordNotFound         (small f: ``404 Not found``)
│   ├── NotFoundWithMessage    (a text of its own)
│   └── RouteNotFound          (key ``error``)
├── MethodNotAllowed 405
│   └── PageNotAllowed         (key ``error``: offset and keyset limits, wrong method)
├── NotAcceptable 406
├── Conflict 409
├── Gone 410
├── PreconditionFailed 412
├── ContentTooLarge 413
├── Unprocessable 422
│   └── UnprocessableError     (key ``error``)
├── TooManyRequests 429
│   ├── Throttled              (plain text, ``Retry-After``)
│   └── TooManyDownloads       (plain text)
├── OperationNotImplemented 501
├── BadGateway 502
├── NotAvailable 501
├── ExtraNotInstalled 501
└── PlainTextRefusal           (for git, and from the layers in front of the API)
    ├── MovedPermanently 301   (with the new address)
    ├── NullByte 400
    ├── UnreadableRequest 400
    ├── GitUnauthorized 401    (with a challenge)
    ├── GitForbidden 403
    ├── GitNotFound 404
    ├── GitUnprocessable 422
    └── GitTooLarge 413

Source: docs/platform/errors.md, docs/platform/authentication.md.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import ClassVar, Final

from typing_extensions import override

from fakeplat.core.operations.http_messages import JSON, TEXT, Headers, Response, dump_json

Reason = str | Callable[[], str]
"""Why a request was refused: a text, or a function that computes it only when it is read."""


def reason_text(reason: Reason) -> str:
    """Return the text of a reason."""
    if isinstance(reason, str):
        return reason
    # A reason is only an explanation for test authors: a bug in it must not replace a correct refusal.
    try:
        return reason()
    except Exception as error:  # noqa: BLE001
        return f"the reason cannot be computed: {error!r}"


def payload_text(payload: object) -> str:
    """Return the body of a refusal as text."""
    if isinstance(payload, Mapping):
        texts = {name: payload_text(value) for name, value in payload.items()}
        return ", ".join(text if name in ("message", "error") else f"{name} {text}" for name, text in texts.items())
    return ", ".join(map(payload_text, payload)) if isinstance(payload, list) else str(payload)


class Refusal(Exception):
    """An error response with the platform's own body.

    ``payload`` is the body for the client. ``reason`` is the true cause for the test author: it is shown in the
    journal, in the report of a failing test and, on request, in a header, but never in the body.
    """

    # The journal keeps thousands of refusals; without a dictionary each takes 160 bytes less.
    __slots__ = ("headers", "payload", "why")

    status: ClassVar[int] = 500

    def __init__(self, payload: object, *, reason: Reason = "", headers: Headers = ()) -> None:
        super().__init__(payload)
        self.payload = payload
        self.why = reason
        self.headers = headers

    @property
    def reason(self) -> str:
        """The reason as text."""
        return reason_text(self.why)

    def repeat_message(self) -> None:
        """Put a message that is a text under ``error``, too."""
        if isinstance(self.payload, dict) and isinstance(self.payload.get("message"), str):
            self.payload = {**self.payload, "error": self.payload["message"]}

    def explain(self) -> str:
        """Return the reason, or the text of the body if no reason was given."""
        return self.reason or payload_text(self.payload)

    def response(self) -> Response:
        """Return the HTTP response."""
        headers = (("Content-Type", JSON), ("Cache-Control", "no-cache"), *self.headers)
        return Response(self.status, headers, dump_json(self.payload))


class NotModified(Refusal):
    """304: the request would change nothing."""

    status = 304

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__(None, reason=reason)

    def response(self) -> Response:
        """Return a response without a body."""
        return Response(304, (("Cache-Control", "no-cache"),))


class BadRequest(Refusal):
    """400 with a ``message``."""

    status = 400

    def __init__(self, message: object = "400 (Bad request)", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)

    @classmethod
    def not_given(cls, attribute: str) -> "BadRequest":
        """Return the refusal for a missing attribute from a check outside the parameter validation (ruling 25)."""
        return cls(f'400 (Bad request) "{attribute}" not given')


_RUBY_CONSTANTS: Final = {None: "nil", True: "true", False: "false"}


def inspect(value: object) -> str:
    """Return a value as Ruby shows it, which is how the platform writes one into the text of an error."""
    if value is None or isinstance(value, bool):
        return _RUBY_CONSTANTS[value]
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inspect(key)}=>{inspect(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inspect, value)) + "]"
    if isinstance(value, int | float):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("#{", "\\#{")
    return f'"{escaped}"'


def inspect_errors(errors: Mapping[str, object]) -> str:
    """Return the errors of a record as Ruby shows them, with fields as symbols: ``{:name=>["can't be blank"]}``."""
    return "{" + ", ".join(f":{field}=>{inspect(texts)}" for field, texts in errors.items()) + "}"


@contextmanager
def prefix_bad_request() -> Iterator[None]:
    """Put what most endpoints of REST add before the texts of the domain's refusals in the block."""
    try:
        yield
    except BadRequest as refusal:
        raise BadRequest(f"400 Bad request - {payload_text(refusal.payload)}", reason=refusal.why) from None


class InvalidParams(BadRequest):
    """400 from the parameter validation; several texts are joined by ``, ``."""

    def __init__(self, *texts: str, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": ", ".join(texts)}, reason=reason)
        self.text = ", ".join(texts)

    def with_key(self, key: str) -> "InvalidParams":
        """Put the texts under another key, which some areas of the platform have, and return the refusal."""
        self.payload = {key: self.text}
        return self


class InvalidRecord(BadRequest):
    """400 from the model validation: texts per field. ``names`` are those of fields that have another in sentences."""

    def __init__(
        self, fields: dict[str, list[str]], *, names: Mapping[str, str] = MappingProxyType({}), reason: Reason = ""
    ) -> None:
        super().__init__(fields, reason=reason)
        self.fields = fields
        self._names = names

    def full_messages(self) -> list[str]:
        """Return the errors as sentences that name their fields: ``Name can't be blank``; each sentence once."""
        fields = self.fields.items()
        messages = (_write_message(self._name(field), text) for field, texts in fields for text in texts)
        return list(dict.fromkeys(messages))

    def _name(self, field: str) -> str:
        # What is wrong with the record as a whole stands under no field.
        return "" if field == "base" else self._names.get(field) or _humanize(field)

    def sentence(self) -> str:
        """Return all errors as a sentence: ``Access level is not included in the list``."""
        return ", ".join(self.full_messages())


def _write_message(name: str, text: str) -> str:
    return f"{name} {text}" if name else text


# Fields whose names the platform writes in its own way.
_NAMES: Final = {"redirect_uri": "Redirect URI"}


def _humanize(field: str) -> str:
    # As Rails does, which takes the name of a reference for that of what it refers to.
    return _NAMES.get(field) or field.removesuffix("_id").replace("_", " ").replace(".", " ").capitalize()


class ChangeNotApplicable(BadRequest):
    """400: a change cannot be applied to a branch. ``error_code`` says why; ``dry_run`` marks a trial."""

    def __init__(self, message: str, error_code: str, *, dry_run: bool = False, reason: Reason = "") -> None:
        dry_run_payload = {"dry_run": "error"} if dry_run else {}
        Refusal.__init__(self, {"message": message, "error_code": error_code, **dry_run_payload}, reason=reason)


class Unauthorized(Refusal):
    """401: the caller is not signed in, or the credential is unknown."""

    status = 401

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__({"message": "401 Unauthorized"}, reason=reason)


class UnauthorizedWithMessage(Unauthorized):
    """401 with the operation's own message."""

    def __init__(self, message: object, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message}, reason=reason)


class InvalidToken(Unauthorized):
    """401: the credential is no longer valid."""

    def __init__(self, description: str, *, reason: Reason = "") -> None:
        challenge = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}"'
        payload = {"error": "invalid_token", "error_description": description}
        Refusal.__init__(self, payload, reason=reason, headers=(("WWW-Authenticate", challenge),))


class Forbidden(Refusal):
    """403: visible, but not allowed. ``text`` is the explanation in the body."""

    status = 403
    text: str = ""

    def __init__(self, text: str = "", *, reason: Reason = "") -> None:
        super().__init__({"message": f"403 Forbidden - {text}" if text else "403 Forbidden"}, reason=reason)
        self.text = text

    def with_two_spaces(self) -> "Forbidden":
        """Put two spaces before the text, as the platform's own code does (ruling 33), and return the refusal."""
        if self.text:
            self.payload = {"message": f"403 Forbidden  - {self.text}"}
        return self


class InsufficientScope(Forbidden):
    """403: the token's scopes are not sufficient."""

    def __init__(self, scope: str, *, reason: Reason = "") -> None:
        text = "The request requires higher privileges than provided by the access token."
        payload = {"error": "insufficient_scope", "error_description": text, "scope": scope}
        Refusal.__init__(self, payload, reason=reason)


class InsufficientGranularScope(Forbidden):
    """403: a fine-grained token lacks permissions."""

    def __init__(self, text: str, *, reason: Reason = "") -> None:
        payload = {"error": "insufficient_granular_scope", "error_description": f"Access denied: {text}"}
        Refusal.__init__(self, payload, reason=reason)


class ForbiddenWithMessage(Forbidden):
    """403 with the operation's own message."""

    def __init__(self, message: object, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message}, reason=reason)


class ForbiddenError(Forbidden):
    """403 with key ``error``."""

    def __init__(self, error: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": error}, reason=reason)


class LimitReached(Forbidden):
    """403 from a quota: a list of texts under ``error``."""

    def __init__(self, *texts: str, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": list(texts)}, reason=reason)
        self.texts = list(texts)


class NotFound(Refusal):
    """404: ``404 <Resource> Not Found``; without a resource ``404 Not Found``."""

    status = 404

    def __init__(self, resource: str = "", *, reason: Reason = "") -> None:
        super().__init__({"message": f"404 {resource} Not Found" if resource else "404 Not Found"}, reason=reason)


class RecordNotFound(NotFound):
    """404 for a record that is looked up in the database, with a lower-case f."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": "404 Not found"}, reason=reason)

    @override
    def repeat_message(self) -> None:
        """Do nothing: the platform answers for all areas alike."""


class NotFoundWithMessage(NotFound):
    """404 with the operation's own text."""

    def __init__(self, message: object, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message}, reason=reason)


class RouteNotFound(NotFound):
    """404: no such route."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": "404 Not Found"}, reason=reason)


class MethodNotAllowed(Refusal):
    """405: the record's state does not allow the operation."""

    status = 405

    def __init__(self, message: str = "405 Method Not Allowed", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class PageNotAllowed(MethodNotAllowed):
    """405 with key ``error``: the platform does not serve this page or method."""

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
    """410: an API version that was removed."""

    status = 410

    def __init__(self) -> None:
        super().__init__({"error": "API V3 is no longer supported. Use API V4 instead."})


class GoneWithReason(Gone):
    """410: something that the settings turned off, with the reason."""

    def __init__(self, text: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": f"410 Gone - {text}"}, reason=reason)


class PreconditionFailed(Refusal):
    """412: the record changed after ``If-Unmodified-Since``."""

    status = 412

    def __init__(self, *, reason: Reason = "") -> None:
        super().__init__({"message": "412 Precondition Failed"}, reason=reason)


class ContentTooLarge(Refusal):
    """413: the body is over the limit."""

    status = 413

    def __init__(self, message: str = "413 Request Entity Too Large", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class Unprocessable(Refusal):
    """422."""

    status = 422

    def __init__(self, message: object = "422 Unprocessable Entity", *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class UnprocessableWithCode(Unprocessable):
    """422 with a message and the code of its reason."""

    def __init__(self, message: str, code: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"message": message, "reason": code}, reason=reason)


class UnprocessableError(Unprocessable):
    """422 with key ``error``."""

    def __init__(self, error: str, *, reason: Reason = "") -> None:
        Refusal.__init__(self, {"error": error}, reason=reason)


class TooManyRequests(Refusal):
    """429 from the limit of an endpoint."""

    status = 429

    def __init__(self, what: str = "endpoint", *, reason: Reason = "", headers: Headers = ()) -> None:
        text = f"This {what} has been requested too many times. Try again later."
        super().__init__({"message": {"error": text}}, reason=reason, headers=headers)


class Throttled(TooManyRequests):
    """429 from the throttle in front of the platform: plain text."""

    def __init__(self, text: str = "Retry later", *, reason: Reason = "", headers: Headers = ()) -> None:
        Refusal.__init__(self, text, reason=reason, headers=headers)

    def response(self) -> Response:
        """Return a plain text response."""
        return Response(429, (("Content-Type", "text/plain"), *self.headers), f"{self.payload}\n".encode())


class OperationNotImplemented(Refusal):
    """501: the platform has the operation, but the fake does not implement it.

    ``left_out``: what the operation is about, if that will not be implemented at all.
    """

    status = 501

    def __init__(self, operation: str, *, left_out: str = "") -> None:
        why = f"fakeplat leaves out {left_out}" if left_out else ""
        sentences = ". ".join(text for text in (operation, why, "See /_fakeplat/coverage") if text)
        super().__init__({"message": f"501 Not Implemented: {sentences}"}, reason=why)
        self.operation = operation


class BadGateway(Refusal):
    """502: another server that the platform asks does not answer."""

    status = 502

    def __init__(self, message: str, *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class NotAvailable(Refusal):
    """501: a part of the platform that this instance does not run, with the platform's own text."""

    status = 501

    def __init__(self, message: str, *, reason: Reason = "") -> None:
        super().__init__({"message": message}, reason=reason)


class ExtraNotInstalled(Refusal):
    """501: the operation needs an optional dependency; another answer would be wrong."""

    status = 501

    def __init__(self, explanation: str) -> None:
        super().__init__({"message": f"501 Not Implemented: {explanation}"}, reason=explanation)
        self.explanation = explanation


class TooManyDownloads(TooManyRequests):
    """429 from the limit of raw files: plain text."""

    def __init__(self, *, reason: Reason = "") -> None:
        Refusal.__init__(self, None, reason=reason)

    def response(self) -> Response:
        """Return a plain text response."""
        return Response(429, (("Content-Type", TEXT),), b"You cannot access the raw file. Please wait a minute.")


def _basic_challenge(realm: str) -> tuple[str, str]:
    """Return the header that makes a client send a name and a password."""
    # The product's name is free text, but a quoted string in a header is limited to printable ASCII.
    plain = "".join(sign for sign in realm if sign.isascii() and sign.isprintable() and sign not in '"\\')
    return ("WWW-Authenticate", f'Basic realm="{plain}"')


class PasswordRequired(Unauthorized):
    """401 with a challenge, after which package managers send a name and a password."""

    def __init__(self, realm: str, *, reason: Reason = "") -> None:
        super().__init__(reason=reason)
        self.headers = (_basic_challenge(realm),)


class PlainTextRefusal(Refusal):
    """A plain text response: for git, which shows it to its user, or from a layer in front of the API."""

    def response(self) -> Response:
        """Return a plain text response."""
        headers = (("Content-Type", TEXT), ("Cache-Control", "no-cache"), *self.headers)
        return Response(self.status, headers, str(self.payload).encode("utf-8", "replace"))


class MovedPermanently(PlainTextRefusal):
    """301: the resource has another address."""

    status = 301

    def __init__(self, url: str, *, reason: Reason = "") -> None:
        text = f"This resource has been moved permanently to {url}"
        super().__init__(text, reason=reason, headers=(("Location", url),))


class NullByte(PlainTextRefusal):
    """400: a parameter contains a null byte, which the platform cannot store."""

    status = 400

    def __init__(self) -> None:
        super().__init__("Bad Request", reason="a parameter contains a null byte (U+0000)")


class UnreadableRequest(PlainTextRefusal):
    """400: the body does not follow git's protocol."""

    status = 400


class GitUnauthorized(PlainTextRefusal):
    """401: the caller is not signed in, or the credential is invalid. The challenge makes git ask for another one."""

    status = 401

    def __init__(self, realm: str, hint: str = "", *, reason: Reason = "") -> None:
        super().__init__(f"HTTP Basic: Access denied\n{hint}", reason=reason, headers=(_basic_challenge(realm),))


class GitForbidden(PlainTextRefusal):
    """403: visible, but not allowed."""

    status = 403


class GitNotFound(PlainTextRefusal):
    """404: the repository does not exist, or is hidden from the caller."""

    status = 404


class GitUnprocessable(PlainTextRefusal):
    """422: a push to a new path cannot create a project there."""

    status = 422


class GitTooLarge(PlainTextRefusal):
    """413: a file exceeds the limit."""

    status = 413
