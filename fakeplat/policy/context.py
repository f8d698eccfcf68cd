"""Who asks, when, from where, and of which world: what every operation, view and verb is given."""

from collections.abc import Callable, Hashable
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar, cast

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity, Fragment, Options, render
from fakeplat.core.operations.errors import PreconditionFailed, Unauthorized
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.core.params.lenient_dates import parse_datetime
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.core.timestamps import DAY, SECOND, from_iso, to_iso, to_iso_date
from fakeplat.model.instance import Instance
from fakeplat.model.users import Token, User
from fakeplat.model.world import World, WorldDraft

T = TypeVar("T")


def _read_time(header: str) -> int | None:
    """Return the seconds since 1970 of a header's date (HTTP or ISO 8601), None for what cannot be read."""
    try:
        known = parsedate_to_datetime(header)
    except ValueError:
        return _read_iso_time(header)
    return int((known if known.tzinfo else known.replace(tzinfo=UTC)).timestamp())


def _read_iso_time(header: str) -> int | None:
    try:
        return from_iso(parse_datetime(header)) // SECOND
    except (ValueError, OverflowError):
        return None


class ReadContext:
    """Reads a world on behalf of somebody or nobody."""

    __slots__ = (
        "_user",
        "clock",
        "fragments",
        "limiter",
        "memory",
        "origin",
        "records",
        "request",
        "token",
        "viewer_key",
        "world",
    )

    def __init__(
        self,
        world: World,
        user: User | None = None,
        *,
        clock: Clock,
        fragments: Cache[Fragment],
        limiter: RateLimiter,
        memory: "Cache[Any] | None" = None,
        origin: str = "http://localhost",
        token: Token | None = None,
        request: Request | None = None,
        records: list[Any] | None = None,
    ) -> None:
        self.world = world
        self._user = user
        self.viewer_key: Hashable = None if user is None else user.id
        self.clock = clock
        self.fragments = fragments
        self.limiter = limiter
        self.memory: Cache[Any] = Cache() if memory is None else memory
        self.origin = origin
        self.token = token
        self.request = request
        self.records: list[Any] = [] if records is None else records

    @property
    def viewer(self) -> User | None:
        """Who looks (under sudo: who is acted as), or None. What is being rendered is then kept for this viewer alone.

        Reading code has no other name for the caller, so that nothing that depends on who looks is shown to others.
        """
        reads = self.world.reads
        if reads is not None:
            reads.personal = True
            if self._user is not None:
                self.world.users.get(self._user.id)
        return self._user

    @property
    def signed_in_user(self) -> User:
        """Who asks, where the operation lets nobody else in; 401 otherwise."""
        user = self.viewer
        if user is None:
            raise Unauthorized(reason="nobody is signed in")
        return user

    @property
    def admin(self) -> bool:
        """Whether an administrator asks."""
        user = self.viewer
        return user is not None and user.admin

    @property
    def container(self) -> Any:
        """The outermost record of the request's path, or None."""
        return self.records[0] if self.records else None

    @property
    def instance(self) -> Instance:
        """Release, tier, offering, names."""
        return self.world.instance

    @property
    def wire_names(self) -> str:
        """Which of two names go out."""
        return self.world.instance.wire_names

    @property
    def today(self) -> str:
        """The world's date; what depends on it holds until the day is over."""
        now = self.now()
        if self.world.reads is not None:
            self.world.reads.note_until((now // DAY + 1) * DAY)
        return to_iso_date(now)

    def now(self) -> int:
        """The world's time in ms."""
        return self.clock.now()

    def has_passed(self, moment: int) -> bool:
        """Whether a moment (ms) has come; what is being made holds only until it does."""
        if self.now() >= moment:
            return True
        if self.world.reads is not None:
            self.world.reads.note_until(moment)
        return False

    def has_passed_date(self, date: str) -> bool:
        """Whether a date is over."""
        return self.has_passed(from_iso(date) + DAY)

    def count_action(self, name: str, key: Hashable, threshold: int, what: str = "endpoint") -> None:
        """Count an act against a limit per minute; 429 above it. An answer that counts is not kept."""
        if self.world.reads is not None:
            self.world.reads.note_until(self.now())
        self.limiter.count_action(name, key, threshold, self.now(), what)

    def as_anonymous(self) -> "ReadContext":
        """Return the same world and time, seen by nobody in particular."""
        return self._seen_by(None)

    def as_user(self, user: User) -> "ReadContext":
        """The same world and time, seen by somebody else."""
        return self._seen_by(user)

    def _seen_by(self, user: User | None) -> "ReadContext":
        return ReadContext(
            self.world,
            user,
            clock=self.clock,
            fragments=self.fragments,
            limiter=self.limiter,
            memory=self.memory,
            origin=self.origin,
        )

    def memoize(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made before under a key, while the tables that it was made from are the same."""
        if self.world.passing:
            return make()  # a draft's records may never be committed
        made = self.memory.find(key, self.viewer_key)
        if made is None or not made.is_valid(self.world.state, self.now):
            made = self._made(make)
            self.memory.keep(key, self.viewer_key, made)
        if self.world.reads is not None:
            self.world.reads.add(made.reads)
        return cast(T, made.thing)

    def _made(self, make: Callable[[], T]) -> CacheEntry[T]:
        outer = self.world.reads
        self.world.reads = reads = Dependencies(coarse=True)
        try:
            return CacheEntry(make(), reads, self.world.state)
        finally:
            self.world.reads = outer

    def render(self, entity: type[Entity[Any]], record: Any, *options: str) -> Any:
        """A rendered view of a record, to be put into another view; None stays None."""
        return None if record is None else render(entity, record, self, options).json

    def render_fragment(self, entity: type[Entity[Any]], record: Any, options: Options = ()) -> Fragment:
        """A rendered view of a record with its digest."""
        return render(entity, record, self, options)


class WriteContext(ReadContext):
    """Changes a world on behalf of somebody, or of the platform itself."""

    __slots__ = ("actor", "events")

    world: WorldDraft

    def __init__(self, world: WorldDraft, user: User | None = None, *, actor: User | None = None, **rest: Any) -> None:
        super().__init__(world, user, **rest)
        self.actor = actor or user
        self.events: list[tuple[str, Any]] = []

    def act_as(self, user: User) -> None:
        """Continue in a user's name."""
        self._user = self.actor = user
        self.viewer_key = user.id

    @property
    def user(self) -> User | None:
        """Who acts (under sudo: who is acted as), or None."""
        return self._user

    @property
    def now_iso(self) -> str:
        """The world's time as records keep it."""
        return to_iso(self.now())

    def check_unmodified_since(self, updated_at: str | None) -> None:
        """Refuse with 412 where the client knows an older state of what it deletes; what it cannot say is ignored."""
        header = self.request.headers.get("if-unmodified-since") if self.request else None
        known = _read_time(header) if header else None
        if known is not None and updated_at and from_iso(updated_at) // SECOND > known:
            raise PreconditionFailed(reason=f"changed at {updated_at}, after {header}")

    def emit(self, name: str, subject: Any) -> None:
        """Say what happened, to be handed on after commit."""
        self.events.append((name, subject))

    def random_hex(self, purpose: str, size: int = 16) -> str:
        """Hex digits (two per byte) that the world's seed decides."""
        return random_bytes(self.world.setup.seed, purpose, self.world.next("chance", purpose), size).hex()

    def schedule(self, kind: str, subject: tuple[str, int], at: int, *, in_progress: bool = False, **args: Any) -> None:
        """Put work on the agenda for a moment (ms)."""
        agenda = self.world.scheduled_tasks
        agenda.add(ScheduledTask(agenda.next_id(), at, kind, subject, in_progress, args))

    def cancel_tasks(self, subject: tuple[str, int], kind: str | None = None) -> None:
        """Take all work about something, or one kind of it, off the agenda."""
        for due in list(self.world.scheduled_tasks.where("subject", subject)):
            if kind in (None, due.kind):
                self.world.scheduled_tasks.remove(due)
