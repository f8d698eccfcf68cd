"""Entries of the keywords of a job that are not about when it runs, such as scripts, images and artifacts."""

from collections.abc import Iterable, Mapping
from typing import Final

from fakeplat.ci_config.documents import YamlValue
from fakeplat.ci_config.validation import checks
from fakeplat.ci_config.validation.entries import Choice, ListOf, Node, attribute, config, when
from fakeplat.core import durations

DEFAULT_KEYS: Final = (
    "before_script image services after_script cache interruptible timeout retry tags artifacts"
).split()
REPORTS: Final = (
    "junit codequality sast secret_detection dependency_scanning container_scanning dast performance "
    "browser_performance load_performance license_management license_scanning metrics lsif dotenv cobertura terraform "
    "accessibility cluster_applications requirements coverage_fuzzing"
).split()
FAILURES: Final = (
    "unknown_failure script_failure api_failure stuck_or_timeout_failure runner_system_failure "
    "missing_dependency_failure runner_unsupported stale_schedule job_execution_timeout archived_failure "
    "unmet_prerequisites scheduler_failure data_integrity_failure forward_deployment_failure "
    "protected_environment_failure insufficient_bridge_permissions downstream_bridge_project_not_found "
    "invalid_bridge_trigger upstream_bridge_project_not_found insufficient_upstream_permissions "
    "bridge_pipeline_is_child_pipeline downstream_pipeline_creation_failed secrets_provider_not_found always"
).split()
OUTCOMES: Final = ("on_success", "on_failure", "always")
_OUTCOMES_TEXT: Final = "should be on_success, on_failure or always"
_ENVIRONMENT_NAME: Final = r"[\w$\{\}. \-](?:[\w/$\{\}. \-]*[\w$\{\}. \-])?"
_ENVIRONMENT_TEXT: Final = (
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, "
    "but it cannot start or end with '/'"
)
_MOST_MATRIX_JOBS: Final = 50


