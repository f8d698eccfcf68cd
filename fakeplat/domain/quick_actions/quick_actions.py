"""Quick actions: lines such as ``/close`` in a text, which are executed and removed from it. Source:
docs/platform/notes-discussions.md.

```python
@command("close", on=NOTED, exists=True)
def close(context: CommandContext, argument: str) -> str | None:
    if context.record.state != "opened" or not context.may_update:
        return None
    context.changes["state_event"] = "close"
    return f"Closed this {context.words}."
```

A command adds to the changes (under the platform's names) and returns a summary, or None if it is not applicable. It
sees the changes of earlier commands. The effects of changes are declared per kind of record (``EFFECTS``).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any, Final

from attrs import evolve, field

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.release import ALWAYS, Lifetime, Profile
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.notes import noteables
from fakeplat.domain.notes.noteables import N, Noteable
from fakeplat.model.projects import Container, Project
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

# Accepts "/close" and "/label ~bug".
_LINE: Final = re.compile(r"/([A-Za-z_]+)(?:[ \t]+(.+))?")
# The characters that Ruby's String#strip removes; Python's own default also includes Unicode spaces.
_WHITESPACE: Final = " \t\r\n\f\v\0"
_FENCES: Final = ("```", "~~~", ">>>")
_STATES: Final = {"close": "closed", "reopen": "opened"}
TEXTS: Final[Mapping[str, str]] = {"shrug": "¯\\＿(ツ)＿/¯", "tableflip": "(╯°□°)╯︵ ┻━┻"}  # noqa: RUF001  # as the platform writes it
"""Commands that only insert text."""


@frozen
class ParsedCommand:
    """A command line: name and argument."""

    name: str
    argument: str = ""


@frozen
class CommandContext:
    """The context of a command. ``record`` is None while it is created; ``other_fields`` are those of the request.

    ``changes`` are those of all commands so far. ``reported`` are changes under the names of the responses where these
    differ; ``hidden`` are those that responses omit.
    """

    ctx: WriteContext
    kind: str
    container: Container
    record: Any
    other_fields: Mapping[str, object]
    changes: dict[str, Any]
    reported: dict[str, Any]
    hidden: set[str]

    @property
    def project(self) -> Project:
        """Return the project of the record, for commands that are not for epics."""
        if not isinstance(self.container, Project):
            raise TypeError(f"a record of the kind {self.kind} belongs to {self.container}")
        return self.container

    def value_of(self, name: str, otherwise: object = None) -> Any:
        """Return a field's value after the commands so far."""
        # Earlier commands take precedence over the parameters of the request, and these over the record.
        if name in self.changes:
            return self.changes[name]
        return self.other_fields[name] if name in self.other_fields else getattr(self.record, name, otherwise)

    @property
    def updated_record(self) -> Any:
        """Return the record after the commands so far."""
        fields = {
            name: value for name, value in {**self.other_fields, **self.changes}.items() if hasattr(self.record, name)
        }
        if "state_event" in self.changes:
            fields["state"] = _STATES[self.changes["state_event"]]
        return evolve(self.record, **fields)

    @property
    def words(self) -> str:
        """Return the display name of the kind of record."""
        return noteables.NOTEABLES[self.kind].words

    @property
    def may_update(self) -> bool:
        """Return whether the caller may update the record."""
        return self.record is not None and noteables.can_update(self.ctx, self.record).allowed

    @property
    def administers(self) -> bool:
        """Return whether the caller may assign, label and plan records of this kind."""
        if self.record is not None:
            return noteables.can_administer(self.ctx, self.record)
        return can(self.ctx, noteables.NOTEABLES[self.kind].administers, self.container)


Outcome = str | None
"""The summary of a command, None if it is not applicable."""
Run = Callable[[CommandContext, str], Outcome]
Effect = Callable[[WriteContext, Any, Any], object]


