"""CI configuration files: from the text of ``.gitlab-ci.yml`` to its jobs, or to what is wrong with it."""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Final

from attrs import define, field

from fakeplat.ci_config import document_writing, linking
from fakeplat.ci_config.building import (
    DEFAULT_STAGES,
    DefaultsError,
    ValidDocument,
    build_defaults,
    build_jobs,
    build_rules,
)
from fakeplat.ci_config.documents import TOO_BIG, Document, FormatError, Scalar, YamlValue, check_size, parse_mapping
from fakeplat.ci_config.includes import Fetch, Include, IncludeFailed, expand_includes
from fakeplat.ci_config.jobs import JobDefinition, Rule, Variables
from fakeplat.ci_config.merging import MergeError, add_edge_stages, resolve_extends, resolve_references
from fakeplat.ci_config.parallel import expand_parallel
from fakeplat.ci_config.validation.documents import list_errors, list_warnings

NO_CONTENT: Final = "Please provide content of .gitlab-ci.yml"
_LONGEST_CACHED: Final = 1 << 16


@define(frozen=True, slots=False)
class Configuration:
    """A configuration file with all that it includes.

    If there are ``errors``, the platform's messages in its order, there are no jobs. ``stages`` contains ``.pre`` and
    ``.post``. ``variables`` are those of the root. ``workflow_rules`` is None without rules of the workflow.
    """

    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    jobs: tuple[JobDefinition, ...] = ()
    stages: tuple[str, ...] = ()
    variables: Variables = ()
    workflow_rules: tuple[Rule, ...] | None = None
    _document: Document | None = field(default=None, repr=False)

    @property
    def is_valid(self) -> bool:
        """Whether pipelines can be created from the configuration."""
        return not self.errors

    @cached_property
    def merged_yaml(self) -> str | None:
        """The document after includes and ``extends``, None if it could not be read."""
        return None if self._document is None else document_writing.write(self._document)


def load(text: str | bytes, fetch: Fetch) -> Configuration:
    """Read a configuration. ``fetch`` returns the text of an included file, or raises IncludeFailed."""
    decoded = text.decode(errors="replace") if isinstance(text, bytes) else text
    if not decoded.strip():
        return Configuration(errors=(NO_CONTENT,))
    alone = _load_alone(decoded) if len(decoded) <= _LONGEST_CACHED else None
    return _load(decoded, fetch) if alone is None else alone


@lru_cache(64)
def _load_alone(text: str) -> Configuration | None:
    """Read a configuration that includes nothing, None if it does: many pipelines of a test use the same file."""
    try:
        return _load(text, _refuse)
    except _IncludesFound:
        return None


class _IncludesFound(Exception):
    """A configuration includes files."""


def _refuse(include: Include) -> str:
    raise _IncludesFound(include.location)


def _load(text: str, fetch: Fetch) -> Configuration:
    try:
        document = _read_document(text, fetch)
    except (FormatError, IncludeFailed, MergeError) as error:
        return Configuration(errors=(str(error),))
    except RecursionError:
        # References within references can be nested more deeply than a document.
        return Configuration(errors=(TOO_BIG,))
    return _build(document)


def _read_document(text: str, fetch: Fetch) -> dict[Scalar, YamlValue]:
    document = expand_includes(parse_mapping(text), fetch)
    document = resolve_references(resolve_extends(document))
    # Bases and references are repeated in each job that uses them.
    check_size(document)
    return add_edge_stages(document)


def _build(document: Document) -> Configuration:
    errors = list_errors(document)
    try:
        defaults = build_defaults(document) if not errors else None
    except DefaultsError as error:
        errors = [str(error)]
        defaults = None
    if defaults is None:
        return Configuration(errors=tuple(errors), document=document)
    jobs = expand_parallel(build_jobs(document, defaults))
    stages = _stages_of(document)
    warnings = tuple(list_warnings(document))
    mistake = linking.find_error(jobs, stages)
    if mistake is not None:
        return Configuration(errors=(mistake,), warnings=warnings, document=document)
    return Configuration(
        warnings=warnings,
        jobs=jobs,
        stages=stages,
        variables=defaults.variables,
        workflow_rules=_workflow_rules_of(document),
        document=document,
    )


def _stages_of(document: ValidDocument) -> tuple[str, ...]:
    stages = document.get("stages")
    return tuple(dict.fromkeys((document.get("types") if stages is None else stages) or DEFAULT_STAGES))


def _workflow_rules_of(document: ValidDocument) -> tuple[Rule, ...] | None:
    workflow = document.get("workflow")
    rules = workflow.get("rules") if isinstance(workflow, Mapping) and "script" not in workflow else None
    return None if rules is None else build_rules(rules)
