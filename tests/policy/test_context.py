"""What the context of a write offers beside the world."""

import pytest

from fakeplat.core.operations.errors import BadRequest
from fakeplat.model.outgoing import Outgoing, OutgoingMail
from tests.worlds import create_site


def refuse() -> None:
    raise BadRequest


def test_an_attempt_that_is_refused_changes_nothing() -> None:
    """A refused attempt undoes its changes, counters and mails, and leaves what comes before and after it."""
    site, sent = create_site(), list[Outgoing]()
    site.platform.outgoing_handlers.append(sent.append)
    before, refused = (OutgoingMail("ada@example.test", subject, "") for subject in ("before", "refused"))
    project = site.place("acme/site")
    with site.platform.acting() as ctx:
        ctx.send(before)
        first = ctx.world.next("attempts")
        with ctx.attempt():
            ctx.send(refused)
            ctx.world.next("attempts")
            ctx.world.projects.change(project, description="refused")
            refuse()
        second = ctx.world.next("attempts")
        ctx.world.projects.change(project, name="After")

    changed = site.world.projects[project.id]
    assert (1, 2, [before]) == (first, second, sent)
    assert (project.description, "After") == (changed.description, changed.name)


def test_an_attempt_that_succeeds_is_kept() -> None:
    """The changes of a successful attempt are kept."""
    site = create_site()
    project = site.place("acme/site")
    with site.platform.acting() as ctx, ctx.attempt():
        ctx.world.projects.change(project, description="done")
    assert "done" == site.world.projects[project.id].description


def test_an_attempt_hides_no_bugs() -> None:
    """An exception other than a refusal leaves an attempt."""
    site = create_site()
    with pytest.raises(ZeroDivisionError), site.platform.acting() as ctx, ctx.attempt():
        _ = 1 / 0
