"""The GraphQL endpoint: authenticates the caller, parses and limits the queries, then executes them in turn.

Source: docs/platform/graphql.md, docs/platform/authentication.md.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from graphql import GraphQLError, GraphQLSchema, OperationDefinitionNode, OperationType, execute_sync

from fakeplat.catalog.unbuilt import unbuilt_graphql
from fakeplat.core.call_stack import call_with_space
from fakeplat.core.operations.errors import (
    Forbidden,
    InsufficientScope,
    OperationNotImplemented,
    Reason,
    Unauthorized,
    payload_text,
    reason_text,
)
from fakeplat.core.operations.http_messages import REVALIDATE, dump_json
from fakeplat.core.release import EVERYTHING, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.graphql.context import Complexity, GraphqlContext
from fakeplat.graphql.documents import NO_QUERY, Document, list_root_fields, operation_titles, parse_document
from fakeplat.graphql.errors import error_reason
from fakeplat.graphql.granular_tokens import granular_schema
from fakeplat.graphql.limits import MAX_QUERY_LENGTH, TOO_LARGE, Limits, Size, complexity_error, limits_of, measure
from fakeplat.graphql.other_releases import explain_absent
from fakeplat.graphql.requests import InvalidVariables, QueryRequest, RequestBatch
from fakeplat.graphql.schema import schema
from fakeplat.graphql.validation.input_values import check_variables
from fakeplat.pipeline.handler import RequestHandler
from fakeplat.pipeline.rendering import ALWAYS, Outcome
from fakeplat.policy.behaviours import GRANULAR_TOKENS_IN_GRAPHQL
from fakeplat.policy.credentials import CredentialRules
from fakeplat.policy.granular_scopes import is_granular

_JSON: Final = "application/json; charset=utf-8"
# Every request is a POST, but the scope for reading suffices here; mutations check the one for writing themselves.
_ROUTE: Final = CredentialRules(reads=True)
INVALID_TOKEN: Final = "Invalid token"
NO_ACCESS: Final = "API not accessible for user"
_GRANULAR: Final = "query_graphql with a fine-grained token before 19.2"
_NO_SIZE: Final = Size(0, 0, ())


class RequestRefused(Exception):
    """A request that is refused before anything is executed."""

    def __init__(self, status: int, text: str, reason: Reason = "") -> None:
        super().__init__(text)
        self.status = status
        self.text = text
        self.reason = reason or text


def handle_request(exchange: RequestHandler) -> Outcome:
    """Answer a request to the GraphQL API."""
    try:
        batch = RequestBatch.of(exchange.request)
        # The caller is identified first: an invalid token is reported even if the query is too large as well.
        _identify(exchange, batch)
        _check_size(batch)
        prepared = [PreparedQuery.of(query, exchange.world.profile) for query in batch.queries]
    except RequestRefused as refusal:
        # A batch that is refused gets one object, not an array.
        body = {"errors": [{"message": refusal.text}]}
        return _outcome(body, status=refusal.status, reason=refusal.reason)
    # The complexity is limited over the whole batch, so all queries are parsed before the first one is executed.
    limits = limits_of(exchange.caller.user)
    complexity = sum(query.size.complexity for query in prepared)
    # A restart runs all queries again, so a single mutation rules it out for the whole batch.
    changes = any(query.changes for query in prepared)
    exchange.is_repeatable = not changes
    results = [query.result(exchange, limits, complexity, changes=changes) for query in prepared]
    reasons = [reason for result in results for reason in result.reasons]
    reason = partial(_join_reasons, reasons) if reasons else ""
    bodies = [result.body for result in results]
    detail = " ".join(query.title for query in prepared if query.title)
    return _outcome(bodies if batch.several else bodies[0], reason=reason, detail=detail)


def _join_reasons(reasons: Sequence[Reason]) -> str:
    return "; ".join(filter(None, map(reason_text, reasons)))


def _outcome(body: object, *, status: int = 200, reason: Reason = "", detail: str = "") -> Outcome:
    headers = (("Content-Type", _JSON), REVALIDATE, *ALWAYS)
    return Outcome(status, headers, dump_json(body), reason=reason, detail=detail)


def _identify(exchange: RequestHandler, batch: RequestBatch) -> None:
    """Identify the caller; every invalid token gets the same response."""
    try:
        exchange.identify(batch.given, _ROUTE)
    except (Unauthorized, InsufficientScope) as refusal:
        raise RequestRefused(401, INVALID_TOKEN, refusal.why) from None
    except Forbidden as refusal:
        raise RequestRefused(403, NO_ACCESS, refusal.why) from None
    token = exchange.caller.token
    if token is not None and is_granular(token) and not exchange.world.profile.has(GRANULAR_TOKENS_IN_GRAPHQL):
        # The permissions that the types of earlier releases had behind a flag are not built.
        unbuilt = OperationNotImplemented(_GRANULAR)
        raise RequestRefused(unbuilt.status, payload_text(unbuilt.payload))


def _schema_of(exchange: RequestHandler, profile: Profile) -> GraphQLSchema:
    """Return the schema for the caller's token."""
    token = exchange.caller.token
    return granular_schema(profile) if token is not None and is_granular(token) else schema(profile)


