"""Pushes to the repository of a wiki: they change its pages, and leave the events of these changes."""

from typing import TYPE_CHECKING, Final

from fakeplat.domain.repository.git_pushes import pack_limits
from fakeplat.domain.wikis import page_events, pages, wikis
from fakeplat.domain.wikis.pages import WikiPage
from fakeplat.model.activity import Action
from fakeplat.model.projects import Container
from fakeplat.model.repository import BRANCHES
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

# The platform records the first changes of a push only.
_MAX_EVENTS: Final = 100
_ACTIONS: Final[dict[str, Action]] = {"A": "created", "D": "destroyed"}


def receive_push(ctx: WriteContext, container: Container, body: bytes) -> bytes:
    """Process a push and return the answer for git. Raises ``git.BadRequest`` for a malformed request."""
    from fakeplat.git.receive_pack import receive_pack

    before = wikis.open_repository(ctx.world, container)
    received = receive_pack(before, body, lambda update: None, pack_limits(ctx.world))
    if received.updates:
        wikis.move_refs(ctx, container, {update.name: update.new for update in received.updates})
        _record_events(ctx, container, before)
    return received.answer()


def _record_events(ctx: WriteContext, container: Container, before: "Git") -> None:
    after, branch = wikis.open_repository(ctx.world, container), BRANCHES + wikis.branch_of(ctx.world, container)
    old, new = before.refs.get(branch), after.refs.get(branch)
    if new is None or new == old:
        return
    changes = [change for change in after.diff(old, new, renames=False) if pages.is_page(change.new_path)]
    for change in changes[:_MAX_EVENTS]:
        page = WikiPage(change.new_path, change.new_sha, after)
        page_events.record_page_event(ctx, container, _ACTIONS.get(change.status, "updated"), page)
