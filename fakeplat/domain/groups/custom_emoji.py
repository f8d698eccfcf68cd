"""Emoji that users add to groups. Source: docs/platform/award-emoji.md ('Custom emoji')."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.domain import emoji
from fakeplat.domain.outbound_urls import explain_blocked_url
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.issues import CustomEmoji
from fakeplat.model.people import Group
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.levels import ancestors_of

_NAME: Final = re.compile(r"[a-z0-9_-]+")
_MAX_NAME: Final = 36


def list_emoji(world: World, group: Group, *, ancestors: bool = False) -> Sequence[CustomEmoji]:
    """Return the emoji of a group by name; with ``ancestors`` also those of the groups above."""
    groups = ancestors_of(world, group) if ancestors else (group,)
    found = (each for above in groups for each in world.custom_emoji.where("group", above.id))
    return sorted(found, key=lambda each: (each.name, each.id))


def find_available(world: World, container: Routable, name: str) -> CustomEmoji | None:
    """Return the emoji with a name of the innermost group at or above a container that has one."""
    if not len(world.custom_emoji):
        return None
    found = (world.custom_emoji.find("name", (above.id, name)) for above in ancestors_of(world, container))
    return next((each for each in found if each is not None), None)


def create(ctx: WriteContext, group: Group, name: str, url: str) -> CustomEmoji:
    """Add an emoji to a group as the caller, or refuse with 400."""
    _check(ctx.world, group, name, url).refuse()
    table, now = ctx.world.custom_emoji, ctx.now_iso
    return table.add(CustomEmoji(table.next_id(), group.id, name, url, ctx.signed_in_user.id, now, now))


def _check(world: World, group: Group, name: str, url: str) -> ValidationErrors:
    errors = ValidationErrors()
    reason = explain_blocked_url(url)
    errors.when(emoji.canonical_name(name) is not None, "name", f"{name} is already being used for another emoji")
    errors.when(reason, "file", f"is blocked: {reason}")
    errors.when(world.custom_emoji.find("name", (group.id, name)), "name", TAKEN)
    errors.when(not name.strip(), "name", BLANK)
    too_long(errors, "name", name, _MAX_NAME)
    errors.when(_NAME.fullmatch(name) is None, "name", "is invalid")
    return errors
