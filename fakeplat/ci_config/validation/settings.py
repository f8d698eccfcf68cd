"""Entries of the keywords of a job that are not about when it runs, such as scripts, images and artifacts."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.declarations import (
    Choice,
    Keyword,
    ListOf,
    MapOf,
    Names,
    Node,
    Part,
    allowed_keys,
    attribute,
    config,
    in_releases,
    keyword,
    of_release,
    of_values,
    when,
)
from fakeplat.ci_config.validation.entries import Check
from fakeplat.ci_config.validation.json_schemas import Flag, Table, Text, matches
from fakeplat.core import durations
from fakeplat.core.release import ByRelease, Lifetime

DEFAULT_KEYS: Final[Names] = (
    *"before_script image services after_script cache interruptible timeout retry tags artifacts".split(),
    keyword("hooks", "15.10"),
    keyword("id_tokens", "16.4"),
    keyword("identity", "16.9", inert=True),
)
_PLAIN_REPORTS: Final = (
    "junit codequality sast secret_detection dependency_scanning container_scanning dast performance "
    "browser_performance load_performance license_management license_scanning metrics lsif dotenv cobertura terraform "
    "accessibility cluster_applications requirements coverage_fuzzing api_fuzzing cluster_image_scanning "
    "requirements_v2 cyclonedx annotations repository_xray"
).split()
# A release that is only an upper bound is that of the first page or file that has the report.
_REPORTS_BY_RELEASE: Final = {
    "license_scanning": keyword("license_scanning", until="18.0"),
    "cobertura": keyword("cobertura", until="15.0"),
    "api_fuzzing": keyword("api_fuzzing", "<=14.0", inert=True),
    "cluster_image_scanning": keyword("cluster_image_scanning", "<=15.0", inert=True),
    "requirements_v2": keyword("requirements_v2", "<=15.10", inert=True),
    "cyclonedx": keyword("cyclonedx", "<=15.10", inert=True),
    "annotations": keyword("annotations", "16.3", inert=True),
    "repository_xray": keyword("repository_xray", "16.7", inert=True),
}
_REPORTS_KEYS: Final[Names] = (
    *(_REPORTS_BY_RELEASE.get(name, name) for name in _PLAIN_REPORTS),
    keyword("coverage_report", "<=15.0"),
)
FAILURES: Final[Names] = (
    *(
        "unknown_failure script_failure api_failure stuck_or_timeout_failure runner_system_failure runner_unsupported "
        "stale_schedule job_execution_timeout archived_failure unmet_prerequisites scheduler_failure "
        "data_integrity_failure forward_deployment_failure protected_environment_failure "
        "insufficient_bridge_permissions downstream_bridge_project_not_found invalid_bridge_trigger "
        "upstream_bridge_project_not_found insufficient_upstream_permissions bridge_pipeline_is_child_pipeline "
        "downstream_pipeline_creation_failed secrets_provider_not_found always"
    ).split(),
    keyword("missing_dependency_failure", until="<=18.10"),
    keyword("runner_provisioning_timeout", "<=18.10"),
)
OUTCOMES: Final = ("on_success", "on_failure", "always")
_OUTCOME: Final = of_release(
    ByRelease(
        {
            "13.5": attribute("when", checks.one_of(OUTCOMES, "should be on_success, on_failure or always")),
            "<=18.6": attribute(
                "when", checks.string, checks.one_of(OUTCOMES, f"should be one of: {', '.join(OUTCOMES)}")
            ),
        }
    )
)
TYPES_OF_CHOICES: Final = Lifetime("<=18.6")
"""The releases that name the type of a value which is no text before they list the texts that it may be."""
_ENVIRONMENT_NAME: Final = r"[\w$\{\}. \-](?:[\w/$\{\}. \-]*[\w$\{\}. \-])?"
_ENVIRONMENT_TEXT: Final = (
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, "
    "but it cannot start or end with '/'"
)
_MOST_TAGS: Final = 50
_LONGEST_OPTION: Final = 255


def is_mapping(value: object) -> bool:
    """Return whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_string(value: object) -> bool:
    """Return whether a value is a string."""
    return isinstance(value, str)