def _check_size(batch: RequestBatch) -> None:
    # The limit holds for the sum over a batch, and counts characters, not bytes.
    size = sum(len(query.text or "") for query in batch.queries)
    if size > MAX_QUERY_LENGTH:
        raise RequestRefused(422, TOO_LARGE, f"the query has {size} characters; at most {MAX_QUERY_LENGTH} are allowed")


def _refuse_subscription(text: str, document: Document, profile: Profile) -> None:
    """Refuse subscriptions of the release, which the platform answers over WebSockets, with 501."""
    # The schema has none, so a document with one has errors.
    if not document.errors or "subscription" not in text:
        return
    operations = document.operations
    if not any(operation.operation is OperationType.SUBSCRIPTION for operation in operations):
        return
    titles = {f"Subscription.{field}" for operation in operations for field in list_root_fields(operation)}
    known = [row.name for row in unbuilt_graphql() if row.name in titles and profile.has(row.lifetime)]
    if known:
        refusal = OperationNotImplemented(", ".join(known))
        raise RequestRefused(refusal.status, payload_text(refusal.payload))


@frozen
class Result:
    """The response to one query, and the reasons of its errors for the journal."""

    body: dict[str, Any]
    reasons: Sequence[Reason] = ()

    @classmethod
    def of_errors(cls, *errors: GraphQLError) -> "Result":
        """Return a result that has only errors."""
        return cls({"errors": [error.formatted for error in errors]}, [error_reason(error) for error in errors])


