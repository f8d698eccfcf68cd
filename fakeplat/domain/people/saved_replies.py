"""Texts that users keep for comments. Source: docs/platform/users.md ('Saved replies')."""

from typing import Final

from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.people import SavedReply, User
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_MAX_CONTENT: Final = 10_000


def create(ctx: WriteContext, user: User, name: str, content: str) -> SavedReply:
    """Keep a text for a user, or refuse with 400."""
    _check(ctx.world, user.id, name, content).refuse()
    table, now = ctx.world.saved_replies, ctx.now_iso
    return table.add(SavedReply(table.next_id(), user.id, name, content, now, now))


def update(ctx: WriteContext, reply: SavedReply, name: str, content: str) -> SavedReply:
    """Change a text, or refuse with 400."""
    _check(ctx.world, reply.user_id, name, content, reply.id).refuse()
    return ctx.world.saved_replies.change(reply, name=name, content=content, updated_at=ctx.now_iso)


def _check(world: World, user_id: int, name: str, content: str, own_id: int = 0) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    errors.when(not content.strip(), "content", BLANK)
    too_long(errors, "name", name)
    existing = world.saved_replies.find("name", (user_id, name))
    errors.when(existing is not None and existing.id != own_id, "name", TAKEN)
    too_long(errors, "content", content, _MAX_CONTENT)
    return errors