BOOLEAN: Final = Node([config(checks.boolean)])
STRINGS: Final = Node([config(checks.strings)])
_NESTED: Final = Node([config(checks.string_or_deeply_nested_strings)])
SCRIPT: Final[Part] = ByRelease({"13.5": Node([config(checks.nested_strings)]), "<=17.5": _NESTED})
COMMANDS: Final[Part] = ByRelease({"13.5": Node([config(checks.string_or_nested_strings)]), "<=15.0": _NESTED})
STAGE: Final = Node([config(checks.string)])
TAGS: Final = Node(
    [
        config(
            checks.strings,
            in_releases(
                Lifetime("14.3"), checks.fewer_than(_MOST_TAGS, f"must be less than the limit of {_MOST_TAGS} tags")
            ),
        )
    ]
)
STAGES: Final[Part] = ByRelease({"13.5": STRINGS, "16.9": Node([config(checks.deeply_nested_strings)])})


def _is_scalar(value: object) -> bool:
    return isinstance(value, str) or checks.is_integer(value)


_DATA_OF_VARIABLES: Final = {
    "value": checks.alphanumeric,
    "description": checks.alphanumeric,
    "expand": checks.boolean,
    "options": checks.strings,
}


def _check_data(value: YamlValue) -> Iterable[str]:
    """Check what a variable with options says of itself."""
    given = value if isinstance(value, Mapping) else {}
    for name, check in _DATA_OF_VARIABLES.items():
        text = None if given.get(name) is None else check(given[name])
        if text is not None:
            yield f"config {name} {text}"
    options = given.get("options")
    if isinstance(options, list) and options and given.get("value") not in options:
        yield "config value must be present in options"


def _variables_entry(*keys: Keyword) -> MapOf:
    """Return the entry of variables that may be mappings with some keys; without any, they may not."""
    known = allowed_keys(keys, "uses invalid data keys") if keys else _refuse_mapping
    return MapOf(
        Choice(
            [(is_mapping, Node([_check_data, config(known)])), (_is_scalar, Node([config(checks.alphanumeric)]))],
            "variable definition must be either a string or a hash",
            has_place=False,
        ),
        [config(checks.mapping)],
    )


def _refuse_mapping(_value: YamlValue) -> str | None:
    return "must be a string"


_VALUE: Final = keyword("value", "13.7")
_DESCRIPTION: Final = keyword("description", "13.7")
_EXPAND: Final = keyword("expand", "15.7")
_OPTIONS: Final = keyword("options", "15.7")
_SCALARS: Final = Node([config(checks.variables)])
VARIABLES: Final[Part] = ByRelease({"13.5": _SCALARS, "15.7": _variables_entry(keyword("value", "15.7"), _EXPAND)})
_VARIABLES_OF_SERVICES: Final[Part] = ByRelease(
    {"13.5": _SCALARS, "15.7": _variables_entry(keyword("value", "15.7"), keyword("expand", "15.7", inert=True))}
)
ROOT_VARIABLES: Final[Part] = ByRelease(
    {
        "13.5": _SCALARS,
        "13.7": Node([config(checks.described_variables)]),
        "15.7": _variables_entry(_VALUE, _DESCRIPTION, _EXPAND, _OPTIONS),
    }
)
VARIABLES_OF_RULES: Final[Part] = ByRelease({"13.5": _SCALARS, "15.7": _variables_entry()})
COVERAGE: Final[Part] = ByRelease(
    {"13.5": Node([config(checks.regexp)]), "<=18.6": Node([config(checks.regexp_of_re2)])}
)
TIMEOUT: Final = Node([config(checks.duration(durations.MONTH + 1))])


_EXECUTORS: Final = Table(
    {
        "docker": Table({"platform": Text(_LONGEST_OPTION), "user": Text(_LONGEST_OPTION)}),
        "kubernetes": Table({"user": Text(_LONGEST_OPTION, others=(int,))}),
    }
)


