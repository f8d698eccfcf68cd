"""Conditions of ``rules``, ``only`` and ``except``, decided for a ref."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from attrs import Factory
from propcache.api import cached_property

from fakeplat.ci_config import expressions, globs, regexps
from fakeplat.ci_config.behaviours import (
    CHANGES_WITH_VARIABLES,
    EXISTS_WITH_VARIABLES,
    MOST_COMPARISONS,
    NESTED_VARIABLES_IN_PATHS,
)
from fakeplat.ci_config.interpolation import expand_known
from fakeplat.ci_config.jobs import Policy, Rule
from fakeplat.core.regexps import RegexpError
from fakeplat.core.release import Lifetime, Profile
from fakeplat.core.store.frozen import frozen

_EVENT: Final = "_event"
# Sources whose plural is not just the singular with an s.
_PLURALS: Final = {"push": "pushes"}


def _no_paths() -> Sequence[str]:
    return ()


def _unknown_paths() -> Sequence[str] | None:
    return None


def _no_other_paths(_project: str, _ref: str | None) -> Sequence[str]:
    return ()


def _no_comparison(_ref: str) -> Sequence[str] | None:
    return None


class LateVariables(Mapping[str, str]):
    """Variables that are computed when one is first looked up: most jobs have no condition that does."""

    def __init__(self, compute: Callable[[], Mapping[str, str]]) -> None:
        self._compute = compute

    @cached_property
    def _values(self) -> Mapping[str, str]:
        return self._compute()

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


_MASK: Final = "[MASKED]"


@frozen(kw_only=True)
class PipelineRef:
    """The ref that a pipeline is created for, and the event that creates it, in a release."""

    ref: str
    source: str = "push"
    is_tag: bool = False
    is_merge_request: bool = False
    profile: Profile


@frozen(kw_only=True)
class RefFacts(PipelineRef):
    """All that conditions can be about.

    ``variables`` are those that take precedence over the variables of the configuration: of the pipeline, the project,
    the groups and the instance; ``predefined`` are those that do not (``CI_…``). ``changed_paths`` returns None if
    there is nothing to compare with, as for a new branch; then each ``changes`` holds. ``paths_since`` returns those
    since the common ancestor with another ref; RuleError if there is no such ref. ``file_paths`` are all paths at the
    commit, ``paths_of_project`` those of another project at a ref; RuleError if there is no such project or ref.
    ``masked`` are the names of the variables that are masked.
    """

    project_path: str = ""
    variables: Mapping[str, str] = Factory(dict)
    predefined: Mapping[str, str] = Factory(dict)
    changed_paths: Callable[[], Sequence[str] | None] = _unknown_paths
    paths_since: Callable[[str], Sequence[str] | None] = _no_comparison
    file_paths: Callable[[], Sequence[str]] = _no_paths
    paths_of_project: Callable[[str, str | None], Sequence[str]] = _no_other_paths
    has_active_kubernetes: bool = False
    masked: Callable[[], Collection[str]] = _no_paths


class RuleError(ValueError):
    """A clause cannot be decided. The message is the platform's."""


def are_about_ref(rules: Iterable[Rule], policies: Iterable[Policy | None]) -> bool:
    """Return whether rules and policies depend on nothing but the ref and the event."""
    return not any(rule.condition or rule.changes or rule.exists for rule in rules) and not any(
        policy.variables or policy.changes or policy.kubernetes or any("@" in ref for ref in policy.refs or ())
        for policy in policies
        if policy is not None
    )


def find_rule(rules: Iterable[Rule], facts: RefFacts, variables: Mapping[str, str]) -> Rule | None:
    """Return the first rule all of whose conditions hold."""
    return next((rule for rule in rules if _holds(rule, facts, variables)), None)


def _holds(rule: Rule, facts: RefFacts, variables: Mapping[str, str]) -> bool:
    return (
        (rule.condition is None or expressions.is_true(rule.condition, variables))
        and (rule.changes is None or _has_changes(rule.changes, facts, variables, rule.compare_to))
        and (rule.exists is None or _has_files(rule.exists, _list_paths(rule, facts, variables), facts, variables))
    )


