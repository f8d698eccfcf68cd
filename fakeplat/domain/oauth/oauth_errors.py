"""Errors of OAuth endpoints, with the platform's texts. Source: docs/platform/oauth.md. See RFC 6749 (5.2)."""

from typing import Final

from fakeplat.core.operations.errors import Reason, Refusal, reason_text
from fakeplat.core.operations.http_messages import Headers, RawBody, Response

JSON_TYPE: Final = "application/json; charset=utf-8"
NO_STORE: Final[Headers] = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
_TEXTS: Final = {
    "invalid_request": "The request is missing a required parameter, includes an unsupported parameter value, or is "
    "otherwise malformed.",
    "invalid_redirect_uri": "The redirect URI included is not valid.",
    "invalid_client": "Client authentication failed due to unknown client, no client authentication included, or "
    "unsupported authentication method.",
    "invalid_grant": "The provided authorization grant is invalid, expired, revoked, does not match the redirection "
    "URI used in the authorization request, or was issued to another client.",
    "invalid_scope": "The requested scope is invalid, unknown, or malformed.",
    "invalid_code_challenge_method": "The code challenge method must be plain or S256.",
    "access_denied": "The resource owner or authorization server denied the request.",
    "unsupported_grant_type": "The authorization grant type is not supported by the authorization server.",
    "unsupported_response_type": "The authorization server does not support this response type.",
    "unauthorized_client": "You are not authorized to revoke this token",
    "unconfirmed_email": "Verify the email address in your account profile before you sign in.",
    "invalid_token": "The access token is invalid",
    # The platform has no texts of their own for what a device is told, and takes that of its own failures.
    **dict.fromkeys(
        ("authorization_pending", "slow_down", "expired_token"),
        "The authorization server encountered an unexpected condition which prevented it from fulfilling the request.",
    ),
}
NOT_AUTHORIZED: Final = (
    "Request need to be authorized. Required parameter for authorizing request is missing or invalid."
)


class OAuthError(Refusal):
    """400: an error of OAuth.

    ``redirect_uri`` is set if an authorization request may report the error to its application, with ``state``.
    """

    status = 400

    def __init__(self, name: str, text: str = "", *, redirect_uri: str = "", state: str = "", reason: Reason) -> None:
        self.name, self.text = name, text or _TEXTS[name]
        self.redirect_uri = redirect_uri
        fields = {"error": self.name, "error_description": self.text, "state": state}
        self.fields = {key: value for key, value in fields.items() if value}
        super().__init__(self.fields, reason=reason)

    @classmethod
    def missing(cls, parameter: str, *, redirect_uri: str = "", state: str = "") -> "OAuthError":
        """Return the error for a missing parameter."""
        text, reason = f"Missing required parameter: {parameter}.", f"{parameter} was not sent"
        return cls("invalid_request", text, redirect_uri=redirect_uri, state=state, reason=reason)

    @property
    def challenge(self) -> tuple[str, str]:
        """The header that repeats the error."""
        text = f'Bearer realm="Doorkeeper", error="{self.name}", error_description="{self.text}"'
        return ("WWW-Authenticate", text)

    def response(self) -> Response:
        """Return a response that is not stored, with a challenge."""
        response = super().response()
        return Response(self.status, (("Content-Type", JSON_TYPE), *NO_STORE, self.challenge), response.body)


class PollRefused(OAuthError):
    """400: a device gets no token, now or ever. Unlike other refusals it does not undo what the request has changed."""

    def as_result(self) -> RawBody:
        """Return the response as the result of an operation, whose changes are committed."""
        headers = (*NO_STORE, self.challenge)
        return RawBody(super().response().body, JSON_TYPE, headers, self.status, reason=reason_text(self.reason))


class InvalidClient(OAuthError):
    """401: the application is unknown, or its secret is wrong."""

    status = 401

    def __init__(self, *, reason: Reason) -> None:
        super().__init__("invalid_client", reason=reason)


class UnusableToken(OAuthError):
    """401: the token that a caller of an OAuth endpoint sent. ``name`` is ``invalid_token`` or ``invalid_request``."""

    status = 401


class ForeignToken(OAuthError):
    """403: the token that an application wants to revoke belongs to another one."""

    status = 403

    def __init__(self, *, reason: Reason) -> None:
        super().__init__("unauthorized_client", reason=reason)

    def response(self) -> Response:
        """Return a response without a challenge."""
        response = super().response()
        return Response(403, (("Content-Type", JSON_TYPE), ("Cache-Control", "no-cache")), response.body)
