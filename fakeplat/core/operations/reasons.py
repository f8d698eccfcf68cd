"""Explanations of refusals for test authors. They are computed only when they are read."""

from collections.abc import Mapping
from typing import Final

from fakeplat.core.operations.errors import BadRequest, InvalidParams, Reason, reason_text
from fakeplat.core.operations.operation import Operation
from fakeplat.core.params.expectations import explain_failures
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import Profile

EXPLAIN: Final = "x-fakeplat-explain"
REASON: Final = "X-Fakeplat-Reason"
"""The request header that asks for reasons, and the response header that contains them."""

_MAX_HEADER: Final = 1_000
_CREDENTIALS: Final = frozenset({"private_token", "access_token", "job_token", "token", "sudo"})

RawParams = Mapping[str, object]


def explain_bad_request(refusal: BadRequest, operation: Operation, params: RawParams, profile: Profile) -> str:
    """Return the parameters that the operation does not have, which are mostly the cause, and the reason of a 400.

    If values are not accepted, it says which ones would be.
    """
    binder = binder_of(operation.params, profile)
    expected = explain_failures(binder, params) if isinstance(refusal, InvalidParams) else []
    return "; ".join([*unknown_parameters(operation, params, profile), refusal.explain(), *expected])


def explain_ignored(ignored: Mapping[str, Reason]) -> str:
    """Return which parameters of a request had no effect, and why."""
    names_by_reason: dict[str, list[str]] = {}
    for name, why in ignored.items():
        names_by_reason.setdefault(reason_text(why), []).append(name)
    return "; ".join(f"ignored {', '.join(names)}: {reason}" for reason, names in names_by_reason.items())


def unknown_parameters(operation: Operation, params: RawParams, profile: Profile) -> list[str]:
    """Return a sentence for each parameter that an operation does not have; the platform ignores these."""
    binder = binder_of(operation.params, profile)
    path_names = {part[1:] for part in operation.path.split("/") if part.startswith((":", "*"))}
    known = [name for field in binder.fields for name in field.names]
    unknown = [name for name in binder.unknown(params) if name not in path_names and name not in _CREDENTIALS]
    return [_explain_unknown(operation, name, known, profile) for name in unknown]


def _explain_unknown(operation: Operation, name: str, known: list[str], profile: Profile) -> str:
    fields = (field for field in binder_of(operation.params).fields if name in field.names)
    other = next(fields, None)
    if other is not None:
        lifetime = other.other_names.get(name, other.lifetime)
        return f"{operation.name} has the parameter {name} {lifetime}; this world is {profile}"
    return f"{operation.name} has no parameter {name}{did_you_mean(name, known)}"


def did_you_mean(name: str, known: list[str]) -> str:
    """Return the end of a sentence with the name that was probably meant; empty if no known name is similar."""
    from difflib import get_close_matches

    matches = get_close_matches(name, known, 1)
    return f"; did you mean {matches[0]}?" if matches else ""


def header_text(text: str) -> str:
    """Convert a text to a header value: one line of printable ASCII, with a limited length."""
    # A line break would end the header, and other characters than ASCII have no defined encoding there.
    line = " ".join(text.split()).encode("ascii", "backslashreplace").decode()
    printable = "".join(character if character.isprintable() else "?" for character in line)
    return printable[:_MAX_HEADER]
