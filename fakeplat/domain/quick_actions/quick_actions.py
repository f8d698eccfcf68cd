"""Quick actions: lines such as ``/close`` in a text, which are done instead of being kept. Source:
docs/platform/notes-discussions.md.

```python
@command("close", on=NOTED, exists=True)
def close(on: On, argument: str) -> str | None:
    if on.record.state != "opened" or not on.may_update:
        return None
    on.changes["state_event"] = "close"
    return f"Closed this {on.words}."
```

A command adds to the changes (under the platform's names) and says what it did; None where it cannot be done. It sees
what the commands before it did. How changes come into effect is declared for each kind of thing (``EFFECTS``).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from attrs import evolve, field

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.notes import noteables
from fakeplat.model.projects import Project
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

_LINE: Final = re.compile(r"/([A-Za-z_]+)(?:[ \t]+(.+))?")
_SPACE: Final = " \t\r\n\f\v\0"
_FENCES: Final = ("```", "~~~", ">>>")
_STATES: Final = {"close": "closed", "reopen": "opened"}
TEXTS: Final[Mapping[str, str]] = {"shrug": "¯\\＿(ツ)＿/¯", "tableflip": "(╯°□°)╯︵ ┻━┻"}  # noqa: RUF001  # as the platform writes it
"""Commands that only write something."""


@frozen
class ParsedCommand:
    """One line that asks for something."""

    name: str
    argument: str = ""


@frozen
class CommandContext:
    """What a command works on. ``record`` is None while it is being made, ``given`` are fields that it gets anyway.

    ``changes`` are those of the whole text; ``named`` are changes as answers name them, where that is otherwise than
    they are carried out; ``untold`` are those that answers leave out.
    """

    ctx: WriteContext
    kind: str
    project: Project
    record: Any
    given: Mapping[str, Any]
    changes: dict[str, Any]
    named: dict[str, Any]
    untold: set[str]

    def now(self, name: str, otherwise: Any = None) -> Any:
        """A field as it will be after the commands so far."""
        if name in self.changes:
            return self.changes[name]
        return self.given[name] if name in self.given else getattr(self.record, name, otherwise)

    @property
    def after(self) -> Any:
        """The record as it will be after the commands so far."""
        fields = {name: value for name, value in {**self.given, **self.changes}.items() if hasattr(self.record, name)}
        if "state_event" in self.changes:
            fields["state"] = _STATES[self.changes["state_event"]]
        return evolve(self.record, **fields)

    @property
    def words(self) -> str:
        """What texts call such a thing."""
        return noteables.NOTEABLES[self.kind].words

    @property
    def may_update(self) -> bool:
        """Whether the caller may change this one."""
        return self.record is not None and noteables.can_update(self.ctx, self.record).allowed

    @property
    def administers(self) -> bool:
        """Whether the caller may assign, label and plan things of this kind."""
        return can(self.ctx, noteables.NOTEABLES[self.kind].administers, self.project)


Outcome = str | None
"""What a command says that it did, None where it cannot be done."""
Run = Callable[[CommandContext, str], Outcome]
Act = Callable[[WriteContext, Any, Any], object]


@frozen
class Command:
    """A command: on which kinds of things, whether they must exist, and what it does."""

    name: str
    on: tuple[str, ...]
    exists: bool
    run: Run


@frozen
class CommandEffects:
    """How changes of a kind of thing come into effect: ``fields`` are put in at once, the others have an act each.

    ``at_first`` are fields besides that a new thing has from the beginning.
    """

    put: Callable[[WriteContext, Any, Mapping[str, Any]], Any]
    fields: tuple[str, ...]
    at_first: tuple[str, ...]
    acts: Mapping[str, Act]


NOTED: Final = (noteables.ISSUE.kind, noteables.MERGE_REQUEST.kind)
"""The kinds of things on which most commands work."""
COMMANDS: Final[dict[str, Command]] = {}
EFFECTS: Final[dict[str, CommandEffects]] = {}
"""By kind. In texts about other kinds, quick actions are words like others."""
NO_KIND: Final[tuple[str, ...]] = ()
"""On what commands work that are taken out of every text and never done: what they need is not there."""


def command(*names: str, on: tuple[str, ...], exists: bool = False) -> Callable[[Run], Run]:
    """Declare a command, under several names perhaps."""

    def register(run: Run) -> Run:
        COMMANDS.update({name: Command(name, on, exists, run) for name in names})
        return run

    return register


@frozen
class CommandResult:
    """What the commands of a text come to: changes, and what is said of them."""

    kind: str
    changes: dict[str, Any] = field(factory=dict)
    named: dict[str, Any] = field(factory=dict)
    untold: set[str] = field(factory=set)
    summary: list[str] = field(factory=list)
    made: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        """The changes that are put in together with what else is given."""
        effects = EFFECTS.get(self.kind)
        names = (*effects.fields, *(effects.at_first if self.made else ())) if effects else ()
        return {name: value for name, value in self.changes.items() if name in names}

    def told(self) -> dict[str, Any]:
        """The changes as answers name them."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.changes.items()}
        return {name: value for name, value in told.items() if name not in self.untold} | self.named

    def carry_out(self, ctx: WriteContext, record: Any) -> Any:
        """Put the changes into effect, and give the record as it is then; what is there already changes nothing.

        What speaks against one of them leaves that one out.
        """
        if not self.changes:
            return record
        effects = EFFECTS[self.kind]
        record = effects.put(ctx, _again(ctx, record), self.fields)
        for name, act in effects.acts.items():
            if name in self.changes:
                record = _tried(ctx, act, record, self.changes[name])
        return record


