"""Declarations of operations: their names, and the defaults of their options."""

import attrs
import pytest

from fakeplat.core.operations import operation as kernel
from fakeplat.core.operations.operation import Area, Login, Operation, OperationOptions, Operations
from fakeplat.core.operations.paging import BY_OFFSET
from fakeplat.core.operations.scope import NO_SCOPE, Segment

AREA = Area("Examples", login=Login.ALWAYS, produces="text/plain")
PROJECT = NO_SCOPE / Segment("projects/:id", word="project")
EPIC = NO_SCOPE / Segment("epics/:id", word="epic", tier="premium")


def list_rules(_ctx: object, _container: object) -> None:
    """List the rules."""


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Operations:
    monkeypatch.setattr(kernel, "OPERATIONS", operations := Operations())
    return operations


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("", ["list_project_rules", "list_epic_rules"]),
        ("read_{scope}", ["read_project", "read_epic"]),
        (("list_rules", "list_epic_rules"), ["list_rules", "list_epic_rules"]),
    ],
    ids=["function", "pattern", "tuple"],
)
def test_operations_of_several_scopes_have_a_name_each(
    name: str | tuple[str, ...], names: list[str], operations: Operations
) -> None:
    """The name of an operation comes from the function, from a pattern with the scope, or from a tuple."""
    AREA.operation("GET", "rules", name=name, scope=(PROJECT, EPIC))(list_rules)
    assert names == [operation.name for operation in operations]


def test_each_scope_needs_a_name(operations: Operations) -> None:
    """A tuple with fewer names than scopes is refused."""
    with pytest.raises(ValueError, match="longer"):
        AREA.operation("GET", "rules", name=("list_rules",), scope=(PROJECT, EPIC))(list_rules)


def test_what_a_declaration_leaves_out_follows_from_method_area_and_scope(operations: Operations) -> None:
    """By default the method gives status and reading, the area login and media type, and the scope the tier."""
    AREA.operation("POST", "rules", name="{scope}_rules", scope=(PROJECT, EPIC))(list_rules)
    project, epic = operations
    assert (201, False, Login.ALWAYS, "text/plain") == (project.status, project.reads, project.login, project.produces)
    assert ("", "premium", BY_OFFSET) == (project.tier, epic.tier, epic.paging)


def test_the_options_of_a_declaration_are_those_of_the_operation() -> None:
    """Every option of a declaration is an attribute of the operation, of the same name."""
    given_by_area = {"name", "area", "method", "scope", "tail", "call", "since"}
    attributes = {field.name for field in attrs.fields(Operation) if field.init}
    assert given_by_area | set(OperationOptions.__annotations__) == attributes
