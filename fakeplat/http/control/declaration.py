"""Declaration of control routes, and the request that their handlers receive."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import orjson

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.params.body import parse_query
from fakeplat.core.store.frozen import frozen
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import refuse_unknown

if TYPE_CHECKING:
    from fakeplat.http.server import WorldServer

CONTROL_PREFIX: Final = "/_fakeplat/"
WORLD_HEADER: Final = "x-fakeplat-world"
"""Names the world that a worker shall open for its parent, or that was asked when it passes a request on."""


class ControlError(Exception):
    """A control request is refused with 400, 403, 404, 405, 409 or 501."""

    def __init__(self, status: int, text: str, allow: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.allow = allow


class ControlRequest:
    """A control request: its server and world, the path parameters (``texts``), query and body."""

    def __init__(self, server: "WorldServer", bench: Workbench, texts: Mapping[str, str], request: Request) -> None:
        self.server = server
        self.bench = bench
        self.texts = texts
        self.request = request

    def json(self) -> Any:
        """Return the JSON in the body; an empty body is an empty object."""
        try:
            return orjson.loads(self.request.body) if self.request.body.strip() else {}
        except orjson.JSONDecodeError as error:
            raise ControlError(400, f"the body is not JSON: {error}") from None

    def body(self, *known: str, within: Mapping[str, Collection[str]] | None = None) -> dict[str, Any]:
        """Return the JSON object in the body; unknown keys are refused, with the key that they belong ``within``."""
        body = self.json()
        if not isinstance(body, dict):
            raise ControlError(400, "the body is not a JSON object")
        refuse_unknown(body, known, "body", within)
        return body

    def query(self, *known: str) -> dict[str, str]:
        """Return the query parameters; unknown names are refused."""
        query = {name: str(value) for name, value in parse_query(self.request.query).items()}
        refuse_unknown(query, known, "query")
        return query


Result = tuple[int, Any]
"""A status and a value, which is sent as JSON."""
Handler = Callable[[ControlRequest], Awaitable[Result | Response]]


class Key(NamedTuple):
    """A key of a body or a query, for the OpenAPI document: its meaning, its JSON types, and an example."""

    description: str
    types: str | tuple[str, ...] = "string"
    example: Any = None
    required: bool = False


Keys = Mapping[str, Key]
_NO_KEYS: Final[Keys] = {}


@frozen
class ControlRoute:
    """A method, a path and their handler; the rest is for the OpenAPI document, see `control`.

    Routes of pages, which people read, are not part of the document. Those of the server act on all its worlds.
    """

    method: str
    path: str
    handler: Handler
    query: Keys | str = _NO_KEYS
    body: Keys | str = _NO_KEYS
    status: int = 200
    answer: str = ""
    is_page: bool = False
    is_of_server: bool = False


ROUTES: Final[list[ControlRoute]] = []


H = TypeVar("H", bound=Handler)


def control(
    method: str,
    path: str,
    *,
    query: Keys | str = _NO_KEYS,
    body: Keys | str = _NO_KEYS,
    status: int = 200,
    answer: str = "",
    is_page: bool = False,
    is_of_server: bool = False,
) -> Callable[[H], H]:
    """Declare a control route; ``path`` is relative to `/_fakeplat/`.

    ``query`` and ``body`` have the keys that the handler accepts. They, and the ``answer`` with its ``status``, can be
    the name of a schema in `control.description`; ``[Name]`` is a list of such objects.
    """

    def declare(handler: H) -> H:
        full_path = CONTROL_PREFIX + path
        ROUTES.append(
            ControlRoute(method, full_path, handler, query, body, status, answer, is_page, is_of_server=is_of_server)
        )
        return handler

    return declare