def is_mapping(value: object) -> bool:
    """Return whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_string(value: object) -> bool:
    """Return whether a value is a string."""
    return isinstance(value, str)


BOOLEAN: Final = Node([config(checks.boolean)])
STRINGS: Final = Node([config(checks.strings)])
SCRIPT: Final = Node([config(checks.nested_strings)])
COMMANDS: Final = Node([config(checks.string_or_nested_strings)])
STAGE: Final = Node([config(checks.string)])
VARIABLES: Final = Node([config(checks.variables)])
ROOT_VARIABLES: Final = Node([config(checks.described_variables)])
COVERAGE: Final = Node([config(checks.regexp)])
TIMEOUT: Final = Node([config(checks.duration(durations.MONTH + 1))])


def _image_name(value: YamlValue) -> list[str]:
    if isinstance(value, str):
        return []
    return list(attribute("name", checks.string, checks.present, required=True)(value))


IMAGE: Final = Node(
    [
        config(
            checks.mapping_or_string,
            checks.allowed_keys(["name", "entrypoint", "ports"]),
            checks.disallowed_keys(["ports"]),
        ),
        _image_name,
        attribute("entrypoint", checks.strings),
    ]
)
SERVICE: Final = Node(
    [
        config(
            checks.mapping_or_string,
            checks.allowed_keys(["name", "entrypoint", "command", "alias", "ports"]),
            checks.disallowed_keys(["ports"]),
        ),
        _image_name,
        attribute("command", checks.strings),
        attribute("entrypoint", checks.strings),
        attribute("alias", checks.string),
    ]
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
_CACHE_KEY: Final = Choice(
    [
        (is_string, Node([config(checks.cache_key)])),
        (
            is_mapping,
            Node(
                [config(checks.allowed_keys(["files", "prefix"]), checks.required_keys(["files"]))],
                {"files": _CACHE_FILES, "prefix": Node([config(checks.cache_key)])},
            ),
        ),
    ],
    "should be a hash, a string or a symbol",
)
_CACHE_ITEM: Final = Node(
    [
        config(checks.mapping, checks.allowed_keys(["key", "untracked", "paths", "when", "policy"])),
        attribute("policy", checks.one_of(["pull-push", "push", "pull"], "should be pull-push, push, or pull")),
        attribute("when", checks.one_of(OUTCOMES, _OUTCOMES_TEXT)),
    ],
    {"key": _CACHE_KEY, "untracked": BOOLEAN, "paths": STRINGS},
)
# A list of caches belongs to later releases.
CACHE: Final = Choice(
    [(lambda value: isinstance(value, list), ListOf("cache", _CACHE_ITEM)), (lambda value: True, _CACHE_ITEM)], ""
)

_REPORTS: Final = Node(
    [
        config(checks.mapping, checks.allowed_keys(REPORTS)),
        *(attribute(name, checks.strings_or_string) for name in REPORTS),
    ]
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
            checks.allowed_keys("name untracked paths reports when expire_in expose_as exclude".split()),
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
        attribute("when", checks.one_of(OUTCOMES, _OUTCOMES_TEXT)),
        attribute("expire_in", checks.duration(allow_never=True)),
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


ENVIRONMENT: Final = Node(
    [
        config(checks.mapping_or_string),
        _environment_name,
        config(
            checks.allowed_keys("name url action on_stop auto_stop_in kubernetes deployment_tier".split()),
        ),
        attribute("url", checks.string, checks.longest(255)),
        attribute("action", checks.one_of(["start", "stop", "prepare"], "should be start, stop or prepare")),
        attribute("on_stop", checks.string),
        attribute("kubernetes", checks.mapping),
        attribute("auto_stop_in", checks.duration()),
        attribute(
            "deployment_tier",
            checks.one_of(
                ["production", "staging", "testing", "development", "other"],
                "must be one of production, staging, testing, development, or other",
            ),
        ),
    ],
    {"kubernetes": Node([config(checks.allowed_keys(["namespace"])), attribute("namespace", checks.string)])},
)

RETRY: Final = Choice(
    [
        (checks.is_integer, Node([config(checks.integer_between(0, 2))])),
        (
            is_mapping,
            Node(
                [
                    config(checks.allowed_keys(["max", "when"])),
                    attribute("max", checks.integer_between(0, 2)),
                    attribute("when", checks.strings_or_string, checks.known_values(FAILURES)),
                    when(
                        lambda value: isinstance(value, Mapping) and isinstance(value.get("when"), str),
                        attribute("when", checks.one_of(FAILURES, "is not included in the list")),
                    ),
                ]
            ),
        ),
    ],
    "config has to be either an integer or a hash",
)

_RELEASE_LINK: Final = Node(
    [
        config(checks.mapping, checks.allowed_keys(["name", "url", "filepath", "link_type"])),
        attribute("name", checks.string, checks.present, required=True),
        attribute("url", checks.string, checks.present, required=True),
    ]
)
_RELEASE_ASSETS: Final = Node(
    [
        config(checks.mapping, checks.allowed_keys(["links"])),
        attribute("links", checks.mappings, required=True),
    ],
    {"links": ListOf("link", _RELEASE_LINK)},
)
RELEASE: Final = Node(
    [
        config(
            checks.mapping,
            checks.allowed_keys("tag_name name description ref released_at milestones assets".split()),
        ),
        attribute("tag_name", checks.string, checks.present, required=True),
        attribute("description", checks.string, checks.present, required=True),
        attribute("milestones", checks.strings_or_string),
        attribute("released_at", checks.time_of_release),
    ],
    {"assets": _RELEASE_ASSETS},
)

SECRETS: Final = Node([config(checks.mapping)])


def _too_many_matrix_jobs(value: Iterable[YamlValue]) -> list[str]:
    if sum(map(count_combinations, value)) > _MOST_MATRIX_JOBS:
        return [f"config generates too many jobs (maximum is {_MOST_MATRIX_JOBS})"]
    return []


def count_combinations(variables: YamlValue) -> int:
    """Return how many jobs an item of a matrix makes."""
    total = 1
    for values in variables.values() if isinstance(variables, Mapping) else ():
        total *= len(values) if isinstance(values, list) else 1
    return total


_MATRIX: Final = ListOf(
    "variables",
    Node([config(checks.matrix_variables, checks.shortest(1, "requires at least 1 items"))]),
    [config(checks.mappings)],
    [_too_many_matrix_jobs],
)
PARALLEL: Final = Choice(
    [
        (checks.is_number, Node([config(checks.integer_between(2, _MOST_MATRIX_JOBS))])),
        (
            is_mapping,
            Node([config(checks.allowed_keys(["matrix"]), checks.required_keys(["matrix"]))], {"matrix": _MATRIX}),
        ),
    ],
    "should be an integer or a hash",
)
