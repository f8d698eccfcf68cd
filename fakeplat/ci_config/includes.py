"""Files that a configuration includes: what ``include`` names, how files are merged, and what is refused.

The text of a file comes from the caller, who knows where files are.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final, Literal

from attrs import define, evolve, field

from fakeplat.ci_config.behaviours import (
    HEADERS,
    LISTS_OF_FILES,
    MOST_INCLUDES,
    NO_CONFIGURATION,
    PATHS_WITHOUT_SLASH,
    RULES_OF_INCLUDES,
    SAME_INCLUDE,
    SUBKEYS_OF_INCLUDES,
    VARIABLES_OF_INCLUDES,
    WILDCARDS_OF_INCLUDES,
)
from fakeplat.ci_config.documents import Document, FormatError, Scalar, YamlValue, to_text
from fakeplat.ci_config.inputs import IncludedSpecs, InputError, Inputs, Specs
from fakeplat.ci_config.interpolation import expand
from fakeplat.ci_config.jobs import ChildFile
from fakeplat.ci_config.merging import deep_merge
from fakeplat.ci_config.validation.conditions import COMPONENT, DIGEST_PREFIX, INPUTS, INPUTS_OF_BETA, INTEGRITY
from fakeplat.core.release import Profile
from fakeplat.core.store.frozen import frozen

_YAML_FILE: Final = re.compile(r".+\.ya?ml", re.IGNORECASE)
_URL: Final = re.compile(r"(?:https?|ssh|git)://[^\s/]+", re.IGNORECASE)
_HTTP: Final = re.compile(r"https?://[^\s/]+\S*", re.IGNORECASE)
_TEMPLATE_SUFFIX: Final = ".gitlab-ci.yml"

ONLY_IN_CHILD_PIPELINES: Final = "Including configs from artifacts is only allowed when triggering child pipelines"

_WRONG_TYPE: Final = "Each include must be a hash or a string"
_SUBKEYS: Final = ("local", "project", "remote", "template", "artifact", "component")

Kind = Literal["local", "remote", "template", "file", "artifact", "component"]


class IncludeFailed(ValueError):
    """A file cannot be included. The message is the platform's."""


@frozen
class Include:
    """A file to include.

    ``project`` and ``ref`` say where a ``file`` is, and a ``local`` file that a file of another project includes.
    Without a project, a local file belongs to the commit of the pipeline. ``job`` is the job of the parent pipeline
    that has the artifact. ``base_project`` and ``base_ref`` are those of the file that includes it, None for the
    pipeline's own. ``given`` is the location as it was given.
    """

    kind: Kind
    location: str
    project: str | None = None
    ref: str | None = None
    job: str | None = None
    base_project: str | None = None
    base_ref: str | None = None
    given: Document = field(factory=dict, eq=False)

    def explain_empty(self) -> str:
        """Return the error for a file without content."""
        match self.kind:
            case "local":
                return f"Local file `{self.location}` is empty!"
            case "file":
                return f"Project `{self.project}` file `{self.location}` is empty!"
            case "artifact":
                return f"File `{self.location}` is empty!"
        return f"Included file `{self.location}` is empty or does not exist!"


@frozen
class Component:
    """The text of a component, and what it may know of itself: its name, commit, version and reference."""

    text: str
    context: Mapping[Scalar, YamlValue]


@frozen
class MatchingPaths:
    """The paths of the files that a local location with wildcards stands for."""

    paths: Sequence[str]


Fetch = Callable[[Include], str | Component | MatchingPaths]
Parse = Callable[[str, Inputs, Mapping[Scalar, YamlValue], IncludedSpecs], dict[Scalar, YamlValue]]
"""Reads a file with inputs, the context of a component and the inputs that other files declare for its header.

FormatError or InputError if it is invalid.
"""


@frozen
class _Context:
    """The file that includes: its project (None is the pipeline's own), if it has one."""

    project: str | None = None
    ref: str | None = None
    has_project: bool = True


