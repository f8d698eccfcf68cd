"""Answering `git push`: unpack into a quarantine, judge each ref, keep what came if any ref moved."""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

from attrs import define, evolve, field

from fakeplat.core.store.frozen import frozen
from fakeplat.git import packs
from fakeplat.git.errors import BadPack, BadRequest, MissingObject
from fakeplat.git.name_checks import BRANCHES, ZERO, find_conflicting_ref, is_ref_name
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits
from fakeplat.git.pktline import FLUSH, Lines, decode_text, encode_line, encode_sideband
from fakeplat.git.reachability import check_connected, check_tree_sizes, peel_to_commits, tags_on_the_way
from fakeplat.git.records import Commit, Kind
from fakeplat.git.repository import Repository
from fakeplat.git.walk import Selection, by_date
from fakeplat.git.writing import can_fast_forward

_ATOMIC = "atomic push failure"
_LONGEST_NAME = 4096
_LONGEST_REFUSAL = 1000


@frozen(slots=False)
class RefUpdate:
    """One ref of a push: its whole name, and its hash before and after (None: it is not there)."""

    name: str
    old: str | None
    new: str | None
    before: Repository = field(eq=False, repr=False)
    """The repository as it is."""
    after: Repository = field(eq=False, repr=False)
    """The repository as it would be with this update and those before it."""

    @property
    def creates(self) -> bool:
        """Whether the ref is new."""
        return self.old is None

    @property
    def deletes(self) -> bool:
        """Whether the ref goes."""
        return self.new is None

    @cached_property
    def commits(self) -> list[Commit]:
        """What the ref leads to now and did not before (a new ref: no ref did), newest first."""
        ends = [self.old] if self.old else self.before.refs.values()
        new, old = (peel_to_commits(self.after.objects, shas) for shas in ([self.new] if self.new else [], ends))
        return list(by_date(self.after.objects, Selection(tuple(new), tuple(old))))

    @cached_property
    def is_fast_forward(self) -> bool:
        """Whether nothing that the ref led to is lost. True for a new ref, false for one that goes."""
        if self.old is None or self.new is None:
            return self.new is not None
        ends = [tags_on_the_way(self.after.objects, sha)[1] for sha in (self.old, self.new)]
        if {self.after.objects.get(sha).kind for sha in ends} != {Kind.COMMIT}:
            return False
        return can_fast_forward(self.after.objects, *ends)


Decide = Callable[[RefUpdate], str | None]
"""Judges one ref of a push: None lets it pass, a text refuses it and is shown behind the ref's name."""


@define
class Received:
    """What came of a push.

    ``updates`` are the refs that move, for the caller to store, and ``after`` is the repository that they make;
    ``refused`` says why others do not, by name.
    ``unpacked`` is `ok` or what is wrong with the pack. ``push_options`` are as they came, ``names`` are all that were
    asked for.
    """

    updates: list[RefUpdate]
    after: Repository
    refused: dict[str, str]
    push_options: list[str]
    unpacked: str
    names: list[str]
    capabilities: frozenset[str]

    @property
    def is_empty(self) -> bool:
        """Whether the client asked for nothing."""
        return not self.names

    def answer(self, messages: Iterable[str] = ()) -> bytes:
        """The body of the answer; git shows the messages as lines that start with `remote:`."""
        report = b""
        if "report-status" in self.capabilities:
            report = encode_line(f"unpack {self.unpacked}\n") + b"".join(map(self._line, self.names)) + FLUSH
        if "side-band-64k" not in self.capabilities:
            return report
        said = "".join(f"{line}\n" for message in messages for line in message.split("\n"))
        return b"".join(
            [*encode_sideband(2, said.encode(errors="surrogateescape")), *encode_sideband(1, report), FLUSH]
        )

    def _line(self, name: str) -> bytes:
        refusal = self.refused.get(name)
        line = f"ok {name}\n" if refusal is None else f"ng {name} {refusal}\n"
        return encode_line(line)


class _Command(NamedTuple):
    name: str
    old: str
    new: str


@define
class _Push:
    """What a client sent before the pack."""

    commands: list[_Command] = field(factory=list)
    capabilities: frozenset[str] = frozenset()
    options: list[str] = field(factory=list)


