"""Inputs of a configuration: the header that declares them, and the blocks ``$[[ inputs.name ]]`` that they fill.

Blocks are replaced in the text of a file, before it is read as YAML. Source: docs/platform/pipelines-jobs.md.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Final, TypeAlias

from fakeplat.ci_config import input_rules, input_values
from fakeplat.ci_config.behaviours import (
    EXPANSION_OF_INPUTS,
    HEADERS,
    INDEXED_INPUTS,
    MATRIX_BLOCKS,
    POSIX_ESCAPES,
    SPLITTING_OF_INPUTS,
    TRUNCATION_OF_INPUTS,
    UNDECLARED_INPUTS,
    UNKNOWN_BLOCK,
    WRONG_BLOCK,
)
from fakeplat.ci_config.documents import FormatError, Scalar, YamlValue, parse, to_text
from fakeplat.ci_config.interpolation import expand_known, find_names
from fakeplat.ci_config.validation.documents import vocabulary_of
from fakeplat.ci_config.validation.entries import Location
from fakeplat.core.release import Lifetime, Profile
from fakeplat.core.store.frozen import frozen

_DIVIDER: Final = re.compile(r"^---\s+", re.MULTILINE)
_BLOCK: Final = re.compile(r"\$\[\[\s*(.*?)\s*\]\]")
_TRUNCATE: Final = re.compile(r"truncate\(\s*(\d+)\s*,\s*(\d+)\s*\)?")
_SPLIT: Final = re.compile(r"split\('([^']*)'\)")
_INDEX: Final = re.compile(r"(\w*)((?:\[\d+\])+)")
_MOST_DOCUMENTS: Final = 2
_MOST_FUNCTIONS: Final = 3
_MOST_KEYS: Final = 5
_LONGEST_BLOCK: Final = 1_024
_MOST_ERRORS: Final = 3
TOO_MANY_DOCUMENTS: Final = "The parsed YAML has too many documents"

Inputs: TypeAlias = Mapping[str, YamlValue]
Specs: TypeAlias = Mapping[str, Any]
"""What is said of inputs, by their names."""
IncludedSpecs: TypeAlias = Callable[[YamlValue], Sequence[Specs]]
"""Returns what each of the files at some locations says of inputs; InputError if one cannot be read."""


class InputError(ValueError):
    """The inputs of a file, or the blocks that they fill, are wrong. The message is the platform's."""


@frozen(kw_only=True)
class KnownVariables:
    """The variables that the function ``expand_vars`` knows; ``masked`` are the names of those that it refuses."""

    values: Mapping[str, str]
    masked: Collection[str] = ()


def fill_in(
    text: str,
    given: Inputs,
    profile: Profile,
    variables: Callable[[], KnownVariables],
    component: Mapping[Scalar, YamlValue],
    included: IncludedSpecs,
) -> str:
    """Return the text of a configuration without its header, with the blocks of inputs replaced.

    ``component``: what the text of a component knows of itself. ``included``: the inputs of files that the header
    includes. FormatError if the header cannot be read, InputError for wrong inputs or blocks.
    """
    documents = _split(text) if profile.has(HEADERS) else [text]
    header = _find_header(documents)
    if header is None:
        if given and profile.has(HEADERS):
            raise InputError(profile.choose(UNDECLARED_INPUTS))
        return documents[0] if documents else ""
    entry = vocabulary_of(profile).header
    _refuse(list(entry.list_errors(header, Location(("header",)))))
    spec: Any = header["spec"] or {}
    specs = _list_specs(spec, given, included)
    _refuse([f"header:spec:inputs:{name} config {text}" for name, text in input_rules.list_mistakes(specs)])
    known: dict[Scalar, YamlValue] = {"inputs": _collect(specs, given, profile)}
    if spec.get("component"):
        known["component"] = {name: component[name] for name in spec["component"] if name in component}
    return _BLOCK.sub(_Filler(known, profile, variables).fill, documents[-1])


def list_specs(text: str, profile: Profile) -> dict[str, Mapping[str, Any]]:
    """Return what the header of a configuration says of each input; nothing if it is invalid."""
    try:
        header = _find_header(_split(text)) if profile.has(HEADERS) else None
    except FormatError:
        return {}
    if header is None or list(vocabulary_of(profile).header.list_errors(header, Location(("header",)))):
        return {}
    spec: Any = header["spec"] or {}
    return {to_text(name): described or {} for name, described in (spec.get("inputs") or {}).items()}


def _list_specs(spec: Mapping[str, Any], given: Inputs, included: IncludedSpecs) -> Specs:
    """Return what a header and the files that it includes say of inputs."""
    own: Specs = spec.get("inputs") or {}
    if not spec.get("include"):
        return own
    try:
        groups = [*included(spec["include"]), own]
        _check_unique(groups)
    except InputError as error:
        raise InputError(", ".join([str(error), *_list_unknown(given, {})][:_MOST_ERRORS])) from error
    return {name: described for group in groups for name, described in group.items()}


def _check_unique(groups: Sequence[Specs]) -> None:
    counts = Counter(name for group in groups for name in group)
    repeated = ", ".join(name for name, count in counts.items() if count > 1)
    if repeated:
        reason = "Input keys must be unique across all included files and inline specifications."
        raise InputError(f"Duplicate input keys found: {repeated}. {reason}")


def _list_unknown(given: Inputs, specs: Specs) -> list[str]:
    unknown = [name for name in given if name not in specs]
    return [f"unknown input arguments: {', '.join(unknown)}"] if unknown else []


def _split(text: str) -> list[str]:
    documents = [document for document in _DIVIDER.split(text) if document.strip()]
    if len(documents) > _MOST_DOCUMENTS:
        raise FormatError(TOO_MANY_DOCUMENTS)
    return documents