@frozen
class IncludeRules:
    """How included files are read.

    ``parse`` reads the text of a file, ``holds`` decides about the rules of a location, and ``variables`` are those
    that locations may contain.
    """

    parse: Parse
    holds: Callable[[YamlValue], bool]
    variables: Callable[[], Mapping[str, str]]


@define
class _Expander:
    _fetch: Fetch
    _profile: Profile
    _rules: IncludeRules
    _included: set[str] = field(factory=set)
    _count: int = 0
    includes: list[Include] = field(factory=list)
    """All files that are included, those of a file before those that they include."""

    def load_root(self, text: str, inputs: Inputs) -> dict[Scalar, YamlValue]:
        """Return the document of the configuration itself, merged over the files that it includes."""
        context = _Context()
        document = self._rules.parse(text, inputs, {}, partial(self._list_included_specs, context))
        return self.expand(document, context)

    def expand(self, document: Document, context: _Context) -> dict[Scalar, YamlValue]:
        """Return a document merged over the files that it includes, without the keyword."""
        merged: dict[Scalar, YamlValue] = {}
        # All are checked before the first is fetched.
        wanted = [location for location in self._list_locations(document) if self._is_wanted(location)]
        locations = [self._fill_in(each) for location in wanted for each in self._list_files(location, context)]
        for location, include in [(location, self._read(location, context)) for location in locations]:
            if include is not None:
                merged = deep_merge(merged, self._load(include, self._get_inputs(location), context))
        merged = deep_merge(merged, document)
        merged.pop("include", None)
        return merged

    def _list_locations(self, document: Document) -> Iterator[Document]:
        """Return what ``include`` names, as mappings."""
        value = document.get("include")
        for location in value if isinstance(value, list) else [value]:
            if isinstance(location, str):
                # A variable may say whether the location is a URL.
                expanded = self._expand_text(location) if self._profile.has(VARIABLES_OF_INCLUDES) else location
                yield {"remote" if _URL.match(expanded) else "local": expanded}
            elif isinstance(location, dict):
                yield from self._split_files(location)
            elif location is not None and self._profile.has(SUBKEYS_OF_INCLUDES):
                raise IncludeFailed(_WRONG_TYPE)
            elif location is not None:
                raise IncludeFailed(f"Include `{_to_json(location)}` needs to match exactly one accessor!")

    def _list_files(self, location: Document, context: _Context) -> list[Document]:
        """Return the locations of the files that a local location with wildcards matches, any other location itself."""
        pattern = location.get("local")
        if not isinstance(pattern, str) or "*" not in pattern or not self._profile.has(WILDCARDS_OF_INCLUDES):
            return [location]
        found = self._fetch(_check(Include("local", pattern, context.project, context.ref), context))
        return [{**location, "local": path} for path in found.paths] if isinstance(found, MatchingPaths) else []

    def _split_files(self, location: Document) -> Iterator[Document]:
        """Return one location per file of another project."""
        files = location.get("file")
        if isinstance(files, list) and location.get("project") and self._profile.has(LISTS_OF_FILES):
            yield from ({**location, "file": file} for file in files)
        else:
            yield location

    def _is_wanted(self, location: Document) -> bool:
        """Return whether the rules of a location hold, which earlier releases ignore like any other key."""
        rules = location.get("rules") if self._profile.has(RULES_OF_INCLUDES) else None
        return rules is None or self._rules.holds(rules)

    def _fill_in(self, location: Document) -> Document:
        """Return a location with the values of the variables in it."""
        if not self._profile.has(VARIABLES_OF_INCLUDES):
            return location
        return {key: self._expand_text(value) if isinstance(value, str) else value for key, value in location.items()}

    def _expand_text(self, text: str) -> str:
        return expand(text, self._rules.variables()) if "$" in text or "%" in text else text

    def _read(self, location: Document, context: _Context) -> Include | None:
        """Return a location as an include, None for one that was included already, where that is ignored."""
        limit = self._profile.choose(MOST_INCLUDES)
        if self._count >= limit:
            raise IncludeFailed(f"Maximum of {limit} nested includes are allowed!")
        text = _to_json(location)
        key = f"{text} {context}"
        if key in self._included and self._profile.choose(SAME_INCLUDE) == "refused":
            raise IncludeFailed(f"Include `{text}` was already included!")
        if key in self._included and self._profile.choose(SAME_INCLUDE) == "ignored":
            return None
        self._included.add(key)
        self._count += 1
        matching = list(_list_matching(location, has_components=self._profile.has(COMPONENT)))
        if len(matching) != 1:
            raise IncludeFailed(self._explain_subkeys(text, has_none=not matching))
        include = _complete(_check(self._normalize(matching[0]), context), location, context)
        self.includes.append(include)
        return include

    def _explain_subkeys(self, location: str, *, has_none: bool) -> str:
        """Return the error for a location that does not name exactly one file."""
        if not self._profile.has(SUBKEYS_OF_INCLUDES):
            return f"Include `{location}` needs to match exactly one accessor!"
        known = [name for name in _SUBKEYS if name != "component" or self._profile.has(COMPONENT)]
        names = "`, `".join(known)
        if has_none:
            return f"`{location}` does not have a valid subkey for include. Valid subkeys are: `{names}`"
        return f"Each include must use only one of: `{names}`"

    def _normalize(self, include: Include) -> Include:
        """Return an include with the path of the file in its repository."""
        has_path = include.kind in ("local", "file") and isinstance(include.location, str)
        if not has_path or not self._profile.has(PATHS_WITHOUT_SLASH):
            return include
        return evolve(include, location=include.location.lstrip("/"))

    def _list_included_specs(self, context: _Context, locations: YamlValue) -> list[Specs]:
        """Return what each file that a header includes says of inputs; InputError if one cannot be read."""
        try:
            named = map(self._fill_in, self._list_locations({"include": locations}))
            includes = [self._read(location, context) for location in named]
            return [self._read_specs(include) for include in includes if include is not None]
        except IncludeFailed as error:
            raise InputError(str(error)) from None

    def _read_specs(self, include: Include) -> Specs:
        """Return what a file says of inputs; it may say nothing else."""
        document = self._parse(include, {}, None)
        if not document:
            raise IncludeFailed(self._profile.choose(NO_CONFIGURATION).format(location=include.location))
        unknown = [name for name in document if name != "inputs"]
        if unknown:
            names = ", ".join(f":{to_text(name)}" for name in unknown)
            raise IncludeFailed(f"Header include file `{include.location}` contains unknown keys: [{names}]")
        inputs = document["inputs"]
        return {to_text(name): spec for name, spec in inputs.items()} if isinstance(inputs, dict) else {}

    def _get_inputs(self, location: Document) -> Inputs:
        """Return the inputs of the file at a location."""
        for key in (INPUTS, INPUTS_OF_BETA):
            given = location.get(key.name)
            if isinstance(given, dict) and self._profile.has(key):
                return {to_text(name): value for name, value in given.items()}
        return {}

    def _load(self, include: Include, inputs: Inputs, context: _Context) -> dict[Scalar, YamlValue]:
        document = self._parse(include, inputs, context)
        content = self.expand(document, _inner_context(include, context)) if document else {}
        if not content:
            raise IncludeFailed(self._profile.choose(NO_CONFIGURATION).format(location=include.location))
        return content

    def _parse(self, include: Include, inputs: Inputs, context: _Context | None) -> dict[Scalar, YamlValue]:
        """Return the content of a file; what its own header includes is of the context, if it may include anything."""
        fetched = self._fetch(include)
        text, own = (fetched.text, fetched.context) if isinstance(fetched, Component) else (fetched, {})
        if not isinstance(text, str) or not text.strip():
            raise IncludeFailed(include.explain_empty())
        self._check_integrity(include, text)
        if context is None or isinstance(fetched, Component):
            included = partial(_refuse_header_includes, include)
        else:
            included = partial(self._list_included_specs, context)
        try:
            return self._rules.parse(text, inputs, own, included)
        except (FormatError, InputError) as error:
            if self._profile.has(HEADERS):
                raise IncludeFailed(f"`{include.location}`: {error}") from None
            return {}

    def _check_integrity(self, include: Include, text: str) -> None:
        """Check that a remote file has the digest that its location names."""
        wanted = include.given.get(INTEGRITY.name) if include.kind == "remote" else None
        if wanted and self._profile.has(INTEGRITY):
            digest = b64encode(sha256(text.encode()).digest()).decode()
            if digest != to_text(wanted).removeprefix(DIGEST_PREFIX):
                raise IncludeFailed(f"Remote file `{include.location}` failed integrity check!")


