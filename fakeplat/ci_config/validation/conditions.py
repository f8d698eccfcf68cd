"""Entries of the keywords that say when a job runs and what it waits for: rules, only, needs, trigger, inherit."""

from base64 import b64decode
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.declarations import (
    Choice,
    Declaration,
    Keyword,
    ListOf,
    Names,
    Node,
    Part,
    Unlisted,
    allowed_keys,
    attribute,
    config,
    in_releases,
    keyword,
    of_release,
    of_values,
    when,
)
from fakeplat.ci_config.validation.entries import Rule
from fakeplat.ci_config.validation.settings import (
    DEFAULT_KEYS,
    PARALLEL,
    VARIABLES_OF_RULES,
    is_mapping,
    is_string,
)
from fakeplat.core import durations
from fakeplat.core.release import ByRelease, Lifetime

MOST_PATHS: Final = 50
_MOST_CROSS_PIPELINE_NEEDS: Final = 5
_MOST_CHILD_FILES: Final = 3


def _is_delayed(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and value.get("when") == "delayed"


def _is_not_delayed(value: YamlValue) -> bool:
    return not _is_delayed(value)


_TOO_MANY_PATHS: Final = f"has too many entries (maximum {MOST_PATHS})"
_PATHS: Final = Node([config(checks.strings, checks.longest(MOST_PATHS, _TOO_MANY_PATHS))])
_CHANGES: Final = Choice(
    [
        (lambda value: isinstance(value, list), _PATHS),
        (
            is_mapping,
            Node(
                [
                    config(
                        allowed_keys([keyword("paths", "15.2"), keyword("compare_to", "15.3")]),
                        checks.required_keys(["paths"]),
                    ),
                    attribute("paths", checks.strings, checks.longest(MOST_PATHS, _TOO_MANY_PATHS)),
                    attribute("compare_to", checks.string),
                ]
            ),
        ),
    ],
    "should be an array or a hash",
)
_EXISTS: Final = Choice(
    [
        (lambda value: isinstance(value, list), _PATHS),
        (is_string, Node()),
        (
            is_mapping,
            Node(
                [
                    config(
                        allowed_keys(
                            [
                                keyword("paths", "17.0"),
                                keyword("project", "17.0"),
                                keyword("ref", "17.0"),
                            ]
                        ),
                        checks.required_keys(["paths"]),
                    ),
                    when(
                        lambda value: isinstance(value, Mapping) and bool(value.get("ref")),
                        config(checks.required_keys(["project"])),
                    ),
                    attribute("paths", checks.strings, checks.longest(MOST_PATHS, _TOO_MANY_PATHS)),
                    attribute("project", checks.string),
                    attribute("ref", checks.string),
                ]
            ),
        ),
    ],
    "should be a string, an array of strings, or a hash",
)
_CHANGES_AS_ENTRY: Final = Lifetime("15.2")
_EXISTS_AS_ENTRY: Final = Lifetime("17.0")
_ANYTHING: Final = Node()
_PATHS_PARTS: Final[Mapping[str, Part]] = {
    "changes": ByRelease({"13.5": _ANYTHING, _CHANGES_AS_ENTRY.since: _CHANGES}),
    "exists": ByRelease({"13.5": _ANYTHING, _EXISTS_AS_ENTRY.since: _EXISTS}),
}
_PATHS_RULES: Final = (
    in_releases(
        Lifetime(until=_CHANGES_AS_ENTRY.since), attribute("changes", checks.strings, checks.longest(MOST_PATHS))
    ),
    in_releases(
        Lifetime(until=_EXISTS_AS_ENTRY.since), attribute("exists", checks.strings, checks.longest(MOST_PATHS))
    ),
)
_ON_NEW_COMMIT: Final = ("conservative", "interruptible", "none")
_ON_JOB_FAILURE: Final = ("none", "all")
AUTO_CANCEL: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys([keyword("on_new_commit", "16.9"), keyword("on_job_failure", "16.11")]),
        ),
        attribute("on_new_commit", checks.one_of(_ON_NEW_COMMIT, f"must be one of: {', '.join(_ON_NEW_COMMIT)}")),
        attribute("on_job_failure", checks.one_of(_ON_JOB_FAILURE, f"must be one of: {', '.join(_ON_JOB_FAILURE)}")),
    ]
)


