"""Contexts: the world, the caller, the time and the request, as every operation, view and domain function gets them."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC
from typing import Any, Final, NamedTuple, TypeVar, cast
from urllib.parse import urlsplit

from attrs import Factory

from fakeplat.core.cache.dependencies import Dependencies
from fakeplat.core.cache.entries import Cache, CacheEntry
from fakeplat.core.clock import Clock
from fakeplat.core.operations.entity import Entity, Fragment, Options, render, render_nested
from fakeplat.core.operations.errors import PreconditionFailed, Reason, Refusal, Unauthorized
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.limits import RateLimiter
from fakeplat.core.params.lenient_dates import parse_datetime
from fakeplat.core.release import Profile
from fakeplat.core.rng import format_uuid, random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.references import Subject
from fakeplat.core.store.scheduler import ScheduledTask
from fakeplat.core.timestamps import DAY, MINUTE, SECOND, from_iso, to_iso, to_iso_date
from fakeplat.model.instance import Instance
from fakeplat.model.outgoing import Outgoing, OutgoingLog, no_outgoing_log
from fakeplat.model.people import SshKey, Token, User
from fakeplat.model.projects import DeployKey, DeployToken
from fakeplat.model.world import World, WorldDraft

T = TypeVar("T")
R = TypeVar("R")


def _read_time(header: str) -> int | None:
    """Return the seconds since 1970 of a header's date (HTTP or ISO 8601), None if it cannot be parsed."""
    from email.utils import parsedate_to_datetime  # imported late: slow, and few requests have a date

    try:
        # The form of RFC 7231, ``Fri, 20 Nov 2020 09:00:00 GMT``, which clients normally send.
        time = parsedate_to_datetime(header)
    except ValueError:
        return _read_iso_time(header)
    # A date with the zone ``-0000`` is parsed without one; it is in UTC.
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


def _read_iso_time(header: str) -> int | None:
    try:
        return from_iso(parse_datetime(header)) // SECOND
    except (ValueError, OverflowError):
        return None


class Caller(NamedTuple):
    """The caller (under sudo: the target user) and the credential; ``actor`` is the owner of the credential.

    A deploy token is a caller of its own, without a user. ``ssh_key`` is the key of an SSH session, or what a token for
    Git LFS stands for; a deploy key acts in the name of the user who added it. ``is_limited``: the user is an
    administrator without the rights of one, because of the setting ``admin_mode``.
    """

    user: User | None = None
    token: Token | None = None
    actor: User | None = None
    deploy_token: DeployToken | None = None
    ssh_key: SshKey | DeployKey | None = None
    is_limited: bool = False

    @property
    def deploy_key(self) -> DeployKey | None:
        """The deploy key that is the credential."""
        return self.ssh_key if isinstance(self.ssh_key, DeployKey) else None

    @property
    def credential(self) -> str | None:
        """The kind of the credential."""
        if self.ssh_key is not None:
            return "ssh_key" if self.deploy_key is None else "deploy_key"
        if self.deploy_token is not None:
            return "deploy"
        return self.token.kind if self.token else None

    @property
    def is_anonymous(self) -> bool:
        """Whether there is neither a user nor a deploy token or key."""
        return self.user is None and self.deploy_token is None and self.ssh_key is None


ANONYMOUS: Final = Caller()


def _viewer_key(caller: Caller) -> Hashable:
    user, deploy_key, deploy_token = caller.user, caller.deploy_key, caller.deploy_token
    if deploy_key is not None:
        return ("deploy_key", deploy_key.id)
    if deploy_token is not None:
        return ("deploy_token", deploy_token.id)
    if user is not None and caller.is_limited:
        return ("limited", user.id)
    return None if user is None else user.id


@frozen
class Services:
    """What all contexts of a platform share. ``memory`` keeps what `memoize` computes."""

    clock: Clock
    fragments: Cache[Fragment] = Factory(Cache)
    limiter: RateLimiter = Factory(RateLimiter)
    memory: Cache[Any] = Factory(Cache)
    outgoing_log: OutgoingLog = no_outgoing_log


