"""The tables of docs/decisions, and what they claim."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from graphql import GraphQLInterfaceType, GraphQLObjectType

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat.catalog.unbuilt import UnbuiltOperation, unbuilt_operations
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, Operation
from fakeplat.core.operations.router import Router
from fakeplat.core.params.params import binder_of
from fakeplat.graphql.schema import schema
from fakeplat.model.instance import Instance
from tests.architecture.sources import ROOT

DECISIONS: Final = ROOT / "docs/decisions"
INSTANCE: Final = Instance()
PLACEHOLDER: Final = "–"
_ANY_PATH: Final = "/*path"
"""The path of the operation that answers any other path with a page."""
_CODE: Final = re.compile(r"`([^`]+)`")


class Expectation(NamedTuple):
    line: int
    operations: tuple[str, ...]
    claims: tuple[str, ...]


def table_rows(page: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row of a page's tables, without their heads."""
    is_body = False
    for number, line in enumerate(DECISIONS.joinpath(page).read_text("utf-8").splitlines(), 1):
        is_rule = line.startswith("|---")
        if line.startswith("|") and is_body and not is_rule:
            yield number, [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        is_body = line.startswith("|") and (is_body or is_rule)


def list_expectations() -> list[Expectation]:
    return [
        Expectation(number, tuple(_CODE.findall(operations)), tuple(_CODE.findall(claims)))
        for number, (_, operations, _, claims, _) in table_rows("expectations.md")
    ]


def find_stale_claims(expectation: Expectation) -> list[str]:
    """Return why a row is no longer true; nothing if it is."""
    stale = [f"no operation {name}" for name in expectation.operations if not is_operation(name)]
    if not stale:
        for claim in expectation.claims:
            check, subject = _split_claim(claim)
            stale += [f"{claim}: not so" for _ in [0] if not check(subject, expectation.operations)]
    return [f"expectations.md:{expectation.line}: {text}" for text in stale]


def is_operation(name: str) -> bool:
    return name in OPERATIONS or name in index_unbuilt_operations()


@cache
def index_unbuilt_operations() -> dict[str, UnbuiltOperation]:
    return {operation.name: operation for operation in unbuilt_operations()}


def is_known_path(method: str, path: str) -> bool:
    """Whether an operation of the API has a path, which is relative to the API; its parameters may have any names."""
    # Pages of projects have any path that begins with the project's.
    return _matches(method, path if path.startswith("/*") else PREFIX + path)


def is_known_path_outside(method: str, path: str) -> bool:
    """Whether an operation outside of the API has a path."""
    return _matches(method, path)


def _matches(method: str, path: str) -> bool:
    routes = [router.match(method, path).route for router in (_unbuilt_router(), _declared_router())]
    return any(route is not None and route.path != _ANY_PATH for route in routes)


@cache
def _unbuilt_router() -> Router[UnbuiltOperation]:
    return Router(unbuilt_operations())


@cache
def _declared_router() -> Router[Operation]:
    return Router(list(OPERATIONS))


@cache
def list_request_names() -> frozenset[str]:
    """The names of all parameters and fields of the API."""
    parameters = {name for operation in OPERATIONS for name in binder_of(operation.params).schema()["properties"]}
    views: list[Any] = [operation.view for operation in OPERATIONS if isinstance(operation.view, type)]
    return frozenset(parameters.union(*(view.fields for view in views)))


def _split_claim(claim: str) -> tuple[Callable[[str, tuple[str, ...]], bool], str]:
    for words, check in CLAIMS.items():
        if claim == words or claim.startswith(f"{words} "):
            return check, claim.removeprefix(words).strip()
    raise ValueError(f"a claim begins with one of {', '.join(CLAIMS)}, not {claim!r}")


def _is_differing(subject: str, operations: tuple[str, ...]) -> bool:
    return not subject and all(name in OPERATIONS for name in operations)


def _is_later(subject: str, operations: tuple[str, ...]) -> bool:
    lifetimes = [
        OPERATIONS[name].lifetime if name in OPERATIONS else index_unbuilt_operations()[name].lifetime
        for name in operations
    ]
    return all(not lifetime.covers(INSTANCE.release) and subject in ("", lifetime.since) for lifetime in lifetimes)


def _is_unknown(subject: str, operations: tuple[str, ...]) -> bool:
    method, path = subject.split()
    return not is_known_path(method, path)


def _has_no_parameter(subject: str, operations: tuple[str, ...]) -> bool:
    return all(
        subject not in binder_of(OPERATIONS[name].params, INSTANCE.profile).schema()["properties"]
        for name in operations
    )


def _has_no_field(subject: str, operations: tuple[str, ...]) -> bool:
    return not any(_shows(OPERATIONS[name].view, subject) for name in operations)


def _shows(view: Any, field_name: str) -> bool:
    """Whether a view has a field in the default release; a condition on anything but the release counts as met."""
    if not (isinstance(view, type) and issubclass(view, Entity)) or field_name not in view.fields:
        return False
    condition = view.fields[field_name].when
    if condition is None:
        return True
    try:
        return condition(SimpleNamespace(ctx=SimpleNamespace(instance=INSTANCE)))
    except AttributeError:
        return True


def _has_no_type_field(subject: str, operations: tuple[str, ...]) -> bool:
    type_name, field_name = subject.split(".")
    kind = schema(INSTANCE.profile).get_type(type_name)
    return isinstance(kind, GraphQLObjectType | GraphQLInterfaceType) and field_name not in kind.fields


def _is_ruling(subject: str, operations: tuple[str, ...]) -> bool:
    return int(subject) in list_ruling_numbers()


@cache
def list_ruling_numbers() -> frozenset[int]:
    return frozenset(int(cells[0]) for _, cells in table_rows("rulings.md"))


CLAIMS: Final[dict[str, Callable[[str, tuple[str, ...]], bool]]] = {
    "differs": _is_differing,
    "later": _is_later,
    "unknown": _is_unknown,
    "no parameter": _has_no_parameter,
    "no field": _has_no_field,
    "no type field": _has_no_type_field,
    "ruling": _is_ruling,
}
"""The checks of the claims, by their first words; they are called with the other words and the operations."""