def rules_entry(allowed_when: Sequence[str], *keys: Keyword, parts: Mapping[str, Part]) -> Declaration:
    """Return the entry of ``rules``; jobs and workflows differ in what ``when`` may be, and in later keys and parts."""
    rule = Node(
        [
            config(
                checks.present,
                checks.mapping,
                allowed_keys([*"if changes exists when start_in allow_failure".split(), *keys]),
            ),
            when(_is_not_delayed, config(checks.disallowed_keys(["start_in"]))),
            when(
                _is_delayed,
                attribute("start_in", checks.present, checks.duration(durations.DAY + 1), required=True),
            ),
            attribute("if", checks.expression),
            *_PATHS_RULES,
            attribute("when", checks.known_value(allowed_when)),
            attribute("allow_failure", checks.boolean),
            attribute("interruptible", checks.boolean),
        ],
        {**_PATHS_PARTS, "variables": VARIABLES_OF_RULES, **parts},
    )
    return ListOf("rule", rule, [config(checks.present, checks.array)])


# Releases that do not know a key of a location ignore it.
INPUTS: Final = keyword("inputs", "16.0")
INPUTS_OF_BETA: Final = keyword("with", "15.11", "16.0")
COMPONENT: Final = keyword("component", "16.2")
INTEGRITY: Final = keyword("integrity", "17.9")
DIGEST_PREFIX: Final = "sha256-"
INCLUDE_KEYS: Final = (INPUTS, INPUTS_OF_BETA, COMPONENT)
INCLUDE_RULES: Final = ListOf(
    "rule",
    Node(
        [
            config(
                checks.present,
                checks.mapping,
                allowed_keys(
                    [
                        keyword("if", "14.3"),
                        keyword("exists", "<=15.10"),
                        keyword("when", "16.2"),
                        keyword("changes", "16.4"),
                    ]
                ),
            ),
            attribute("if", checks.expression),
            *_PATHS_RULES,
            attribute("when", checks.known_value(("never", "always"))),
        ],
        _PATHS_PARTS,
    ),
    [config(checks.present, checks.array)],
)


def _check_expressions(value: YamlValue) -> list[str]:
    statements = value.get("variables") if isinstance(value, Mapping) else None
    if not isinstance(statements, list):
        return []
    return ["variables invalid expression syntax" for statement in statements if checks.expression(statement)]


