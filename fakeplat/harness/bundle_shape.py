"""What the JSON of a bundle must be."""

from typing import Final

from fakeplat.tape.formats.shapes import (
    Anything,
    Either,
    Exactly,
    Fields,
    ListOf,
    MapOf,
    Number,
    OrNull,
    Shape,
    Text,
    Time,
)

VERSION: Final = 1

_MAP: Final = MapOf(Text(), Anything())
_MINTED: Final = Fields(
    {
        "username": Text(),
        "kind": OrNull(Text()),
        "scopes": OrNull(ListOf(Text())),
        "expires_at": OrNull(Text()),
        "project": Anything(),
    },
    optional=frozenset({"kind", "scopes", "expires_at", "project"}),
)
_OPTIONS: Final = Fields(
    {
        "seed": Number(-(2**63), 2**64 - 1, whole=True),
        "instance": _MAP,
        "clock": _MAP,
        "faults": ListOf(_MAP),
    }
)


def _step(what: str, given: Shape) -> Fields:
    return Fields({"after": Number(0, whole=True), "what": Text(what, what), "given": given, "value": Text()})


_STEPS: Final = (_step("load", _MAP), _step("token", _MINTED), _step("now", Time()))

BUNDLE: Final = Fields(
    {
        "bundle": Exactly(VERSION),
        "test": Text(),
        "versions": MapOf(Text(), OrNull(Text())),
        "scenario": Text(),
        "documents": ListOf(_MAP),
        "options": _OPTIONS,
        "script": ListOf(Either("a step: load, token or now", _STEPS)),
        "numbers": ListOf(Number(1, whole=True)),
        "tape": ListOf(Anything()),
    }
)