def _select_executors(value: YamlValue) -> YamlValue:
    given = value if isinstance(value, Mapping) else {}
    return {name: given[name] for name in _EXECUTORS.keys if given.get(name) is not None}


_CHECK_EXECUTORS: Final = matches(_EXECUTORS, "executor opts", _select_executors)
_IMAGE_KEYS: Final[Names] = (
    "name",
    "entrypoint",
    "ports",
    keyword("pull_policy", "15.2"),
    keyword("docker", "16.7"),
    keyword("kubernetes", "18.0"),
)
_POLICIES: Final = ("always", "never", "if-not-present")
_PULL_POLICY: Final = Node(
    [
        config(checks.strings_or_string, checks.present, checks.known_values(_POLICIES)),
        when(is_string, config(checks.one_of(_POLICIES, "is not included in the list"))),
    ]
)
_NAMED: Final = when(
    lambda value: not isinstance(value, str), attribute("name", checks.string, checks.present, required=True)
)
IMAGE: Final = Node(
    [
        config(checks.mapping_or_string, allowed_keys(_IMAGE_KEYS), checks.disallowed_keys(["ports"])),
        _NAMED,
        attribute("entrypoint", checks.strings),
        _CHECK_EXECUTORS,
    ],
    {"pull_policy": _PULL_POLICY},
)
SERVICE: Final = Node(
    [
        config(
            checks.mapping_or_string,
            allowed_keys([*_IMAGE_KEYS, "command", "alias", keyword("variables", "14.5")]),
            checks.disallowed_keys(["ports"]),
        ),
        _NAMED,
        attribute("command", checks.strings),
        attribute("entrypoint", checks.strings),
        attribute("alias", checks.string),
        _CHECK_EXECUTORS,
    ],
    {"pull_policy": _PULL_POLICY, "variables": _VARIABLES_OF_SERVICES},
)
SERVICES: Final = ListOf("service", SERVICE, [config(checks.array)])

_CACHE_FILES: Final = Node(
    [
        config(
            checks.strings,
            checks.shortest(1, "requires at least 1 item"),
            checks.longest(2, "has too many items (maximum is 2)"),
        )
    ]
)
_FILES_COMMITS: Final = keyword("files_commits", "<=18.6")
_ONE_KIND_OF_FILES: Final = of_release(
    ByRelease(
        {
            "13.5": config(checks.required_keys(["files"])),
            _FILES_COMMITS.since: config(checks.exactly_one_key(["files", "files_commits"])),
        }
    )
)
_CACHE_KEY: Final = Choice(
    [
        (is_string, Node([config(checks.cache_key)])),
        (
            is_mapping,
            Node(
                [
                    config(allowed_keys(["files", "prefix", _FILES_COMMITS])),
                    _ONE_KIND_OF_FILES,
                ],
                {"files": _CACHE_FILES, "files_commits": _CACHE_FILES, "prefix": Node([config(checks.cache_key)])},
            ),
        ),
    ],
    "should be a hash, a string or a symbol",
)
_CACHE_POLICIES: Final = ("pull-push", "push", "pull")
_CACHE_ITEM: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(
                [
                    *"key untracked paths when policy".split(),
                    keyword("unprotect", "15.8"),
                    keyword("fallback_keys", "16.0"),
                ]
            ),
        ),
        of_release(
            ByRelease(
                {
                    "13.5": attribute("policy", checks.one_of(_CACHE_POLICIES, "should be pull-push, push, or pull")),
                    "16.1": attribute(
                        "policy",
                        in_releases(Lifetime("<=18.6"), checks.string),
                        checks.or_variable(
                            checks.one_of(_CACHE_POLICIES, "should be a variable or one of: pull-push, push, pull")
                        ),
                    ),
                }
            )
        ),
        _OUTCOME,
        attribute("fallback_keys", checks.longest(5, "has to many entries (maximum 5)")),
    ],
    {"key": _CACHE_KEY, "untracked": BOOLEAN, "paths": STRINGS, "unprotect": BOOLEAN, "fallback_keys": STRINGS},
)
_MOST_CACHES: Final = 4
CACHE: Final[Part] = ByRelease(
    {
        "13.5": _CACHE_ITEM,
        "13.11": ListOf(
            "cache",
            _CACHE_ITEM,
            [
                config(
                    checks.mapping_or_list,
                    checks.longest(_MOST_CACHES, f"no more than {_MOST_CACHES} caches can be created"),
                )
            ],
            own_name="caches",
        ),
    }
)