def _list_paths(rule: Rule, facts: RefFacts, variables: Mapping[str, str]) -> Sequence[str]:
    if rule.exists_project is None:
        return facts.file_paths()
    ref = None if rule.exists_ref is None else expand_known(rule.exists_ref, variables)
    try:
        return facts.paths_of_project(expand_known(rule.exists_project, variables), ref)
    except RuleError as error:
        raise RuleError(_mask(str(error), facts, variables)) from None


def _mask(text: str, facts: RefFacts, variables: Mapping[str, str]) -> str:
    """Return a text without the values of masked variables; what takes their place is as long as they are."""
    for name in facts.masked():
        value = variables.get(name)
        text = text.replace(value, _MASK.ljust(len(value), "x")) if value else text
    return text


def _expand(globs: Sequence[str], lifetime: Lifetime, facts: RefFacts, variables: Mapping[str, str]) -> Sequence[str]:
    """Return globs with the values of the variables in them, in releases that know these."""
    if not facts.profile.has(lifetime):
        return globs
    expanded = [expand_known(glob, variables) for glob in globs]
    # A value may contain a variable itself.
    has_nested = facts.profile.has(NESTED_VARIABLES_IN_PATHS)
    return [expand_known(glob, variables) for glob in expanded] if has_nested else expanded


def _has_changes(
    patterns: Sequence[str], facts: RefFacts, variables: Mapping[str, str], compare_to: str | None = None
) -> bool:
    paths = facts.changed_paths() if compare_to is None else facts.paths_since(expand_known(compare_to, variables))
    patterns = _expand(patterns, CHANGES_WITH_VARIABLES, facts, variables)
    return paths is None or any(globs.matches(glob, path) for path in paths for glob in patterns)


def _has_files(patterns: Sequence[str], paths: Sequence[str], facts: RefFacts, variables: Mapping[str, str]) -> bool:
    patterns = _expand(patterns, EXISTS_WITH_VARIABLES, facts, variables)
    known = set(paths)
    if any(glob.removeprefix("/") in known for glob in patterns if globs.is_plain(glob)):
        return True
    wild = [glob for glob in patterns if not globs.is_plain(glob)]
    if len(wild) * len(paths) > facts.profile.choose(MOST_COMPARISONS):
        return True
    return any(globs.matches(glob, path) for path in paths for glob in wild)


def satisfies_all(policy: Policy, facts: RefFacts, variables: Mapping[str, str]) -> bool:
    """Return whether all conditions of ``only`` hold."""
    return all(_list_results(policy, facts, variables))


def satisfies_any(policy: Policy, facts: RefFacts, variables: Mapping[str, str]) -> bool:
    """Return whether a condition of ``except`` holds."""
    return any(_list_results(policy, facts, variables))


def _list_results(policy: Policy, facts: RefFacts, variables: Mapping[str, str]) -> list[bool]:
    results = []
    if policy.refs is not None:
        results.append(any(_matches_ref(pattern, facts) for pattern in policy.refs))
    if policy.variables is not None:
        results.append(any(expressions.is_true(expression, variables) for expression in policy.variables))
    if policy.changes is not None:
        results.append(_has_changes(policy.changes, facts, variables))
    if policy.kubernetes is not None:
        results.append(facts.has_active_kubernetes)
    return results


def _matches_ref(pattern: str, facts: RefFacts) -> bool:
    """Return whether a name, keyword or pattern matches, perhaps only in one project: ``ref@group/project``."""
    name, _, path = pattern.partition("@")
    return (not path or path == facts.project_path) and _matches_name(name, facts)


def _matches_name(name: str, facts: RefFacts) -> bool:
    is_branch = not facts.is_tag and not facts.is_merge_request
    if (name == "tags" and facts.is_tag) or (name == "branches" and is_branch) or name in _keywords(facts.source):
        return True
    # Patterns and names are about branches and tags, not about the source branches of merge requests.
    if facts.is_merge_request:
        return False
    return _matches_pattern(name, facts.ref)


def _keywords(source: str) -> tuple[str, ...]:
    """Return the keywords for the source of a pipeline: its name, also without ``_event``, and the plural of both."""
    short = source.removesuffix(_EVENT)
    return source, short, _PLURALS.get(source, f"{source}s"), _PLURALS.get(short, f"{short}s")


def _matches_pattern(name: str, ref: str) -> bool:
    if not regexps.is_literal(name):
        return name == ref
    try:
        return regexps.compile_literal(name).is_in(ref)
    except RegexpError:
        return False
