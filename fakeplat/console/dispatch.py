"""Dispatch of the console's requests. Importing this module declares all pages."""

from typing import Final

from fakeplat.console import (  # noqa: F401  # declare pages
    code_pages,
    journal_pages,
    lists,
    operation_pages,
    overview,
    record_pages,
    switches,
)
from fakeplat.console.pages import ROUTES, ConsoleRequest, Page, PageError, PageRoute
from fakeplat.console.rendering import render
from fakeplat.core.operations.http_messages import Response
from fakeplat.core.operations.router import Router

_ROUTER: Final[Router[PageRoute]] = Router(ROUTES)


async def answer(call: ConsoleRequest) -> Response:
    """Answer a request of the console."""
    try:
        made = _get_page(call)
        return made if isinstance(made, Response) else await made
    except PageError as error:
        heading = "Not found" if error.status == 404 else "Not possible"
        return render(call, "error.html", status=error.status, heading=heading, text=error.text)


def _get_page(call: ConsoleRequest) -> Page:
    match = _ROUTER.match(call.request.method, call.request.path)
    if match.route is not None:
        return match.route.function(call, **match.values)
    if match.allowed:
        raise PageError(405, f"{call.request.path} supports {', '.join(match.allowed)}")
    raise PageError(404, f"the console has no page {call.request.path}")
