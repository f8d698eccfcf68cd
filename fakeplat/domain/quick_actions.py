"""Quick actions: lines such as ``/close`` in a text, which are done instead of being kept. Source: more on notes.

```python
@command("close", on=("issue",), exists=True)
def close(on: On, argument: str) -> str | None:
    if on.record.state == "closed" or not on.may_update:
        return None
    on.changes["state_event"] = "close"
    return "Closed this issue."
```

A command adds to the changes (under the platform's names) and says what it did; None where it cannot be done. How
changes of a kind of thing are put into effect is registered beside its commands.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from attrs import field, frozen

from fakeplat.domain import noteables, references
from fakeplat.model.issues import Issue
from fakeplat.model.projects import Project
from fakeplat.policy.context import Doing
from fakeplat.policy.rulings import can

_LINE: Final = re.compile(r"/([A-Za-z_]+)(?:[ \t]+(.+))?")
_FENCES: Final = ("```", "~~~", ">>>")
TEXTS: Final[Mapping[str, str]] = {"shrug": "¯\\＿(ツ)＿/¯", "tableflip": "(╯°□°)╯︵ ┻━┻"}  # noqa: RUF001  # as the platform writes it
"""Commands that only write something."""


@frozen
class Order:
    """One line that asks for something."""

    name: str
    argument: str = ""


@frozen
class On:
    """What a command works on. ``record`` is None while it is being made; ``changes`` are those of the whole text.

    ``named`` are changes as answers name them, where that is otherwise than they are carried out; ``untold`` are those
    that answers leave out.
    """

    cx: Doing
    kind: str
    project: Project
    record: Any
    changes: dict[str, Any]
    named: dict[str, Any]
    untold: set[str]

    def now(self, name: str, otherwise: Any = None) -> Any:
        """A field as it will be after the commands so far."""
        return self.changes.get(name, getattr(self.record, name, otherwise))

    @property
    def may_update(self) -> bool:
        """Whether the caller may change this one."""
        return self.record is not None and noteables.may_update(self.cx, self.record).allowed

    @property
    def administers(self) -> bool:
        """Whether the caller may assign, label and plan things of this kind."""
        return can(self.cx, noteables.NOTEABLES[self.kind].administers, self.project)

    def issue(self, written: str) -> Issue | None:
        """The issue that a reference names, if the caller sees it."""
        found = references.issue(self.cx, self.project, written)
        return found if found is not None and noteables.visible(self.cx, found) else None


Outcome = str | None
"""What a command says that it did, None where it cannot be done."""
Act = Callable[[On, str], Outcome]
CarryOut = Callable[[Doing, Any, Mapping[str, Any]], Any]


@frozen
class Command:
    """A command: on which kinds of things, whether they must exist, and what it does."""

    name: str
    on: tuple[str, ...]
    exists: bool
    act: Act


COMMANDS: Final[dict[str, Command]] = {}
CARRY_OUT: Final[dict[str, CarryOut]] = {}
FIELDS: Final[dict[str, tuple[str, ...]]] = {}
"""By kind: how changes are put into effect, and which of them are fields that a new one can have at once."""


def command(*names: str, on: tuple[str, ...], exists: bool = False) -> Callable[[Act], Act]:
    """Declare a command, under several names perhaps."""

    def register(act: Act) -> Act:
        COMMANDS.update({name: Command(name, on, exists, act) for name in names})
        return act

    return register


@frozen
class Plan:
    """What the commands of a text come to: changes, and what is said of them."""

    kind: str
    changes: dict[str, Any] = field(factory=dict)
    named: dict[str, Any] = field(factory=dict)
    untold: set[str] = field(factory=set)
    summary: list[str] = field(factory=list)
    made: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        """The changes that a new thing has from the beginning."""
        if not self.made:
            return {}
        return {name: value for name, value in self.changes.items() if name in FIELDS.get(self.kind, ())}

    def told(self) -> dict[str, Any]:
        """The changes as answers name them."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.changes.items()}
        return {name: value for name, value in told.items() if name not in self.untold} | self.named

    def carry_out(self, cx: Doing, record: Any) -> Any:
        """Put the changes into effect, and give the record as it is then."""
        rest = {name: value for name, value in self.changes.items() if name not in self.fields}
        return CARRY_OUT[self.kind](cx, record, rest) if rest else record


def read(kind: str, text: str) -> tuple[str, list[Order]]:
    """What of a text is kept, and what it asks for; a text that asks for nothing is kept as it is."""
    lines = list(_lines(kind, text))
    orders = [order for _, order in lines if order is not None]
    if not orders:
        return text, []
    kept = (
        f"{order.argument} {TEXTS[order.name]}".strip() if order else line
        for line, order in lines
        if order is None or order.name in TEXTS
    )
    return "\n".join(kept).strip(), [order for order in orders if order.name not in TEXTS]


def _lines(kind: str, text: str) -> Iterator[tuple[str, Order | None]]:
    """Each line, and what it asks for; code and quotations ask for nothing."""
    fence = ""
    for line in text.split("\n"):
        opening = next((sign for sign in _FENCES if line.startswith(sign)), "")
        if fence or opening:
            fence = "" if fence and opening == fence else fence or opening
            yield line, None
        else:
            yield line, _order(kind, line)


def _order(kind: str, line: str) -> Order | None:
    match = _LINE.fullmatch(line.rstrip()) if line.startswith("/") else None
    name = match[1].lower() if match else ""
    declared = COMMANDS.get(name)
    if match is None or not (name in TEXTS or (declared is not None and kind in declared.on)):
        return None
    return Order(name, match[2] or "")


def planned(cx: Doing, kind: str, project: Project, record: Any, orders: Iterable[Order]) -> Plan:
    """What orders come to, in their order; those that cannot be carried out come to nothing."""
    plan = Plan(kind, made=record is None)
    on = On(cx, kind, project, record, plan.changes, plan.named, plan.untold)
    for order in orders:
        declared = COMMANDS[order.name]
        said = None if declared.exists and record is None else declared.act(on, order.argument)
        if said is not None:
            plan.summary.append(said)
    return plan


def in_description(
    cx: Doing, project: Project, record: Any, given: dict[str, Any], kind: str = noteables.ISSUE.kind
) -> tuple[dict[str, Any], Plan]:
    """Take the quick actions out of a description that somebody gives to a thing, new if there is no record."""
    text = given.get("description")
    if not text or cx.user is None:
        return given, Plan(kind)
    kept, orders = read(kind, text)
    return {**given, "description": kept}, planned(cx, kind, project, record, orders)


def on(cx: Doing, record: Any, orders: Iterable[Order]) -> Plan:
    """What orders about a thing come to."""
    return planned(cx, noteables.of(record).kind, noteables.project_of(cx.world, record), record, orders)
