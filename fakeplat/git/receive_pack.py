"""Handling of `git push`: unpack into a quarantine, check each ref, store the objects if any ref moves."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from attrs import define, evolve, field
from propcache.api import cached_property

from fakeplat.core.store.frozen import frozen
from fakeplat.git import packs
from fakeplat.git.errors import BadPack, BadRequest, MissingObject
from fakeplat.git.name_checks import BRANCHES, ZERO_SHA, find_conflicting_ref, is_ref_name
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits
from fakeplat.git.pktline import FLUSH, Lines, decode_text, encode_line, encode_sideband
from fakeplat.git.reachability import check_connected, check_tree_sizes, peel_tags, peel_to_commits
from fakeplat.git.records import Commit, Kind
from fakeplat.git.repository import Repository
from fakeplat.git.walk import Selection, walk_by_date
from fakeplat.git.writing import can_fast_forward

_ATOMIC = "atomic push failure"
# A name and a refusal must fit into one packet (65,520 bytes) of the report.
_MAX_NAME_LENGTH = 4096
_MAX_REFUSAL_LENGTH = 1000


# cached_property stores its values in the ``__dict__``, which a class with slots does not have.
@frozen(slots=False)
class RefUpdate:
    """A ref in a push: its full name, and its hash before and after (None if it does not exist)."""

    name: str
    old: str | None
    new: str | None
    before: Repository = field(eq=False, repr=False)
    """The repository before the push."""
    after: Repository = field(eq=False, repr=False)
    """The repository after this update and those before it."""

    @property
    def is_creation(self) -> bool:
        """Whether the ref is new."""
        return self.old is None

    @property
    def is_deletion(self) -> bool:
        """Whether the ref is deleted."""
        return self.new is None

    @cached_property
    def commits(self) -> list[Commit]:
        """The commits that the ref newly reaches (a new ref: those that no ref reached), newest first."""
        ends = [self.old] if self.old else self.before.refs.values()
        new, old = (peel_to_commits(self.after.objects, shas) for shas in ([self.new] if self.new else [], ends))
        return list(walk_by_date(self.after.objects, Selection(tuple(new), tuple(old))))

    @cached_property
    def is_fast_forward(self) -> bool:
        """Whether the ref loses no commits. True for a new ref, false for a deleted one."""
        if self.old is None or self.new is None:
            return self.new is not None
        ends = [peel_tags(self.after.objects, sha)[1] for sha in (self.old, self.new)]
        # A tag may point to a tree or a blob, which have no ancestors.
        if {self.after.objects.get(sha).kind for sha in ends} != {Kind.COMMIT}:
            return False
        return can_fast_forward(self.after.objects, *ends)


CheckUpdate = Callable[[RefUpdate], str | None]
"""Checks a ref in a push: None accepts it, a text refuses it and is shown after the ref's name."""


