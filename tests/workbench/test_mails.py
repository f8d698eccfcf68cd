"""The outbox writes mails when somebody reads them."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from fakeplat.model.outgoing import OutgoingMail, OutgoingMails
from fakeplat.policy.context import ReadContext
from fakeplat.workbench.bench import Workbench
from fakeplat.workbench.mails import MAX_UNWRITTEN
from fakeplat.workbench.options import Options


@pytest.fixture
def bench() -> Workbench:
    return Options(scenario="starter").bench()


def announce_mails(bench: Workbench, written: list[str] | None = None) -> None:
    """Announce mails that tell the names of users."""

    def write(ctx: ReadContext) -> Iterator[OutgoingMail]:
        for user in list(ctx.world.users)[:2]:
            if written is not None:
                written.append(user.name)
            yield OutgoingMail(user.email, user.name, "")

    with bench.platform.acting() as ctx:
        ctx.send(OutgoingMails(write))


def rename_user(bench: Workbench, name: str) -> None:
    with bench.platform.acting() as ctx:
        ctx.world.users.change(next(iter(ctx.world.users)), name=name)


def test_mails_are_written_once_when_they_are_read(bench: Workbench) -> None:
    """Emails are rendered when they are first read, and only once."""
    written: list[str] = []
    announce_mails(bench, written)
    assert [] == written
    assert (2, 2) == (len(bench.mails), len([*bench.mails]))
    assert 2 == len(written)


def test_mails_are_written_from_the_world_of_their_event(bench: Workbench) -> None:
    """An email is rendered from the world and time of its event, even after later changes or a restore."""
    bench.snapshot("before")
    rename_user(bench, "First")
    announce_mails(bench)
    rename_user(bench, "Second")
    bench.platform.advance(60_000)
    bench.restore("before")
    mail = bench.mails[0]

    assert ("First", "2020-11-20T09:00") == (mail.subject, mail.time[:16])


def test_mails_keep_the_order_of_their_events(bench: Workbench) -> None:
    """Emails keep the order of their events, also those that are rendered at once."""
    announce_mails(bench)
    with bench.platform.acting() as ctx:
        ctx.send(OutgoingMail("x@example.test", "Third", ""))
    announce_mails(bench)

    assert ("Third", [1, 2, 3, 4, 5]) == (bench.mails[2].subject, [mail.id for mail in bench.mails])


def test_a_cleared_outbox_writes_nothing(bench: Workbench) -> None:
    """Clearing or resetting the outbox discards emails without rendering them."""
    written: list[str] = []
    for clear in (bench.mails.clear, bench.reset):
        announce_mails(bench, written)
        clear()
    assert (0, []) == (len(bench.mails), written)


def test_too_many_events_drop_the_oldest(bench: Workbench) -> None:
    """The oldest events are dropped when too many emails are unrendered."""
    rename_user(bench, "First")
    announce_mails(bench)
    rename_user(bench, "Second")
    for _ in range(MAX_UNWRITTEN):
        announce_mails(bench)

    assert (2 * MAX_UNWRITTEN, "Second") == (len(bench.mails), bench.mails[0].subject)


def test_a_refused_change_announces_nothing(bench: Workbench) -> None:
    """A change that is rolled back sends no email."""
    with suppress(ZeroDivisionError), bench.platform.acting() as ctx:
        ctx.send(OutgoingMails(lambda _: [OutgoingMail("x@example.test", "x", "")]))
        raise ZeroDivisionError
    assert 0 == len(bench.mails)
