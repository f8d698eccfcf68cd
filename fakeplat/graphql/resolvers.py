"""The functions behind fields, as the library calls them."""

from collections.abc import Callable
from typing import Any

from graphql import GraphQLResolveInfo, SelectionSetNode
from graphql.language import FieldNode, FragmentSpreadNode, InlineFragmentNode, SelectionNode

from fakeplat.graphql.connections import PAGING, paginate
from fakeplat.graphql.context import GraphqlContext
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.name_cases import to_snake_case
from fakeplat.graphql.schema_builder import CONNECTION, QUERY, Field, Mutation, Type, Wakes

Resolver = Callable[..., Any]
Info = GraphQLResolveInfo[GraphqlContext]


def resolver_of(type_: Type, declared: Field) -> Resolver:
    """What gives the value of a declared field."""
    if declared.call is None:
        return shows(to_snake_case(declared.name))
    called = _called(declared.call, rooted=type_ is QUERY)
    if declared.kind.endswith(CONNECTION):
        return _pages(called)
    return _looks_up(called, declared.wakes) if declared.one else called


def shows(name: str) -> Resolver:
    """Shows an attribute of a record, or an entry of a payload; what a payload does not have is null."""

    def resolve(source: Any, info: Info) -> Any:
        del info
        return source.get(name) if isinstance(source, dict) else getattr(source, name)

    return resolve


def shows_global_id(type_: Type) -> Resolver:
    """Shows the global id of a record."""

    def resolve(source: Any, info: Info) -> str:
        kind = type_.gid if isinstance(type_.gid, str) else type_.gid(source) if type_.gid else ""
        return global_id(info.context.ctx, kind, source.id)

    return resolve


def _called(call: Callable[..., Any], *, rooted: bool) -> Resolver:
    def resolve(source: Any, info: Info, **arguments: Any) -> Any:
        before = () if rooted else (source,)
        return call(info.context.ctx, *before, **arguments)

    return resolve


def _pages(resolve: Resolver) -> Resolver:
    def resolve_page(source: Any, info: Info, **arguments: Any) -> Any:
        paging = {name: arguments.pop(name, None) for name in PAGING}
        rows = resolve(source, info, **arguments)
        return None if rows is None else paginate(rows, **paging)

    return resolve_page


def _looks_up(resolve: Resolver, wakes: Wakes | None) -> Resolver:
    def resolve_one(source: Any, info: Info, **arguments: Any) -> Any:
        found = resolve(source, info, **arguments)
        call: GraphqlContext = info.context
        if found is not None and any(_shows_itself(info, node.selection_set) for node in info.field_nodes):
            call.bring_on(found)
            call.wake(found, wakes)
        return found

    return resolve_one


def _shows_itself(info: Info, selected: SelectionSetNode | None) -> bool:
    """Whether a query wants to know something of a record, and does not only pass through it."""
    return any(_shows_something(info, node) for node in selected.selections) if selected else False


def _shows_something(info: Info, node: SelectionNode) -> bool:
    if isinstance(node, FieldNode):
        return node.selection_set is None and node.name.value != "__typename"
    if isinstance(node, FragmentSpreadNode):
        return _shows_itself(info, info.fragments[node.name.value].selection_set)
    return isinstance(node, InlineFragmentNode) and _shows_itself(info, node.selection_set)


def mutates(mutation: Mutation) -> Resolver:
    """Carries a mutation out."""

    def resolve(source: Any, info: Info, input: dict[str, Any]) -> dict[str, Any]:  # its name on the wire
        del source
        call: GraphqlContext = info.context
        named = input.pop("client_mutation_id", None)
        payload = call.change(lambda ctx: mutation.call(ctx, **input))
        return {"errors": [], **payload, "client_mutation_id": named}

    return resolve