_COVERAGE_FORMATS: Final[Names] = ("cobertura", keyword("jacoco", "<=18.6"))
_COVERAGE_REPORT: Final = Node(
    [
        config(checks.mapping, allowed_keys(["coverage_format", "path"])),
        attribute(
            "coverage_format",
            checks.present,
            of_values(
                _COVERAGE_FORMATS,
                lambda formats: checks.one_of(formats, f"must be one of supported formats: {', '.join(formats)}."),
            ),
            required=True,
        ),
        attribute("path", checks.present, checks.string, required=True),
    ]
)
_REPORTS: Final = Node(
    [
        config(checks.mapping, allowed_keys(_REPORTS_KEYS)),
        *(attribute(name, checks.strings_or_string) for name in _PLAIN_REPORTS),
    ],
    {"coverage_report": _COVERAGE_REPORT},
)


def _has_expose_as(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and not checks.is_blank(value.get("expose_as"))


def _plain_paths(value: YamlValue) -> str | None:
    if checks.is_list_of_strings(value) and any("*" in path for path in value):
        return "can't contain '*' when used with 'expose_as'"
    return None


ARTIFACTS: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(
                [
                    *"name untracked paths reports when expire_in expose_as exclude".split(),
                    keyword("public", "16.7"),
                    keyword("access", "16.11"),
                ]
            ),
            checks.exclusive_keys(["access", "public"]),
        ),
        when(_has_expose_as, attribute("paths", checks.present, required=True)),
        attribute("name", checks.string),
        attribute("untracked", checks.boolean),
        attribute("paths", checks.strings),
        when(
            _has_expose_as,
            attribute("paths", _plain_paths),
            attribute(
                "expose_as",
                checks.string,
                checks.longest(100),
                checks.format_of(r"\w[-\w ]*", "can contain only letters, digits, '-', '_' and spaces"),
            ),
        ),
        attribute("exclude", checks.strings),
        attribute("reports", checks.mapping),
        _OUTCOME,
        attribute("expire_in", checks.duration(allow_never=True)),
        attribute("public", checks.boolean),
        attribute(
            "access",
            of_values(
                ["none", "developer", "all", keyword("maintainer", "18.4")],
                lambda values: checks.one_of(values, f"should be one of: {', '.join(values)}"),
            ),
        ),
    ],
    {"reports": _REPORTS},
)


def _environment_name(value: YamlValue) -> list[str]:
    name = value.get("name") if isinstance(value, Mapping) else value if isinstance(value, str) else None
    rules = (
        checks.present,
        lambda given: None if isinstance(given, str) else _ENVIRONMENT_TEXT,
        checks.format_of(_ENVIRONMENT_NAME, _ENVIRONMENT_TEXT),
    )
    return [f"name {text}" for rule in rules if (text := rule(name)) is not None]


_TIERS: Final = ("production", "staging", "testing", "development", "other")
_TIER: Final = checks.one_of(_TIERS, "must be one of production, staging, testing, development, or other")


def _needs_agent(value: YamlValue) -> bool:
    if not isinstance(value, Mapping):
        return False
    resources = value.get("managed_resources")
    is_managed = isinstance(resources, Mapping) and resources.get("enabled") is True
    return is_managed or _is_given(value, "flux_resource_path") or _is_given(value, "dashboard")


def _is_given(value: YamlValue, name: str) -> bool:
    return isinstance(value, Mapping) and not checks.is_blank(value.get(name))


def _select(value: YamlValue, name: str) -> YamlValue:
    return value.get(name) if isinstance(value, Mapping) else None


