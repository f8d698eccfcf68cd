"""Checks of the keyword ``run``, whose steps take the place of a script.

Source: app/validators/json_schemas/run_steps.json.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from fakeplat.ci_config.documents import YamlValue

_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_REFERENCES: Final[Mapping[str, tuple[Collection[str], Collection[str]]]] = {
    "git": (("url", "rev"), ("dir", "file")),
    "oci": (("registry", "repository", "tag"), ("dir", "file")),
}
"""The keys that references to steps in repositories and registries must have, and those that they may have."""


def list_step_errors(value: YamlValue) -> Iterator[str]:
    """Yield what is wrong with the steps of a job."""
    steps = value.get("run") if isinstance(value, Mapping) else None
    if steps is None:
        return
    if not isinstance(steps, list):
        yield "run value at root is not an array"
        return
    for index, step in enumerate(steps):
        if not _is_step(step):
            yield f"run value at `/{index}` does not match exactly one `oneOf` schema"


def _is_step(step: YamlValue) -> bool:
    if not isinstance(step, Mapping) or not _is_name(step.get("name")) or not _is_environment(step.get("env", {})):
        return False
    kinds = [kind for kind in ("step", "func", "script") if kind in step]
    if len(kinds) != 1:
        return False
    (kind,) = kinds
    if kind == "script":
        return step.keys() <= {"name", "env", "script"} and isinstance(step[kind], str) and bool(step[kind])
    return (
        step.keys() <= {"name", "env", "inputs", kind}
        and _is_reference(step[kind])
        and _is_named(step.get("inputs", {}))
    )


def _is_name(value: YamlValue) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


def _is_named(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and all(map(_is_name, value))


def _is_environment(value: YamlValue) -> bool:
    return _is_named(value) and isinstance(value, Mapping) and all(isinstance(inner, str) for inner in value.values())


def _is_reference(value: YamlValue) -> bool:
    if isinstance(value, str):
        return True
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((kind, described),) = value.items()
    required, optional = _REFERENCES.get(str(kind), ((), ()))
    return (
        bool(required)
        and isinstance(described, Mapping)
        and set(required) <= described.keys() <= {*required, *optional}
        and all(isinstance(inner, str) for inner in described.values())
    )
