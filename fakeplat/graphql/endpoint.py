"""From a request to an answer: who asks, what, whether it is too much; then each operation in turn.

Source: docs/platform/graphql.md, docs/platform/authentication.md.
"""

from collections.abc import Sequence
from typing import Any, Final

import orjson
from graphql import GraphQLError, OperationDefinitionNode, OperationType, execute_sync

from fakeplat.core.operations.errors import Forbidden, InsufficientScope, Reason, Unauthorized
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.context import GraphqlContext
from fakeplat.graphql.documents import NO_QUERY, Document, parse_document, titles
from fakeplat.graphql.errors import reason_of
from fakeplat.graphql.limits import LARGEST_TEXT, TOO_LARGE, Limits, Measure, Size, limits_of, too_complex
from fakeplat.graphql.requests import InvalidVariables, QueryRequest, RequestBatch
from fakeplat.graphql.schema import schema
from fakeplat.pipeline import ALWAYS, Outcome, RequestHandler
from fakeplat.policy.credentials import CredentialRules

_JSON: Final = "application/json; charset=utf-8"
_ROUTE: Final = CredentialRules(reads=True)
INVALID_TOKEN: Final = "Invalid token"
NO_ACCESS: Final = "API not accessible for user"
_NO_SIZE: Final = Size(0, 0, ())


class Refused(Exception):
    """A request of which nothing is executed."""

    def __init__(self, status: int, text: str, reason: Reason = "") -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.reason = reason or text


def handle_request(exchange: RequestHandler) -> Outcome:
    """Answer a request to the GraphQL API."""
    try:
        batch = RequestBatch.of(exchange.request)
        _identify(exchange, batch)
        _check_size(batch)
        prepared = [Prepared.of(asked) for asked in batch.queries]
    except Refused as refused:
        body = {"errors": [{"message": refused.text}]}
        return _answered(body, status=refused.status, reason=refused.reason)
    limits = limits_of(exchange.caller.user)
    complexity = sum(one.size.complexity for one in prepared)
    changes = any(one.changes for one in prepared)
    results = [one.result(exchange, limits, complexity, changes=changes) for one in prepared]
    reason = "; ".join(text for result in results for text in result.reasons)
    bodies = [result.body for result in results]
    detail = " ".join(one.title for one in prepared if one.title)
    return _answered(bodies if batch.several else bodies[0], reason=reason, detail=detail)


def _answered(body: object, *, status: int = 200, reason: Reason = "", detail: str = "") -> Outcome:
    headers = (("Content-Type", _JSON), ("Cache-Control", "max-age=0, private, must-revalidate"), *ALWAYS)
    return Outcome(status, headers, orjson.dumps(body), reason=reason, detail=detail)


def _identify(exchange: RequestHandler, batch: RequestBatch) -> None:
    """Find out who asks; whatever is wrong with a token, the answer is the same."""
    try:
        exchange.identify(batch.given, _ROUTE)
    except (Unauthorized, InsufficientScope) as refusal:
        raise Refused(401, INVALID_TOKEN, refusal.why) from None
    except Forbidden as refusal:
        raise Refused(403, NO_ACCESS, refusal.why) from None


def _check_size(batch: RequestBatch) -> None:
    size = sum(len(asked.text or "") for asked in batch.queries)
    if size > LARGEST_TEXT:
        raise Refused(422, TOO_LARGE, f"the query has {size} characters; {LARGEST_TEXT} are the most")


@frozen
class Result:
    """What one query gives, and what the journal says of its errors."""

    body: dict[str, Any]
    reasons: Sequence[str] = ()

    @classmethod
    def of_errors(cls, *errors: GraphQLError) -> "Result":
        """Nothing but errors."""
        return cls({"errors": [error.formatted for error in errors]}, [reason_of(error) for error in errors])


@frozen
class Prepared:
    """One query, read: the document, the operation of it that is meant, and how large that is."""

    asked: QueryRequest
    document: Document
    values: dict[str, Any]
    operation: OperationDefinitionNode | None = None
    size: Size = _NO_SIZE
    errors: tuple[dict[str, Any], ...] = ()

    @classmethod
    def of(cls, asked: QueryRequest) -> "Prepared":
        """Read a query; `Refused` for variables that are none."""
        try:
            values = asked.values
        except InvalidVariables as wrong:
            raise Refused(422, str(wrong)) from None
        if asked.text is None:
            return cls(asked, Document(), values, errors=({"message": NO_QUERY},))
        found = parse_document(asked.text)
        if found.nodes is None or found.errors:
            return cls(asked, found, values, errors=found.errors, size=Size(found.fields, found.depth, ()))
        operation = _meant(found, asked.operation)
        if isinstance(operation, str):
            return cls(asked, found, values, errors=({"message": operation},))
        return cls(asked, found, values, operation, Measure(found.nodes, values).of(operation))

    @property
    def title(self) -> str:
        """What the journal calls it."""
        return " ".join(titles(self.operation)) if self.operation else ""

    @property
    def changes(self) -> bool:
        """Whether it is a mutation."""
        return self.operation is not None and self.operation.operation is OperationType.MUTATION

    def result(self, exchange: RequestHandler, limits: Limits, complexity: int, *, changes: bool) -> Result:
        """Execute it, or say what is wrong with it. ``changes``: it, or another of the request, is a mutation."""
        if self.errors:
            return Result({"errors": [*self.errors]}, [_told(error) for error in self.errors])
        too_much = [*self.size.errors(limits)]
        if complexity > limits.complexity:
            too_much.append(too_complex(complexity, limits.complexity))
        if self.operation is None or too_much:
            return Result.of_errors(*too_much)
        return self._executed(GraphqlContext(exchange, changes=changes), self.operation)

    def _executed(self, call: GraphqlContext, operation: OperationDefinitionNode) -> Result:
        name = operation.name.value if operation.name else None
        done = execute_sync(
            schema(),
            self.document.nodes,  # type: ignore[arg-type]  # there is an operation, so there is a document
            context_value=call,
            variable_values=self.values,
            operation_name=name,
        )
        errors = done.errors or []
        for error in errors:
            _raise_bug(error)
        told = {} if done.data is None and errors and not any(error.path for error in errors) else {"data": done.data}
        failed = {"errors": [error.formatted for error in errors]} if errors else {}
        return Result({**told, **failed}, [*call.failures, *map(reason_of, errors)])


def _raise_bug(error: GraphQLError) -> None:
    """What no resolver meant to raise goes on its way: a refusal of the commit, a record to bring on, a bug."""
    original = error.original_error
    if original is not None and not isinstance(original, GraphQLError):
        raise original


def _told(error: dict[str, Any]) -> str:
    supported = error.get("extensions", {}).get("supported")
    return f"{error['message']}; supported: {', '.join(supported)}" if supported else str(error["message"])


def _meant(found: Document, name: str | None) -> OperationDefinitionNode | str:
    """The operation that is to be executed, or why none is."""
    operations = found.operations
    if name is None:
        if len(operations) == 1:
            return operations[0]
        return "An operation name is required" if operations else "No operation is defined"
    named = (node for node in operations if node.name is not None and node.name.value == name)
    return next(named, f'No operation named "{name}"')
