"""The operation of the GraphQL API, executed by the endpoint of that name. Source: docs/platform/graphql.md."""

from typing import Annotated, Final

from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Named, Params
from fakeplat.policy.context import ReadContext

area: Final = Area("GraphQL", login=Login.NEVER, prefix="/api", endpoint="graphql")


class QueryGraphql(Params):
    """A document, its variables and the name of the operation to execute."""

    query: str | None = None
    variables: object = None
    operation_name: Annotated[str | None, Named("operationName")] = None


@area.operation("POST", "graphql", params=QueryGraphql, status=200, refusals=(400, 403, 413, 422))
def query_graphql(ctx: ReadContext, p: QueryGraphql) -> RawBody:
    """Execute a GraphQL document, or several in an array."""
    raise NotImplementedError("the 'graphql' endpoint executes this operation")