def load_with_includes(
    text: str,
    inputs: Inputs,
    fetch: Fetch,
    profile: Profile,
    rules: IncludeRules,
) -> tuple[dict[Scalar, YamlValue], tuple[Include, ...]]:
    """Return the document of a text merged with all files that it includes, and these.

    IncludeFailed if one cannot be included.
    """
    expander = _Expander(fetch, profile, rules)
    return expander.load_root(text, inputs), tuple(expander.includes)


def _refuse_header_includes(include: Include, _locations: YamlValue) -> list[Specs]:
    reason = "This keyword is not supported in components"
    if include.kind != "component":
        reason = "This keyword is not supported in included configuration files"
    raise IncludeFailed(f"Included file `{include.location}` cannot use `spec:include`. {reason}")


def child_document(files: Sequence[ChildFile]) -> str:
    """Return the configuration of a child pipeline: it includes the files that its bridge names."""
    return _to_json({"include": [_to_location(file) for file in files]})


def _to_location(file: ChildFile) -> dict[str, object]:
    names = {file.kind: file.location, "job": file.job, "project": file.project, "ref": file.ref}
    location: dict[str, object] = {key: value for key, value in names.items() if value is not None}
    # Earlier releases know inputs by another name, and ignore the one of later releases.
    inputs = {INPUTS.name: file.inputs, INPUTS_OF_BETA.name: file.inputs} if file.inputs else {}
    if file.integrity is not None:
        location[INTEGRITY.name] = file.integrity
    return {**location, **inputs, **({"rules": list(file.rules)} if file.rules else {})}


