"""Who may see and use the console: the rules of all control routes."""

import pytest

from tests.console.conftest import Console, Document

PAGES = ("", "console/requests", "console/events", "at/acme/site", "console/static/console.css")
KEY = "schlüssel-1"


@pytest.mark.parametrize("page", PAGES)
def test_other_machines_see_no_console(console: Console, page: str) -> None:
    """Without a key every page is 403 for other machines."""
    response = console.send("GET", f"/_fakeplat/{page}", peer="192.0.2.7")
    assert (403, b"control routes accept only local requests") == (response.status, response.body[10:51])


@pytest.mark.parametrize("page", PAGES)
def test_a_foreign_name_for_this_machine_is_refused(console: Console, page: str) -> None:
    """A request from this machine with a foreign Host header gets 403, against DNS rebinding."""
    assert 403 == console.send("GET", f"/_fakeplat/{page}", host="evil.example").status


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9"])
@pytest.mark.parametrize(
    "page", ["console/reset", "console/faults", "console/clock", "console/snapshots", "console/key"]
)
def test_forms_of_other_origins_are_refused(console: Console, page: str, origin: str) -> None:
    """A form that another origin posts gets 403 and changes nothing."""
    state = console.bench.platform.state
    response = console.send("POST", f"/_fakeplat/{page}", b"advance=1h&outcome=status:503", origin=origin)
    assert (403, True, 0) == (response.status, console.bench.platform.state is state, len(console.bench.snapshots))
    assert 0 == len(console.bench.interceptors.faults)


@pytest.fixture
def locked(console: Console) -> Console:
    return Console(console.bench, key=KEY)


def test_a_browser_is_asked_for_the_key(locked: Console) -> None:
    """A browser without the key gets 403 with a form that reveals nothing, and a program gets JSON."""
    page = Document(locked.send("GET", "/_fakeplat/", accept="text/html,*/*", peer="192.0.2.7"))
    assert (403, ["/_fakeplat/console/key"]) == (page.status, page.all("form", "action"))
    assert "starter" not in page.source
    assert b'{"error":"the control routes require the key in the header X-Fakeplat-Key"}' == (
        locked.send("GET", "/_fakeplat/").body
    )


def test_the_key_is_exchanged_for_a_cookie(locked: Console) -> None:
    """The key is exchanged for a cookie that opens all control routes and does not contain the key."""
    form = f"key={KEY}".encode()
    response = locked.send("POST", "/_fakeplat/console/key", form, accept="text/html", origin="http://localhost")
    cookie, *attributes = dict(response.headers)["Set-Cookie"].split("; ")
    assert (303, "/_fakeplat/") == (response.status, dict(response.headers)["Location"])
    assert ["Path=/_fakeplat/", "HttpOnly", "SameSite=Strict"] == attributes
    assert KEY not in cookie
    assert [200, 200] == [
        locked.send("GET", f"/_fakeplat/{page}", cookie=f"a=b; {cookie}", accept="text/html", peer="192.0.2.7").status
        for page in ("", "health")
    ]


@pytest.mark.parametrize("form", [b"", b"key=", b"key=wrong", b"key=%FF"])
def test_a_wrong_key_gives_no_cookie(locked: Console, form: bytes) -> None:
    """A wrong key gives no cookie and shows the form again with the error."""
    response = locked.send("POST", "/_fakeplat/console/key", form, accept="text/html", origin="http://localhost")
    assert (403, False) == (response.status, "Set-Cookie" in dict(response.headers))
    assert "This is not the key of the server." in Document(response).text


@pytest.mark.parametrize("cookie", ["fakeplat_control=", "fakeplat_control=x", f"fakeplat_control={KEY}", ";;=;"])
def test_a_wrong_cookie_opens_nothing(locked: Console, cookie: str) -> None:
    """A wrong cookie is refused, even if it contains the key itself."""
    assert 403 == locked.send("GET", "/_fakeplat/health", cookie=cookie).status


def test_a_page_of_another_origin_cannot_use_the_cookie(locked: Console) -> None:
    """A request from another origin is refused even with the cookie."""
    form = f"key={KEY}".encode()
    response = locked.send("POST", "/_fakeplat/console/key", form, accept="text/html", origin="http://localhost")
    cookie = dict(response.headers)["Set-Cookie"].partition(";")[0]
    assert 403 == locked.send("POST", "/_fakeplat/reset", cookie=cookie, origin="http://evil.example").status
