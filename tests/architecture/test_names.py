import ast

import fakeplat
from tests.architecture.sources import package_modules, suite_modules

SHAPELESS = {"common", "helper", "helpers", "misc", "util", "utils"}


def test_no_module_is_named_for_having_no_subject() -> None:
    """No module has a name without a subject, such as helpers or utils."""
    assert [] == [module.filename for module in package_modules() + suite_modules() if module.path.stem in SHAPELESS]


def test_exports_are_sorted_and_named_once() -> None:
    """`fakeplat.__all__` is sorted and has no duplicates."""
    assert sorted(set(fakeplat.__all__)) == list(fakeplat.__all__)


def test_every_export_exists() -> None:
    """Each name in `fakeplat.__all__` is an attribute of `fakeplat`."""
    assert [] == [name for name in fakeplat.__all__ if not hasattr(fakeplat, name)]


FIND_MAY_RETURN = {"Collection", "frozenset", "dict", "Iterable", "Iterator", "list", "Log", "Sequence", "set", "tuple"}
NULLABLE_GETS = {
    "get_command": "overrides a method of click",
    "get_license": "the operation answers null if there is no licence",
    "get_push_rule": "the operation answers null if there is no push rule",
    "get_resource_group_current_job": "the operation answers null if no job holds the resource",
}


def _alternatives(annotation: ast.expr | None) -> set[str]:
    """Return the names of the types of a return annotation, without their arguments."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return _alternatives(ast.parse(annotation.value, mode="eval").body)
    if isinstance(annotation, ast.BinOp):
        return _alternatives(annotation.left) | _alternatives(annotation.right)
    if isinstance(annotation, ast.Subscript):
        return _alternatives(annotation.value)
    return set() if annotation is None else {ast.unparse(annotation)}


def _breaks_its_promise(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    verb, _, rest = function.name.lstrip("_").partition("_")
    returned = _alternatives(function.returns)
    if not rest:
        return False
    if verb == "find":
        return "None" not in returned and not returned & FIND_MAY_RETURN
    if verb == "get":
        return "None" in returned and function.name not in NULLABLE_GETS
    if verb in ("is", "has", "can"):
        return not returned <= {"bool", "Decision", "TypeGuard", "TypeIs"}
    return verb == "explain" and not returned <= {"str", "None", "Reason", "Explanation", "Iterator", "list"}


def test_verbs_keep_their_promise() -> None:
    """A find_ returns None or a collection if there is nothing, a get_ never returns None, an is_ is a bool."""
    broken = [
        f"{module.filename}:{function.lineno} {function.name}"
        for module in package_modules()
        for function in module.nodes
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and _breaks_its_promise(function)
    ]
    assert [] == broken
