"""Entries of the keywords that say when a job runs and what it waits for: rules, only, needs, trigger, inherit."""

from collections.abc import Mapping, Sequence
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.entries import Choice, Entry, ListOf, Node, Rule, attribute, config, when
from fakeplat.ci_config.validation.settings import DEFAULT_KEYS, VARIABLES, is_mapping, is_string
from fakeplat.core import durations

MOST_PATHS: Final = 50
_MOST_CROSS_PIPELINE_NEEDS: Final = 5
_MOST_CHILD_FILES: Final = 3


def _is_delayed(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and value.get("when") == "delayed"


def _is_not_delayed(value: YamlValue) -> bool:
    return not _is_delayed(value)


def rules_entry(allowed_when: Sequence[str]) -> Entry:
    """Return the entry of ``rules``; jobs and workflows differ in what ``when`` may be."""
    rule = Node(
        [
            config(
                checks.present,
                checks.mapping,
                checks.allowed_keys("if changes exists when start_in allow_failure variables".split()),
            ),
            when(_is_not_delayed, config(checks.disallowed_keys(["start_in"]))),
            when(
                _is_delayed,
                attribute("start_in", checks.present, checks.duration(durations.DAY + 1), required=True),
            ),
            attribute("if", checks.expression),
            attribute("changes", checks.strings, checks.longest(MOST_PATHS)),
            attribute("exists", checks.strings, checks.longest(MOST_PATHS)),
            attribute("when", checks.known_value(allowed_when)),
            attribute("allow_failure", checks.boolean),
        ],
        {"variables": VARIABLES},
    )
    return ListOf("rule", rule, [config(checks.present, checks.array)])


def _check_expressions(value: YamlValue) -> list[str]:
    statements = value.get("variables") if isinstance(value, Mapping) else None
    if not isinstance(statements, list):
        return []
    return ["variables invalid expression syntax" for statement in statements if checks.expression(statement)]


POLICY: Final = Choice(
    [
        (lambda value: isinstance(value, list), Node([config(checks.strings_or_regexps)])),
        (
            is_mapping,
            Node(
                [
                    config(checks.present, checks.allowed_keys(["refs", "kubernetes", "variables", "changes"])),
                    _check_expressions,
                    attribute("refs", checks.strings_or_regexps),
                    attribute("kubernetes", checks.known_value(["active"])),
                    attribute("variables", checks.strings),
                    attribute("changes", checks.strings),
                ]
            ),
        ),
    ],
    "has to be either an array of conditions or a hash",
)

_JOB_NEED: Final = Node(
    [
        config(checks.present, checks.allowed_keys(["job", "artifacts", "optional"])),
        attribute("job", checks.string, checks.present, required=True),
        attribute("artifacts", checks.boolean),
        attribute("optional", checks.boolean),
    ]
)
_PROJECT_NEED: Final = Node(
    [
        config(checks.present, checks.allowed_keys(["project", "ref", "job", "artifacts"])),
        attribute("project", checks.string, checks.present, required=True),
        attribute("ref", checks.string, checks.present, required=True),
        attribute("job", checks.string, checks.present, required=True),
        attribute("artifacts", checks.boolean),
    ]
)
_PIPELINE_JOB_NEED: Final = Node(
    [
        config(checks.present, checks.allowed_keys(["pipeline", "job", "artifacts"])),
        attribute("pipeline", checks.string, checks.present, required=True),
        attribute("job", checks.string, checks.present, required=True),
        attribute("artifacts", checks.boolean),
    ]
)
_PIPELINE_NEED: Final = Node(
    [
        config(checks.present, checks.allowed_keys(["pipeline"])),
        attribute("pipeline", checks.string, checks.present, required=True),
    ]
)


def kind_of_need(value: object) -> str | None:
    """Return the kind of a need: job, cross_dependency (of another project or pipeline) or bridge (its status)."""
    if isinstance(value, str):
        return "job"
    if not isinstance(value, Mapping):
        return None
    if "job" in value:
        return "cross_dependency" if value.keys() & {"project", "ref", "pipeline"} else "job"
    return "bridge" if "pipeline" in value else None


def _is_need_of_pipeline(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and kind_of_need(value) == "cross_dependency" and "pipeline" in value


_NEED: Final = Choice(
    [
        (is_string, Node([config(checks.present)])),
        (lambda value: kind_of_need(value) == "job", _JOB_NEED),
        (_is_need_of_pipeline, _PIPELINE_JOB_NEED),
        (lambda value: kind_of_need(value) == "cross_dependency", _PROJECT_NEED),
        (lambda value: kind_of_need(value) == "bridge", _PIPELINE_NEED),
    ],
    "has an unsupported type",
)


def list_needs(value: YamlValue) -> list[YamlValue]:
    """Return the needs of a job, which may be a single one."""
    return value if isinstance(value, list) else [] if value is None else [value]


def needs_entry(allowed: Sequence[str]) -> Entry:
    """Return the entry of ``needs``; jobs and bridges differ in the kinds that they may have."""

    def check_form(value: YamlValue) -> list[str]:
        if not isinstance(value, Mapping | list):
            return ["config can only be a hash or an array"]
        return ["config can not be an empty hash"] if isinstance(value, Mapping) and not value else []

    def check_kinds(value: YamlValue) -> list[str]:
        kinds = dict.fromkeys(kind for need in list_needs(value) if (kind := kind_of_need(need)))
        extra = [kind for kind in kinds if kind not in allowed]
        return [f"config uses invalid types: {', '.join(extra)}"] if extra else []

    def check_pipelines(value: YamlValue) -> list[str]:
        needs = [need for need in list_needs(value) if _is_need_of_pipeline(need)]
        limit = _MOST_CROSS_PIPELINE_NEEDS
        return [f"config must be less than or equal to {limit}"] if len(needs) > limit else []

    return ListOf("need", _NEED, [check_form], [check_kinds, check_pipelines])


def _check_include_of(key: str, required: str, text: str) -> Rule:
    def check(value: YamlValue) -> list[str]:
        incomplete = isinstance(value, Mapping) and value.get(key) and not value.get(required)
        return [f"config must specify the {text}"] if incomplete else []

    return check


INCLUDE: Final = Node(
    [
        config(
            checks.mapping_or_string,
            checks.allowed_keys("local file remote template artifact job project ref".split()),
        ),
        _check_include_of("artifact", "job", "job where to fetch the artifact from"),
        _check_include_of("project", "file", "file where to fetch the config from"),
    ]
)
_STRATEGY: Final = attribute("strategy", checks.string, checks.one_of(["depend"], "should be depend"))


def _check_child_files(value: YamlValue) -> list[str]:
    too_many = isinstance(value, list) and len(value) > _MOST_CHILD_FILES
    return [f"config is too long (maximum is {_MOST_CHILD_FILES})"] if too_many else []


TRIGGER: Final = Choice(
    [
        (is_string, Node([config(checks.present)])),
        (
            lambda value: isinstance(value, Mapping) and "include" in value,
            Node(
                [config(checks.present, checks.allowed_keys(["strategy", "include"])), _STRATEGY],
                {"include": ListOf("include", INCLUDE, [_check_child_files])},
            ),
        ),
        (
            is_mapping,
            Node(
                [
                    config(checks.present, checks.allowed_keys(["project", "branch", "strategy"])),
                    attribute("project", checks.string, checks.present, required=True),
                    attribute("branch", checks.string),
                    _STRATEGY,
                ]
            ),
        ),
    ],
    "has to be either a string or a hash",
)

_INHERIT_OTHERWISE: Final = "should be a bool or array of strings"
INHERIT: Final = Node(
    [config(checks.mapping, checks.allowed_keys(["default", "variables"]))],
    {
        "default": Choice(
            [
                (lambda value: isinstance(value, bool), Node()),
                (
                    lambda value: isinstance(value, list),
                    Node([config(checks.strings, checks.known_values(DEFAULT_KEYS))]),
                ),
            ],
            _INHERIT_OTHERWISE,
        ),
        "variables": Choice(
            [
                (lambda value: isinstance(value, bool), Node()),
                (lambda value: isinstance(value, list), Node([config(checks.strings)])),
            ],
            _INHERIT_OTHERWISE,
        ),
    },
)