@frozen
class Command:
    """A command: the kinds of records it applies to, whether they must exist, its function and its releases."""

    name: str
    on: tuple[str, ...]
    exists: bool
    run: Run
    lifetime: Lifetime = ALWAYS


@frozen
class CommandEffects:
    """Effects of changes of a kind of record: ``fields`` are set together, the others are applied by ``handlers``.

    ``creation_fields`` are further fields that are set when a record is created.
    """

    set_fields: Callable[[WriteContext, Any, Mapping[str, Any]], Any]
    fields: tuple[str, ...]
    creation_fields: tuple[str, ...]
    handlers: Mapping[str, Effect]


ISSUABLE_KINDS: Final = (noteables.ISSUE.kind, noteables.MERGE_REQUEST.kind)
"""The kinds of records of projects to which most commands apply."""
ISSUABLE_AND_EPIC_KINDS: Final = (*ISSUABLE_KINDS, noteables.EPIC.kind)
COMMANDS: Final[dict[str, Command]] = {}
EFFECTS: Final[dict[str, CommandEffects]] = {}
"""Effects by kind. In texts about other kinds, quick actions are ordinary text."""
MODULES: Final = (
    "commit_commands",
    "epic_commands",
    "issuable_commands",
    "issue_commands",
    "issue_effects",
    "merge_request_commands",
    "merge_request_effects",
    "noteable_commands",
)
NO_KIND: Final[tuple[str, ...]] = ()
"""For commands that are removed from every text but never executed, because the feature is not implemented."""


def command(
    *names: str, on: tuple[str, ...], exists: bool = False, lifetime: Lifetime = ALWAYS
) -> Callable[[Run], Run]:
    """Register a command under one or more names. ``lifetime``: the releases that have it."""

    def register(run: Run) -> Run:
        COMMANDS.update({name: Command(name, on, exists, run, lifetime) for name in names})
        return run

    return register


@cache
def import_commands() -> None:
    """Import the modules that register commands and effects, which most texts do not need."""
    for module in MODULES:
        import_module(f"{__package__}.{module}")


@frozen
class CommandResult:
    """The result of a text's commands: changes and summaries."""

    kind: str
    changes: dict[str, Any] = field(factory=dict)
    reported: dict[str, Any] = field(factory=dict)
    hidden: set[str] = field(factory=set)
    summary: list[str] = field(factory=list)
    is_new: bool = False

    @property
    def fields(self) -> dict[str, Any]:
        """Return the changes that are set together with the other fields of the request."""
        effects = EFFECTS.get(self.kind)
        names = (*effects.fields, *(effects.creation_fields if self.is_new else ())) if effects else ()
        return {name: value for name, value in self.changes.items() if name in names}

    def reported_changes(self) -> dict[str, Any]:
        """Return the changes under the names that responses use."""
        reported = {name: list(value) if isinstance(value, tuple) else value for name, value in self.changes.items()}
        return {name: value for name, value in reported.items() if name not in self.hidden} | self.reported

    def apply(self, ctx: WriteContext, record: N) -> N:
        """Apply the changes and return the updated record.

        The record is read again, as a note that was stored since may have changed it. A change that is refused is
        skipped.
        """
        if not self.changes:
            return record
        effects = EFFECTS[self.kind]
        record = effects.set_fields(ctx, _reload(ctx, record), self.fields)
        # In the order of the declaration, not of the commands: a merge comes after the approval it needs.
        for name, effect in effects.handlers.items():
            if name in self.changes:
                record = _apply_change(ctx, effect, record, self.changes[name])
        return record


def _apply_change(ctx: WriteContext, effect: Effect, record: N, value: object) -> N:
    # The text is stored even if one of its changes is refused, as on the platform.
    with suppress(Refusal):
        effect(ctx, record, value)
    return _reload(ctx, record)


def _reload(ctx: WriteContext, record: N) -> N:
    """Return the current version of a record."""
    noteable = noteables.noteable_of(record)
    current = noteable.find(ctx.world, noteable.subject(record))
    if current is None:
        raise LookupError(f"{noteable.subject(record)} does not exist")
    return current


