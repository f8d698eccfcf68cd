"""Texts for comments of users, groups and projects. Source: docs/platform/users.md ('Saved replies')."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.store.references import Subject
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.people import Group, SavedReply
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import ancestors

_MAX_CONTENT: Final = 10_000


def list_replies(world: World, subjects: Iterable[Subject]) -> list[SavedReply]:
    """Return the texts of some owners, the latest first."""
    found = (reply for subject in subjects for reply in world.saved_replies.where("subject", subject))
    return sorted(found, key=lambda reply: -reply.id)


def list_subjects(world: World, group: Group, *, with_ancestors: bool) -> list[Subject]:
    """Return how texts name a group, and the groups above it."""
    groups = ancestors(world, group.id) if with_ancestors else [group]
    return [("group", each.id) for each in groups]


def create(ctx: WriteContext, subject: Subject, name: str, content: str) -> SavedReply:
    """Keep a text for a user, group or project, or refuse with 400."""
    _check(ctx.world, subject, name, content).refuse()
    table, now = ctx.world.saved_replies, ctx.now_iso
    return table.add(SavedReply(table.next_id(), subject, name, content, now, now))


def update(ctx: WriteContext, reply: SavedReply, name: str, content: str) -> SavedReply:
    """Change a text, or refuse with 400."""
    _check(ctx.world, reply.subject, name, content, reply.id).refuse()
    return ctx.world.saved_replies.change(reply, name=name, content=content, updated_at=ctx.now_iso)


def _check(world: World, subject: Subject, name: str, content: str, own_id: int = 0) -> ValidationErrors:
    errors = ValidationErrors()
    errors.when(not name.strip(), "name", BLANK)
    errors.when(not content.strip(), "content", BLANK)
    too_long(errors, "name", name)
    existing = world.saved_replies.find("name", (subject, name))
    errors.when(existing is not None and existing.id != own_id, "name", TAKEN)
    too_long(errors, "content", content, _MAX_CONTENT)
    return errors
