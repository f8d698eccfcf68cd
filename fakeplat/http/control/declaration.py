"""Control routes as they are declared, and what each is given."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import orjson

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.params.body import parse_query
from fakeplat.core.store.frozen import frozen
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.keywords import refuse_unknown

if TYPE_CHECKING:
    from fakeplat.http.server import WorldServer

PLACE: Final = "/_fakeplat/"


class ControlError(Exception):
    """A control request that cannot be met: 400, 403, 404 or 409."""

    def __init__(self, status: int, text: str, allow: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.allow = allow


class ControlRequest:
    """One control request: the server, the world, the texts of the path, the query, the body's keys."""

    def __init__(self, hall: "WorldServer", bench: Workbench, texts: Mapping[str, str], request: Request) -> None:
        self.hall = hall
        self.bench = bench
        self.texts = texts
        self.request = request

    def body(self, *known: str) -> dict[str, Any]:
        """The JSON object that was sent; other keys than the known ones are refused."""
        try:
            found = orjson.loads(self.request.body) if self.request.body.strip() else {}
        except orjson.JSONDecodeError as error:
            raise ControlError(400, f"the body is no JSON: {error}") from None
        if not isinstance(found, dict):
            raise ControlError(400, "the body is no JSON object")
        refuse_unknown(found, known, "body")
        return found

    def query(self, *known: str) -> dict[str, str]:
        """The query; other names than the known ones are refused."""
        found = {name: str(value) for name, value in parse_query(self.request.query).items()}
        refuse_unknown(found, known, "query")
        return found


Result = tuple[int, Any]
Handler = Callable[[ControlRequest], Awaitable[Result]]


@frozen
class ControlRoute:
    """A method, a path and what is done there."""

    method: str
    path: str
    handler: Handler


ROUTES: Final[list[ControlRoute]] = []


def control(method: str, path: str) -> Callable[[Handler], Handler]:
    """Declare a control route; ``path`` stands below `/_fakeplat/`."""

    def declare(handler: Handler) -> Handler:
        ROUTES.append(ControlRoute(method, PLACE + path, handler))
        return handler

    return declare