_MANAGED_RESOURCES: Final = Table({"enabled": Flag()})
_DASHBOARD: Final = Table(
    {"namespace": Text(63), "flux_resource_path": Text(_LONGEST_OPTION)},
    required=("namespace",),
)


def _check_dashboard(value: YamlValue) -> Iterable[str]:
    """Check that what the dashboard says of itself is not said beside it."""
    dashboard = value.get("dashboard") if isinstance(value, Mapping) else None
    for name in ("namespace", "flux_resource_path"):
        if _is_given(value, name) and _is_given(dashboard, name):
            yield f"{name.replace('_', ' ')} cannot be specified when dashboard.{name} is set"


KUBERNETES: Final = Node(
    [
        config(
            checks.mapping,
            checks.present,
            allowed_keys(
                [
                    "namespace",
                    keyword("agent", "17.6", inert=True),
                    keyword("flux_resource_path", "17.7", inert=True),
                    keyword("dashboard", "18.4", inert=True),
                    keyword("managed_resources", "<=18.6", inert=True),
                ]
            ),
        ),
        attribute("namespace", checks.string),
        when(
            lambda value: _is_given(value, "flux_resource_path"),
            attribute("namespace", checks.present, required=True),
        ),
        attribute("agent", checks.string),
        when(_needs_agent, attribute("agent", checks.present, required=True)),
        attribute("flux_resource_path", checks.string),
        matches(_MANAGED_RESOURCES, "managed resources", lambda value: _select(value, "managed_resources")),
        matches(_DASHBOARD, "dashboard", lambda value: _select(value, "dashboard") or None),
        _check_dashboard,
    ]
)


def _check_action(actions: Collection[str]) -> Check:
    *others, last = actions
    # A list of three and a longer one differ in the comma before the last.
    return checks.one_of(actions, f"should be {', '.join(others)}{',' if len(others) > 2 else ''} or {last}")


ENVIRONMENT: Final = Node(
    [
        config(checks.mapping_or_string),
        _environment_name,
        config(
            allowed_keys(
                [*"name url action on_stop auto_stop_in kubernetes".split(), keyword("deployment_tier", "13.10")]
            ),
        ),
        attribute("url", checks.string, checks.longest(255)),
        attribute(
            "action",
            in_releases(TYPES_OF_CHOICES, checks.string),
            of_values(
                ["start", "stop", "prepare", keyword("verify", "<=15.10"), keyword("access", "<=15.10")], _check_action
            ),
        ),
        attribute("on_stop", checks.string),
        attribute("kubernetes", checks.mapping),
        of_release(
            ByRelease(
                {
                    "13.5": attribute("auto_stop_in", checks.duration()),
                    "15.4": attribute("auto_stop_in", checks.or_variable(checks.duration(allow_never=True))),
                }
            )
        ),
        of_release(
            ByRelease(
                {
                    "13.5": attribute("deployment_tier", _TIER),
                    "18.5": attribute("deployment_tier", checks.string, checks.or_variable(_TIER)),
                }
            )
        ),
    ],
    {
        "kubernetes": KUBERNETES,
    },
)

