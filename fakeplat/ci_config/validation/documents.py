"""Entries of a whole configuration and of its jobs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from fakeplat.ci_config.documents import Document, Scalar, YamlValue, to_text
from fakeplat.ci_config.validation import checks, settings
from fakeplat.ci_config.validation.conditions import (
    INHERIT,
    POLICY,
    TRIGGER,
    kind_of_need,
    list_needs,
    needs_entry,
    rules_entry,
)
from fakeplat.ci_config.validation.entries import Entry, Location, Node, attribute, config, when
from fakeplat.core import durations

RESERVED: Final = "include before_script image services after_script variables stages types cache".split()
ROOT_KEYS: Final = [*RESERVED, "default", "workflow"]
JOB_WHEN: Final = ("on_success", "on_failure", "always", "manual", "delayed")
BRIDGE_WHEN: Final = ("on_success", "on_failure", "always", "manual")
NO_VISIBLE_JOB: Final = "jobs config should contain at least one visible job"
_WARNING: Final = (
    "may allow multiple pipelines to run for a single action due to `rules:when` clause with no `workflow:rules` - "
    "read more: https://docs.gitlab.com/ee/ci/troubleshooting.html#pipeline-warnings"
)

JobType = Literal["hidden", "job", "bridge"]


def find_type(name: Scalar, value: YamlValue) -> JobType | None:
    """Return what a top-level key stands for, None if it is no job."""
    if to_text(name).startswith("."):
        return "hidden"
    if not isinstance(value, Mapping):
        return None
    if "script" in value:
        return "job"
    return "bridge" if "trigger" in value or "needs" in value else None


def list_jobs(document: Document) -> dict[Scalar, YamlValue]:
    """Return the jobs of a document: all keys that are no keywords, and ``default`` and ``workflow`` with a script."""
    return {
        name: value
        for name, value in document.items()
        if name not in RESERVED and (name not in ROOT_KEYS or find_type(name, value) is not None)
    }


def _has_rules(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and "rules" in value


def _is_delayed(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and value.get("when") == "delayed"


def _may_not_start_late(value: YamlValue) -> bool:
    return _has_rules(value) or not _is_delayed(value)


def _list_missing_needs(value: Document) -> Iterator[str]:
    dependencies = value.get("dependencies")
    needs = _list_known_needs(value.get("needs"))
    if not dependencies or not needs or not checks.is_list_of_strings(dependencies):
        return
    names = [need["job"] if isinstance(need, Mapping) else need for need in needs if kind_of_need(need) == "job"]
    missing = [dependency for dependency in dependencies if dependency not in names]
    if missing:
        yield f"dependencies the {', '.join(missing)} should be part of needs"


def _list_known_needs(value: YamlValue) -> list[YamlValue]:
    """Return the needs that have a known form; others are refused by themselves."""
    if not isinstance(value, Mapping | list):
        return []
    return [need for need in list_needs(value) if kind_of_need(need) is not None]


def _check_bridge(value: Document) -> list[str]:
    mirrored = [need for need in list_needs(value.get("needs")) if kind_of_need(need) == "bridge"]
    if value.get("trigger") is None and not mirrored:
        return ["config should contain either a trigger or a needs:pipeline"]
    return ["config should contain at most one bridge need"] if len(mirrored) > 1 else []


_PROCESSABLE_KEYS: Final = "extends stage only except rules variables inherit allow_failure when needs".split()
_JOB_KEYS: Final = (
    "tags script type image services start_in artifacts cache dependencies before_script after_script environment "
    "coverage retry parallel interruptible timeout resource_group release secrets"
).split()
_RULES: Final = rules_entry(("on_success", "on_failure", "always", "never", "manual", "delayed"))


def _processable(keys: Sequence[str], allowed_when: Sequence[str]) -> Node:
    """Return what jobs and bridges have in common."""
    return Node(
        [
            config(checks.present),
            when(
                _has_rules,
                config(
                    checks.disallowed_keys(["only", "except", "when", "start_in"], "key may not be used with `rules`")
                ),
            ),
            attribute("extends", checks.strings_or_string),
            attribute("rules", checks.mappings),
            config(checks.allowed_keys([*keys, *_PROCESSABLE_KEYS])),
            attribute("when", checks.one_of(allowed_when, f"should be one of: {', '.join(allowed_when)}")),
            attribute("allow_failure", checks.boolean),
        ],
        {
            "stage": settings.STAGE,
            "only": POLICY,
            "except": POLICY,
            "rules": _RULES,
            "variables": settings.VARIABLES,
            "inherit": INHERIT,
        },
    )


_JOB: Final = _processable(_JOB_KEYS, JOB_WHEN)
JOB: Final = Node(
    [
        *_JOB.rules,
        when(lambda value: isinstance(value, Mapping) and "needs" in value, config(checks.required_keys(["stage"]))),
        attribute("script", checks.present, required=True),
        attribute("dependencies", checks.strings),
        attribute("resource_group", checks.string),
        when(_is_delayed, attribute("start_in", checks.duration(durations.WEEK + 1), required=True)),
        when(_may_not_start_late, attribute("start_in", checks.absent)),
    ],
    {
        **_JOB.parts,
        "before_script": settings.SCRIPT,
        "script": settings.COMMANDS,
        "type": settings.STAGE,
        "after_script": settings.SCRIPT,
        "cache": settings.CACHE,
        "image": settings.IMAGE,
        "services": settings.SERVICES,
        "interruptible": settings.BOOLEAN,
        "timeout": settings.TIMEOUT,
        "retry": settings.RETRY,
        "tags": settings.STRINGS,
        "artifacts": settings.ARTIFACTS,
        "needs": needs_entry(["job", "cross_dependency"]),
        "environment": settings.ENVIRONMENT,
        "coverage": settings.COVERAGE,
        "release": settings.RELEASE,
        "parallel": settings.PARALLEL,
        "secrets": settings.SECRETS,
    },
    [_list_missing_needs],
)
BRIDGE: Final = Node(
    _processable(["trigger"], BRIDGE_WHEN).rules,
    {**_JOB.parts, "trigger": TRIGGER, "needs": needs_entry(["job", "bridge"])},
    [_check_bridge],
)
_HIDDEN: Final = Node([config(checks.present)])
_ENTRIES: Final[Mapping[JobType, Entry]] = {"hidden": _HIDDEN, "job": JOB, "bridge": BRIDGE}

_DEFAULT: Final = Node(
    [config(checks.mapping, checks.allowed_keys(settings.DEFAULT_KEYS))],
    {key: JOB.parts[key] for key in settings.DEFAULT_KEYS},
)
_WORKFLOW: Final = Node(
    [config(checks.mapping, checks.allowed_keys(["rules"]))],
    {"rules": rules_entry(("always", "never"))},
)
ROOT_PARTS: Final[Mapping[str, Entry]] = {
    "default": _DEFAULT,
    "before_script": settings.SCRIPT,
    "image": settings.IMAGE,
    "services": settings.SERVICES,
    "after_script": settings.SCRIPT,
    "variables": settings.ROOT_VARIABLES,
    "stages": settings.STRINGS,
    "types": settings.STRINGS,
    "cache": settings.CACHE,
    "workflow": _WORKFLOW,
}


def list_errors(document: Document) -> list[str]:
    """Return the messages about a document, in the order of the platform and each once."""
    jobs = list_jobs(document)
    return list(dict.fromkeys([*_list_root_errors(document, jobs), *_list_job_errors(jobs)]))


def _list_root_errors(document: Document, jobs: Document) -> Iterator[str]:
    for key, entry in ROOT_PARTS.items():
        if key not in jobs and document.get(key) is not None:
            yield from entry.list_errors(document[key], Location((key,)))


def _list_job_errors(jobs: Document) -> Iterator[str]:
    types = {name: find_type(name, value) for name, value in jobs.items()}
    unknown = [to_text(name).replace("_", " ").lower() for name, kind in types.items() if kind is None]
    yield from (f"jobs {name} config should implement a script: or a trigger: keyword" for name in unknown)
    if not any(kind in ("job", "bridge") for kind in types.values()):
        yield NO_VISIBLE_JOB
    elif not unknown:
        for name, kind in types.items():
            if kind is not None and jobs[name] is not None:
                yield from _list_errors_of_job(name, kind, jobs[name])


def _list_errors_of_job(name: Scalar, kind: JobType, value: YamlValue) -> Iterator[str]:
    at = Location(("jobs", to_text(name) or "job"))
    named = [] if kind == "hidden" else _list_name_errors(name)
    yield from map(at.message, named)
    if not named:
        yield from _ENTRIES[kind].list_errors(value, at)


def _list_name_errors(name: Scalar) -> list[str]:
    labelled = [checks.present(name), checks.symbol(name)]
    return [f"name {text}" for text in labelled if text is not None]


def list_warnings(document: Document) -> list[str]:
    """Return the warnings about a valid document: jobs whose last rule always holds, without rules of the workflow."""
    workflow = document.get("workflow")
    if isinstance(workflow, Mapping) and workflow.get("rules"):
        return []
    return [f"jobs:{to_text(name)} {_WARNING}" for name, job in list_jobs(document).items() if _always_runs(name, job)]


def _always_runs(name: Scalar, job: YamlValue) -> bool:
    rules = job.get("rules") if isinstance(job, Mapping) and find_type(name, job) in ("job", "bridge") else None
    last = rules[-1] if isinstance(rules, list) and rules else None
    return isinstance(last, Mapping) and list(last) == ["when"] and last["when"] != "never"
