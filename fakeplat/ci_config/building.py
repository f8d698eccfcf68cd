"""Jobs from a valid document: defaults, inherited variables, and the values in the form that a runner gets."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from attrs import evolve

from fakeplat.ci_config.documents import Scalar, to_text
from fakeplat.ci_config.jobs import (
    ALLOWED_EXIT_CODES,
    RAW_VARIABLES,
    ArtifactsSpec,
    AutoCancel,
    ChildFile,
    CrossNeed,
    EnvironmentSpec,
    InstancesNeed,
    JobDefinition,
    Need,
    Policy,
    RetrySpec,
    Rule,
    TriggerSpec,
    Variables,
    When,
)
from fakeplat.ci_config.secrets import build_secrets
from fakeplat.ci_config.validation.conditions import kind_of_need
from fakeplat.ci_config.validation.documents import Vocabulary
from fakeplat.core import durations
from fakeplat.core.store.frozen import frozen

if TYPE_CHECKING:
    from fakeplat.ci_config.keywords import (
        ArtifactsKeywords,
        AutoCancelKeywords,
        CoverageReportKeywords,
        EnvironmentKeywords,
        IncludeKeywords,
        JobKeywords,
        MatrixVariables,
        NeedKeywords,
        Options,
        ParallelKeywords,
        PathsKeywords,
        PolicyKeywords,
        RetryKeywords,
        RuleKeywords,
        Script,
        TriggerKeywords,
        VariablesKeyword,
    )

DEFAULT_STAGES: Final = (".pre", "build", "test", "deploy", ".post")
_DEFAULT_STAGE: Final = "test"
_DEFAULT_REFS: Final = ("branches", "tags")
_CACHE_DEFAULTS: Final = {"key": "default", "policy": "pull-push", "when": "on_success"}
_GLOBAL_KEYS: Final = ("before_script", "image", "services", "after_script", "cache")

ValidDocument: TypeAlias = Mapping[Scalar, Any]
"""A document without errors: each keyword has the form that its entry in `validation` describes."""


class DefaultsError(ValueError):
    """A default is given twice. The message is the platform's."""


@frozen
class Defaults:
    """What jobs inherit from the rest of a document."""

    vocabulary: Vocabulary
    keywords: Mapping[str, object]
    variables: Variables
    raw_variables: Sequence[str]
    has_workflow_rules: bool


def build_defaults(document: ValidDocument, vocabulary: Vocabulary) -> Defaults:
    """Return what jobs inherit; DefaultsError if a keyword is given at the top and under ``default``."""
    jobs = vocabulary.list_jobs(document)
    default = document.get("default") if "default" not in jobs else None
    keywords: dict[str, object] = {key: value for key, value in (default or {}).items() if value is not None}
    for key in _GLOBAL_KEYS:
        if document.get(key) is None:
            continue
        if key in keywords:
            raise DefaultsError(f"{key} is defined in top-level and `default:` entry")
        keywords[key] = document[key]
    workflow = document.get("workflow") if "workflow" not in jobs else None
    variables = document.get("variables")
    has_rules = "rules" in (workflow or {})
    return Defaults(vocabulary, keywords, build_variables(variables), _list_raw_names(variables), has_rules)


def build_jobs(
    document: ValidDocument, defaults: Defaults
) -> "Iterator[tuple[JobDefinition, ParallelKeywords | int | None]]":
    """Return the visible jobs of a document in its order, each with its value of ``parallel``."""
    jobs: ValidDocument = defaults.vocabulary.list_jobs(document)
    for name, value in jobs.items():
        kind = defaults.vocabulary.find_type(name, value)
        if kind in ("job", "bridge"):
            keywords = _add_defaults(value, defaults) if kind == "job" else value
            yield _build_job(to_text(name), keywords, defaults, is_bridge=kind == "bridge"), value.get("parallel")


