"""Why a request was refused, in words for the test author. Nothing of it is worked out before somebody reads it."""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.invocation import invocation_of
from fakeplat.core.operations.operation import Operation

EXPLAIN: Final = "x-fakeplat-explain"
REASON: Final = "X-Fakeplat-Reason"
"""The header that asks for reasons, and the one that carries them."""

_LONGEST: Final = 1_000
_CREDENTIALS: Final = frozenset({"private_token", "access_token", "job_token", "token", "sudo"})

Given = Mapping[str, object]


def explain_bad_request(refusal: BadRequest, operation: Operation, given: Given) -> str:
    """The reason of a 400, with the parameters that the operation does not know."""
    return "; ".join([refusal.explain(), *unknown_parameters(operation, given)])


def unknown_parameters(operation: Operation, given: Given) -> list[str]:
    """A sentence for each parameter that an operation does not know; the platform ignores these."""
    plan = invocation_of(operation).plan
    own = {part[1:] for part in operation.path.split("/") if part.startswith((":", "*"))}
    known = [name for field in plan.fields for name in field.names]
    strange = [name for name in plan.unknown(given) if name not in own and name not in _CREDENTIALS]
    return [f"{operation.name} has no parameter {name}{did_you_mean(name, known)}" for name in strange]


def did_you_mean(name: str, known: list[str]) -> str:
    """The name that was probably meant, as the end of a sentence; empty if none is near."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def header_text(text: str) -> str:
    """A text as a header can carry it: ASCII, one line, not endless."""
    line = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    printable = "".join(sign if sign.isprintable() else "?" for sign in line)
    return printable[:_LONGEST]
