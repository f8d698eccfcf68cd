"""The outbox: the e-mails that the platform would send. None of them leaves the process."""

from collections.abc import Callable
from typing import Any, Final, TypedDict, Unpack

from fakeplat.core.operations.http_messages import HeaderMapping
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.model.outgoing import OutgoingMail
from fakeplat.workbench.bounded_log import BoundedLog
from fakeplat.workbench.keywords import refuse_unknown

# An estimate, in bytes, of the objects of a mail without its texts.
_MAIL_SIZE: Final = 1_500


@frozen(eq=False)
class Mail:
    """An e-mail to one recipient. ``time`` is the world's time (ISO 8601)."""

    id: int
    mail: OutgoingMail
    time: str

    @property
    def to(self) -> str:
        """The address of the recipient."""
        return self.mail.to

    @property
    def subject(self) -> str:
        """The subject."""
        return self.mail.subject

    @property
    def body(self) -> str:
        """The text."""
        return self.mail.body

    @property
    def headers(self) -> HeaderMapping:
        """The headers besides recipient and subject."""
        return HeaderMapping(self.mail.headers.items())

    @property
    def reason(self) -> str:
        """Why the recipient gets the mail, such as ``mentioned``; may be empty."""
        return self.mail.reason

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary for JSON."""
        return {name: getattr(self, name) for name in _FIELDS}

    def __repr__(self) -> str:
        return f"to {self.to}: {self.subject}"


_FIELDS: Final = ("id", "to", "subject", "headers", "body", "reason", "time")


class MailFilter(TypedDict, total=False):
    """Criteria as keyword arguments: the address of the recipient, and a part of the subject."""

    to: str
    subject: str


class Mails(BoundedLog[Mail]):
    """The last e-mails of a world, oldest first. ``now`` returns the world's time."""

    def __init__(self, now: Callable[[], int]) -> None:
        super().__init__(_size_of)
        self._now = now
        self._last_id = 0

    def send(self, mail: OutgoingMail) -> None:
        """Add an e-mail to the outbox."""
        self._last_id += 1
        self.add(Mail(self._last_id, mail, to_iso(self._now())))

    def find(self, **filters: Unpack[MailFilter]) -> list[Mail]:
        """Return the mails that match; InvalidOption for an unknown filter."""
        refuse_unknown(filters, [*MailFilter.__optional_keys__], "mails")
        to, subject = filters.get("to"), filters.get("subject", "")
        return [mail for mail in self if to in (None, mail.to) and subject in mail.subject]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no mails"


def _size_of(mail: Mail) -> int:
    """Return the approximate size of a mail in bytes."""
    return _MAIL_SIZE + len(mail.body) + len(mail.subject)
