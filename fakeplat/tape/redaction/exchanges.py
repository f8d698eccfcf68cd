"""An exchange as it goes onto a tape: without secrets, and without what matters to nobody."""

import re
from typing import Final

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.secret_names import kind_of
from fakeplat.tape.redaction.bodies import redact_form, redact_json, redact_multipart, redact_plain
from fakeplat.tape.redaction.registry import SecretRegistry, parse_basic
from fakeplat.tape.redaction.texts import redact_by_pattern, redact_text

KEPT: Final = (
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
"""The request headers that matter."""

HOP_BY_HOP: Final = frozenset(
    "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    "upgrade".split()
)
_OF_THE_SERVER: Final = frozenset({"content-length", "content-encoding", "date", "server", "x-request-id", "x-runtime"})
_COOKIE: Final = re.compile(r"(\s*[^=;\s]+=)\"?([^;\"]*)\"?")
_UNSENDABLE: Final = re.compile(r"[^\x21-\x7e]|#")


class Redactor:
    """Takes exchanges in the order in which they happened, since what is secret is learned on the way."""

    def __init__(self) -> None:
        self.secrets = SecretRegistry()

    def clean(self, request: Request, response: Response) -> tuple[Request, Response]:
        """Both, ready for the tape."""
        asked, answered = self._request(request), self._response(response, request.path)
        return self._hidden(asked), Response(
            answered.status,
            tuple((name, self.secrets.hide_text(value)) for name, value in answered.headers),
            self._hide_known(answered.body, _content_type(answered.headers)),
        )

    def _hidden(self, asked: Request) -> Request:
        """Once more, with what the answer taught."""
        hide = self.secrets.hide_text
        return Request(
            asked.method,
            "/".join(map(self.secrets.hide_encoded, asked.path.split("/"))),
            hide(asked.query),
            {name: hide(value) for name, value in asked.headers.items()},
            self._hide_known(asked.body, asked.headers.get("content-type", "")),
            asked.origin,
        )

    def _request(self, request: Request) -> Request:
        given = {name.lower(): _sayable(value) for name, value in request.headers.items()}
        headers = {name: self.request_header(name, value) for name, value in given.items()}
        path = request.path
        return Request(
            request.method,
            _sendable(redact_by_pattern(self.secrets, path)),
            _sendable(redact_form(self.secrets, request.query, path)),
            {name: headers[name] for name in KEPT if name in headers},
            self._body(request.body, given.get("content-type", ""), path),
            request.origin,
        )

    def request_header(self, name: str, value: str) -> str:
        """A header's value (name in lower case) with placeholders."""
        if name in ("authorization", "proxy-authorization"):
            return self._authorization(value)
        if name == "cookie":
            return "; ".join(self._cookie(part) for part in value.split(";"))
        return self._header(name, value)

    def _authorization(self, value: str) -> str:
        scheme, _, rest = value.strip().partition(" ")
        pair = parse_basic(rest.strip()) if scheme.lower() == "basic" else None
        if pair is not None:
            return f"{scheme} {self.secrets.learn_basic(*pair)}"
        return f"{scheme} {self.secrets.learn('oauth', rest.strip())}" if rest else self.secrets.learn("oauth", scheme)

    def _cookie(self, part: str) -> str:
        found = _COOKIE.match(part)
        if found is None:
            return self.secrets.learn("cookie", part.strip())
        return found[1].strip() + self.secrets.learn("cookie", found[2])

    def _header(self, name: str, value: str) -> str:
        kind = kind_of(name)
        return redact_text(self.secrets, value) if kind is None else self.secrets.learn(kind, value)

    def _response(self, response: Response, path: str) -> Response:
        kept = [(name, _sayable(value)) for name, value in response.headers if _stays(name)]
        headers = tuple((name, self._response_header(name.lower(), value)) for name, value in kept)
        return Response(response.status, headers, self._body(response.body, _content_type(kept), path))

    def _response_header(self, name: str, value: str) -> str:
        if name != "set-cookie":
            return self._header(name, value)
        cookie, semicolon, attributes = value.partition(";")
        return self._cookie(cookie) + semicolon + attributes

    def _body(self, body: bytes, content_type: str, path: str) -> bytes:
        if not body:
            return body
        kind = content_type.partition(";")[0].strip().lower()
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


def _stays(name: str) -> bool:
    lower = name.lower()
    return lower not in HOP_BY_HOP and lower not in _OF_THE_SERVER


def _content_type(headers: Headers | list[tuple[str, str]]) -> str:
    return next((value for name, value in headers if name.lower() == "content-type"), "")


def _sayable(text: str) -> str:
    """A header's text in one line, without what cannot be encoded."""
    return text.encode("utf-8", "replace").decode().replace("\r", " ").replace("\n", " ")


def _sendable(text: str) -> str:
    """What stands in a request line as plain ASCII; anything else is percent-encoded."""
    return _UNSENDABLE.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogateescape")), text
    )