def _list_matching(location: Mapping[Any, Any], *, has_components: bool) -> Iterator[Include]:
    kinds: tuple[Kind, ...] = ("local", "remote", "template", "component")
    for kind in kinds if has_components else kinds[:-1]:
        if location.get(kind):
            yield Include(kind, location[kind])
    if location.get("artifact"):
        job = location.get("job")
        yield Include("artifact", location["artifact"], job=None if job is None else str(job))
    if location.get("file") and location.get("project"):
        ref = location.get("ref")
        yield Include("file", location["file"], str(location["project"]), None if ref is None else str(ref))


def _check(include: Include, context: _Context) -> Include:
    location: object = include.location
    if not isinstance(location, str):
        raise IncludeFailed(f"Included file `{_to_json(location)}` needs to be a string")
    if include.kind == "component":
        return include
    if not _YAML_FILE.fullmatch(location.rpartition("/")[2]):
        raise IncludeFailed(f"Included file `{location}` does not have YAML extension!")
    if include.kind == "local" and not context.has_project:
        raise IncludeFailed(f"Local file `{location}` does not have project!")
    if include.kind == "remote" and not _HTTP.fullmatch(location):
        raise IncludeFailed(f"Remote file `{location}` does not have a valid address!")
    if include.kind == "template" and not location.endswith(_TEMPLATE_SUFFIX):
        raise IncludeFailed(f"Template file `{location}` is not a valid location!")
    return include


def _complete(include: Include, location: Document, context: _Context) -> Include:
    """Return an include with what is known of the file that includes it."""
    if include.kind == "local":
        include = evolve(include, project=context.project, ref=context.ref)
    return evolve(include, base_project=context.project, base_ref=context.ref, given=location)


def _inner_context(include: Include, context: _Context) -> _Context:
    """Return the context of what a file includes itself."""
    match include.kind:
        case "local" | "artifact":
            return context
        case "file":
            return _Context(include.project, include.ref)
        case "component":
            address, _, version = include.location.partition("@")
            # The first part is the server, the last one the name of the component.
            return _Context(address.partition("/")[2].rpartition("/")[0], version)
    return _Context(has_project=False)


def _to_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)