@frozen
class PreparedQuery:
    """A parsed query: its document, the selected operation, and the size of that."""

    query: QueryRequest
    document: Document
    values: dict[str, Any]
    operation: OperationDefinitionNode | None = None
    size: Size = _NO_SIZE
    errors: tuple[dict[str, Any], ...] = ()
    profile: Profile = EVERYTHING

    @classmethod
    def of(cls, query: QueryRequest, profile: Profile) -> "PreparedQuery":
        """Parse a query for a release; `RequestRefused` for invalid variables."""
        try:
            values = query.values
        except InvalidVariables as error:
            raise RequestRefused(422, str(error)) from None
        if query.text is None:
            return cls(query, Document(), values, errors=({"message": NO_QUERY},))
        document = parse_document(query.text, profile)
        _refuse_subscription(query.text, document, profile)
        # A document that is too deep or too large has no errors of its own; its size then exceeds the limits.
        if document.nodes is None or document.errors:
            size = Size(document.fields, document.depth, ())
            return cls(query, document, values, errors=document.errors, size=size, profile=profile)
        operation = _select_operation(document, query.operation)
        if isinstance(operation, str):
            return cls(query, document, values, errors=({"message": operation},))
        size = measure(document, document.operations.index(operation), values)
        return cls(query, document, values, operation, size, profile=profile)

    @property
    def title(self) -> str:
        """The name of the query in the journal."""
        return " ".join(operation_titles(self.operation)) if self.operation else ""

    @property
    def changes(self) -> bool:
        """Whether the operation is a mutation."""
        return self.operation is not None and self.operation.operation is OperationType.MUTATION

    def result(self, exchange: RequestHandler, limits: Limits, complexity: int, *, changes: bool) -> Result:
        """Execute the query, or return its errors. ``changes``: the request contains a mutation."""
        if self.errors:
            reasons = [_reason(error) for error in self.errors]
            return Result({"errors": [*self.errors]}, [*reasons, *self._explain_absent(exchange)])
        limit_errors = [*self.size.errors(limits)]
        if complexity > limits.complexity:
            limit_errors.append(complexity_error(complexity, limits.complexity))
        if self.operation is None or limit_errors:
            return Result.of_errors(*limit_errors)
        own = Complexity(self.size.complexity, limits.complexity)
        return self._execute(exchange, GraphqlContext(exchange, changes=changes, complexity=own), self.operation)

    def _explain_absent(self, exchange: RequestHandler) -> list[Reason]:
        """Return the reason that the query uses names of other releases, if it has names."""
        if self.document.nodes is None:
            return []
        version = exchange.world.instance.version
        return [partial(explain_absent, self.document.nodes, self.values, self.profile, version)]

    def _execute(
        self, exchange: RequestHandler, graphql_context: GraphqlContext, operation: OperationDefinitionNode
    ) -> Result:
        refused = [*check_variables(schema(self.profile), operation, self.values)]
        if refused:
            wrong = Result.of_errors(*refused)
            return Result(wrong.body, [*wrong.reasons, *self._explain_absent(exchange)])
        name = operation.name.value if operation.name else None
        # The library recurses several frames per level, once for each field.
        execution = call_with_space(
            execute_sync,
            _schema_of(exchange, self.profile),
            self.document.nodes,  # type: ignore[arg-type]  # there is an operation, so there is a document
            context_value=graphql_context,
            variable_values=self.values,
            operation_name=name,
        )
        errors = execution.errors or []
        for error in errors:
            _reraise_unexpected(error)
        # By the GraphQL specification a response has no "data" if its execution never began.
        is_unexecuted = execution.data is None and errors and not any(error.path for error in errors)
        data = {} if is_unexecuted else {"data": execution.data}
        failure = {"errors": [error.formatted for error in errors]} if errors else {}
        # The values of variables are checked when the execution begins.
        absent = self._explain_absent(exchange) if is_unexecuted else []
        return Result({**data, **failure}, [*graphql_context.failures, *map(error_reason, errors), *absent])


def _reraise_unexpected(error: GraphQLError) -> None:
    """Reraise exceptions other than GraphQL errors: refused commits, restarts of the request, bugs."""
    # The library turns every exception of a resolver into a GraphQL error; these must reach the pipeline as they are.
    original = error.original_error
    if original is not None and not isinstance(original, GraphQLError):
        raise original


def _reason(error: dict[str, Any]) -> str:
    supported = error.get("extensions", {}).get("supported")
    return f"{error['message']}; supported: {', '.join(supported)}" if supported else str(error["message"])


def _select_operation(document: Document, name: str | None) -> OperationDefinitionNode | str:
    """Return the operation to execute, or an error message."""
    operations = document.operations
    if name is None:
        if len(operations) == 1:
            return operations[0]
        return "An operation name is required" if operations else "No operation is defined"
    matching = (node for node in operations if node.name is not None and node.name.value == name)
    return next(matching, f'No operation named "{name}"')
