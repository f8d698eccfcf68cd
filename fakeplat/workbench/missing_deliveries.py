"""Why an expected delivery is missing: which webhooks a world has, and whether they get the event."""

from collections.abc import Iterator
from itertools import groupby

from fakeplat.domain.hooks.events import EVENTS_BY_TRIGGER
from fakeplat.model.hooks import Hook
from fakeplat.model.world import World
from fakeplat.workbench.natural_keys import natural_key_at


def explain_missing(world: World, trigger: str | None) -> str:
    """Return which webhooks could have got an event, one line for each owner; ``trigger`` None is any event."""
    hooks = sorted(world.hooks.all(), key=lambda hook: str(hook.source))
    if not hooks:
        return "this world has no webhooks"
    event = EVENTS_BY_TRIGGER.get(trigger or "")
    return "\n".join(_explain(world, hooks, event.flag if event is not None and event.kinds else None))


def _explain(world: World, hooks: list[Hook], flag: str | None) -> Iterator[str]:
    for source, rows in groupby(hooks, key=lambda hook: hook.source):
        owner = "the instance" if source is None else natural_key_at(world, *source)
        own = list(rows)
        without = [hook for hook in own if flag is not None and not getattr(hook, flag)]
        if without:
            yield f"{_count(len(without))} of {owner} {_exist(len(without))}, without {flag}"
        if len(own) > len(without):
            with_flag = f", with {flag}" if flag else ""
            yield f"{_count(len(own) - len(without))} of {owner} {_exist(len(own) - len(without))}{with_flag}"


def _count(number: int) -> str:
    return "1 hook" if number == 1 else f"{number} hooks"


def _exist(number: int) -> str:
    return "exists" if number == 1 else "exist"
