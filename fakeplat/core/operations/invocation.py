"""Calling conventions of operations: which values of the path become which arguments."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from inspect import signature
from typing import Any, NamedTuple, get_type_hints

from fakeplat.core.operations.operation import Operation
from fakeplat.core.operations.scope import Segment
from fakeplat.core.params.params import Params, coerce_path
from fakeplat.core.store.frozen import frozen

ScopeValue = int | str | tuple[str, ...]


class PathValue(NamedTuple):
    """A value of an operation's own path. A function that does not need it names the argument with an underscore."""

    name: str
    argument: str
    kind: object


@frozen
class Invocation:
    """The compiled signature of an operation's function."""

    segments: tuple[Segment, ...]
    tail: tuple[PathValue, ...]
    takes_params: bool

    def path_values(self, texts: Mapping[str, str]) -> tuple[list[ScopeValue], dict[str, object]]:
        """Return the scope's values, and the arguments of the operation's own path. InvalidParams for wrong ones."""
        scope = [_value(segment, texts) for segment in self.segments]
        if not self.tail:
            return scope, {}
        return scope, {value.argument: coerce_path(value.kind, value.name, texts[value.name]) for value in self.tail}

    def call(
        self,
        operation: Operation,
        ctx: object,
        records: Iterable[object],
        path_values: Mapping[str, object],
        p: Params | None,
    ) -> Any:
        """Call the operation's function."""
        if self.takes_params:
            return operation.call(ctx, *records, **path_values, p=p)
        return operation.call(ctx, *records, **path_values)


def _value(segment: Segment, texts: Mapping[str, str]) -> ScopeValue:
    if len(segment.parameters) > 1:
        return tuple(texts[name] for name in segment.parameters)
    text = texts[segment.parameter]
    return coerce_path(int, segment.parameter, text) if segment.kind == "integer" else text


@lru_cache(4096)
def invocation_of(operation: Operation) -> Invocation:
    """Return the compiled signature of an operation."""
    hints = get_type_hints(operation.call, include_extras=True)
    names = list(signature(operation.call).parameters)
    path_names = [part[1:] for part in operation.tail.split("/") if part.startswith((":", "*"))]
    segments = tuple(segment for segment in operation.scope.segments if segment.parameter)
    arguments = [name if name in names else f"_{name}" for name in path_names]
    tail = tuple(map(PathValue, path_names, arguments, (hints.get(argument, str) for argument in arguments)))
    return Invocation(segments, tail, "p" in names)
