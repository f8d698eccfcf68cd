"""The console without its extra: a hint in place of the pages."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fakeplat.cli.serve import _welcome
from tests.console.conftest import Console

EXPLANATION = b"the pages of the console need an extra: pip install 'fakeplat[console]'"


@pytest.fixture(autouse=True)
def no_jinja2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)


@pytest.mark.parametrize("page", ["", "at/acme/site", "console/requests"])
def test_pages_name_the_extra(console: Console, page: str) -> None:
    """Without the extra each page of the console is 501 with one line that says what to install."""
    response = console.send("GET", f"/_fakeplat/{page}", accept="text/html")
    assert (501, b'{"error":"%s"}' % EXPLANATION) == (response.status, response.body)


def test_other_control_routes_need_no_extra(console: Console) -> None:
    """Control routes for programs work without the extra."""
    assert 200 == console.send("GET", "/_fakeplat/health").status


def test_browsers_get_no_form_for_the_key(console: Console) -> None:
    """Without the extra a browser without the key is refused with JSON, like a program."""
    response = Console(console.bench, key="key-1").send("GET", "/_fakeplat/", accept="text/html")
    expected = b'{"error":"the control routes require the key in the header X-Fakeplat-Key"}'
    assert (403, expected) == (response.status, response.body)


def test_serve_names_the_extra(console: Console) -> None:
    """Without the extra `serve` prints what to install instead of the console's URL."""
    url = "http://127.0.0.1:8080"
    world: Any = SimpleNamespace(url=url, bench=console.bench, listener=SimpleNamespace(url=url))
    assert EXPLANATION.decode() in _welcome(world).splitlines()
