"""What operations pass on with ``**p.given()`` is declared by the functions of the domain that receive it."""

import ast
from collections.abc import Iterator
from importlib import import_module
from inspect import Parameter, Signature, signature
from types import ModuleType
from typing import Any, get_args

from fakeplat.core.params.params import Params
from tests.architecture.sources import package_modules

PAGING = frozenset(("page", "per_page"))


def test_parameters_are_fields() -> None:
    """Each parameter that an operation passes on is a keyword of the called function."""
    wrong = [error for call in _list_calls() for error in _list_unknown(*call)]
    assert [] == wrong


def test_calls_are_found() -> None:
    """The check of parameters finds the calls of more than ten operations."""
    assert 10 < len(list(_list_calls()))


def _list_calls() -> Iterator[tuple[ModuleType, ast.Call, type[Params]]]:
    for parsed in package_modules():
        if not parsed.name.startswith("fakeplat.api."):
            continue
        functions = [node for node in parsed.nodes if isinstance(node, ast.FunctionDef)]
        found = [(function, call) for function in functions for call in _passing_on(function)]
        for function, call in found:
            module = import_module(parsed.name)
            kind = next(arg.annotation for arg in function.args.args if arg.arg == "p")
            declared = getattr(module, ast.unparse(kind), None) if kind is not None else None
            if isinstance(declared, type):
                yield module, call, declared


def _passing_on(function: ast.FunctionDef) -> Iterator[ast.Call]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            given = [keyword.value for keyword in node.keywords if keyword.arg is None]
            if any(ast.unparse(value) == "p.given()" for value in given):
                yield node


def _list_unknown(module: ModuleType, call: ast.Call, kind: type[Params]) -> list[str]:
    receiver: Any = module
    for name in ast.unparse(call.func).split("."):
        receiver = getattr(receiver, name)
    keywords = _keywords_of(signature(receiver))
    sent = {name for base in kind.__mro__ for name in vars(base).get("__annotations__", {}) if name != "rules"} - PAGING
    unknown = sorted(sent - keywords) if keywords is not None else []
    return [f"{module.__name__}:{call.lineno} {kind.__name__}.{name}" for name in unknown]


def _keywords_of(receiver: Signature) -> set[str] | None:
    """Return the keywords that a function declares; None if it accepts any."""
    keywords = {name for name, one in receiver.parameters.items() if one.kind is not Parameter.VAR_KEYWORD}
    for rest in receiver.parameters.values():
        if rest.kind is Parameter.VAR_KEYWORD:
            fields = get_args(rest.annotation)
            declared = getattr(fields[0], "__annotations__", None) if fields else None
            if declared is None:
                return None
            keywords |= declared.keys()
    return keywords
