"""Rules between the parameters of one request, declared as ``rules`` of a Params class.

A rule is judged on what was sent, a null included. Source: docs/platform/errors.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from fakeplat.core.params.coercion import Failure
from fakeplat.core.store.frozen import frozen

Sent = Mapping[str, object]


@frozen
class Rule:
    """What must hold between some parameters; ``broken`` says how a request breaks it."""

    names: tuple[str, ...]
    judge: Callable[[tuple[str, ...], Sent], Sequence[Failure]]

    def or_one_of(self, *others: str) -> "Rule":
        """The same rule, which is also kept where one of these is sent; its text does not name them."""

        def judge(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
            return () if any(name in sent for name in others) else self.judge(names, sent)

        return Rule(self.names, judge)

    def broken(self, sent: Sent) -> Sequence[Failure]:
        """The failures, none if the rule is kept."""
        return self.judge(self.names, sent)


def mutually_exclusive(*names: str) -> Rule:
    """At most one of them."""
    return Rule(names, _mutually_exclusive)


def at_least_one_of(*names: str) -> Rule:
    """One of them or more."""
    return Rule(names, _at_least_one_of)


def exactly_one_of(*names: str) -> Rule:
    """One of them and no other."""
    return Rule(names, _exactly_one_of)


def all_or_none_of(*names: str) -> Rule:
    """All of them, or none."""
    return Rule(names, _all_or_none_of)


def requires(flag: str, *names: str, equals: object = None) -> Rule:
    """Where ``flag`` is true (or has this value) in this request, these must be sent with it."""

    def judge(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
        value = sent.get(flag)
        if not value or (equals is not None and value != equals):
            return ()
        return [_told([name], "is missing") for name in names[1:] if name not in sent]

    return Rule((flag, *names), judge)


def _told(names: Iterable[str], text: str) -> Failure:
    return Failure(text, tuple((name,) for name in names))


def _mutually_exclusive(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    both = [name for name in names if name in sent]
    return [_told(both, "are mutually exclusive")] if len(both) > 1 else ()


def _at_least_one_of(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    if any(name in sent for name in names):
        return ()
    return [_told(names, "are missing, at least one parameter must be provided")]


def _exactly_one_of(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    if any(name in sent for name in names):
        return _mutually_exclusive(names, sent)
    return [_told(names, "are missing, exactly one parameter must be provided")]


def _all_or_none_of(names: tuple[str, ...], sent: Sent) -> Sequence[Failure]:
    found = sum(name in sent for name in names)
    return [_told(names, "provide all or none of parameters")] if 0 < found < len(names) else ()
