"""Field resolvers, as the GraphQL library calls them."""

from collections.abc import Callable
from typing import Any, Final

from graphql import GraphQLResolveInfo, SelectionSetNode
from graphql.language import FieldNode, FragmentSpreadNode, InlineFragmentNode, SelectionNode

from fakeplat.core.operations.paging import MAX_PAGE_SIZE
from fakeplat.graphql.connections import PAGING, Node, paginate
from fakeplat.graphql.context import Complexity, GraphqlContext
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.schema_builder import CONNECTION, QUERY, Field, Mutation, Type, to_snake_case

Resolver = Callable[..., Any]
Info = GraphQLResolveInfo[GraphqlContext]
COMPLEXITY: Final = Type("QueryComplexity", "The complexity of the query.", since="<=14.3")
COMPLEXITY.attributes({"score: Int": "That of the query.", "limit: Int": "The limit of the caller."})
QUERY.attributes({"queryComplexity: QueryComplexity": "The complexity of the query."}, since="<=14.3")


def field_resolver(type_: Type, declared: Field) -> Resolver:
    """Return the resolver of a declared field."""
    if declared.kind == COMPLEXITY.name:
        return _resolve_complexity
    if declared.call is None:
        return attribute_resolver(to_snake_case(declared.name))
    resolve = _call_resolver(declared.call, rooted=type_ is QUERY)
    if declared.calls:
        resolve = _counting(resolve, type_.name, declared)
    if declared.kind.endswith(CONNECTION):
        return _paginating(resolve, declared.page_limit)
    return _advancing(resolve, declared) if declared.single or declared.read_effect else resolve


def _resolve_complexity(_source: object, info: Info) -> Complexity:
    return info.context.complexity


def attribute_resolver(name: str) -> Resolver:
    """Return a resolver for an attribute of a record, or for an entry of a payload (null if missing)."""

    def resolve(source: object, _info: Info) -> Any:
        return source.get(name) if isinstance(source, dict) else getattr(source, name)

    return resolve


def global_id_resolver(type_: Type) -> Resolver:
    """Return a resolver for the global id of a record."""

    def resolve(source: Node, info: Info) -> str:
        kind = type_.gid if isinstance(type_.gid, str) else type_.gid(source) if type_.gid else ""
        return global_id(info.context.ctx, kind, source.id)

    return resolve


def _call_resolver(call: Callable[..., object], *, rooted: bool) -> Resolver:
    def resolve_root(_source: object, info: Info, /, **arguments: object) -> Any:
        return call(info.context.ctx, **arguments)

    def resolve(source: object, info: Info, /, **arguments: object) -> Any:
        return call(info.context.ctx, source, **arguments)

    return resolve_root if rooted else resolve


def _counting(resolve: Resolver, type_name: str, declared: Field) -> Resolver:
    def resolve_if_allowed(source: object, info: Info, /, **arguments: object) -> Any:
        info.context.count_call(type_name, declared.name, declared.calls)
        return resolve(source, info, **arguments)

    return resolve_if_allowed


def _paginating(resolve: Resolver, limit: int) -> Resolver:
    def resolve_page(source: object, info: Info, /, **arguments: Any) -> Any:
        paging = {name: arguments.pop(name, None) for name in PAGING}
        rows = resolve(source, info, **arguments)
        return None if rows is None else paginate(rows, owner=source, **paging, limit=limit or MAX_PAGE_SIZE)

    return resolve_page


def _advancing(resolve: Resolver, declared: Field) -> Resolver:
    def resolve_record(source: object, info: Info, /, **arguments: object) -> Any:
        record = resolve(source, info, **arguments)
        graphql_context: GraphqlContext = info.context
        # There are several nodes if the query selects the same field more than once.
        if record is not None and any(_selects_scalars(info, node.selection_set) for node in info.field_nodes):
            # Either may restart the request, after which this resolver runs again.
            if declared.single:
                graphql_context.advance_unfinished(record)
            graphql_context.run_read_effect(record, declared.read_effect)
        return record

    return resolve_record


def _selects_scalars(info: Info, selected: SelectionSetNode | None) -> bool:
    """Whether a query selects a scalar field of the record, and does not only traverse it to reach other records."""
    return any(_is_scalar_selection(info, node) for node in selected.selections) if selected else False


def _is_scalar_selection(info: Info, node: SelectionNode) -> bool:
    if isinstance(node, FieldNode):
        # Many clients add ``__typename`` to each selection; it shows nothing of the record.
        return node.selection_set is None and node.name.value != "__typename"
    if isinstance(node, FragmentSpreadNode):
        return _selects_scalars(info, info.fragments[node.name.value].selection_set)
    return isinstance(node, InlineFragmentNode) and _selects_scalars(info, node.selection_set)


def mutation_resolver(mutation: Mutation) -> Resolver:
    """Return a resolver that runs a mutation."""

    # The library passes the argument by its name on the wire.
    def resolve(_source: object, info: Info, input: dict[str, object]) -> dict[str, Any]:
        graphql_context: GraphqlContext = info.context
        client_mutation_id = input.pop("client_mutation_id", None)
        payload = graphql_context.run_mutation(lambda ctx: mutation.call(ctx, **input))
        return {"errors": [], **payload, "client_mutation_id": client_mutation_id}

    return resolve