def _add_defaults(value: "JobKeywords", defaults: Defaults) -> "JobKeywords":
    inherited = _inherited_names(value, "default")
    added: Any = {
        key: defaults.keywords[key]
        for key in defaults.vocabulary.default_keys
        if key in defaults.keywords and value.get(key) is None and (inherited is None or key in inherited)
    }
    return cast("JobKeywords", {**value, **added})


def _inherited_names(value: "JobKeywords", kind: Literal["default", "variables"]) -> Sequence[str] | None:
    """Return the names that a job inherits, None for all of them."""
    given = (value.get("inherit") or {}).get(kind)
    if isinstance(given, list):
        return given
    return () if given is False else None


def _build_job(name: str, value: "JobKeywords", defaults: Defaults, *, is_bridge: bool) -> JobDefinition:
    needs: list[str | NeedKeywords] = _to_list(value.get("needs"))
    rules = value.get("rules")
    when: When = value.get("when") or "on_success"
    given = value.get("allow_failure")
    own_variables = build_variables(value.get("variables"))
    return JobDefinition(
        name=name,
        stage=_stage_of(value),
        when=when,
        start_in=durations.parse_seconds(value.get("start_in")),
        # With exit codes, only those may fail.
        allow_failure=when == "manual" if given is None else given is True,
        allow_failure_is_given=given is not None,
        needs=_build_needs(needs) if _is_ordered_by_needs(value, is_bridge=is_bridge) else None,
        cross_needs=tuple(_build_cross_needs(needs)),
        mirrors=_find_mirrored(needs),
        dependencies=_to_tuple(value.get("dependencies")),
        variables=merge_variables(_inherit_variables(value, defaults), own_variables),
        own_variables=own_variables,
        inherited_variables=_to_tuple(_inherited_names(value, "variables")),
        environment=_build_environment(value.get("environment")),
        coverage_regex=_without_slashes(value.get("coverage")),
        retry=_build_retry(value.get("retry")),
        timeout=durations.parse_seconds(value.get("timeout")),
        interruptible=value.get("interruptible"),
        resource_group=value.get("resource_group"),
        tags=tuple(value.get("tags") or ()),
        trigger=_build_trigger(value.get("trigger")),
        artifacts=_build_artifacts(value.get("artifacts")),
        options={**_build_options(value), **_build_raw_variables(value, defaults)},
        only=_build_only(value, defaults),
        excluded=_build_policy(value.get("except")),
        rules=None if rules is None else build_rules(rules),
    )


def _stage_of(value: "JobKeywords") -> str:
    stage = value.get("stage")
    return str((value.get("type") if stage is None else stage) or _DEFAULT_STAGE)


def _is_ordered_by_needs(value: "JobKeywords", *, is_bridge: bool) -> bool:
    return value.get("needs") is not None and (not is_bridge or value.get("trigger") is not None)


def _without_slashes(value: str | None) -> str | None:
    return value[1:-1] if value and value.startswith("/") and value.endswith("/") else value


