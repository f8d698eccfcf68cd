"""One request in the journal: what a client sent, what it got, and why."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from re import compile as pattern
from typing import Any, Final, TypeVar
from urllib.parse import unquote

import orjson
from attrs import evolve

from fakeplat.core.operations.errors import Refusal
from fakeplat.core.operations.http_messages import HeaderMapping, Response
from fakeplat.core.params.body import parse_body, parse_query
from fakeplat.core.release import EVERYTHING
from fakeplat.core.secret_names import kind_of
from fakeplat.core.timestamps import to_iso
from fakeplat.model.world import World
from fakeplat.platform import HandledRequest

# A name up to the equals sign, and its value up to the next separator: `private_token=abc`.
T = TypeVar("T")

_PAIR: Final = pattern(r"([^&;=]+)=[^&;]*")


def mask_secrets(query: str) -> str:
    """Mask the secret values of a query string with stars."""
    return _PAIR.sub(lambda pair: f"{pair[1]}=***" if kind_of(unquote(pair[1])) else pair[0], query)


class JournalEntry:
    """One request in the journal."""

    __slots__ = ("_entry", "world")

    def __init__(self, entry: HandledRequest, world: World | None = None) -> None:
        self._entry = entry
        self.world = world

    @property
    def number(self) -> int:
        """The request's number in this world, from 1."""
        return self._entry.number

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self._entry.request.method

    @property
    def path(self) -> str:
        """The path with its query, secrets masked with stars."""
        request = self._entry.request
        return f"{request.path}?{mask_secrets(request.query)}" if request.query else request.path

    @property
    def headers(self) -> HeaderMapping:
        """The headers of the request, as they were sent."""
        return HeaderMapping(self._entry.request.headers.items())

    @property
    def is_by_client(self) -> bool:
        """Whether a client sent the request: those that a test makes itself, by ``as_user``, have no User-Agent."""
        return "user-agent" in self._entry.request.headers

    @property
    def query(self) -> dict[str, Any]:
        """The parameters of the query, as the platform reads them: ``a[b]=1`` is ``{"a": {"b": "1"}}``."""
        return _read_params(partial(parse_query, self._entry.request.query))

    @property
    def body(self) -> bytes:
        """The body of the request; empty if the journal keeps no bodies."""
        return self._entry.request.body

    @property
    def json(self) -> Any:
        """The body of the request as JSON; None if it is not JSON."""
        try:
            return orjson.loads(self.body)
        except orjson.JSONDecodeError:
            return None

    @property
    def form(self) -> dict[str, Any]:
        """The fields of a form in the body of the request, and its files as `Upload`; empty if it is not a form."""
        content_type = self._entry.request.headers.get("content-type", "")
        is_form = content_type.startswith(("application/x-www-form-urlencoded", "multipart/form-data"))
        return _read_params(partial(parse_body, content_type, self.body)) if is_form else {}

    @property
    def response(self) -> "Reply":
        """The response that was sent; its headers and body are empty if the journal keeps no bodies."""
        return Reply(evolve(self._entry.response, status=self.status))

    @property
    def operation(self) -> str | None:
        """The operation's name."""
        return self._entry.answer.operation or None

    @property
    def detail(self) -> str | None:
        """For GraphQL: the name of the document's operation, or its first fields."""
        return self._entry.answer.detail or None

    @property
    def user(self) -> str | None:
        """The username of the caller; None for an anonymous request."""
        return self._entry.answer.user

    @property
    def credential(self) -> str | None:
        """The kind of credential."""
        return self._entry.answer.credential

    @property
    def status(self) -> int:
        """The status of the response; 0 if there was none."""
        return self._entry.status

    @property
    def status_code(self) -> int:
        """The status, by the name that requests and httpx have for it."""
        return self.status

    @property
    def reason(self) -> str | None:
        """Why the request was refused, and the fault that was applied."""
        return self._entry.answer.explanation or None

    @property
    def fault(self) -> str | None:
        """The fault that was applied."""
        return self._entry.answer.fault or None

    @property
    def warnings(self) -> list[str]:
        """Warnings for unknown and deprecated parameters, and for what of CI configurations has no effect."""
        from fakeplat.workbench.deprecations import find_warnings  # its table is not needed to serve

        # A replayed tape has no world, and does not say of which release it is.
        profile = self.world.profile if self.world else EVERYTHING
        return [*find_warnings(self._entry, profile), *self._entry.answer.warnings]

    @property
    def duration(self) -> float:
        """The duration in seconds of real time."""
        return self._entry.took / 1e9

    @property
    def time(self) -> str:
        """The world's time (ISO 8601)."""
        return to_iso(self._entry.at)

    @property
    def world_time(self) -> int:
        """The world's time in ms."""
        return self._entry.at

    @property
    def started(self) -> int:
        """The real time in ms, on a clock that is never set: only differences mean something."""
        return self._entry.started // 1_000_000

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary for JSON."""
        return {name: getattr(self, name) for name in _FIELDS}

    def __repr__(self) -> str:
        who = self.user or "nobody"
        what = f" {self.detail}" if self.detail else ""
        why = f"  ({self.reason})" if self.reason else ""
        return f"{self.status or 'no answer'} {self.method} {self.path}{what} by {who}{why}"


_FIELDS: Final = (
    "number",
    "method",
    "path",
    "operation",
    "detail",
    "user",
    "credential",
    "status",
    "reason",
    "fault",
    "warnings",
    "duration",
    "time",
)


def _read_params(read: Callable[[], dict[str, T]]) -> dict[str, T]:
    """Return parameters; empty if they cannot be read, for which the platform has refused the request."""
    try:
        return read()
    except (Refusal, ValueError):
        return {}


class Reply:
    """A response: status, headers (case-insensitive), body."""

    def __init__(self, response: Response) -> None:
        self.status = response.status
        self.content = response.body
        self.headers: Mapping[str, str] = HeaderMapping(response.headers)

    @property
    def status_code(self) -> int:
        """The status, by the name that requests and httpx have for it."""
        return self.status

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode()

    def json(self) -> Any:
        """The body as JSON; None for an empty one."""
        return orjson.loads(self.content) if self.content else None

    def __repr__(self) -> str:
        return f"Reply({self.status}, {self.content[:200]!r})"


def collect_warnings(entries: Iterable[JournalEntry]) -> list[str]:
    """Return the warnings for what clients should not have sent, without duplicates."""
    return list(dict.fromkeys(text for entry in entries for text in entry.warnings))
