"""Conditions of ``rules``, ``only`` and ``except``, decided for a ref."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from attrs import Factory

from fakeplat.ci_config import expressions, globs, regexps
from fakeplat.ci_config.jobs import Policy, Rule
from fakeplat.core.store.frozen import frozen

_MOST_COMPARISONS: Final = 10_000
_EVENT: Final = "_event"
# Sources whose plural is not just the singular with an s.
_PLURALS: Final = {"push": "pushes"}


def _no_paths() -> Sequence[str]:
    return ()


def _unknown_paths() -> Sequence[str] | None:
    return None


@frozen(kw_only=True)
class RefFacts:
    """What a pipeline is created for.

    ``variables`` are those that take precedence over the variables of the configuration: of the pipeline, the project,
    the groups and the instance; ``predefined`` are those that do not (``CI_…``). ``changed_paths`` returns None if
    there is nothing to compare with, as for a new branch; then each ``changes`` holds. ``file_paths`` are all paths at
    the commit.
    """

    ref: str
    source: str = "push"
    is_tag: bool = False
    is_merge_request: bool = False
    project_path: str = ""
    variables: Mapping[str, str] = Factory(dict)
    predefined: Mapping[str, str] = Factory(dict)
    changed_paths: Callable[[], Sequence[str] | None] = _unknown_paths
    file_paths: Callable[[], Sequence[str]] = _no_paths
    has_active_kubernetes: bool = False


def find_rule(rules: Iterable[Rule], facts: RefFacts, variables: Mapping[str, str]) -> Rule | None:
    """Return the first rule all of whose conditions hold."""
    return next((rule for rule in rules if _holds(rule, facts, variables)), None)


def _holds(rule: Rule, facts: RefFacts, variables: Mapping[str, str]) -> bool:
    return (
        (rule.condition is None or expressions.is_true(rule.condition, variables))
        and (rule.changes is None or _has_changes(rule.changes, facts))
        and (rule.exists is None or _has_files(rule.exists, facts))
    )


def _has_changes(patterns: Sequence[str], facts: RefFacts) -> bool:
    paths = facts.changed_paths()
    return paths is None or any(globs.matches(glob, path) for path in paths for glob in patterns)


def _has_files(patterns: Sequence[str], facts: RefFacts) -> bool:
    paths = facts.file_paths()
    known = set(paths)
    if any(glob.removeprefix("/") in known for glob in patterns if globs.is_plain(glob)):
        return True
    wild = [glob for glob in patterns if not globs.is_plain(glob)]
    # The platform stops comparing at this number, and takes the condition for true.
    if len(wild) * len(paths) > _MOST_COMPARISONS:
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
        results.append(_has_changes(policy.changes, facts))
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
        return regexps.compile_literal(name).search(ref) is not None
    except regexps.RegexpError:
        return False
