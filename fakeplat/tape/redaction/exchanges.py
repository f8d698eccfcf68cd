"""Preparation of exchanges for a tape: redacts secrets and drops irrelevant headers."""

import re
from typing import Final

from attrs import evolve

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.secret_names import kind_of
from fakeplat.tape.formats.tape import RecordedDelivery
from fakeplat.tape.redaction.bodies import redact_form, redact_json, redact_multipart, redact_plain
from fakeplat.tape.redaction.registry import SecretRegistry, parse_basic
from fakeplat.tape.redaction.texts import redact_by_pattern, redact_text

RECORDED_HEADERS: Final = (
    "accept",
    "access-control-request-headers",
    "access-control-request-method",
    "authorization",
    "content-type",
    "cookie",
    "deploy-token",
    "git-protocol",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-unmodified-since",
    "job-token",
    "origin",
    "private-token",
    "range",
    "sudo",
    "x-csrf-token",
)
"""The request headers that are recorded."""

HOP_BY_HOP: Final = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    "upgrade".split()
)
_OMITTED_HEADERS: Final = frozenset(
    {"content-length", "content-encoding", "date", "server", "x-request-id", "x-runtime"}
)
# ``name=value`` or ``name="value"``.
_COOKIE: Final = re.compile(r"(\s*[^=;\s]+=)\"?([^;\"]*)\"?")
# Anything but visible ASCII characters, and ``#``, which would begin a fragment.
_UNSAFE: Final = re.compile(r"[^\x21-\x7e]|#")


class Redactor:
    """Redacts exchanges in the order in which they happened, because secrets are learned along the way."""

    def __init__(self) -> None:
        self.secrets = SecretRegistry()

    def redact(self, request: Request, response: Response) -> tuple[Request, Response]:
        """Return a request and its response as they are written to a tape."""
        clean_request, clean_response = self._redact_request(request), self._redact_response(response, request.path)
        # The response may have taught secrets that the request contains too, such as a token that it created.
        return self._hide_learned(clean_request), Response(
            clean_response.status,
            tuple((name, self.secrets.hide_text(value)) for name, value in clean_response.headers),
            self._hide_known(clean_response.body, _content_type(clean_response.headers)),
        )

    def redact_delivery(self, delivery: RecordedDelivery) -> RecordedDelivery:
        """Return a delivery as it is written to a tape; all of its headers are recorded."""
        headers = {
            name: self.request_header(name.lower(), _on_one_line(value)) for name, value in delivery.headers.items()
        }
        content_type = headers.get("Content-Type", "")
        # The URL of a receiver may be a secret, and so may a word that its answer repeats.
        url = redact_text(self.secrets, delivery.url)
        body = self._redact_body(delivery.body, content_type, "")
        response = None if delivery.response is None else self._redact_response(delivery.response, "")
        return evolve(
            delivery,
            url=self.secrets.hide_text(url),
            headers=headers,
            body=self._hide_known(body, content_type),
            response=None
            if response is None
            else evolve(response, body=self._hide_known(response.body, _content_type(response.headers))),
            error=delivery.error and self.secrets.hide_text(delivery.error),
        )

    def _hide_learned(self, request: Request) -> Request:
        """Hide secrets that were learned from the response."""
        hide = self.secrets.hide_text
        return Request(
            request.method,
            "/".join(map(self.secrets.hide_encoded, request.path.split("/"))),
            hide(request.query),
            {name: hide(value) for name, value in request.headers.items()},
            self._hide_known(request.body, request.headers.get("content-type", "")),
            request.origin,
        )

    def _redact_request(self, request: Request) -> Request:
        values = {name.lower(): _on_one_line(value) for name, value in request.headers.items()}
        headers = {name: self.request_header(name, value) for name, value in values.items()}
        path = request.path
        return Request(
            request.method,
            _quote_unsafe(redact_by_pattern(self.secrets, path)),
            _quote_unsafe(redact_form(self.secrets, request.query, path)),
            {name: headers[name] for name in RECORDED_HEADERS if name in headers},
            self._redact_body(request.body, values.get("content-type", ""), path),
            request.origin,
        )

    def request_header(self, name: str, value: str) -> str:
        """Redact a header's value; ``name`` is in lower case."""
        if name in ("authorization", "proxy-authorization"):
            return self._redact_authorization(value)
        if name == "cookie":
            return "; ".join(self._redact_cookie(part) for part in value.split(";"))
        return self._redact_header(name, value)

    def _redact_authorization(self, value: str) -> str:
        scheme, _, rest = value.strip().partition(" ")
        pair = parse_basic(rest.strip()) if scheme.lower() == "basic" else None
        if pair is not None:
            return f"{scheme} {self.secrets.learn_basic(*pair)}"
        # A value without a scheme is taken for the token itself.
        return f"{scheme} {self.secrets.learn('oauth', rest.strip())}" if rest else self.secrets.learn("oauth", scheme)

    def _redact_cookie(self, part: str) -> str:
        match = _COOKIE.match(part)
        if match is None:
            return self.secrets.learn("cookie", part.strip())
        return match[1].strip() + self.secrets.learn("cookie", match[2])

    def _redact_header(self, name: str, value: str) -> str:
        kind = kind_of(name)
        return redact_text(self.secrets, value) if kind is None else self.secrets.learn(kind, value)

    def _redact_response(self, response: Response, path: str) -> Response:
        pairs = [(name, _on_one_line(value)) for name, value in response.headers if _is_recorded(name)]
        headers = tuple((name, self._redact_response_header(name.lower(), value)) for name, value in pairs)
        return Response(response.status, headers, self._redact_body(response.body, _content_type(pairs), path))

    def _redact_response_header(self, name: str, value: str) -> str:
        if name != "set-cookie":
            return self._redact_header(name, value)
        cookie, semicolon, attributes = value.partition(";")
        return self._redact_cookie(cookie) + semicolon + attributes

    def _redact_body(self, body: bytes, content_type: str, path: str) -> bytes:
        if not body:
            return body
        kind = content_type.partition(";")[0].strip().lower()
        # Clients often send JSON with the content type of a form, or with none.
        if kind.endswith("json") or body.lstrip()[:1] in (b"{", b"["):
            return redact_json(self.secrets, body, path)
        if kind == "application/x-www-form-urlencoded":
            text = body.decode("utf-8", "surrogateescape")
            return redact_form(self.secrets, text, path).encode("utf-8", "surrogateescape")
        if kind == "multipart/form-data":
            return redact_multipart(self.secrets, body, content_type, path)
        return redact_plain(self.secrets, body)

    def _hide_known(self, body: bytes, content_type: str) -> bytes:
        if "json" in content_type or body[:1] in (b"{", b"["):
            return self.secrets.hide_json(body)
        return self.secrets.hide(body)


def _is_recorded(name: str) -> bool:
    lower = name.lower()
    return lower not in HOP_BY_HOP and lower not in _OMITTED_HEADERS


def _content_type(headers: Headers | list[tuple[str, str]]) -> str:
    return next((value for name, value in headers if name.lower() == "content-type"), "")


def _on_one_line(text: str) -> str:
    """Return a header value on one line, with invalid characters replaced."""
    return text.encode("utf-8", "replace").decode().replace("\r", " ").replace("\n", " ")


def _quote_unsafe(text: str) -> str:
    """Percent-encode the characters that a request line must not contain."""
    return _UNSAFE.sub(
        lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogateescape")), text
    )
