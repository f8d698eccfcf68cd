"""The call of a tool: its caller, and the requests that it runs within its own."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

import orjson

from fakeplat.core.operations.http_messages import JSON, Request, dump_json
from fakeplat.core.operations.operation import OPERATIONS, Operation
from fakeplat.core.release import Profile
from fakeplat.pipeline.handler import NestedCall, RequestHandler
from fakeplat.pipeline.rendering import Outcome
from fakeplat.policy.context import ReadContext

_QUERY: Final = "query_graphql"
_KEPT: Final = ("user-agent", "x-forwarded-for")
"""The headers of a request that the operations of its tools see, too. Credentials are none of them."""


class ToolSession:
    """One call of a tool. ``message_id`` is the id of its message, None for a notification.

    ``called_as`` is the name by which the client knows the tool.
    """

    def __init__(self, exchange: RequestHandler, message_id: object, called_as: str) -> None:
        self._exchange = exchange
        self.message_id = message_id
        self.called_as = called_as

    @property
    def profile(self) -> Profile:
        """The release of the world."""
        return self._exchange.world.profile

    @property
    def ctx(self) -> ReadContext:
        """A context that reads the world for the caller."""
        return self._exchange.read_context(self._exchange.world)

    def call(self, operation: Operation, texts: Mapping[str, str], params: Mapping[str, object]) -> Outcome:
        """Run an operation of the API for the caller."""
        parts = operation.path.split("/")
        path = "/".join(quote(texts[part[1:]], safe="") if part[:1] in (":", "*") else part for part in parts)
        return self._run(operation, texts, params, path, b"")

    def query(self, document: str, variables: Mapping[str, object]) -> dict[str, Any]:
        """Run a document of GraphQL for the caller, and return its answer."""
        body = dump_json({"query": document, "variables": variables})
        outcome = self._run(OPERATIONS[_QUERY], {}, {}, "/api/graphql", body)
        answer: dict[str, Any] = orjson.loads(outcome.body)
        return answer

    def _run(
        self, operation: Operation, texts: Mapping[str, str], params: Mapping[str, object], path: str, body: bytes
    ) -> Outcome:
        sent = self._exchange.request
        headers = {name: value for name, value in sent.headers.items() if name in _KEPT}
        request = Request(operation.method, path, "", {**headers, "content-type": JSON}, body, sent.origin, sent.peer)
        return self._exchange.call_nested(NestedCall(operation, texts, params, self._exchange.caller), request)