def _find_header(documents: Sequence[str]) -> dict[Scalar, YamlValue] | None:
    first = parse(documents[0]) if len(documents) > 1 else None
    return first if isinstance(first, dict) and "spec" in first else None


def _refuse(errors: Sequence[str]) -> None:
    if errors:
        raise InputError(", ".join(errors[:_MOST_ERRORS]))


# Values


def _collect(specs: Mapping[str, Any], given: Inputs, profile: Profile) -> dict[Scalar, YamlValue]:
    """Return the values of the inputs: those that are given, else the defaults."""
    errors = _list_unknown(given, specs)
    values: dict[Scalar, YamlValue] = {}
    # Errors are told in the order of the file, and values are found in that of the rules.
    told: dict[str, list[str]] = {name: [] for name in specs}
    for name in input_rules.order(specs):
        chosen = _apply_rules(specs[name] or {}, values)
        told[name] = list(input_values.list_errors(name, chosen, given.get(name), profile))
        values[name] = _choose(chosen, given.get(name), profile)
    _refuse([*errors, *chain.from_iterable(told.values())])
    return values


def _apply_rules(spec: Mapping[str, Any], values: Mapping[Any, YamlValue]) -> Mapping[str, Any]:
    """Return what is said of an input, with the options and the default of the rule that holds."""
    rules = spec.get("rules")
    if rules is None:
        return spec
    rule = input_rules.find_rule(rules, values) or {}
    found = {key: rule[key] for key in ("options", "default") if key in rule}
    optional = {"default": None} if input_rules.is_defaulted(rules) else {}
    return {**spec, **optional, **found}


def _choose(spec: Mapping[str, Any], value: YamlValue, profile: Profile) -> YamlValue:
    return input_values.convert(spec, spec.get("default") if value is None else value, profile)


# Blocks


@frozen
class _Filler:
    _known: dict[Scalar, YamlValue]
    _profile: Profile
    _variables: Callable[[], KnownVariables]

    def fill(self, block: re.Match[str]) -> str:
        """Return what a block becomes: a text as it is, everything else as JSON."""
        access, *functions = (part.strip() for part in block[1].split("|"))
        if access.partition(".")[0] == "matrix" and self._profile.has(MATRIX_BLOCKS):
            return block[0]
        value = self._find(access)
        if len(functions) > _MOST_FUNCTIONS:
            raise InputError("too many functions in interpolation block")
        steps = [self._get_function(function) for function in functions]
        for step in steps:
            value = step(value)
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    def _find(self, access: str) -> YamlValue:
        keys = access.split(".", _MOST_KEYS - 1)
        if len(keys) < 2:
            raise InputError(self._profile.choose(WRONG_BLOCK))
        if len(access.encode()) > _LONGEST_BLOCK:
            raise InputError("maximum interpolation expression size exceeded")
        value: YamlValue = self._known
        for key in keys:
            indexed = _INDEX.fullmatch(key) if self._profile.has(INDEXED_INPUTS) else None
            value = self._get_key(value, indexed[1] if indexed else key, access)
            for index in re.findall(r"\d+", indexed[2]) if indexed else ():
                value = self._get_item(value, int(index), access)
        return value

    def _get_key(self, value: YamlValue, key: str, access: str) -> YamlValue:
        if not isinstance(value, Mapping) or key not in value:
            raise InputError(self._profile.choose(UNKNOWN_BLOCK).format(key=key, access=access))
        return value[key]

    def _get_item(self, value: YamlValue, index: int, access: str) -> YamlValue:
        if not isinstance(value, list) or index >= len(value):
            raise InputError(self._profile.choose(UNKNOWN_BLOCK).format(key=f"[{index}]", access=access))
        return value[index]

    def _get_function(self, call: str) -> "Callable[[YamlValue], YamlValue]":
        truncate = _TRUNCATE.fullmatch(call)
        if truncate and self._profile.has(TRUNCATION_OF_INPUTS):
            offset, length = int(truncate[1]), int(truncate[2])
            return lambda value: _get_text(value, "truncate")[offset : offset + length]
        split = _SPLIT.fullmatch(call)
        if split and self._profile.has(SPLITTING_OF_INPUTS):
            return lambda value: _split_text(_get_text(value, "split"), split[1])
        lifetime, function = self._functions.get(call, (None, None))
        if function is None or lifetime is None or not self._profile.has(lifetime):
            details = "check that the function name, arguments, and types are correct"
            raise InputError(f"no function matching `{call}`: {details}")
        return lambda value: function(_get_text(value, call))

    @property
    def _functions(self) -> Mapping[str, tuple[Lifetime, Callable[[str], str]]]:
        return {
            "expand_vars": (EXPANSION_OF_INPUTS, self._expand),
            "posix_escape": (POSIX_ESCAPES, _escape),
        }

    def _expand(self, text: str) -> str:
        known = self._variables()
        if any(name in known.masked for name in find_names(text)):
            reason = "variable expansion error: masked variables cannot be expanded"
            raise InputError(f"error in `expand_vars` function: {reason}")
        return expand_known(text, known.values)


def _split_text(text: str, separator: str) -> YamlValue:
    if not separator:
        raise InputError("error in `split` function: invalid argument: separator cannot be empty")
    return [part.strip() for part in text.split(separator) if part.strip()]


def _get_text(value: YamlValue, function: str) -> str:
    if not isinstance(value, str):
        reason = f"invalid input type: {function} can only be used with string inputs"
        raise InputError(f"error in `{function}` function: {reason}")
    return value


_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_\-.,:+/@\n]")


def _escape(text: str) -> str:
    """Return a text with each character escaped that a shell might read as something else."""
    return _UNSAFE.sub(lambda match: f"\\{match[0]}", text).replace("\n", "'\n'") or "''"