_STRINGS_OR_REGEXPS: Final = of_release(
    ByRelease(
        {
            "13.5": checks.strings_or_regexps("should be an array of strings or regexps"),
            "<=18.6": checks.strings_or_regexps(
                "should be an array of strings or regular expressions using re2 syntax"
            ),
        }
    )
)
POLICY: Final = Choice(
    [
        (lambda value: isinstance(value, list), Node([config(_STRINGS_OR_REGEXPS)])),
        (
            is_mapping,
            Node(
                [
                    config(checks.present, allowed_keys(["refs", "kubernetes", "variables", "changes"])),
                    _check_expressions,
                    attribute("refs", _STRINGS_OR_REGEXPS),
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
        config(
            checks.present,
            allowed_keys(["job", "artifacts", keyword("optional", "13.10"), keyword("parallel", "16.3")]),
        ),
        attribute("job", checks.string, checks.present, required=True),
        attribute("artifacts", checks.boolean),
        attribute("optional", checks.boolean),
    ],
    {"parallel": PARALLEL},
)
_PROJECT_NEED: Final = Node(
    [
        config(checks.present, allowed_keys(["project", "ref", "job", "artifacts"])),
        attribute("project", checks.string, checks.present, required=True),
        attribute("ref", checks.string, checks.present, required=True),
        attribute("job", checks.string, checks.present, required=True),
        attribute("artifacts", checks.boolean),
    ]
)
_PIPELINE_JOB_NEED: Final = Node(
    [
        config(checks.present, allowed_keys([keyword("pipeline", "13.7"), "job", "artifacts"])),
        attribute("pipeline", checks.string, checks.present, required=True),
        attribute("job", checks.string, checks.present, required=True),
        attribute("artifacts", checks.boolean),
    ]
)
_PIPELINE_NEED: Final = Node(
    [
        config(checks.present, allowed_keys(["pipeline"])),
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


def _need_entry(allowed: Collection[str], of_pipeline: Node) -> Choice:
    """Return the entry of a need; ``of_pipeline`` is that of a job of another pipeline."""
    return Choice(
        [
            (is_string, Node([config(checks.present)])),
            (lambda value: kind_of_need(value) == "job", _JOB_NEED),
            (_is_need_of_pipeline, of_pipeline if "cross_dependency" in allowed else Unlisted(of_pipeline)),
            (lambda value: kind_of_need(value) == "cross_dependency", _PROJECT_NEED),
            (lambda value: kind_of_need(value) == "bridge", _PIPELINE_NEED),
        ],
        "has an unsupported type",
    )


def list_needs(value: YamlValue) -> list[YamlValue]:
    """Return the needs of a job, which may be a single one."""
    if not isinstance(value, list):
        return [] if value is None else [value]
    return [need for item in value for need in (list_needs(item) if isinstance(item, list) else [item])]


def needs_entry(allowed: Sequence[str]) -> Part:
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

    rules, composed = [check_form], [check_kinds, check_pipelines]
    return ByRelease(
        {
            "13.5": ListOf("need", _need_entry(allowed, _JOB_NEED), rules, composed),
            "13.7": ListOf("need", _need_entry(allowed, _PIPELINE_JOB_NEED), rules, composed),
        }
    )


def check_include_of(key: str, required: str, text: str) -> Rule:
    """Return a rule that a location with a key has another one as well."""

    def check(value: YamlValue) -> list[str]:
        incomplete = isinstance(value, Mapping) and value.get(key) and not value.get(required)
        return [f"config must specify the {text}"] if incomplete else []

    return check


def check_integrity(value: YamlValue) -> Iterable[str]:
    """Yield what is wrong with the digest that a location has."""
    digest = value.get(INTEGRITY.name) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not digest:
        return
    if not value.get("remote"):
        yield "config integrity can only be specified for remote includes"
    if not isinstance(digest, str) or not digest.startswith(DIGEST_PREFIX):
        yield f"config integrity hash must start with '{DIGEST_PREFIX}'"
        return
    try:
        b64decode(digest.removeprefix(DIGEST_PREFIX), validate=True)
    except ValueError:
        yield "config integrity hash must be base64 encoded"


_INTEGRITY_RULE: Final[Rule] = check_integrity
INCLUDE: Final = Node(
    [
        config(
            checks.mapping_or_string,
            allowed_keys(
                [
                    *"local file remote template artifact job project ref".split(),
                    keyword("rules", "14.3"),
                    *INCLUDE_KEYS,
                    INTEGRITY,
                ]
            ),
        ),
        check_include_of("artifact", "job", "job where to fetch the artifact from"),
        check_include_of("project", "file", "file where to fetch the config from"),
        in_releases(INTEGRITY, _INTEGRITY_RULE),
    ],
    {"rules": INCLUDE_RULES},
)
_STRATEGY: Final = attribute(
    "strategy",
    checks.string,
    of_values(
        ["depend", keyword("mirror", "18.2")],
        lambda values: checks.one_of(values, f"should be {' or '.join(values)}"),
    ),
)
_FORWARD: Final = Node(
    [
        config(allowed_keys(["yaml_variables", "pipeline_variables"])),
        attribute("yaml_variables", checks.boolean),
        attribute("pipeline_variables", checks.boolean),
    ]
)
_TRIGGER_KEYS: Final[Names] = ("strategy", keyword("forward", "14.10"), keyword("inputs", "17.11"))


def _check_child_files(value: YamlValue) -> list[str]:
    too_many = isinstance(value, list) and len(value) > _MOST_CHILD_FILES
    return [f"config is too long (maximum is {_MOST_CHILD_FILES})"] if too_many else []


TRIGGER: Final = Choice(
    [
        (is_string, Node([config(checks.present)])),
        (
            lambda value: isinstance(value, Mapping) and "include" in value,
            Node(
                [config(checks.present, allowed_keys(["include", *_TRIGGER_KEYS])), _STRATEGY],
                {"include": ListOf("include", INCLUDE, [_check_child_files]), "forward": _FORWARD},
            ),
        ),
        (
            is_mapping,
            Node(
                [
                    config(checks.present, allowed_keys(["project", "branch", *_TRIGGER_KEYS])),
                    attribute("project", checks.string, checks.present, required=True),
                    attribute("branch", checks.string),
                    _STRATEGY,
                ],
                {"forward": _FORWARD},
            ),
        ),
    ],
    "has to be either a string or a hash",
)

_INHERIT_OTHERWISE: Final = "should be a bool or array of strings"
INHERIT: Final = Node(
    [config(checks.mapping, allowed_keys(["default", "variables"]))],
    {
        "default": Choice(
            [
                (lambda value: isinstance(value, bool), Node()),
                (
                    lambda value: isinstance(value, list),
                    Node([config(checks.strings, of_values(DEFAULT_KEYS, checks.known_values))]),
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
