"""Rules between the parameters of a request, declared as ``rules`` of a Params class.

A rule considers the parameters that were sent, also those with a null. Source: docs/platform/errors.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from fakeplat.core.params.coercion import Failure
from fakeplat.core.release import ALWAYS, Lifetime
from fakeplat.core.store.frozen import frozen

Sent = Mapping[str, object]
_EXCLUSIVE: Final = "are mutually exclusive"


@frozen
class Rule:
    """A condition on several parameters; ``judge`` returns how a request violates it."""

    names: tuple[str, ...]
    judge: Callable[[tuple[str, ...], Sent], Sequence[Failure]]
    lifetime: Lifetime = ALWAYS

    def given(self, flag: str, lifetime: Lifetime = ALWAYS) -> "Rule":
        """Return the same rule for requests in which ``flag`` is true, in the releases that have it."""

        def judge(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
            return self.judge(tuple(name for name in names if name != flag), sent) if sent.get(flag) else ()

        return Rule((flag, *self.names), judge, lifetime)

    def unless_any_sent(self, *others: str) -> "Rule":
        """Return the same rule, which is also satisfied by any of these parameters; its text does not name them."""

        def judge(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
            return self.judge(names, sent) if sent.keys().isdisjoint(others) else ()

        return Rule(self.names, judge, self.lifetime)

    def named(self, names: Mapping[str, str]) -> "Rule":
        """Return the same rule about those of its parameters that a release has, under the names in that release."""
        return Rule(tuple(names[name] for name in self.names if name in names), self.judge, self.lifetime)

    def find_failures(self, sent: Sent) -> Sequence[Failure]:
        """Return the failures of a request; none if it satisfies the rule."""
        return self.judge(self.names, sent)


def mutually_exclusive(*names: str, text: str = _EXCLUSIVE) -> Rule:
    """Allow at most one of the parameters."""
    return Rule(names, partial(_mutually_exclusive, text=text))


def at_least_one_of(*names: str, lifetime: Lifetime = ALWAYS) -> Rule:
    """Require one of the parameters or more."""
    return Rule(names, _at_least_one_of, lifetime)


def exactly_one_of(*names: str, lifetime: Lifetime = ALWAYS) -> Rule:
    """Require exactly one of the parameters."""
    return Rule(names, _exactly_one_of, lifetime)


def all_or_none_of(*names: str) -> Rule:
    """Require all of the parameters, or none."""
    return Rule(names, _all_or_none_of)


def requires(flag: str, *names: str, equals: object = None, lifetime: Lifetime = ALWAYS) -> Rule:
    """Require some parameters in requests in which ``flag`` is true, or has a certain value."""

    def judge(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
        flag_value = sent.get(flag)
        if not flag_value or (equals is not None and flag_value != equals):
            return ()
        return [_failure([name], "is missing") for name in names if name != flag and name not in sent]

    return Rule((flag, *names), judge, lifetime)


def _failure(names: Iterable[str], text: str) -> Failure:
    return Failure(text, tuple((name,) for name in names))


def _mutually_exclusive(names: tuple[str, ...], sent: Sent, text: str = _EXCLUSIVE) -> Sequence[Failure]:
    sent_names = [name for name in names if name in sent]
    return [_failure(sent_names, text)] if len(sent_names) > 1 else ()


def _at_least_one_of(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    if not sent.keys().isdisjoint(names):
        return ()
    return [_failure(names, "are missing, at least one parameter must be provided")]


def _exactly_one_of(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    if not sent.keys().isdisjoint(names):
        return _mutually_exclusive(names, sent)
    return [_failure(names, "are missing, exactly one parameter must be provided")]


def _all_or_none_of(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    count = sum(name in sent for name in names)
    return [_failure(names, "provide all or none of parameters")] if 0 < count < len(names) else ()
