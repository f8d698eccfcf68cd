"""Rules of inputs: the options and the default of one, as the values of others decide.

Source: docs/platform/pipelines-jobs.md ('Rules of inputs').
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

from fakeplat.ci_config import expressions
from fakeplat.ci_config.documents import YamlValue, to_text

_REFERENCE: Final = re.compile(r"\$\[\[\s*inputs\.([^\s\]]+)\s*\]\]")
Rule = Mapping[str, Any]


def find_rule(rules: Sequence[Rule], values: Mapping[str, YamlValue]) -> Rule | None:
    """Return the first rule whose condition holds, or that has none."""
    return next((rule for rule in rules if "if" not in rule or _holds(rule["if"], values)), None)


def _holds(condition: str, values: Mapping[str, YamlValue]) -> bool:
    variables = {
        variable: to_text(values[name])
        for name, variable in _name_variables(condition).items()
        if values.get(name) is not None
    }
    return expressions.is_true(_write(condition), variables)


def _name_variables(condition: str) -> dict[str, str]:
    """Return names of variables for the inputs in a condition, whose own names may not be those of variables."""
    return {name: f"INPUT_{number}" for number, name in enumerate(dict.fromkeys(_REFERENCE.findall(condition)))}


def _write(condition: str) -> str:
    names = _name_variables(condition)
    return _REFERENCE.sub(lambda match: f"${names[match[1]]}", condition)


def is_defaulted(rules: Sequence[Rule]) -> bool:
    """Return whether rules make an input optional: one has a default, or is a fallback."""
    return any("default" in rule or "if" not in rule for rule in rules)


def list_mistakes(specs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of inputs whose rules name unknown inputs, or each other, with what is wrong."""
    for name, spec in specs.items():
        for index, rule in enumerate((spec or {}).get("rules") or ()):
            unknown = [each for each in _list_named(rule) if each not in specs]
            if unknown:
                yield name, f"rule[{index}] references undefined inputs: {', '.join(unknown)}"
    try:
        _sort(specs).prepare()
    except CycleError as error:
        yield error.args[1][0], "circular dependency detected"


def order(specs: Mapping[str, Any]) -> list[str]:
    """Return the names of inputs, each one after those that its rules name."""
    return [name for name in _sort(specs).static_order() if name in specs]


def _sort(specs: Mapping[str, Any]) -> TopologicalSorter[str]:
    named = {
        name: [each for rule in (spec or {}).get("rules") or () for each in _list_named(rule)]
        for name, spec in specs.items()
    }
    return TopologicalSorter(named)


def _list_named(rule: Rule) -> list[str]:
    return list(dict.fromkeys(_REFERENCE.findall(rule.get("if") or "")))
