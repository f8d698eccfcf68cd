"""The functions of fields and mutations take what the schema lets clients send."""

from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from typing import Any, get_args, get_type_hints

import pytest

from fakeplat.core.release import EVERYTHING
from fakeplat.graphql.connections import PAGING
from fakeplat.graphql.schema import schema
from fakeplat.graphql.schema_builder import MUTATIONS, TYPES, to_snake_case


def list_parameters(function: Callable[..., object]) -> Iterator[str]:
    """Yield the names that a function takes, also those of the dictionary type of its keywords."""
    for name, parameter in signature(function).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            (options,) = get_args(get_type_hints(function)[name])
            yield from get_type_hints(options)
        else:
            yield name


def list_fields(type_name: str) -> dict[str, Any]:
    type_: Any = schema(EVERYTHING).type_map[type_name]
    return dict(type_.fields)


@pytest.mark.parametrize("type_name", sorted(TYPES))
def test_a_field_takes_its_arguments(type_name: str) -> None:
    """The function of a field has a parameter for each argument."""
    for declared in TYPES[type_name].declared:
        if declared.call is not None:
            arguments = {to_snake_case(name) for name in list_fields(type_name)[declared.name].args}
            assert set() == arguments - {*list_parameters(declared.call), *PAGING}, declared.name


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_a_mutation_takes_its_input(name: str) -> None:
    """The function of a mutation has a parameter for each field of its input."""
    fields = {to_snake_case(key) for key in list_fields(f"{MUTATIONS[name].type_name}Input")}
    assert {"client_mutation_id"} == fields - {*list_parameters(MUTATIONS[name].call)}


def test_a_field_is_declared_once_in_a_release() -> None:
    """A second field of a name is refused, unless it begins when the first one ends."""
    type_ = TYPES["CiJob"]
    with pytest.raises(ValueError, match="field needs of type CiJob is declared twice"):
        type_.attributes({"needs: String": "Something else."}, since="13.7")