def _tried(ctx: WriteContext, act: Act, record: Any, value: Any) -> Any:
    with suppress(Refusal):
        act(ctx, record, value)
    return _again(ctx, record)


def _again(ctx: WriteContext, record: Any) -> Any:
    """A record as it is now."""
    return noteables.find_record(ctx.world, noteables.subject_of(record))


def extract_commands(kind: str, text: str) -> tuple[str, list[ParsedCommand]]:
    """What of a text is kept, and what it asks for; a text that asks for nothing is kept as it is."""
    lines = list(_lines(text)) if kind in EFFECTS else []
    orders = [order for _, order in lines if order is not None]
    if not orders:
        return text, []
    return "\n".join(_kept(lines)).rstrip(_SPACE), [order for order in orders if order.name not in TEXTS]


def _kept(lines: Iterable[tuple[str, ParsedCommand | None]]) -> Iterator[str]:
    """The lines without those that are done, each of which takes the blank lines behind it along."""
    after_command = False
    for line, order in lines:
        if order is None and not (after_command and not line.strip(_SPACE)):
            after_command = False
            yield line
        elif order is not None:
            after_command = order.name not in TEXTS
            if not after_command:
                yield f"{order.argument} {TEXTS[order.name]}".strip()


def _lines(text: str) -> Iterator[tuple[str, ParsedCommand | None]]:
    """Each line, and what it asks for; code and quotations ask for nothing."""
    fence = ""
    for line in text.split("\n"):
        opening = next((sign for sign in _FENCES if line.startswith(sign)), "")
        if fence or opening:
            fence = "" if fence and opening == fence else fence or opening
            yield line, None
        else:
            yield line, _order(line)


def _order(line: str) -> ParsedCommand | None:
    match = _LINE.fullmatch(line.rstrip()) if line.startswith("/") else None
    name = match[1].lower() if match else ""
    if match is None or (name not in TEXTS and name not in COMMANDS):
        return None
    return ParsedCommand(name, match[2] or "")


def plan_commands(
    ctx: WriteContext,
    kind: str,
    project: Project,
    record: Any,
    orders: Iterable[ParsedCommand],
    given: Mapping[str, Any] | None = None,
) -> CommandResult:
    """What orders come to, in their order, beside fields that the record is given; those that cannot be, to nothing."""
    plan = CommandResult(kind, made=record is None)
    on = CommandContext(ctx, kind, project, record, given or {}, plan.changes, plan.named, plan.untold)
    for order in orders:
        said = _run(on, order)
        if said is not None:
            plan.summary.append(said)
    return plan


def _run(on: CommandContext, order: ParsedCommand) -> Outcome:
    declared = COMMANDS[order.name]
    fits = on.kind in declared.on and not (declared.exists and on.record is None)
    return declared.run(on, order.argument) if fits else None


def from_description(ctx: ReadContext, kind: str, given: dict[str, Any]) -> tuple[dict[str, Any], list[ParsedCommand]]:
    """Take the quick actions out of a description that somebody gives to a thing."""
    text = given.get("description")
    if not text or ctx.viewer is None:
        return given, []
    kept, orders = extract_commands(kind, text)
    return {**given, "description": kept}, orders


def command_context(ctx: WriteContext, record: Any, orders: Iterable[ParsedCommand]) -> CommandResult:
    """What orders about a thing come to."""
    return plan_commands(
        ctx, noteables.noteable_of(record).kind, noteables.project_of(ctx.world, record), record, orders
    )