def _to_tuple(value: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(value)


def _to_list(value: object) -> list[Any]:
    """Return the items of a list and of the lists in it, or a single item."""
    if not isinstance(value, list):
        return [] if value is None else [value]
    return [inner for item in value for inner in (_to_list(item) if isinstance(item, list) else [item])]


def build_variables(value: "VariablesKeyword | None") -> Variables:
    """Return variables in their order. A value may have a description and other data."""
    pairs = value.items() if isinstance(value, Mapping) else ()
    return tuple((to_text(name), to_text(_without_description(inner))) for name, inner in pairs)


def _list_raw_names(value: "VariablesKeyword | None") -> list[str]:
    """Return the names of the variables that are not expanded."""
    pairs = value.items() if isinstance(value, Mapping) else ()
    return [to_text(name) for name, inner in pairs if isinstance(inner, Mapping) and inner.get("expand") is False]


def _build_raw_variables(value: "JobKeywords", defaults: Defaults) -> dict[str, list[str]]:
    own, inherited = value.get("variables") or {}, _inherited_names(value, "variables")
    names = [name for name in defaults.raw_variables if name not in own and (inherited is None or name in inherited)]
    raw = [*names, *_list_raw_names(own)]
    return {RAW_VARIABLES: raw} if raw else {}


def _without_description(value: Scalar | Mapping[Scalar, Scalar]) -> Scalar:
    return value.get("value") if isinstance(value, Mapping) else value


def _inherit_variables(value: "JobKeywords", defaults: Defaults) -> Variables:
    names = _inherited_names(value, "variables")
    return tuple(pair for pair in defaults.variables if names is None or pair[0] in names)


def merge_variables(*groups: Variables) -> Variables:
    """Return the variables of all groups; the last value of a name counts."""
    return tuple({name: value for group in groups for name, value in group}.items())


def _build_needs(needs: "Sequence[str | NeedKeywords]") -> tuple[Need, ...]:
    return tuple(_build_need(need) for need in needs if kind_of_need(need) == "job")


def _build_need(need: "str | NeedKeywords") -> Need:
    if isinstance(need, str):
        return Need(need)
    has_artifacts, is_optional, parallel = (
        need.get("artifacts") is not False,
        need.get("optional"),
        need.get("parallel"),
    )
    if not isinstance(parallel, Mapping):
        return Need(need["job"], has_artifacts, bool(is_optional))
    instances = tuple(map(name_instance, list_combinations(parallel["matrix"])))
    return InstancesNeed(need["job"], has_artifacts, bool(is_optional), instances)


def list_combinations(matrix: "Sequence[MatrixVariables]") -> list[Variables]:
    """Return the variables of each instance of a matrix."""
    return [combination for item in matrix for combination in _list_combinations(item)]


def _list_combinations(item: "MatrixVariables") -> Iterator[Variables]:
    names = [to_text(name) for name in item]
    lists = [values if isinstance(values, list) else [values] for values in item.values()]
    for values in product(*lists):
        yield tuple(zip(names, map(to_text, values), strict=True))


def name_instance(combination: Variables) -> str:
    """Return how the name of an instance of a matrix ends."""
    return f": [{', '.join(value for _, value in combination)}]"


def _find_mirrored(needs: "Sequence[str | NeedKeywords]") -> str | None:
    mirrored = (need["pipeline"] for need in needs if not isinstance(need, str) and kind_of_need(need) == "bridge")
    return next(mirrored, None)


def _build_cross_needs(needs: "Sequence[str | NeedKeywords]") -> Iterator[CrossNeed]:
    for need in needs:
        if not isinstance(need, str) and kind_of_need(need) == "cross_dependency":
            has_artifacts = need.get("artifacts") is not False
            yield CrossNeed(need["job"], need.get("project"), need.get("ref"), need.get("pipeline"), has_artifacts)


def _build_environment(value: "str | EnvironmentKeywords | None") -> EnvironmentSpec | None:
    if value is None:
        return None
    if isinstance(value, str):
        return EnvironmentSpec(value)
    return EnvironmentSpec(
        name=value["name"],
        url=value.get("url"),
        action=value.get("action") or "start",
        on_stop=value.get("on_stop"),
        auto_stop_in=durations.parse_seconds(value.get("auto_stop_in")),
        deployment_tier=value.get("deployment_tier"),
        kubernetes_namespace=(value.get("kubernetes") or {}).get("namespace"),
    )


def _build_retry(value: "int | RetryKeywords | None") -> RetrySpec:
    if isinstance(value, Mapping):
        exit_codes = tuple(_to_list(value.get("exit_codes")))
        # With exit codes, only those count, and the kinds of failure that are given as well.
        kinds = tuple(_to_list(value.get("when"))) or (() if exit_codes else ("always",))
        return RetrySpec(value.get("max") or 0, kinds, exit_codes)
    return RetrySpec(value or 0)


def _build_artifacts(value: "ArtifactsKeywords | None") -> ArtifactsSpec | None:
    if value is None:
        return None
    reports = value.get("reports") or {}
    return ArtifactsSpec(
        name=value.get("name"),
        paths=_to_tuple(value.get("paths")),
        exclude=tuple(value.get("exclude") or ()),
        untracked=value.get("untracked"),
        when=value.get("when"),
        expire_in=value.get("expire_in"),
        expose_as=value.get("expose_as"),
        reports=dict(_build_reports(reports)),
        access=value.get("access") or ("developer" if value.get("public") is False else "all"),
    )


def _build_reports(
    reports: "Mapping[str, str | list[str] | CoverageReportKeywords | None]",
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in reports.items():
        if isinstance(value, Mapping):
            # A report of coverage has the name of its format.
            yield value["coverage_format"], (value["path"],)
        elif value is not None:
            yield name, tuple(_to_list(value))


def _build_trigger(value: "str | TriggerKeywords | None") -> TriggerSpec | None:
    if value is None:
        return None
    if isinstance(value, str):
        return TriggerSpec(project=value)
    includes = tuple(_build_child_file(include) for include in _to_list(value.get("include")))
    forward = value.get("forward") or {}
    return TriggerSpec(
        project=value.get("project"),
        branch=value.get("branch"),
        strategy=value.get("strategy"),
        includes=includes,
        forwards_yaml_variables=forward.get("yaml_variables") is not False,
        forwards_pipeline_variables=forward.get("pipeline_variables") is True,
        inputs=_build_inputs(value.get("inputs")),
    )


def _build_inputs(value: Mapping[Scalar, Any] | None) -> dict[str, Any]:
    return {to_text(name): inner for name, inner in (value or {}).items()}


def _build_child_file(include: "str | IncludeKeywords") -> ChildFile:
    if isinstance(include, str):
        return ChildFile("remote" if include.startswith(("http://", "https://")) else "local", include)
    file = _build_file(include)
    inputs = include.get("inputs") or include.get("with")
    rules = tuple(include.get("rules") or ())
    return evolve(file, inputs=_build_inputs(inputs), rules=rules, integrity=include.get("integrity"))


def _build_file(include: "IncludeKeywords") -> ChildFile:
    if include.get("artifact"):
        return ChildFile("artifact", to_text(include["artifact"]), job=to_text(include.get("job")))
    if include.get("project"):
        ref = include.get("ref")
        return ChildFile(
            "file",
            to_text(include.get("file")),
            project=to_text(include["project"]),
            ref=None if ref is None else to_text(ref),
        )
    if include.get("template"):
        return ChildFile("template", to_text(include["template"]))
    if include.get("component"):
        return ChildFile("component", to_text(include["component"]))
    if include.get("remote"):
        return ChildFile("remote", to_text(include["remote"]))
    return ChildFile("local", to_text(include.get("local")))


def _build_only(value: "JobKeywords", defaults: Defaults) -> Policy | None:
    policy = _build_policy(value.get("only"))
    if policy is not None:
        # Other conditions do not replace the refs of the default.
        return evolve(policy, refs=_DEFAULT_REFS) if policy.refs is None else policy
    if "rules" in value or defaults.has_workflow_rules:
        return None
    return Policy(refs=_DEFAULT_REFS)


def _build_policy(value: "list[str] | PolicyKeywords | None") -> Policy | None:
    if value is None:
        return None
    if isinstance(value, list):
        return Policy(refs=tuple(value))
    return Policy(
        _to_tuple(value.get("refs")),
        _to_tuple(value.get("variables")),
        _to_tuple(value.get("changes")),
        value.get("kubernetes"),
    )


def build_rules(rules: "Sequence[RuleKeywords]") -> tuple[Rule, ...]:
    """Return the clauses of ``rules``."""
    return tuple(
        Rule(
            condition=rule.get("if"),
            changes=_build_paths(rule.get("changes")),
            compare_to=_find_option(rule.get("changes"), "compare_to"),
            exists=_build_paths(rule.get("exists")),
            exists_project=_find_option(rule.get("exists"), "project"),
            exists_ref=_find_option(rule.get("exists"), "ref"),
            when=rule.get("when"),
            start_in=durations.parse_seconds(rule.get("start_in")),
            allow_failure=rule.get("allow_failure"),
            variables=build_variables(rule.get("variables")),
            needs=None if rule.get("needs") is None else _build_needs(_to_list(rule.get("needs"))),
            interruptible=rule.get("interruptible"),
            auto_cancel=build_auto_cancel(rule.get("auto_cancel")),
        )
        for rule in _to_list(rules)
    )


def build_auto_cancel(value: "AutoCancelKeywords | None") -> AutoCancel:
    """Return when jobs of a pipeline are canceled."""
    return AutoCancel() if value is None else AutoCancel(value.get("on_new_commit"), value.get("on_job_failure"))


def _build_paths(value: "str | list[str] | PathsKeywords | None") -> tuple[str, ...] | None:
    paths = value.get("paths") if isinstance(value, Mapping) else value
    return None if paths is None else tuple(_to_list(paths))


def _find_option(
    value: "str | list[str] | PathsKeywords | None", name: Literal["compare_to", "project", "ref"]
) -> str | None:
    return value.get(name) if isinstance(value, Mapping) else None


def _build_options(value: "JobKeywords") -> dict[str, object]:
    """Return what a runner gets of a job, without what is missing."""
    options = {
        "image": _build_image(value.get("image")),
        "services": _build_services(value.get("services")),
        "before_script": _flatten(value.get("before_script")),
        "script": _flatten(value.get("script")),
        "after_script": _flatten(value.get("after_script")),
        "cache": _build_cache(value.get("cache")),
        "release": value.get("release"),
        "secrets": build_secrets(value.get("secrets")),
        "hooks": _build_hooks(value.get("hooks")),
        "id_tokens": value.get("id_tokens"),
        "run": value.get("run"),
        "manual_confirmation": value.get("manual_confirmation"),
        "pages": value.get("pages"),
        "publish": value.get("publish"),
        "inputs": _build_input_specs(value.get("inputs")),
        ALLOWED_EXIT_CODES: _list_allowed_exit_codes(value.get("allow_failure")),
    }
    return _without_nulls(options)


def _build_input_specs(value: "Mapping[str, Options] | None") -> "dict[str, Options] | None":
    return None if value is None else {to_text(name): {"type": "string", **spec} for name, spec in value.items()}


def _list_allowed_exit_codes(value: object) -> list[int] | None:
    return _to_list(value.get("exit_codes")) or None if isinstance(value, Mapping) else None


def _build_hooks(value: "Mapping[str, Script | None] | None") -> dict[str, list[str]] | None:
    return None if value is None else {name: _flatten(script) or [] for name, script in value.items()}


def _build_image(value: "str | Options | None") -> "Options | None":
    return {"name": value} if isinstance(value, str) else value


def _build_services(value: "list[str | Options] | None") -> "list[Options | None] | None":
    return None if value is None else [_build_image(service) for service in value]


def _flatten(value: "Script | None") -> list[str] | None:
    """Return the lines of a script, which may be one text or have lists of lines."""
    if value is None:
        return None
    return list(_list_lines(value))


def _list_lines(value: object) -> Iterator[str]:
    for item in _to_list(value):
        if isinstance(item, list):
            yield from _list_lines(item)
        elif item is not None:
            yield item


def _build_cache(value: "Options | list[Options] | None") -> object:
    if isinstance(value, list):
        return [_build_cache(item) for item in value]
    return None if value is None else {**_CACHE_DEFAULTS, **_without_nulls(value)}


def _without_nulls(value: Mapping[str, object]) -> dict[str, object]:
    return {key: inner for key, inner in value.items() if inner is not None}
