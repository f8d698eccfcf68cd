"""What the platform sends to others after a commit: requests to hooks and integrations, and e-mail.

These are no records of a world: a write hands them over once it is committed, and the workbench keeps them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.model.import_export import BulkImportSource


@frozen
class OutgoingRequest:
    """A request to a hook or an integration.

    ``receiver`` is the kind and the id of its record, such as ``("hook", 7)`` or ``("service", 3)``; ``trigger`` is the
    event, such as ``push_hooks``. ``blocked`` says why the platform itself refuses to send it; empty if it does not.
    ``logged_url`` is the URL that the platform logs, in which variables keep their names.
    """

    receiver: tuple[str, int]
    trigger: str
    url: str
    body: bytes
    headers: Mapping[str, str] = field(factory=dict)
    method: str = "POST"
    verifies_tls: bool = True
    blocked: str = ""
    logged_url: str = ""


@frozen
class LoggedRequest:
    """A request that was made, and what its receiver answered; ``status`` is None without a complete answer.

    ``time`` is the world's time (ISO 8601), ``duration`` is in seconds of real time, ``error`` the platform's text of a
    failure.
    """

    id: int
    request: OutgoingRequest
    time: str
    status: int | None = None
    response_headers: Mapping[str, str] = field(factory=dict)
    response_body: str = ""
    duration: float = 0.0
    error: str | None = None


OutgoingLog = Callable[[tuple[str, int]], Sequence[LoggedRequest]]
"""Returns the requests that were made to a receiver, the oldest first."""


def no_outgoing_log(_receiver: tuple[str, int]) -> Sequence[LoggedRequest]:
    """Return nothing: where nobody keeps what the platform sends."""
    return ()


class OutgoingLogLink:
    """The way from the contexts of a platform to whoever keeps what it sends, which is cut when the world is closed.

    The journal keeps what refers to contexts, so a context that referred to its owner would be part of a cycle.
    """

    __slots__ = ("target",)

    def __init__(self) -> None:
        self.target: OutgoingLog = no_outgoing_log

    def __call__(self, receiver: tuple[str, int]) -> Sequence[LoggedRequest]:
        """Return the requests that were made to a receiver, the oldest first."""
        return self.target(receiver)


@frozen
class OutgoingMail:
    """An e-mail to one recipient. ``reason`` is why the recipient gets it, such as ``mentioned``.

    ``html`` is the second form of the body; empty if the mail has only text.
    """

    to: str
    subject: str
    body: str
    headers: Mapping[str, str] = field(factory=dict)
    reason: str = ""
    html: str = ""


@frozen
class OutgoingMails:
    """The e-mails about an event. They are written only when somebody reads them.

    ``write`` gets a context that reads the world as it was after the commit, and the facts of the event: records, but
    not the context of the event itself, as that would keep its draft.
    """

    write: Callable[..., Iterable[OutgoingMail]]
    facts: tuple[Any, ...] = ()


@frozen
class WantedSource:
    """A group or project that a direct transfer wants to read, by its full path; a group perhaps with its projects."""

    kind: BulkImportSource
    full_path: str
    with_projects: bool = True


@frozen
class OutgoingTransfer:
    """A direct transfer whose source is another instance, which has to be read first."""

    import_id: int
    url: str
    access_token: str = field(repr=False)
    wanted: Sequence[WantedSource]


Outgoing = OutgoingRequest | OutgoingMail | OutgoingMails | OutgoingTransfer
"""Whatever a write sends."""
