"""HTML pages with forms. Source: docs/contract.md ('URLs')."""

from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Final

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import RawBody, Response

HTML: Final = "text/html; charset=utf-8"
_STYLE: Final = "/_fakeplat/console/static/console.css"
_NOT_STORED: Final = (("Cache-Control", "no-store"),)


def render_page(title: str, *parts: str, status: int = 200) -> RawBody:
    """Return a page with a title and parts that are HTML already. It is not stored: it may have tokens in it."""
    return RawBody(_page(title, *parts), HTML, _NOT_STORED, status)


def _page(title: str, *parts: str) -> bytes:
    return page_around(escape(title), "".join(parts))


def page_around(title: str, content: str) -> bytes:
    """Return a page in the style of the console; the title and the content are HTML already."""
    head = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="{_STYLE}">'
    )
    body = f'<body class="single"><main><h1>{title}</h1>{content}</main></body>'
    return f"{head}{body}</html>".encode("utf-8", "replace")


def paragraph(text: str) -> str:
    """Return a paragraph."""
    return f"<p>{escape(text)}</p>"


def console_link() -> str:
    """Return a link to the console, which shows the whole world to those who run it."""
    return '<p><a href="/_fakeplat/">Console of this fake</a></p>'


def form(
    action: str,
    button: str,
    hidden: Mapping[str, str],
    fields: Mapping[str, str] | None = None,
    values: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return a form that is sent to an address.

    ``fields`` are the labels of fields to fill in, by name, and ``values`` what is in them already.
    """
    inputs = [f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in hidden.items()]
    for name, label in (fields or {}).items():
        kind = "password" if "password" in name else "text"
        value = f' value="{escape(values[name])}"' if name in values else ""
        inputs.append(f'<p><label>{escape(label)} <input type="{kind}" name="{escape(name)}"{value}></label></p>')
    send = f'<button type="submit">{escape(button)}</button>'
    return f'<form action="{escape(action)}" method="post" accept-charset="UTF-8">{"".join(inputs)}{send}</form>'


class ForgedRequest(Refusal):
    """422: a form without its authenticity token."""

    status = 422

    def __init__(self) -> None:
        super().__init__(
            "The change you requested was rejected.",
            reason="the form needs authenticity_token: csrf- and the session's value, as the page contains it",
        )

    def response(self) -> Response:
        """Return a page."""
        return Response(422, (("Content-Type", HTML), ("Cache-Control", "no-cache")), _page(str(self.payload)))
