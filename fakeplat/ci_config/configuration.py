"""CI configuration files: from the text of ``.gitlab-ci.yml`` to its jobs, or to what is wrong with it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from attrs import define, evolve, field
from propcache.api import cached_property

from fakeplat.ci_config import document_writing, linking
from fakeplat.ci_config.behaviours import MERGED_TEXT_HAS_PLAIN_KEYS, REFERENCE_TAGS
from fakeplat.ci_config.building import (
    DEFAULT_STAGES,
    DefaultsError,
    ValidDocument,
    build_auto_cancel,
    build_defaults,
    build_jobs,
    build_rules,
)
from fakeplat.ci_config.conditions import RefFacts, RuleError, are_about_ref, find_rule
from fakeplat.ci_config.documents import (
    TOO_BIG,
    Document,
    FormatError,
    Scalar,
    Symbol,
    YamlValue,
    check_size,
    parse_mapping,
)
from fakeplat.ci_config.includes import Fetch, Include, IncludeFailed, IncludeRules, load_with_includes
from fakeplat.ci_config.inputs import IncludedSpecs, InputError, Inputs, KnownVariables, fill_in
from fakeplat.ci_config.jobs import AutoCancel, JobDefinition, Rule, Variables
from fakeplat.ci_config.merging import MergeError, add_edge_stages, resolve_extends, resolve_references
from fakeplat.ci_config.parallel import MatrixError, expand_parallel
from fakeplat.ci_config.validation.declarations import NotBuiltError
from fakeplat.ci_config.validation.documents import vocabulary_of
from fakeplat.ci_config.validation.entries import Location
from fakeplat.core.release import EVERYTHING, Profile

NO_CONTENT: Final = "Please provide content of .gitlab-ci.yml"
_LONGEST_CACHED: Final = 1 << 16


@define(frozen=True, slots=False, eq=False)
class Configuration:
    """A configuration file with all that it includes.

    If there are ``errors``, the platform's messages in its order, there are no jobs. ``stages`` contains ``.pre`` and
    ``.post``. ``variables`` are those of the root. ``workflow_rules`` is None without rules of the workflow.
    ``name`` is that of the pipelines, with variables. ``inert`` are the places of keywords that are known and have no
    effect yet. ``includes`` are all files that it includes.
    """

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    jobs: tuple[JobDefinition, ...] = ()
    stages: tuple[str, ...] = ()
    variables: Variables = ()
    workflow_rules: tuple[Rule, ...] | None = None
    name: str | None = None
    auto_cancel: AutoCancel = field(factory=AutoCancel)
    inert: tuple[str, ...] = ()
    includes: tuple[Include, ...] = ()
    _document: Document | None = field(default=None, repr=False)
    _keys: Callable[[str], str] = field(default=Symbol, repr=False)

    @property
    def is_valid(self) -> bool:
        """Whether pipelines can be created from the configuration."""
        return not self.errors

    @cached_property
    def is_decided_by_ref(self) -> bool:
        """Whether the ref and the event decide which jobs it has: not variables, files, or the project."""
        rules = [*(self.workflow_rules or ()), *(rule for job in self.jobs for rule in job.rules or ())]
        policies = [policy for job in self.jobs for policy in (job.only, job.excluded)]
        texts = [self.name or "", *(tag for job in self.jobs for tag in job.tags)]
        return are_about_ref(rules, policies) and not any("$" in text for text in texts)

    def list_inert_warnings(self) -> Iterator[str]:
        """Return warnings about the keywords without effect, which a silent pipeline would hide."""
        return (f"{place} is valid and has no effect in fakeplat yet" for place in self.inert)

    def list_described_variables(self) -> Iterator[tuple[str, dict[Any, Any]]]:
        """Yield the variables of the root: the value, and the description and the options of those that have them."""
        variables = (self._document or {}).get("variables")
        for name, value in variables.items() if isinstance(variables, Mapping) else ():
            yield str(name), {**value} if isinstance(value, Mapping) else {"value": value}

    @cached_property
    def merged_yaml(self) -> str | None:
        """The document after includes and ``extends``, None if it could not be read."""
        return None if self._document is None else document_writing.write(self._document, keys=self._keys)


Facts: TypeAlias = Callable[[], RefFacts]
"""What the rules of includes are about."""


def load(
    text: str | bytes,
    fetch: Fetch,
    profile: Profile,
    facts: Facts | None = None,
    inputs: Inputs = MappingProxyType({}),
) -> Configuration:
    """Read a configuration as a release does.

    ``fetch`` returns the text of an included file, or raises IncludeFailed. Without ``facts``, variables and files are
    unknown to includes. ``inputs`` are those of the pipeline.
    """
    decoded = text.decode(errors="replace") if isinstance(text, bytes) else text
    if not decoded.strip():
        return Configuration(errors=(NO_CONTENT,))
    alone = _load_alone(decoded, profile) if len(decoded) <= _LONGEST_CACHED and not inputs else None
    return _load(decoded, fetch, profile, facts or _know_nothing, inputs) if alone is None else alone


def _know_nothing() -> RefFacts:
    return RefFacts(ref="", profile=EVERYTHING)


@lru_cache(64)
def _load_alone(text: str, profile: Profile) -> Configuration | None:
    """Read a configuration that includes nothing, None if it does: many pipelines of a test use the same file."""
    try:
        return _load(text, _refuse, profile, _refuse_facts, {})
    except _DependsOnMore:
        return None


class _DependsOnMore(Exception):
    """A configuration includes files, or depends on variables."""


def _refuse(include: Include) -> str:
    raise _DependsOnMore(include.location)


def _refuse_facts() -> RefFacts:
    raise _DependsOnMore


def _load(text: str, fetch: Fetch, profile: Profile, facts: Facts, inputs: Inputs) -> Configuration:
    try:
        document, includes = _read_document(text, fetch, profile, facts, inputs)
    except (FormatError, IncludeFailed, InputError, MergeError, NotBuiltError, RuleError) as error:
        return Configuration(errors=(str(error),))
    except RecursionError:
        # References within references can be nested more deeply than a document.
        return Configuration(errors=(TOO_BIG,))
    keys = str if profile.has(MERGED_TEXT_HAS_PLAIN_KEYS) else Symbol
    return evolve(_build(document, profile), includes=includes, keys=keys)


def _read_document(
    text: str, fetch: Fetch, profile: Profile, facts: Facts, inputs: Inputs
) -> tuple[dict[Scalar, YamlValue], tuple[Include, ...]]:
    read = partial(_parse, profile, facts)
    variables = partial(_list_variables, facts)
    holds = partial(_is_included, profile, facts)
    document, includes = load_with_includes(text, inputs, fetch, profile, IncludeRules(read, holds, variables))
    document = resolve_references(resolve_extends(document))
    # Bases and references are repeated in each job that uses them.
    check_size(document)
    return add_edge_stages(document), includes


def _parse(
    profile: Profile,
    facts: Facts,
    text: str,
    inputs: Inputs,
    component: Mapping[Scalar, YamlValue],
    included: IncludedSpecs,
) -> dict[Scalar, YamlValue]:
    """Return the mapping of a file whose inputs are filled in."""

    def know_variables() -> KnownVariables:
        return KnownVariables(values=_list_variables(facts), masked=facts().masked())

    content = fill_in(text, inputs, profile, know_variables, component, included)
    return parse_mapping(content, has_references=profile.has(REFERENCE_TAGS))


def _list_variables(facts: Facts) -> dict[str, str]:
    known = facts()
    return {**known.predefined, **known.variables}


def _is_included(profile: Profile, facts: Facts, rules: YamlValue) -> bool:
    """Return whether the rules of an include hold; IncludeFailed if they are invalid."""
    error = next(vocabulary_of(profile).include_rules.list_errors(rules, Location(("include", "rules"))), None)
    if error is not None:
        raise IncludeFailed(error)
    valid_rules: Any = rules
    rule = find_rule(build_rules(valid_rules), facts(), _list_variables(facts))
    return rule is not None and rule.when != "never"


def _build(document: Document, profile: Profile) -> Configuration:
    vocabulary = vocabulary_of(profile)
    errors = vocabulary.list_errors(document)
    try:
        defaults = build_defaults(document, vocabulary) if not errors else None
    except DefaultsError as error:
        errors = [str(error)]
        defaults = None
    if defaults is None:
        return Configuration(errors=tuple(errors), document=document)
    stages = _stages_of(document)
    warnings = tuple(vocabulary.list_warnings(document))
    try:
        jobs = expand_parallel(build_jobs(document, defaults))
    except MatrixError as error:
        return Configuration(errors=(str(error),), warnings=warnings, document=document)
    mistake = linking.find_error(jobs, stages, profile)
    if mistake is not None:
        return Configuration(errors=(mistake,), warnings=warnings, document=document)
    workflow = _workflow_of(document)
    rules = workflow.get("rules")
    return Configuration(
        warnings=warnings,
        jobs=jobs,
        stages=stages,
        variables=defaults.variables,
        workflow_rules=None if rules is None else build_rules(rules),
        name=workflow.get("name"),
        auto_cancel=build_auto_cancel(workflow.get("auto_cancel")),
        inert=tuple(vocabulary.list_inert(document)),
        document=document,
    )


def _stages_of(document: ValidDocument) -> tuple[str, ...]:
    stages = document.get("stages")
    return tuple(dict.fromkeys(_flatten((document.get("types") if stages is None else stages) or DEFAULT_STAGES)))


def _flatten(stages: Iterable[Any]) -> Iterator[str]:
    for stage in stages:
        if isinstance(stage, list):
            yield from _flatten(stage)
        else:
            yield stage


def _workflow_of(document: ValidDocument) -> Mapping[str, Any]:
    workflow = document.get("workflow")
    return workflow if isinstance(workflow, Mapping) and "script" not in workflow else {}