RETRY: Final = Choice(
    [
        (checks.is_integer, Node([config(checks.integer_between(0, 2))])),
        (
            is_mapping,
            Node(
                [
                    config(allowed_keys(["max", "when", keyword("exit_codes", "16.11")])),
                    attribute("max", checks.integer_between(0, 2)),
                    attribute("when", checks.strings_or_string, of_values(FAILURES, checks.known_values)),
                    when(
                        lambda value: isinstance(value, Mapping) and isinstance(value.get("when"), str),
                        attribute(
                            "when",
                            of_values(FAILURES, lambda values: checks.one_of(values, "is not included in the list")),
                        ),
                    ),
                    attribute("exit_codes", checks.integers),
                ]
            ),
        ),
    ],
    "config has to be either an integer or a hash",
)
ALLOW_FAILURE: Final = Node(
    [
        when(is_mapping, config(allowed_keys([keyword("exit_codes", "13.8")]))),
        attribute("exit_codes", checks.integers),
    ]
)
HOOKS: Final = Node(
    [config(checks.mapping, allowed_keys(["pre_get_sources_script"]))], {"pre_get_sources_script": COMMANDS}
)
ID_TOKENS: Final = MapOf(
    Node([config(checks.required_keys(["aud"]), allowed_keys(["aud"])), attribute("aud", checks.strings_or_string)]),
    [config(checks.mapping)],
)
IDENTITY: Final = Node([config(checks.one_of(["google_cloud"], "is not included in the list"))])
DAST_CONFIGURATION: Final = Node(
    [
        config(checks.mapping, allowed_keys(["site_profile", "scanner_profile"])),
        attribute("site_profile", checks.string),
        attribute("scanner_profile", checks.string),
    ]
)
PAGES: Final = Node(
    [
        config(checks.mapping_or_boolean),
        when(is_mapping, config(allowed_keys(["path_prefix", "expire_in", keyword("publish", "17.9")]))),
        attribute("path_prefix", checks.string),
        attribute("expire_in", checks.or_variable(checks.duration(allow_never=True))),
        attribute("publish", checks.string),
    ]
)
MANUAL_CONFIRMATION: Final = STAGE

_RELEASE_LINK: Final = Node(
    [
        config(checks.mapping, allowed_keys(["name", "url", "filepath", "link_type"])),
        attribute("name", checks.string, checks.present, required=True),
        attribute("url", checks.string, checks.present, required=True),
    ]
)
_RELEASE_ASSETS: Final = Node(
    [
        config(checks.mapping, allowed_keys(["links"])),
        attribute("links", checks.mappings, required=True),
    ],
    {"links": ListOf("link", _RELEASE_LINK)},
)
RELEASE: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(
                [
                    *"tag_name name description ref released_at milestones assets".split(),
                    keyword("tag_message", "15.3"),
                ]
            ),
        ),
        attribute("tag_message", checks.string),
        attribute("tag_name", checks.string, checks.present, required=True),
        attribute("description", checks.string, checks.present, required=True),
        attribute("milestones", checks.strings_or_string),
        attribute("released_at", checks.time_of_release),
    ],
    {"assets": _RELEASE_ASSETS},
)


def _too_many_matrix_jobs(limit: int, value: Iterable[YamlValue]) -> list[str]:
    if sum(map(count_combinations, value)) > limit:
        return [f"config generates too many jobs (maximum is {limit})"]
    return []


def count_combinations(variables: YamlValue) -> int:
    """Return how many jobs an item of a matrix makes."""
    total = 1
    for values in variables.values() if isinstance(variables, Mapping) else ():
        total *= len(values) if isinstance(values, list) else 1
    return total


def _matrix_entry(limit: int) -> Node:
    """Return the entry of ``parallel`` with variables."""
    matrix = ListOf(
        "variables",
        Node([config(checks.matrix_variables, checks.shortest(1, "requires at least 1 items"))]),
        [config(checks.mappings)],
        [partial(_too_many_matrix_jobs, limit)],
    )
    return Node([config(allowed_keys(["matrix"]), checks.required_keys(["matrix"]))], {"matrix": matrix})


def _parallel_entry(lowest: int, highest: int) -> Choice:
    """Return the entry of ``parallel``."""
    number = Node([config(checks.integer_between(lowest, highest))])
    return Choice([(checks.is_number, number), (is_mapping, _matrix_entry(highest))], "should be an integer or a hash")


PARALLEL: Final[Part] = ByRelease(
    {"13.5": _parallel_entry(2, 50), "15.9": _parallel_entry(2, 200), "<=18.6": _parallel_entry(1, 200)}
)
_NO_NUMBER: Final = 'cannot use "parallel: <number>".'


def _parallel_of_bridges(limit: int) -> Choice:
    number = Node([config(checks.integer_between(2, limit), lambda _value: _NO_NUMBER)])
    return Choice([(checks.is_number, number), (is_mapping, _matrix_entry(limit))], "should be an integer or a hash")


PARALLEL_OF_BRIDGES: Final[Part] = ByRelease({"13.5": _parallel_of_bridges(50), "15.9": _parallel_of_bridges(200)})
