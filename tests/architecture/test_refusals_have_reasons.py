"""What the body does not say, the reason does."""

import ast
from collections.abc import Iterator

from tests.architecture.sources import Module, package_modules

ALWAYS = {
    "NotFound",
    "RecordNotFound",
    "RouteNotFound",
    "Unauthorized",
    "NotModified",
    "PreconditionFailed",
    "TooLarge",
}
"""Refusals whose body never says why."""

WITHOUT_A_TEXT = {"Forbidden", "BadRequest", "Conflict", "Unprocessable", "NotAllowed", "NotAcceptable"}
"""Those whose body says why if it has a text of its own."""


def list_refusals_without_reason(module: Module) -> Iterator[str]:
    for node in module.nodes:
        call = node.exc if isinstance(node, ast.Raise) else None
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        name, has_reason = call.func.id, any(keyword.arg == "reason" for keyword in call.keywords)
        if not has_reason and (name in ALWAYS or (name in WITHOUT_A_TEXT and not call.args)):
            yield f"{module.filename}:{call.lineno} {name}"


def test_a_refusal_whose_body_does_not_say_why_has_a_reason() -> None:
    """Each refusal whose body does not explain it has a reason for the journal."""
    assert [] == [refusal for module in package_modules() for refusal in list_refusals_without_reason(module)]
