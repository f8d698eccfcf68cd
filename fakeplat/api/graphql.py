"""The one operation of the GraphQL API; the face of that name carries it out. Source: docs/platform/graphql.md."""

from typing import Annotated, Final

from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Named, Params
from fakeplat.policy.context import ReadContext

area: Final = Area("GraphQL", login=Login.NEVER, prefix="/api", endpoint="graphql")


class QueryGraphql(Params):
    """A document, the values of its variables, and which of its operations to execute."""

    query: str | None = None
    variables: object = None
    operation_name: Annotated[str | None, Named("operationName")] = None


@area.operation("POST", "graphql", params=QueryGraphql, status=200, refusals=(400, 403, 413, 422))
def query_graphql(ctx: ReadContext, p: QueryGraphql) -> RawBody:
    """Execute a GraphQL document, or several in an array."""
    raise NotImplementedError("the face executes it")
