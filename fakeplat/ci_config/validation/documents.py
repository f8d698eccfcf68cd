"""Entries of a whole configuration and of its jobs."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, cast

from fakeplat.ci_config import input_values
from fakeplat.ci_config.documents import Document, Scalar, YamlValue, to_text
from fakeplat.ci_config.validation import checks, settings
from fakeplat.ci_config.validation.conditions import (
    AUTO_CANCEL,
    INCLUDE_KEYS,
    INCLUDE_RULES,
    INHERIT,
    POLICY,
    TRIGGER,
    kind_of_need,
    list_needs,
    needs_entry,
    rules_entry,
)
from fakeplat.ci_config.validation.declarations import (
    Declaration,
    DeclaredRule,
    Keyword,
    Names,
    Node,
    Part,
    allowed_keys,
    as_keywords,
    attribute,
    compile_part,
    config,
    in_releases,
    keyword,
    list_keywords,
    of_release,
    select_names,
    when,
)
from fakeplat.ci_config.validation.entries import Entry, Location
from fakeplat.ci_config.validation.headers import HEADER, JOB_INPUTS
from fakeplat.ci_config.validation.secrets import SECRETS
from fakeplat.ci_config.validation.steps import list_step_errors
from fakeplat.core import durations
from fakeplat.core.release import EVERYTHING, ByRelease, Lifetime, Profile
from fakeplat.core.store.frozen import frozen

_RESERVED: Final = as_keywords(
    [
        *"include before_script image services after_script variables stages".split(),
        keyword("types", until="15.0"),
        "cache",
    ]
)
_ROOT_KEYS: Final = (*_RESERVED, *as_keywords(["default", "workflow"]))
JOB_WHEN: Final = ("on_success", "on_failure", "always", "manual", "delayed")
BRIDGE_WHEN: Final = ("on_success", "on_failure", "always", "manual")
NO_VISIBLE_JOB: Final = "jobs config should contain at least one visible job"
_WARNING: Final = (
    "may allow multiple pipelines to run for a single action due to `rules:when` clause with no `workflow:rules` - "
    "read more: https://docs.gitlab.com/ee/ci/troubleshooting.html#pipeline-warnings"
)

JobType = Literal["hidden", "job", "bridge"]


def _has_rules(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and "rules" in value


def _has_given_rules(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and value.get("rules") is not None


def _has_needs(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and "needs" in value


def _has_no_steps(value: YamlValue) -> bool:
    return not (isinstance(value, Mapping) and "run" in value)


def _is_delayed(value: YamlValue) -> bool:
    return isinstance(value, Mapping) and value.get("when") == "delayed"


def _may_not_start_late(value: YamlValue) -> bool:
    return _has_rules(value) or not _is_delayed(value)


def _list_missing_needs(value: Document) -> Iterator[str]:
    dependencies = value.get("dependencies")
    needs = _list_known_needs(value.get("needs"))
    if not dependencies or not needs or not checks.is_list_of_strings(dependencies):
        return
    if needs and all(kind_of_need(need) == "cross_dependency" for need in needs):
        yield "needs corresponding to dependencies must be from the same pipeline"
        return
    names = [need["job"] if isinstance(need, Mapping) else need for need in needs if kind_of_need(need) == "job"]
    missing = [dependency for dependency in dependencies if dependency not in names]
    if missing:
        yield f"dependencies the {', '.join(missing)} should be part of needs"


def _list_wrong_defaults(value: Document) -> Iterator[str]:
    """Yield what is wrong with the defaults of valid inputs; only the newest releases have inputs of jobs."""
    inputs = value.get("inputs")
    if isinstance(inputs, Mapping) and not list(JOB_INPUTS.compile(EVERYTHING).list_errors(inputs, Location())):
        for name, spec in inputs.items():
            errors = input_values.list_errors(to_text(name), cast(input_values.Spec, spec), None, EVERYTHING)
            yield from (f"inputs {text}" for text in errors)


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
_JOB_KEYS: Final[Names] = (
    *"tags script image services start_in artifacts cache dependencies before_script after_script environment".split(),
    *"coverage retry parallel interruptible timeout resource_group release secrets".split(),
    keyword("type", until="15.0"),
    keyword("dast_configuration", "14.1", inert=True),
    keyword("id_tokens", "15.7"),
    keyword("hooks", "15.10"),
    keyword("publish", "16.1"),
    keyword("identity", "16.9", inert=True),
    keyword("manual_confirmation", "17.1"),
    keyword("pages", "<=17.4"),
    keyword("run", "17.5"),
    keyword("inputs", "18.10"),
)
_BRIDGE_KEYS: Final[Names] = (
    "trigger",
    keyword("resource_group", "13.9"),
    keyword("parallel", "13.10"),
    keyword("environment", "16.4"),
    keyword("interruptible", "16.8"),
)
_RULES: Final = rules_entry(
    ("on_success", "on_failure", "always", "never", "manual", "delayed"),
    keyword("variables", "13.7"),
    keyword("needs", "16.2"),
    keyword("interruptible", "16.10"),
    parts={"needs": needs_entry(["job"])},
)
_NULLS_ARE_IGNORED: Final = Lifetime("<=18.6")
"""The releases in which a key without a value does not count as one that rules exclude."""
_NOT_WITH_RULES: Final = "key may not be used with `rules`"
_DISALLOWED_WITH_RULES: Final = of_release(
    ByRelease(
        {
            "13.5": config(checks.disallowed_keys(["only", "except", "when", "start_in"], _NOT_WITH_RULES)),
            "14.6": config(checks.disallowed_keys(["only", "except", "start_in"], _NOT_WITH_RULES)),
            _NULLS_ARE_IGNORED.since: config(
                checks.disallowed_keys(["only", "except", "start_in"], _NOT_WITH_RULES, ignore_nulls=True)
            ),
        }
    )
)
_WITH_RULES: Final = of_release(
    ByRelease(
        {
            "13.5": when(_has_rules, _DISALLOWED_WITH_RULES),
            _NULLS_ARE_IGNORED.since: when(_has_given_rules, _DISALLOWED_WITH_RULES),
        }
    )
)
_ALLOW_FAILURE: Final = of_release(
    ByRelease(
        {
            "13.5": attribute("allow_failure", checks.boolean),
            "13.8": attribute("allow_failure", checks.mapping_or_boolean),
        }
    )
)


_LIST_OF_RULES: Final = of_release(
    ByRelease({"13.5": attribute("rules", checks.mappings), "14.3": attribute("rules", checks.nested_mappings)})
)


def _processable(keys: Names, allowed_when: Sequence[str], allow_failure: DeclaredRule) -> Node:
    """Return what jobs and bridges have in common."""
    return Node(
        [
            config(checks.present),
            _WITH_RULES,
            attribute("extends", checks.strings_or_string),
            _LIST_OF_RULES,
            config(allowed_keys([*keys, *_PROCESSABLE_KEYS])),
            attribute(
                "when",
                in_releases(settings.TYPES_OF_CHOICES, checks.string),
                checks.one_of(allowed_when, f"should be one of: {', '.join(allowed_when)}"),
            ),
            allow_failure,
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


_JOB: Final = _processable(_JOB_KEYS, JOB_WHEN, _ALLOW_FAILURE)
_JOB_PARTS: Final[Mapping[str, Part]] = {
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
    "tags": settings.TAGS,
    "artifacts": settings.ARTIFACTS,
    "needs": needs_entry(["job", "cross_dependency"]),
    "environment": settings.ENVIRONMENT,
    "coverage": settings.COVERAGE,
    "release": settings.RELEASE,
    "parallel": settings.PARALLEL,
    "secrets": SECRETS,
    "allow_failure": settings.ALLOW_FAILURE,
    "hooks": settings.HOOKS,
    "id_tokens": settings.ID_TOKENS,
    "identity": settings.IDENTITY,
    "dast_configuration": settings.DAST_CONFIGURATION,
    "pages": settings.PAGES,
    "publish": settings.STAGE,
    "manual_confirmation": settings.STAGE,
    "inputs": JOB_INPUTS,
}
JOB: Final = Node(
    [
        *_JOB.rules,
        when(_has_needs, in_releases(Lifetime(until="14.2"), config(checks.required_keys(["stage"])))),
        config(checks.exclusive_keys(["script", "run"])),
        when(_has_no_steps, attribute("script", checks.present, required=True)),
        attribute("dependencies", checks.strings),
        attribute("manual_confirmation", checks.string, label="manual confirmation"),
        list_step_errors,
        attribute("resource_group", checks.string),
        when(_is_delayed, attribute("start_in", checks.duration(durations.WEEK + 1), required=True)),
        when(_may_not_start_late, attribute("start_in", checks.absent)),
    ],
    _JOB_PARTS,
    [_list_missing_needs, _list_wrong_defaults],
)
BRIDGE: Final = Node(
    [
        *_processable(_BRIDGE_KEYS, BRIDGE_WHEN, attribute("allow_failure", checks.boolean)).rules,
        attribute("resource_group", checks.string),
    ],
    {
        **_JOB.parts,
        "trigger": TRIGGER,
        "needs": needs_entry(["job", "bridge"]),
        "parallel": settings.PARALLEL_OF_BRIDGES,
        "environment": settings.ENVIRONMENT,
        "interruptible": settings.BOOLEAN,
    },
    [_check_bridge],
)
_HIDDEN: Final = Node([config(checks.present)])
_DECLARATIONS: Final[Mapping[JobType, Declaration]] = {"hidden": _HIDDEN, "job": JOB, "bridge": BRIDGE}

_DEFAULT: Final = Node(
    [config(checks.mapping, allowed_keys(settings.DEFAULT_KEYS))],
    {key.name: _JOB_PARTS[key.name] for key in as_keywords(settings.DEFAULT_KEYS)},
)
_WORKFLOW: Final = Node(
    [
        config(
            checks.mapping,
            allowed_keys(["rules", keyword("name", "15.7"), keyword("auto_cancel", "16.9")]),
        ),
        attribute("name", checks.string, checks.longest(255)),
    ],
    {
        "rules": rules_entry(
            ("always", "never"),
            keyword("variables", "13.11"),
            keyword("auto_cancel", "16.9"),
            parts={"auto_cancel": AUTO_CANCEL},
        ),
        "auto_cancel": AUTO_CANCEL,
    },
)
_ROOT_PARTS: Final[Mapping[str, Part]] = {
    "default": _DEFAULT,
    "before_script": settings.SCRIPT,
    "image": settings.IMAGE,
    "services": settings.SERVICES,
    "after_script": settings.SCRIPT,
    "variables": settings.ROOT_VARIABLES,
    "stages": settings.STAGES,
    "types": settings.STRINGS,
    "cache": settings.CACHE,
    "workflow": _WORKFLOW,
}
_PUBLISH: Final = Lifetime("16.1")
"""The releases that know what a job publishes."""
_STEPS: Final = Lifetime("17.5")
"""The releases whose jobs may have steps instead of a script."""
LONG_NAMES: Final = Lifetime("15.0")
"""The releases that limit the names of jobs."""
_LONGEST_NAME: Final = 255
_REQUIRED_KEYS: Final = ByRelease(
    {"13.5": "a script: or a trigger: keyword", "<=18.6": "the script:, run:, or trigger: keyword"},
    source="lib/gitlab/ci/config/entry/jobs.rb",
)


def _publishes_nothing(name: Scalar, value: YamlValue) -> bool:
    """Return whether a job that is not about pages says what it publishes."""
    if not isinstance(value, Mapping) or checks.is_blank(value.get("publish")):
        return False
    pages = value.get("pages")
    return checks.is_blank(pages) and (name != "pages" or pages is False)


@frozen
class Vocabulary:
    """The keywords of a release, and the checks of what they have for values."""

    reserved: Collection[str]
    root_keys: Collection[str]
    default_keys: Collection[str]
    parts: Mapping[str, Entry]
    jobs: Mapping[JobType, Entry]
    include_rules: Entry
    header: Entry
    required_keys: str
    limits_names: bool
    has_steps: bool
    limits_publish: bool

    def find_type(self, name: Scalar, value: YamlValue) -> JobType | None:
        """Return what a top-level key stands for, None if it is no job."""
        if to_text(name).startswith("."):
            return "hidden"
        if not isinstance(value, Mapping):
            return None
        if "script" in value or (self.has_steps and "run" in value):
            return "job"
        return "bridge" if "trigger" in value or "needs" in value else None

    def list_jobs(self, document: Document) -> dict[Scalar, YamlValue]:
        """Return the jobs of a document: all keys but keywords, and ``default`` and ``workflow`` with a script."""
        return {
            name: value
            for name, value in document.items()
            if name not in self.reserved and (name not in self.root_keys or self.find_type(name, value) is not None)
        }

    def list_errors(self, document: Document) -> list[str]:
        """Return the messages about a document, in the order of the platform and each once."""
        jobs = self.list_jobs(document)
        return list(dict.fromkeys([*self._list_root_errors(document, jobs), *self._list_job_errors(jobs)]))

    def _list_root_errors(self, document: Document, jobs: Document) -> Iterator[str]:
        for key, entry in self.parts.items():
            if key not in jobs and document.get(key) is not None:
                yield from entry.list_errors(document[key], Location((key,)))

    def _list_job_errors(self, jobs: Document) -> Iterator[str]:
        types = {name: self.find_type(name, value) for name, value in jobs.items()}
        unknown = [to_text(name).replace("_", " ").lower() for name, kind in types.items() if kind is None]
        yield from (f"jobs {name} config should implement {self.required_keys}" for name in unknown)
        if not any(kind in ("job", "bridge") for kind in types.values()):
            yield NO_VISIBLE_JOB
        elif not unknown:
            for name, kind in types.items():
                if kind is not None and jobs[name] is not None:
                    yield from self._list_errors_of_job(name, kind, jobs[name])

    def _list_errors_of_job(self, name: Scalar, kind: JobType, value: YamlValue) -> Iterator[str]:
        at = Location(("jobs", to_text(name) or "job"))
        named = [] if kind == "hidden" else self._list_name_errors(name)
        yield from map(at.message, named)
        if kind == "job" and self.limits_publish and _publishes_nothing(name, value):
            yield at.message("publish can only be used within a `pages` job")
        if not named:
            yield from self.jobs[kind].list_errors(value, at)

    def _list_name_errors(self, name: Scalar) -> list[str]:
        labelled = [checks.present(name), checks.symbol(name)]
        if self.limits_names:
            labelled.append(checks.longest(_LONGEST_NAME)(name))
        return [f"name {text}" for text in labelled if text is not None]

    def list_warnings(self, document: Document) -> list[str]:
        """Return the warnings about a valid document: jobs whose last rule always holds, without workflow rules."""
        workflow = document.get("workflow")
        if isinstance(workflow, Mapping) and workflow.get("rules"):
            return []
        return [
            f"jobs:{to_text(name)} {_WARNING}"
            for name, job in self.list_jobs(document).items()
            if self._always_runs(name, job)
        ]

    def _always_runs(self, name: Scalar, job: YamlValue) -> bool:
        is_job = isinstance(job, Mapping) and self.find_type(name, job) in ("job", "bridge")
        rules = job.get("rules") if is_job and isinstance(job, Mapping) else None
        last = rules[-1] if isinstance(rules, list) and rules else None
        return isinstance(last, Mapping) and list(last) == ["when"] and last["when"] != "never"

    def list_inert(self, document: Document) -> list[str]:
        """Return the places of the keywords of a valid document that have no effect yet."""
        jobs = self.list_jobs(document)
        places = [
            place
            for key, entry in self.parts.items()
            if key not in jobs and document.get(key) is not None
            for place in entry.list_inert(document[key], Location((key,)))
        ]
        for name, value in jobs.items():
            kind = self.find_type(name, value)
            if kind is not None and value is not None:
                places += self.jobs[kind].list_inert(value, Location(("jobs", to_text(name))))
        return list(dict.fromkeys(map(str, places)))


def vocabulary_of(profile: Profile) -> Vocabulary:
    """Return the keywords of a release."""
    vocabulary = profile.compiled.get(Vocabulary)
    if vocabulary is None:
        vocabulary = profile.compiled[Vocabulary] = _compile(profile)
    return cast(Vocabulary, vocabulary)


def _compile(profile: Profile) -> Vocabulary:
    root_keys = select_names(_ROOT_KEYS, profile)
    return Vocabulary(
        reserved=frozenset(select_names(_RESERVED, profile)),
        root_keys=frozenset(root_keys),
        default_keys=select_names(as_keywords(settings.DEFAULT_KEYS), profile),
        parts={key: compile_part(part, profile) for key, part in _ROOT_PARTS.items() if key in root_keys},
        jobs={kind: declaration.compile(profile) for kind, declaration in _DECLARATIONS.items()},
        include_rules=INCLUDE_RULES.compile(profile),
        header=HEADER.compile(profile),
        required_keys=profile.choose(_REQUIRED_KEYS),
        limits_names=profile.has(LONG_NAMES),
        has_steps=profile.has(_STEPS),
        limits_publish=profile.has(_PUBLISH),
    )


def list_all_keywords() -> Iterator[tuple[str, Keyword]]:
    """Return all keywords and values of all releases, each once, with dotted names such as ``job.needs.optional``."""
    found = [(key.name, key) for key in _ROOT_KEYS]
    found += [(f"include.{key.name}", key) for key in INCLUDE_KEYS]
    found += [(name.removeprefix("header."), key) for name, key in list_keywords(HEADER, "header")]
    for name, part in (*_ROOT_PARTS.items(), ("include.rules", INCLUDE_RULES), ("job", JOB), ("trigger job", BRIDGE)):
        found += list_keywords(part, name)
    yield from {name: (name, key) for name, key in reversed(found)}.values()
