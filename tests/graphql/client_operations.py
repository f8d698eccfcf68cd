"""What public clients send: the types, fields and arguments of each operation, and operations of our own with the same.

The table holds facts only. An operation is written from a row: from the roots downwards it selects what the row names,
each type once in a branch.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    get_named_type,
    is_list_type,
    is_non_null_type,
    is_required_argument,
    is_required_input_field,
)

from fakeplat.core.release import LATEST_RELEASE, profile_of
from fakeplat.graphql.schema import schema

_TABLE: Final = Path(__file__).with_name("client_operations.csv")
_PLAIN: Final = {"Int": "1", "Float": "1.0", "Boolean": "true"}
_PAGING: Final = ("first", "last", "after", "before")


class ClientOperation(NamedTuple):
    """An operation of a client. ``uses`` are the fields of each type with their arguments."""

    client: str
    kind: str
    uses: Mapping[str, Mapping[str, frozenset[str]]]

    @property
    def id(self) -> str:
        """The client and the fields of the root."""
        return f"{self.client}-{'-'.join(self.uses[self.kind.title()])}"

    def list_missing(self) -> list[tuple[str, str, str]]:
        """Return the names that the latest release lacks here."""
        return sorted(name for name in self._list_names() if not _has(name))

    def _list_names(self) -> Iterator[tuple[str, str, str]]:
        for type_name, fields in self.uses.items():
            for field_name, arguments in fields.items():
                yield (type_name, field_name, "")
                yield from ((type_name, field_name, argument) for argument in arguments)


def _has(name: tuple[str, str, str]) -> bool:
    type_name, field_name, argument = name
    type_: Any = _types().get(type_name)
    field = getattr(type_, "fields", {}).get(field_name)
    return field is not None and (not argument or argument in field.args)


@cache
def _types() -> Mapping[str, GraphQLNamedType]:
    return schema(profile_of(LATEST_RELEASE)).type_map


@cache
def list_operations() -> tuple[ClientOperation, ...]:
    """Return the operations of the table."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            ClientOperation(row["client"], row["kind"], _read_uses(row["uses"])) for row in csv.DictReader(file)
        )


def _read_uses(text: str) -> dict[str, dict[str, frozenset[str]]]:
    uses: dict[str, dict[str, frozenset[str]]] = {}
    for part in text.split("; "):
        type_name, _, fields = part.partition(": ")
        uses[type_name] = {}
        for field in fields.split(" "):
            name, _, arguments = field.partition("(")
            uses[type_name][name] = frozenset(filter(None, arguments.rstrip(")").split(",")))
    return uses


def list_shares() -> dict[str, tuple[int, int]]:
    """Return for each client how many of its operations the latest release serves, and how many there are."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for operation in list_operations():
        counts[operation.client][0] += not operation.list_missing()
        counts[operation.client][1] += 1
    return {client: (served, total) for client, (served, total) in counts.items()}


def write_operation(operation: ClientOperation, values: Mapping[str, Any]) -> str:
    """Return an operation with the names of a row. ``values`` are those of arguments, by place, name or type."""
    return f"{operation.kind} {_Writer(operation, values).write(operation.kind.title(), frozenset())}"


class _Writer:
    def __init__(self, operation: ClientOperation, values: Mapping[str, Any]) -> None:
        self._uses = operation.uses
        self._values = values

    def write(self, type_name: str, above: frozenset[str]) -> str:
        """Return the selection of a type; empty if everything is above it already."""
        parts = [*self._write_fields(type_name, above)]
        type_ = _types()[type_name]
        if isinstance(type_, GraphQLInterfaceType):
            built = schema(profile_of(LATEST_RELEASE))
            for possible in built.get_possible_types(type_):
                inner = [*self._write_fields(possible.name, above)] if possible.name in self._uses else []
                parts += [f"... on {possible.name} {{ {' '.join(inner)} }}"] if inner else []
        return f"{{ {' '.join(parts)} }}" if parts else ""

    def _write_fields(self, type_name: str, above: frozenset[str]) -> Iterator[str]:
        type_ = _types()[type_name]
        if not isinstance(type_, GraphQLObjectType | GraphQLInterfaceType):
            return
        for name, used in self._uses.get(type_name, {}).items():
            field = type_.fields[name]
            arguments = [key for key, value in field.args.items() if key in used or is_required_argument(value)]
            given = [
                f"{key}: {text}"
                for key in arguments
                if (text := self._write_value(f"{type_name}.{name}", key, field.args[key].type)) is not None
            ]
            inner_type = get_named_type(field.type)
            selection = ""
            if isinstance(inner_type, GraphQLObjectType | GraphQLInterfaceType):
                # A type that is above already would repeat without end; its id stands for it.
                is_above = inner_type.name in above
                selection = "{ __typename }" if is_above else self.write(inner_type.name, above | {type_name})
                selection = selection or "{ __typename }"
            if "first" in field.args and not given:
                given = ["first: 2"]
            listed = f"({', '.join(given)})" if given else ""
            # A mutation is only checked: what it does is tested elsewhere.
            skipped = " @skip(if: true)" if type_name == "Mutation" else ""
            yield f"{name}{listed}{skipped} {selection}".strip()

    def _write_value(self, place: str, key: str, type_: Any) -> str | None:
        named = get_named_type(type_)
        value = self._values.get(f"{place}.{key}", self._values.get(named.name, self._values.get(key)))
        if key in _PAGING:
            return "2" if key == "first" else None
        if isinstance(named, GraphQLInputObjectType):
            text: str | None = self._write_input(named)
        elif isinstance(named, GraphQLEnumType):
            text = str(value if value in named.values else next(iter(named.values)))
        elif value is None and not is_non_null_type(type_):
            return None
        elif named.name in _PLAIN:
            text = str(value).lower() if value is not None else _PLAIN[named.name]
        elif value is None:
            text = f'"gid://gitlab/{named.name[:-2]}/1"' if named.name.endswith("ID") and named.name != "ID" else '"1"'
        else:
            text = f'"{value}"'
        inner = type_.of_type if is_non_null_type(type_) else type_
        return f"[{text}]" if is_list_type(inner) else text

    def _write_input(self, type_: GraphQLInputObjectType) -> str:
        used = self._uses.get(type_.name, {})
        fields = {key: field for key, field in type_.fields.items() if key in used or is_required_input_field(field)}
        written = {key: self._write_value(type_.name, key, field.type) for key, field in fields.items()}
        return f"{{{', '.join(f'{key}: {text}' for key, text in written.items() if text is not None)}}}"