def extract_commands(kind: str, text: str, profile: Profile) -> tuple[str, list[ParsedCommand]]:
    """Split a text into the text to store and its commands; without commands the text is unchanged."""
    if not text.startswith("/") and "\n/" not in text:
        return text, []
    import_commands()
    lines = list(_parse_lines(text, profile)) if kind in EFFECTS else []
    commands = [parsed for _, parsed in lines if parsed is not None]
    if not commands:
        return text, []
    return "\n".join(_lines_to_keep(lines)).rstrip(_WHITESPACE), [
        parsed for parsed in commands if parsed.name not in TEXTS
    ]


def _lines_to_keep(lines: Iterable[tuple[str, ParsedCommand | None]]) -> Iterator[str]:
    """Yield the lines without commands and the blank lines that follow them."""
    after_command = False
    for line, parsed in lines:
        if parsed is None and not (after_command and not line.strip(_WHITESPACE)):
            after_command = False
            yield line
        elif parsed is not None:
            # ``/shrug`` and ``/tableflip`` leave their text, so the blank lines after them stay.
            after_command = parsed.name not in TEXTS
            if not after_command:
                yield f"{parsed.argument} {TEXTS[parsed.name]}".strip()


def _parse_lines(text: str, profile: Profile) -> Iterator[tuple[str, ParsedCommand | None]]:
    """Yield each line with its command; there are none in code blocks and quotations."""
    fence = ""
    for line in text.split("\n"):
        marker = next((candidate for candidate in _FENCES if line.startswith(candidate)), "")
        if fence or marker:
            # A block ends at the marker that started it; other markers inside are text.
            fence = "" if fence and marker == fence else fence or marker
            yield line, None
        else:
            yield line, _parse_command(line, profile)


def _parse_command(line: str, profile: Profile) -> ParsedCommand | None:
    match = _LINE.fullmatch(line.rstrip()) if line.startswith("/") else None
    name = match[1].lower() if match else ""
    if match is None or not (name in TEXTS or _is_known(name, profile)):
        return None
    return ParsedCommand(name, match[2] or "")


def _is_known(name: str, profile: Profile) -> bool:
    definition = COMMANDS.get(name)
    return definition is not None and profile.has(definition.lifetime)


def plan_commands(
    ctx: WriteContext,
    kind: str,
    container: Container,
    record: Noteable | None,
    commands: Iterable[ParsedCommand],
    other_fields: Mapping[str, object] | None = None,
) -> CommandResult:
    """Run commands in order, in addition to other fields of the request; those that do not apply are ignored."""
    plan = CommandResult(kind, is_new=record is None)
    context = CommandContext(ctx, kind, container, record, other_fields or {}, plan.changes, plan.reported, plan.hidden)
    for parsed in commands:
        summary = _run_command(context, parsed)
        if summary is not None:
            plan.summary.append(summary)
    return plan


def _run_command(context: CommandContext, parsed: ParsedCommand) -> Outcome:
    definition = COMMANDS[parsed.name]
    is_applicable = context.kind in definition.on and not (definition.exists and context.record is None)
    return definition.run(context, parsed.argument) if is_applicable else None


def extract_from_description(
    ctx: ReadContext, kind: str, params: dict[str, Any]
) -> tuple[dict[str, Any], list[ParsedCommand]]:
    """Extract the quick actions from the description in a request's parameters."""
    text = params.get("description")
    # Without a user nobody could execute the commands, so the text stays complete.
    if not text or ctx.viewer is None:
        return params, []
    remaining, commands = extract_commands(kind, text, ctx.profile)
    return {**params, "description": remaining}, commands


def plan_for_record(ctx: WriteContext, record: Noteable, commands: Iterable[ParsedCommand]) -> CommandResult:
    """Run the commands of a text about an existing record."""
    return plan_commands(
        ctx, noteables.noteable_of(record).kind, noteables.container_of(ctx.world, record), record, commands
    )