def receive_pack(repository: Repository, body: bytes, decide: Decide, limits: Limits | None = None) -> Received:
    """Take a push in. Its objects are in the store if any ref moves, else nothing of it is. BadRequest if it is none.

    Every ref is judged: that the client saw where it stands, that its name is one, that what it points to came whole or
    is visible here, then by ``decide``. If the client wants all or nothing (`--atomic`), one refusal refuses all.
    """
    lines = Lines(body)
    push = _read(lines)
    quarantine = repository.objects.over()
    unpacked = "ok"
    if any(command.new != ZERO for command in push.commands):
        try:
            quarantine = packs.read_pack(repository.objects, lines.rest, limits or Limits(), repository.shows)
            check_tree_sizes(quarantine, (limits or Limits()).paths)
        except BadPack as error:
            unpacked = str(error)
    refused = {} if unpacked == "ok" else {command.name: "unpacker error" for command in push.commands}
    updates = _judged(repository, quarantine, push, refused, decide)
    after = repository
    if updates:
        repository.objects.absorb(quarantine)
        after = evolve(updates[-1].after, objects=repository.objects)
        updates = [evolve(update, after=after) for update in updates]
    names = [command.name for command in push.commands]
    return Received(updates, after, refused, push.options, unpacked, names, push.capabilities)


def _read(lines: Lines) -> _Push:
    push = _Push()
    for line in lines.section():
        head, _, capabilities = decode_text(line).partition("\0")
        if head.startswith("shallow "):
            continue
        old, _, rest = head.partition(" ")
        new, _, name = rest.partition(" ")
        if not (_is_sha(old) and _is_sha(new) and 0 < len(name) <= _LONGEST_NAME):
            raise BadRequest(f"protocol error: expected old/new/ref, got {head[:200]!r}")
        push.capabilities = push.capabilities or frozenset(capabilities.split())
        push.commands.append(_Command(name, old, new))
    if "push-options" in push.capabilities:
        push.options = [decode_text(line) for line in lines.section()]
    return push


def _is_sha(word: str) -> bool:
    return len(word) == 40 and all(digit in "0123456789abcdef" for digit in word)


def _judged(
    repository: Repository, quarantine: Objects, push: _Push, refused: dict[str, str], decide: Decide
) -> list[RefUpdate]:
    refs = dict(repository.refs)
    updates: list[RefUpdate] = []
    torn = _torn(repository, quarantine, [command.new for command in push.commands if command.new in quarantine])
    for command in push.commands:
        if command.name in refused:
            continue
        moved = {name: sha for name, sha in refs.items() if name != command.name}
        if command.new != ZERO:
            moved[command.name] = command.new
        after = evolve(repository, objects=quarantine, refs=moved)
        update = RefUpdate(command.name, _given(command.old), _given(command.new), repository, after)
        refusal = _unsound(quarantine, refs, command, torn) or decide(update)
        if refusal:
            refused[command.name] = refusal.replace("\n", " ")[:_LONGEST_REFUSAL]
        else:
            updates.append(update)
            refs = moved
    if refused and "atomic" in push.capabilities:
        refused.update({update.name: _ATOMIC for update in updates})
        return []
    return updates


def _torn(repository: Repository, quarantine: Objects, tips: list[str]) -> set[str]:
    """The tips that lead to something that neither came with them nor is visible here."""
    try:
        check_connected(repository.objects, quarantine, tips, repository.refs.values())
    except MissingObject:
        return set(tips) if len(tips) == 1 else {tip for one in tips for tip in _torn(repository, quarantine, [one])}
    return set()


def _unsound(quarantine: Objects, refs: Mapping[str, str], command: _Command, torn: set[str]) -> str | None:
    """What git itself has against an update."""
    if not command.name.startswith("refs/") or not is_ref_name(command.name):
        return "funny refname"
    if refs.get(command.name, ZERO) != command.old:
        return "failed to update ref"
    if command.new == ZERO:
        return None
    if command.name not in refs and find_conflicting_ref(command.name, refs):
        return "failed to update ref"
    return _unsound_target(quarantine, command, torn)


def _unsound_target(quarantine: Objects, command: _Command, torn: set[str]) -> str | None:
    if command.new not in quarantine:
        return "bad pack"
    if command.name.startswith(BRANCHES) and quarantine.get(command.new).kind is not Kind.COMMIT:
        return "failed to update ref"
    return "missing necessary objects" if command.new in torn else None


def _given(sha: str) -> str | None:
    return None if sha == ZERO else sha
