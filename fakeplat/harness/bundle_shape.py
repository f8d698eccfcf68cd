"""The schema of a bundle's JSON."""

from collections.abc import Mapping, Sequence
from typing import Final, NotRequired, TypedDict

from fakeplat.core.json_types import JsonObject, JsonValue
from fakeplat.core.schema.shapes import (
    ANYTHING,
    FREE_MAP,
    NULLABLE_TEXT,
    TEXT,
    Constant,
    Integer,
    ListOf,
    MapOf,
    Nullable,
    Object,
    Shape,
    Text,
    Union,
)
from fakeplat.harness.script import StepDocument
from fakeplat.tape.formats.tape import SEED, TIME

VERSION: Final = 1

_TOKEN_OPTIONS: Final = Object.complete(
    {
        "username": TEXT,
        "kind": NULLABLE_TEXT,
        "scopes": Nullable(ListOf(TEXT)),
        "expires_at": NULLABLE_TEXT,
        "project": ANYTHING,
        "group": ANYTHING,
        "job": ANYTHING,
    },
    optional=("kind", "scopes", "expires_at", "project", "group", "job"),
)
_OPTIONS: Final = Object.complete(
    {
        "seed": SEED,
        "instance": FREE_MAP,
        "clock": FREE_MAP,
        "faults": ListOf(FREE_MAP),
        "pipelines": ListOf(FREE_MAP),
    },
    optional=("pipelines",),
)


class OptionsDocument(TypedDict):
    """The options of the world in a bundle."""

    seed: int
    instance: JsonObject
    clock: JsonObject
    faults: Sequence[JsonObject]
    pipelines: NotRequired[Sequence[JsonObject]]


class BundleDocument(TypedDict):
    """A bundle, as it is read."""

    bundle: int
    test: str
    versions: Mapping[str, str | None]
    scenario: str
    documents: Sequence[JsonObject]
    options: OptionsDocument
    script: Sequence[StepDocument]
    numbers: tuple[int, ...]
    exempt: NotRequired[Sequence[int]]
    contents: NotRequired[Mapping[str, str]]
    tape: Sequence[JsonValue]


def _step(step_kind: str, argument_shape: Shape) -> Object:
    return Object.complete(
        {"after": Integer(minimum=0), "what": Text(step_kind, step_kind), "given": argument_shape, "value": TEXT}
    )


_STEPS: Final = (
    _step("load", FREE_MAP),
    _step("token", _TOKEN_OPTIONS),
    _step("now", TIME),
    _step("pipelines", ListOf(FREE_MAP)),
    _step("fault", FREE_MAP),
    _step("remove_fault", Integer(minimum=1)),
    _step("clear_faults", ANYTHING),
)
_KINDS_OF_STEPS: Final = "load, token, now, pipelines, fault, remove_fault or clear_faults"

BUNDLE: Final = Object.complete(
    {
        "bundle": Constant(VERSION),
        "test": TEXT,
        "versions": MapOf(NULLABLE_TEXT),
        "scenario": TEXT,
        "documents": ListOf(FREE_MAP),
        "options": _OPTIONS,
        "script": ListOf(Union(*_STEPS, title=f"a step: {_KINDS_OF_STEPS}")),
        "numbers": ListOf(Integer(minimum=1)),
        "exempt": ListOf(Integer(minimum=1)),
        "contents": MapOf(TEXT),
        "tape": ListOf(ANYTHING),
    },
    optional=("exempt", "contents"),
)
