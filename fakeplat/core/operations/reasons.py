"""Explanations of refusals for test authors. They are computed only when they are read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from fakeplat.core.operations.errors import BadRequest, InvalidParams, Reason, reason_text
from fakeplat.core.operations.operation import Operation
from fakeplat.core.params.expectations import explain_failures
from fakeplat.core.params.params import binder_of
from fakeplat.core.release import Lifetime, Profile

EXPLAIN: Final = "x-fakeplat-explain"
REASON: Final = "X-Fakeplat-Reason"
"""The request header that asks for reasons, and the response header that contains them."""

_MAX_HEADER: Final = 1_000
_MAX_NAMES: Final = 30
_CREDENTIALS: Final = frozenset({"private_token", "access_token", "job_token", "token", "sudo"})

RawParams = Mapping[str, object]
UnbuiltOf = Callable[[str], Mapping[str, Lifetime]]
"""Returns the parameters of an operation that fakeplat does not have, with the releases that have them."""


def list_names(names: Sequence[str]) -> str:
    """Return names as a part of a reason: the first ones, and how many others there are."""
    others = len(names) - _MAX_NAMES
    return ", ".join(names[:_MAX_NAMES]) + (f" and {others:,} others" if others > 0 else "") if names else "none"


def explain_bad_request(
    refusal: BadRequest, operation: Operation, params: RawParams, profile: Profile, unbuilt_of: UnbuiltOf
) -> str:
    """Return the parameters that the operation does not have, which are mostly the cause, and the reason of a 400.

    If values are not accepted, it says which ones would be.
    """
    binder = binder_of(operation.params, profile)
    expected = explain_failures(binder, params) if isinstance(refusal, InvalidParams) else []
    return "; ".join([*unknown_parameters(operation, params, profile, unbuilt_of), refusal.explain(), *expected])


def explain_ignored(ignored: Mapping[str, Reason]) -> str:
    """Return which parameters of a request had no effect, and why."""
    names_by_reason: dict[str, list[str]] = {}
    for name, why in ignored.items():
        names_by_reason.setdefault(reason_text(why), []).append(name)
    return "; ".join(f"ignored {', '.join(names)}: {reason}" for reason, names in names_by_reason.items())


def unknown_parameters(operation: Operation, params: RawParams, profile: Profile, unbuilt_of: UnbuiltOf) -> list[str]:
    """Return a sentence for each parameter that an operation does not have; the platform ignores these.

    So does fakeplat with those that it has not built, which the platform does not.
    """
    binder = binder_of(operation.params, profile)
    path_names = {part[1:] for part in operation.path.split("/") if part.startswith((":", "*"))}
    known = [name for field in binder.fields for name in field.names]
    unknown = [name for name in binder.unknown(params) if name not in path_names and name not in _CREDENTIALS]
    unbuilt = unbuilt_of(operation.name) if unknown else {}
    return [_explain_unknown(operation, name, known, profile, unbuilt.get(name)) for name in unknown]


def _explain_unknown(
    operation: Operation, name: str, known: list[str], profile: Profile, unbuilt: Lifetime | None
) -> str:
    if unbuilt is not None and profile.has(unbuilt):
        exists = f"exists {unbuilt} and " if unbuilt else ""
        return f"{operation.name}: {name} {exists}is not built: it had no effect"
    lifetime = unbuilt or _find_lifetime(operation, name)
    if lifetime is not None:
        return f"{operation.name} has the parameter {name} {lifetime}; this world is {profile}"
    return f"{operation.name} has no parameter {name}{did_you_mean(name, known)}"


def _find_lifetime(operation: Operation, name: str) -> Lifetime | None:
    """Return the releases that have a declared parameter."""
    fields = (field for field in binder_of(operation.params).fields if name in field.names)
    return next((field.other_names.get(name, field.lifetime) for field in fields), None)


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
