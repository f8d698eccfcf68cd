"""Epics: find, filter, create, update, close and reopen. Roadmaps and boards are not built."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Required, TypedDict, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.records import evolve_record
from fakeplat.domain import events
from fakeplat.domain.epics.epic_access import KIND, decide_on, format_reference, group_of, is_visible
from fakeplat.domain.issuables import creation_limit, issuable_fields, resource_events
from fakeplat.domain.notes import mentions, system_notes, todos
from fakeplat.domain.people import namespaces
from fakeplat.domain.planning import colors
from fakeplat.domain.purging import purge
from fakeplat.domain.quick_actions import quick_actions
from fakeplat.domain.validation import BLANK, ValidationErrors, too_long
from fakeplat.model.epics import Epic
from fakeplat.model.people import Group, User
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import (
    EPICS_ARE_LINKED_AS_WORK_ITEMS,
    NEW_EPICS_NOTE_THEIR_PARENTS,
    OPEN_CHILD_OF_HIDDEN_EPIC,
)
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import ancestors

NONE: Final = "None"
ANY: Final = "Any"


class EpicFields(TypedDict, total=False):
    """The fields of an epic that a new one can have, and that can be changed later."""

    description: str | None
    confidential: bool
    parent_id: int | None
    relative_position: int | None
    start_date_fixed: str | None
    start_date_is_fixed: bool
    due_date_fixed: str | None
    due_date_is_fixed: bool
    label_ids: tuple[int, ...]
    color: str
    created_at: str
    updated_at: str


class NewEpic(EpicFields, total=False):
    """The fields of a new epic."""

    title: Required[str]
    author_id: Required[int]
    iid: int | None
    state: Literal["opened", "closed"]
    closed_at: str | None
    closed_by_id: int | None


class EpicChanges(EpicFields, total=False):
    """The changes of an epic."""

    title: str


class EpicParams(EpicFields, total=False):
    """The parameters of a new epic or of a change: labels by title; ``state_event``: close or reopen."""

    title: str
    labels: Sequence[str] | None
    add_labels: Sequence[str] | None
    remove_labels: Sequence[str] | None
    state_event: str | None


@frozen
class EpicFilter:
    """Which epics of a group to list, and of which groups above and below it."""

    search: str = ""
    state: str = "all"
    author_id: int | None = None
    author_username: str | None = None
    my_reaction_emoji: str | None = None
    labels: tuple[str, ...] = ()
    created_after: str | None = None
    created_before: str | None = None
    updated_after: str | None = None
    updated_before: str | None = None
    confidential: bool | None = None
    include_ancestor_groups: bool = False
    include_descendant_groups: bool = True
    order_by: str = "created_at"
    sort: str = "desc"

    def admits(self, ctx: ReadContext, epic: Epic) -> bool:
        """Return whether an epic passes the filter."""
        world = ctx.world
        return (
            self.state in ("all", epic.state)
            and self.author_id in (None, epic.author_id)
            and self._has_author(world, epic)
            and self._has_reaction(ctx, epic)
            and self.confidential in (None, epic.confidential)
            and self._has_text(epic)
            and self._has_labels(world, epic)
            and _is_between(epic.created_at, self.created_after, self.created_before)
            and _is_between(epic.updated_at, self.updated_after, self.updated_before)
        )

    def excludes(self, world: World, epic: Epic) -> bool:
        """Return whether an epic has any of the attributes, each label on its own."""
        titles = {world.labels[id_].title for id_ in epic.label_ids}
        is_of_author = self.author_id == epic.author_id
        is_of_named = self.author_username is not None and self._has_author(world, epic)
        return is_of_author or is_of_named or not titles.isdisjoint(self.labels)

    def _has_author(self, world: World, epic: Epic) -> bool:
        return self.author_username in (None, world.users[epic.author_id].username)

    def _has_reaction(self, ctx: ReadContext, epic: Epic) -> bool:
        """Return whether the caller awarded the emoji to an epic: this one, none (``None``) or any (``Any``)."""
        if self.my_reaction_emoji is None or ctx.viewer is None:
            return True
        awards = ctx.world.awards.where("subject", (KIND, epic.id))
        own = {award.name for award in awards if award.user_id == ctx.viewer.id}
        if self.my_reaction_emoji.capitalize() in (NONE, ANY):
            return bool(own) == (self.my_reaction_emoji.capitalize() == ANY)
        return self.my_reaction_emoji in own

    def _has_text(self, epic: Epic) -> bool:
        text = self.search.strip().lower()
        return text in epic.title.lower() or text in (epic.description or "").lower()

    def _has_labels(self, world: World, epic: Epic) -> bool:
        if not self.labels:
            return True
        titles = {world.labels[id_].title for id_ in epic.label_ids}
        if self.labels[0].capitalize() in (NONE, ANY):
            return bool(titles) == (self.labels[0].capitalize() == ANY)
        return titles.issuperset(self.labels)


def _is_between(time: str, after: str | None, before: str | None) -> bool:
    return (after is None or time >= after) and (before is None or time <= before)


def list_epics(
    ctx: ReadContext, group: Group, criteria: EpicFilter, excluded: EpicFilter | None = None
) -> Sequence[Epic]:
    """Return the epics around a group that pass a filter and that the caller can see, without the excluded ones."""
    matching = [
        epic
        for container in _list_groups(ctx.world, group, criteria)
        for epic in ctx.world.epics.where("group", container.id)
        if criteria.admits(ctx, epic)
        and is_visible(ctx, epic)
        and not (excluded is not None and excluded.excludes(ctx.world, epic))
    ]
    matching.sort(key=lambda epic: epic.id, reverse=criteria.sort == "desc")
    return sorted(matching, key=lambda epic: str(getattr(epic, criteria.order_by)), reverse=criteria.sort == "desc")


def _list_groups(world: World, group: Group, criteria: EpicFilter) -> Iterator[Group]:
    yield group
    if criteria.include_descendant_groups:
        yield from namespaces.list_descendants(world, group)
    if criteria.include_ancestor_groups:
        yield from (above for above in ancestors(world, group.parent_id) if isinstance(above, Group))


def get_epic(ctx: ReadContext, group: Group, iid: int, ability: Ability) -> Epic:
    """Return the epic of a group with an iid, or 403: for the platform, nobody may do anything with a missing epic."""
    epic = ctx.world.epics.find("iid", (group.id, iid))
    if epic is None:
        raise Forbidden(reason=lambda: f"{describe(ctx.world, group)} has no epic {iid}")
    decision = decide_on(ctx, epic, ability)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)
    return epic


def create(ctx: WriteContext, group: Group, author: User, **params: Unpack[EpicParams]) -> Epic:
    """Create an epic and execute the quick actions in its description; 429 above the limit.

    Unknown labels are created if the author may do so.
    """
    creation_limit.count_epic(ctx)
    remaining, commands = quick_actions.extract_from_description(ctx, KIND, {**params})
    fields = _resolve_fields(ctx, group, remaining, None)
    plan = quick_actions.plan_commands(ctx, KIND, group, None, commands, fields)
    epic = insert(ctx, group, **{"author_id": author.id, **fields, **plan.fields})
    events.record_event(ctx, ctx.user, "created", group, (KIND, epic.id))
    _record_labels(ctx, epic)
    _note_parent(ctx, epic)
    mentions.apply_mentions(ctx, epic, epic.description)
    return epic


def _note_parent(ctx: WriteContext, epic: Epic) -> None:
    parent = ctx.world.epics.get(epic.parent_id or 0)
    if parent is not None and ctx.profile.has(NEW_EPICS_NOTE_THEIR_PARENTS):
        note_relation(ctx, parent, epic)


def note_relation(ctx: WriteContext, parent: Epic, child: Epic, *, is_over: bool = False) -> None:
    """Write into two epics that one is below the other, or no longer."""
    is_work_item = ctx.profile.has(EPICS_ARE_LINKED_AS_WORK_ITEMS)
    for subject, other, side in ((parent, child, "child"), (child, parent, "parent")):
        reference = f"&{other.iid}" if subject.group_id == other.group_id else format_reference(ctx.world, other)
        name = reference.replace("&", "#") if is_work_item else f"epic {reference}"
        _write_note(ctx, subject, f"removed {side} epic {name}" if is_over else f"added {name} as {side} epic")


def insert(ctx: WriteContext, group: Group, **row: Unpack[NewEpic]) -> Epic:
    """Insert an epic of a group from fields of the record, without permission checks."""
    _list_errors(row).refuse()
    table, now = ctx.world.epics, ctx.now_iso
    iid = row.get("iid") or ctx.world.get_counter(KIND, group.id) + 1
    ctx.world.raise_counter(max(iid, ctx.world.get_counter(KIND, group.id)), KIND, group.id)
    times = {"created_at": now, "updated_at": row.get("created_at", now)}
    values: dict[str, Any] = {**times, **row, "id": table.next_id(), "iid": iid, "group_id": group.id}
    return table.add(Epic(**values))


def _list_errors(fields: NewEpic | EpicChanges) -> ValidationErrors:
    errors = ValidationErrors()
    if "title" in fields:
        errors.when(not (fields["title"] or "").strip(), "title", BLANK)
        too_long(errors, "title", fields["title"])
    too_long(errors, "description", fields.get("description"), 1_048_576)
    errors.when("color" in fields and not colors.is_hex_color(fields["color"]), "color", _COLOR_TEXT)
    return errors


_COLOR_TEXT: Final = "must be a valid color code"


def _resolve_fields(ctx: WriteContext, group: Group, params: Mapping[str, object], epic: Epic | None) -> dict[str, Any]:
    """Convert parameters into fields of the record."""
    fields: dict[str, Any] = {**params}
    label_ids = issuable_fields.label_ids(ctx, group, fields, epic.label_ids if epic else ())
    if label_ids is not None:
        fields["label_ids"] = label_ids
    if fields.get("parent_id") is not None and not _is_parent(ctx, group, fields["parent_id"]):
        del fields["parent_id"]
    if "color" in fields:
        fields["color"] = colors.to_hex(fields["color"])
    _refuse_open_child(ctx, fields, epic)
    return fields


def _refuse_open_child(ctx: ReadContext, fields: Mapping[str, Any], epic: Epic | None) -> None:
    """Refuse an epic that everybody sees below a confidential one with 400."""
    before = (None, False) if epic is None else (epic.parent_id, epic.confidential)
    parent_id, is_hidden = (
        fields.get(name, value) for name, value in zip(("parent_id", "confidential"), before, strict=True)
    )
    parent = ctx.world.epics.get(parent_id) if parent_id is not None else None
    errors = ValidationErrors()
    errors.when(
        parent is not None and parent.confidential and not is_hidden,
        "confidential",
        ctx.profile.choose(OPEN_CHILD_OF_HIDDEN_EPIC),
    )
    errors.refuse()


def _is_parent(ctx: ReadContext, group: Group, id_: int) -> bool:
    """Return whether an epic can be the parent of one of a group: an epic of the group, or of a group above it."""
    parent = ctx.world.epics.get(id_)
    return parent is not None and any(parent.group_id == above.id for above in ancestors(ctx.world, group.id))


def delete(ctx: WriteContext, epic: Epic) -> None:
    """Delete an epic with the epics below it; its issues stay."""
    purge(ctx, epic)


def update(ctx: WriteContext, epic: Epic, **params: Unpack[EpicParams]) -> Epic:
    """Change an epic and execute the quick actions in its description; ``state_event``: close or reopen."""
    remaining, commands = quick_actions.extract_from_description(ctx, KIND, {**params})
    group = group_of(ctx.world, epic)
    fields = _resolve_fields(ctx, group, remaining, epic)
    event = fields.pop("state_event", None)
    plan = quick_actions.plan_commands(ctx, KIND, group, epic, commands, fields)
    changed = change_fields(ctx, epic, **{**fields, **plan.fields})
    if event is not None:
        changed = set_state(ctx, changed, event)
    return plan.apply(ctx, changed)


def change_fields(ctx: WriteContext, epic: Epic, **fields: Unpack[EpicChanges]) -> Epic:
    """Change fields of the record and record the differences, without permission checks."""
    _list_errors(fields).refuse()
    changed = evolve(epic, **fields)
    if changed == epic:
        return epic
    if changed.description != epic.description and ctx.user is not None:
        changed = evolve(changed, last_edited_at=ctx.now_iso, last_edited_by_id=ctx.user.id)
    changed = evolve_record(changed, updated_at=fields.get("updated_at", ctx.now_iso))
    ctx.world.epics.replace(epic, changed)
    _record_changes(ctx, epic, changed)
    return changed


def _record_changes(ctx: WriteContext, before: Epic, after: Epic) -> None:
    _record_labels(ctx, after, before.label_ids)
    if before.title != after.title:
        _write_note(ctx, after, f"changed title from **{before.title}** to **{after.title}**")
    if before.description != after.description:
        _write_note(ctx, after, "changed the description")
        mentions.apply_mentions(ctx, after, after.description, before=before.description)
    if before.confidential != after.confidential:
        text = "made the epic confidential" if after.confidential else "made the epic visible to everyone"
        _write_note(ctx, after, text)


def _record_labels(ctx: WriteContext, epic: Epic, before: Sequence[int] = ()) -> None:
    if ctx.user is not None:
        resource_events.record_labels(ctx, (KIND, epic.id), ctx.user, before, epic.label_ids)


def _write_note(ctx: WriteContext, epic: Epic, text: str) -> None:
    if ctx.user is not None:
        system_notes.write(ctx, (KIND, epic.id), ctx.user, text)


def set_state(ctx: WriteContext, epic: Epic, event: str) -> Epic:
    """Close or reopen an epic (``event``), without permission checks; closing finishes the caller's to-dos about it."""
    state = "closed" if event == "close" else "opened"
    if epic.state == state:
        return epic
    user, now = ctx.user, ctx.now_iso
    closing = {"closed_at": now, "closed_by_id": user.id if user else None} if state == "closed" else {}
    reopening = {"closed_at": None, "closed_by_id": None}
    changed = ctx.world.epics.change(epic, state=state, updated_at=now, **(closing or reopening))
    _write_note(ctx, changed, "closed" if closing else "opened")
    if user is not None:
        resource_events.record_state(ctx, (KIND, epic.id), user, "closed" if closing else "reopened")
    if closing:
        todos.finish_pending(ctx, user, (KIND, epic.id))
    events.record_event(ctx, user, "closed" if closing else "reopened", group_of(ctx.world, epic), (KIND, epic.id))
    return changed


def can_set_times(ctx: ReadContext, group: Group) -> bool:
    """Return whether the caller may choose the times of epics: owners and administrators."""
    return can(ctx, Ability.SET_EPIC_TIMES, group)
