"""The outbox: the e-mails that the platform would send. None of them leaves the process.

Most worlds have events about which mail goes out, and nobody who reads it. So an event costs only its place in a queue;
its mails are written, from the world of that time, when the outbox is first read.
"""

from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack, overload

from fakeplat.core.operations.http_messages import HeaderMapping
from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.model.outgoing import OutgoingMail, OutgoingMails
from fakeplat.workbench.bounded_log import BoundedLog
from fakeplat.workbench.keywords import refuse_unknown

if TYPE_CHECKING:
    from fakeplat.platform import Moment

MAX_UNWRITTEN: Final = 1_000
"""How many events wait to be read. Each keeps a version of the world in memory, so there must not be too many."""
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

    @property
    def html(self) -> str:
        """The text in HTML; empty if the mail has none."""
        return self.mail.html

    def as_message(self) -> EmailMessage:
        """Return the mail as a message of the standard library, as a mailbox would hold it."""
        message = EmailMessage()
        message["Date"] = format_datetime(datetime.fromisoformat(self.time))
        if "bcc" not in self.headers:
            message["To"] = self.to
        message["Subject"] = self.subject
        for name, value in self.headers.items():
            # Recipients of a blind copy are not in the message that they get.
            if name.lower() != "bcc":
                message[name] = value
        message.set_content(self.body)
        if self.html:
            message.add_alternative(self.html, subtype="html")
        return message

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as a dictionary for JSON."""
        return {name: getattr(self, name) for name in _FIELDS}

    def __repr__(self) -> str:
        return f"to {self.to}: {self.subject}"


_FIELDS: Final = ("id", "to", "subject", "headers", "body", "html", "reason", "time")


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
        self._unwritten: deque[tuple[OutgoingMails, Moment]] = deque(maxlen=MAX_UNWRITTEN)
        # The server's thread adds mails while that of a test reads them.
        self._lock = RLock()

    def send(self, mail: OutgoingMail) -> None:
        """Add an e-mail to the outbox."""
        with self._lock:
            self._write()
            self._add(mail, self._now())

    def send_later(self, mails: OutgoingMails, moment: "Moment") -> None:
        """Add the e-mails about an event, which are written from the world of that moment once the outbox is read."""
        self._unwritten.append((mails, moment))

    def _write(self) -> None:
        with self._lock:
            while self._unwritten:
                mails, moment = self._unwritten.popleft()
                for mail in mails.write(moment.reader(), *mails.facts):
                    self._add(mail, moment.now)

    def _add(self, mail: OutgoingMail, time: int) -> None:
        self._last_id += 1
        self.add(Mail(self._last_id, mail, to_iso(time)))

    def clear(self) -> None:
        """Remove all mails."""
        with self._lock:
            self._unwritten.clear()
            super().clear()

    def __len__(self) -> int:
        self._write()
        return super().__len__()

    def __iter__(self) -> Iterator[Mail]:
        self._write()
        return super().__iter__()

    @overload
    def __getitem__(self, index: int) -> Mail: ...

    @overload
    def __getitem__(self, index: slice) -> list[Mail]: ...

    def __getitem__(self, index: int | slice) -> Mail | list[Mail]:
        self._write()
        return super().__getitem__(index)

    def find(self, **filters: Unpack[MailFilter]) -> list[Mail]:
        """Return the mails that match; InvalidOption for an unknown filter."""
        refuse_unknown(filters, [*MailFilter.__optional_keys__], "mails")
        to, subject = filters.get("to"), filters.get("subject", "")
        return [mail for mail in self if to in (None, mail.to) and subject in mail.subject]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no mails"


def _size_of(mail: Mail) -> int:
    """Return the approximate size of a mail in bytes."""
    return _MAIL_SIZE + len(mail.body) + len(mail.html) + len(mail.subject)