class ReadContext:
    """Reads a world for a caller, who may be anonymous."""

    __slots__ = (
        "_caller",
        "_user",
        "clock",
        "fragments",
        "origin",
        "records",
        "request",
        "services",
        "token",
        "viewer_key",
        "world",
    )

    def __init__(
        self,
        world: World,
        caller: Caller,
        services: Services,
        origin: str = "http://localhost",
        request: Request | None = None,
        records: list[Any] | None = None,
    ) -> None:
        self.world = world
        self._caller = caller
        self._user = caller.user
        self.token = caller.token
        self.viewer_key: Hashable = None if caller is ANONYMOUS else _viewer_key(caller)
        self.services = services
        self.clock = services.clock
        self.fragments = services.fragments
        self.origin = origin
        self.request = request
        self.records: list[Any] = [] if records is None else records

    @property
    def hostname(self) -> str:
        """The host of the origin."""
        return urlsplit(self.origin).hostname or "localhost"

    @property
    def viewer(self) -> User | None:
        """The caller (under sudo: the target user), or None. What is being computed is then cached for this caller.

        Reading code has no other access to the caller, so that nothing personal is cached for others.
        """
        user, reads = self._user, self.world.contents.reads
        if reads is not None:
            reads.personal = True
            # The user's record becomes a dependency, too: its attributes (admin, external) decide what is visible.
            if user is not None and reads.viewer is not user:
                self.world.users.get(user.id)
                reads.viewer = user
        return user

    @property
    def deploy_token(self) -> DeployToken | None:
        """The deploy token that is the caller, or None. What is being computed is then cached for this caller."""
        if self.world.reads is not None:
            self.world.reads.personal = True
        return self._caller.deploy_token

    @property
    def deploy_key(self) -> DeployKey | None:
        """The deploy key of an SSH session, or None. What is being computed is then cached for this caller."""
        if self.world.reads is not None:
            self.world.reads.personal = True
        return self._caller.deploy_key

    @property
    def signed_in_user(self) -> User:
        """The caller, who must be signed in; 401 otherwise."""
        user = self.viewer
        if user is None:
            raise Unauthorized(reason="nobody is signed in")
        return user

    @property
    def admin(self) -> bool:
        """Whether the caller has the rights of an administrator."""
        user = self.viewer
        return user is not None and user.admin and not self._caller.is_limited

    @property
    def is_limited(self) -> bool:
        """Whether the caller is an administrator whose token lacks the scope that the setting ``admin_mode`` asks for.

        What is being computed is then cached for this caller.
        """
        return self.viewer is not None and self._caller.is_limited

    @property
    def container(self) -> Any:
        """The outermost record of the request's path, or None."""
        return self.records[0] if self.records else None

    @property
    def instance(self) -> Instance:
        """The instance's constants: release, tier, offering, names."""
        return self.world.instance

    @property
    def profile(self) -> Profile:
        """What the instance's release has: ``ctx.profile.has(...)``."""
        return self.world.instance.profile

    @property
    def wire_names(self) -> str:
        """Which names are sent for fields that have two."""
        return self.world.instance.wire_names

    @property
    def today(self) -> str:
        """The world's date. What is being computed is valid until the day is over."""
        now = self.now()
        if self.world.reads is not None:
            # The next midnight in UTC.
            self.world.reads.note_until((now // DAY + 1) * DAY)
        return to_iso_date(now)

    def now(self) -> int:
        """The world's time in ms."""
        return self.clock.now()

    def moving_now(self) -> int:
        """Return the world's time in ms, as a part of what is being computed: that is valid only at this time."""
        now = self.now()
        if self.world.reads is not None:
            self.world.reads.note_until(now + 1)
        return now

    def has_passed(self, time: int) -> bool:
        """Return whether a time (ms) has come. If not, what is being computed is valid only until then."""
        if self.now() >= time:
            return True
        if self.world.reads is not None:
            self.world.reads.note_until(time)
        return False

    def has_passed_date(self, date: str) -> bool:
        """Return whether a date is over."""
        # The date itself still counts, so it has passed only when the next one begins.
        return self.has_passed(from_iso(date) + DAY)

    def expire_at_once(self) -> None:
        """Make what is being computed valid for this request only, because computing it has an effect."""
        if self.world.reads is not None:
            self.world.reads.note_until(self.now())

    def count_action(
        self, name: str, key: Hashable, threshold: int, what: str = "endpoint", period: int = MINUTE
    ) -> None:
        """Count an action against a limit per minute, or another period (ms); 429 above it."""
        # A cached answer would not be counted.
        self.expire_at_once()
        self.services.limiter.count_action(name, key, threshold, self.now(), what, period)

    def as_anonymous(self) -> "ReadContext":
        """Return the same context for an anonymous caller."""
        return self._for(ANONYMOUS)

    def as_user(self, user: User) -> "ReadContext":
        """Return the same context for another user."""
        return self._for(Caller(user))

    def _for(self, caller: Caller) -> "ReadContext":
        return ReadContext(self.world, caller, self.services, self.origin)

    def memoize(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the cached value of a key, or compute it; it is valid while the tables that it read are unchanged."""
        if self.world.is_draft:
            return compute()  # a draft's records may never be committed
        memory = self.services.memory
        entry = memory.find(key, self.viewer_key)
        if entry is None or not entry.reads.is_valid(self.world.state, self.now):
            entry = self._compute(compute)
            memory.store(key, self.viewer_key, entry)
        if self.world.reads is not None:
            self.world.reads.add(entry.reads)
        return cast(T, entry.value)

    def _compute(self, compute: Callable[[], T]) -> CacheEntry[T]:
        outer = self.world.reads
        # Dependencies on whole tables: values that are worth memoizing read so many records that checking each of them
        # would cost as much as computing the value again.
        self.world.reads = reads = Dependencies(coarse=True)
        try:
            return CacheEntry(compute(), reads, self.world.state)
        finally:
            # Restored even if the computation raises, because the request goes on reading for its error response.
            self.world.reads = outer

    def render(self, entity: type[Entity[R]], record: R | None, *options: str) -> Any:
        """Render a view of a record, for use inside another view; None stays None."""
        # Only views that are cached need an id of the record, and objects without one declare that theirs are not.
        return None if record is None else render_nested(entity, record, self, options)  # type: ignore[type-var]

    def render_fragment(self, entity: type[Entity[R]], record: R, options: Options = ()) -> Fragment:
        """Render a view of a record, with its digest."""
        return render(entity, record, self, options)  # type: ignore[type-var]


class WriteContext(ReadContext):
    """Changes a world for a user, or for the platform itself.

    ``is_loading``: the records of a scenario are being created, which is no activity that others are told of.
    ``outgoing`` are the requests to hooks and integrations, and the e-mails, which leave after the commit.
    ``ignored`` are the parameters that the platform ignores without a word, with the reasons. ``warnings`` are about
    what the platform would do and fakeplat does not; the journal has them if the changes are committed.
    """

    __slots__ = ("actor", "ignored", "is_loading", "outgoing", "warnings")

    world: WorldDraft

    def __init__(
        self,
        world: WorldDraft,
        caller: Caller,
        services: Services,
        origin: str = "http://localhost",
        request: Request | None = None,
        records: list[Any] | None = None,
    ) -> None:
        super().__init__(world, caller, services, origin, request, records)
        self.actor = caller.actor or caller.user
        self.outgoing: list[Outgoing] = []
        self.ignored: dict[str, Reason] = {}
        self.warnings: list[str] = []
        self.is_loading = False

    def ignore(self, params: Mapping[str, T], names: Collection[str], why: Reason) -> dict[str, T]:
        """Return the parameters without those that the platform ignores silently; the journal says why."""
        self.ignored.update((name, why) for name in params if name in names)
        return {name: value for name, value in params.items() if name not in names}

    def act_as(self, user: User) -> None:
        """Continue as a user."""
        self._caller = self._caller._replace(user=user, actor=user, is_limited=False)
        self._user = self.actor = user
        self.viewer_key = user.id

    @property
    def user(self) -> User | None:
        """The acting user (under sudo: the target user), or None."""
        return self._user

    @property
    def now_iso(self) -> str:
        """The world's time as records store it."""
        return to_iso(self.now())

    def check_unmodified_since(self, updated_at: str | None) -> None:
        """Raise PreconditionFailed (412) if the record changed after If-Unmodified-Since; invalid dates are ignored."""
        header = self.request.headers.get("if-unmodified-since") if self.request else None
        client_time = _read_time(header) if header else None
        # HTTP dates have whole seconds, so the milliseconds of a record are cut off before the comparison.
        if client_time is not None and updated_at and from_iso(updated_at) // SECOND > client_time:
            raise PreconditionFailed(reason=f"changed at {updated_at}, after {header}")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Run a block that may be refused: then it has changed nothing, and the code after it continues."""
        state, outgoing_count, warning_count = self.world.frozen(), len(self.outgoing), len(self.warnings)
        try:
            yield
        except Refusal:
            self.world.roll_back(state)
            del self.outgoing[outgoing_count:], self.warnings[warning_count:]

    def send(self, outgoing: Outgoing) -> None:
        """Send a request to a hook or an integration, or e-mails, after the commit; in silent mode nothing is sent."""
        if not self.world.settings.silent_mode_enabled:
            self.outgoing.append(outgoing)

    def random_hex(self, purpose: str, size: int = 16) -> str:
        """Return random hex digits (two per byte), which depend only on the world's seed and the number of draws."""
        return random_bytes(self.world.setup.seed, purpose, self.world.next("chance", purpose), size).hex()

    def random_uuid(self, purpose: str) -> str:
        """Return a random UUID (version 4), which depends on the same as `random_hex`."""
        digits = self.random_hex(purpose)
        return format_uuid(f"{digits[:12]}4{digits[13:16]}a{digits[17:]}")

    def schedule(
        self,
        kind: str,
        subject: Subject,
        at: int,
        *,
        in_progress: bool = False,
        recurring: bool = False,
        **args: object,
    ) -> None:
        """Schedule a task for a time (ms)."""
        tasks = self.world.scheduled_tasks
        tasks.add(ScheduledTask(tasks.next_id(), at, kind, subject, in_progress, args, recurring))

    def cancel_tasks(self, subject: Subject, kind: str | None = None) -> None:
        """Cancel the scheduled tasks of a subject, or one kind of them."""
        for task in list(self.world.scheduled_tasks.where("subject", subject)):
            if kind in (None, task.kind):
                self.world.scheduled_tasks.remove(task)