@define
class PushResult:
    """The result of a push.

    ``updates`` are the accepted updates, which the caller stores, and ``after`` is the repository with them;
    ``refused`` holds the reasons of the refused ones by ref name. ``unpacked`` is `ok` or the error of the pack.
    ``push_options`` are as received, ``names`` are those of all refs in the push.
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
        """Whether the push contains no commands."""
        return not self.names

    def answer(self, messages: Iterable[str] = ()) -> bytes:
        """Return the body of the response; git shows the messages as lines that start with `remote:`."""
        report = b""
        if "report-status" in self.capabilities:
            report = encode_line(f"unpack {self.unpacked}\n") + b"".join(map(self._status_line, self.names)) + FLUSH
        if "side-band-64k" not in self.capabilities:
            return report
        # git prints what is on side band 2; the report for the client itself is on band 1.
        text = "".join(f"{line}\n" for message in messages for line in message.split("\n"))
        return b"".join(
            [*encode_sideband(2, text.encode(errors="surrogateescape")), *encode_sideband(1, report), FLUSH]
        )

    def _status_line(self, name: str) -> bytes:
        refusal = self.refused.get(name)
        line = f"ok {name}\n" if refusal is None else f"ng {name} {refusal}\n"
        return encode_line(line)


class _Command(NamedTuple):
    name: str
    old: str
    new: str


@define
class _Push:
    """The part of a push before the pack."""

    commands: list[_Command] = field(factory=list)
    capabilities: frozenset[str] = frozenset()
    options: list[str] = field(factory=list)


def receive_pack(repository: Repository, body: bytes, decide: CheckUpdate, limits: Limits | None = None) -> PushResult:
    """Receive a push; BadRequest if it is malformed. Its objects are stored if any ref moves, else none of them.

    Each update is checked: the old hash is current, the name is valid, the target was received completely or is
    visible in this repository; then ``decide`` is called. In an atomic push, one refusal refuses all updates.
    """
    lines = Lines(body)
    push = _parse_push(lines)
    quarantine = repository.objects.over()
    unpacked = "ok"
    if any(command.new != ZERO_SHA for command in push.commands):  # a push that only deletes refs has no pack
        try:
            quarantine = packs.read_pack(repository.objects, lines.rest, limits or Limits(), repository.shows)
            check_tree_sizes(quarantine, (limits or Limits()).paths)
        except BadPack as error:
            unpacked = str(error)
    refused = {} if unpacked == "ok" else {command.name: "unpacker error" for command in push.commands}
    updates = _check_updates(repository, quarantine, push, refused, decide)
    after = repository
    if updates:
        repository.objects.absorb(quarantine)
        # The quarantine is done with: results must read from the store that lasts.
        after = evolve(updates[-1].after, objects=repository.objects)
        updates = [evolve(update, after=after) for update in updates]
    names = [command.name for command in push.commands]
    return PushResult(updates, after, refused, push.options, unpacked, names, push.capabilities)


def _parse_push(lines: Lines) -> _Push:
    push = _Push()
    for line in lines.section():
        command, _, capabilities = decode_text(line).partition("\0")
        # A shallow client announces its boundary. What it sends must be complete here, so the boundary does not matter.
        if command.startswith("shallow "):
            continue
        old, _, rest = command.partition(" ")
        new, _, name = rest.partition(" ")
        if not (_is_sha(old) and _is_sha(new) and 0 < len(name) <= _MAX_NAME_LENGTH):
            raise BadRequest(f"protocol error: expected old/new/ref, got {command[:200]!r}")
        # Only the first command carries capabilities.
        push.capabilities = push.capabilities or frozenset(capabilities.split())
        push.commands.append(_Command(name, old, new))
    if "push-options" in push.capabilities:
        push.options = [decode_text(line) for line in lines.section()]
    return push


def _is_sha(word: str) -> bool:
    return len(word) == 40 and all(digit in "0123456789abcdef" for digit in word)


def _check_updates(
    repository: Repository, quarantine: Objects, push: _Push, refused: dict[str, str], decide: CheckUpdate
) -> list[RefUpdate]:
    refs = dict(repository.refs)
    updates: list[RefUpdate] = []
    incomplete = _incomplete_tips(
        repository, quarantine, [command.new for command in push.commands if command.new in quarantine]
    )
    for command in push.commands:
        if command.name in refused:
            continue
        # Each command sees the refs that the ones before it left: a push cannot create both `a` and `a/b`.
        new_refs = {name: sha for name, sha in refs.items() if name != command.name}
        if command.new != ZERO_SHA:
            new_refs[command.name] = command.new
        after = evolve(repository, objects=quarantine, refs=new_refs)
        update = RefUpdate(command.name, _none_if_zero(command.old), _none_if_zero(command.new), repository, after)
        refusal = _find_error(quarantine, refs, command, incomplete) or decide(update)
        if refusal:
            # A line feed would end the line of the report.
            refused[command.name] = refusal.replace("\n", " ")[:_MAX_REFUSAL_LENGTH]
        else:
            updates.append(update)
            refs = new_refs
    if refused and "atomic" in push.capabilities:
        refused.update({update.name: _ATOMIC for update in updates})
        return []
    return updates


def _incomplete_tips(repository: Repository, quarantine: Objects, tips: list[str]) -> set[str]:
    """Return the tips that reach an object which was neither received nor is visible in this repository."""
    try:
        check_connected(repository.objects, quarantine, tips, repository.names.tips)
    except MissingObject:
        if len(tips) == 1:
            return set(tips)
        # All tips are usually complete, and checking them together is cheaper; only a failure is traced to its tips.
        return {missing for tip in tips for missing in _incomplete_tips(repository, quarantine, [tip])}
    return set()


def _find_error(quarantine: Objects, refs: Mapping[str, str], command: _Command, incomplete: set[str]) -> str | None:
    """Return git's own reason to refuse an update, in git's words."""
    # The checks are in the order of git's own, of which only the first failure is reported.
    if not command.name.startswith("refs/") or not is_ref_name(command.name):
        return "funny refname"
    if refs.get(command.name, ZERO_SHA) != command.old:
        return "failed to update ref"
    if command.new == ZERO_SHA:
        return None
    if command.name not in refs and find_conflicting_ref(command.name, refs):
        return "failed to update ref"
    return _find_target_error(quarantine, command, incomplete)


def _find_target_error(quarantine: Objects, command: _Command, incomplete: set[str]) -> str | None:
    if command.new not in quarantine:
        return "bad pack"
    if command.name.startswith(BRANCHES) and quarantine.get(command.new).kind is not Kind.COMMIT:
        return "failed to update ref"
    return "missing necessary objects" if command.new in incomplete else None


def _none_if_zero(sha: str) -> str | None:
    return None if sha == ZERO_SHA else sha
