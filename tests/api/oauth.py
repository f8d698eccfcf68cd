"""A world with OAuth applications, and requests to its OAuth endpoints."""

from base64 import b64encode
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from typing_extensions import override

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply

CALLBACK = "https://app.example.test/callback"
SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "users": [
        {"username": "new", "confirmed_at": None},
        {"username": "old", "password_expired": True},
        {"username": "two", "two_factor_enabled": True},
    ],
    "applications": [
        {
            "name": "App <1>",
            "uid": "app",
            "secret": "app-secret",
            "redirect_uri": f"{CALLBACK} urn:ietf:wg:oauth:2.0:oob http://127.0.0.1/done https://app.example.test/q?a=1",
            "scopes": ["api", "read_user", "openid", "email"],
        },
        {
            "name": "Public",
            "uid": "public",
            "secret": "public-secret",
            "redirect_uri": CALLBACK,
            "confidential": False,
        },
        {"name": "Trusted", "uid": "trusted", "secret": "trusted-secret", "redirect_uri": CALLBACK, "trusted": True},
        {"name": "Narrow", "uid": "narrow", "secret": "s", "redirect_uri": CALLBACK, "scopes": ["read_user"]},
        {"name": "Own", "uid": "own", "secret": "s", "redirect_uri": CALLBACK, "owner": "dev"},
    ],
}
APP = {"client_id": "app", "client_secret": "app-secret"}
TEXTS = {
    "invalid_client": "Client authentication failed due to unknown client, no client authentication included, or "
    "unsupported authentication method.",
    "invalid_grant": "The provided authorization grant is invalid, expired, revoked, does not match the redirection "
    "URI used in the authorization request, or was issued to another client.",
    "invalid_scope": "The requested scope is invalid, unknown, or malformed.",
    "invalid_request": "The request is missing a required parameter, includes an unsupported parameter value, or is "
    "otherwise malformed.",
    "invalid_redirect_uri": "The redirect URI included is not valid.",
    "invalid_token": "The access token is invalid",
    "invalid_code_challenge_method": "The code challenge method must be plain or S256.",
    "unsupported_grant_type": "The authorization grant type is not supported by the authorization server.",
    "unsupported_response_type": "The authorization server does not support this response type.",
    "access_denied": "The resource owner or authorization server denied the request.",
}


def error(name: str, text: str = "", status: int = 400) -> tuple[int, Any]:
    return status, {"error": name, "error_description": text or TEXTS[name]}


def missing(parameter: str) -> tuple[int, Any]:
    return error("invalid_request", f"Missing required parameter: {parameter}.")


def basic(uid: str, secret: str) -> dict[str, str]:
    return {"authorization": f"Basic {b64encode(f'{uid}:{secret}'.encode()).decode()}"}


def send(fake: Fakeplat, method: str, path: str, form: Any = None, **headers: str) -> Reply:
    """Send a form as a browser or an application does, without an API token."""
    body = urlencode(form).encode() if form is not None else b""
    content = {"content-type": "application/x-www-form-urlencoded"} if form is not None else {}
    url = path if "://" in path else f"{fake.url.rstrip('/')}/{path.lstrip('/')}"
    return fake.as_user(None).request(method, url, headers={**content, **headers}, data=body)


def request_token(fake: Fakeplat, grant_type: str, credentials: dict[str, str] | None = None, /, **form: str) -> Reply:
    sent = {"grant_type": grant_type, **(APP if credentials is None else credentials), **form}
    return send(fake, "POST", "oauth/token", sent)


def password_token(fake: Fakeplat, username: str = "dev", **form: str) -> dict[str, Any]:
    reply = request_token(fake, "password", username=username, password=f"{username}-password", **form)
    assert 200 == reply.status, reply
    return dict(reply.json())


class _Form(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str]]] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append((values["action"], {}))
        elif tag == "input":
            self.forms[-1][1][values["name"]] = values.get("value", "")


def forms_of(reply: Reply) -> list[tuple[str, dict[str, str]]]:
    """Return the forms of a page: their addresses and fields."""
    parser = _Form()
    parser.feed(reply.text)
    return parser.forms


class Browser:
    """Keeps the session cookie, and does not follow redirects by itself."""

    def __init__(self, fake: Fakeplat, cookie: str = "") -> None:
        self.fake = fake
        self.cookie = cookie

    def open(self, path: str, form: Any = None, method: str = "") -> Reply:
        headers = {"cookie": self.cookie} if self.cookie else {}
        reply = send(self.fake, method or ("GET" if form is None else "POST"), path, form, **headers)
        stored = reply.headers.get("set-cookie")
        if stored is not None:
            self.cookie = stored.partition(";")[0]
        return reply

    def submit(self, page: Reply, number: int = 0, /, **fields: str) -> Reply:
        action, hidden = forms_of(page)[number]
        return self.open(action, {**hidden, **fields})

    def sign_in(self, username: str, password: str | None = None) -> Reply:
        fields = {"user[login]": username, "user[password]": password or f"{username}-password"}
        return self.submit(self.open("users/sign_in"), **fields)


def browser(fake: Fakeplat, username: str) -> Browser:
    """Return a browser with a session of a user."""
    return Browser(fake, f"_platform_session={fake.token(username, kind='session')}")


def authorize_path(**query: str) -> str:
    asked = {"client_id": "app", "redirect_uri": CALLBACK, "response_type": "code", "state": "s 1", "scope": "api"}
    return f"oauth/authorize?{urlencode({name: value for name, value in {**asked, **query}.items() if value})}"


def query_of(reply: Reply) -> dict[str, str]:
    """Return the parameters in the address of a redirect."""
    parts = urlsplit(reply.headers["location"])
    return {name: values[0] for name, values in parse_qs(parts.query or parts.fragment).items()}


def get_code(fake: Fakeplat, username: str = "dev", **query: str) -> str:
    """Return the code of an approved request."""
    page = (walk := browser(fake, username)).open(authorize_path(**query))
    return query_of(walk.submit(page))["code"]
