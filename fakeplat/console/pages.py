"""Declaration of the console's pages, and the request that their functions receive."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final
from urllib.parse import parse_qsl, quote

from propcache.api import cached_property

from fakeplat.core.operations.http_messages import Headers, Request, Response
from fakeplat.core.store.frozen import frozen
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.inspection import WorldView

HOME: Final = "/_fakeplat/"
TOOLS: Final = "/_fakeplat/console/"
RECORDS: Final = "/_fakeplat/at"
"""The prefix of the pages of records: the rest is the path of the record's `web_url`."""

_HTML: Final = "text/html; charset=utf-8"
# Nothing but the console's own style sheet and script is loaded, and no other page can embed the console.
# A policy of "no-referrer" would make browsers send forms with "Origin: null", which the control routes refuse.
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY: Final[Headers] = (
    ("Content-Security-Policy", _POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)


class PageError(Exception):
    """A request of the console is refused; the text is shown on a page."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class ConsoleRequest:
    """A request of the console; ``worlds`` describes all worlds of the server."""

    def __init__(self, bench: Workbench, worlds: Sequence[Mapping[str, object]], request: Request) -> None:
        self.bench = bench
        self.worlds = worlds
        self.request = request

    @cached_property
    def query(self) -> Mapping[str, str]:
        """The query parameters; of a repeated one, the last."""
        return dict(parse_qsl(self.request.query))

    @cached_property
    def form(self) -> Mapping[str, str]:
        """The fields of the form that are filled in."""
        return dict(parse_qsl(self.request.body.decode("utf-8", "replace")))

    @cached_property
    def view(self) -> WorldView:
        """A view of the world's records, as an administrator sees them."""
        return WorldView(self.bench.platform, self.request.origin)


Page = Response | Coroutine[Any, Any, Response]
PageFunction = Callable[..., Page]


@frozen
class PageRoute:
    """A method, a path and the function that makes the page."""

    method: str
    path: str
    function: PageFunction


ROUTES: Final[list[PageRoute]] = []


def page(method: str, path: str) -> Callable[[PageFunction], PageFunction]:
    """Declare a page; the parameters of its path are arguments of the function."""

    def declare(function: PageFunction) -> PageFunction:
        ROUTES.append(PageRoute(method, path, function))
        return function

    return declare


def html(text: str, status: int = 200) -> Response:
    """Return a response with a page."""
    # A text of a request may have half of a surrogate pair, which UTF-8 cannot express.
    return Response(status, (("Content-Type", _HTML), *_SECURITY), text.encode("utf-8", "replace"))


def download(name: str, content_type: str, text: str) -> Response:
    """Return a response with a file that a browser stores."""
    disposition = ("Content-Disposition", f'attachment; filename="{name}"')
    return Response(200, (("Content-Type", content_type), disposition, *_SECURITY), text.encode())


def see_other(path: str) -> Response:
    """Return a redirect to a page of the console, which a browser requests with GET."""
    return Response(303, (("Location", quote(path, safe="/?=&%")), *_SECURITY))
