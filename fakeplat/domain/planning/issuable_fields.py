"""What parameters say of people, labels and milestones, as fields of issues and merge requests."""

from collections.abc import Iterable
from typing import Any

from fakeplat.domain.people.members import Place
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.labels import Label
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature


def assignee_ids(ctx: ReadContext, project: Project, fields: dict[str, Any], reads: Ability) -> tuple[int, ...] | None:
    """The new assignees: those who may read such things, the first alone on the free tier; None for no change."""
    single = [fields.pop("assignee_id")] if "assignee_id" in fields else None
    several = fields.pop("assignee_ids", single)
    if several is None:
        return None if single is None else ()
    users = (ctx.world.users.get(id_) for id_ in several if id_)
    ids = tuple(dict.fromkeys(user.id for user in users if user and can(ctx.as_user(user), reads, project)))
    return ids if has_feature(ctx.world, "premium", project) else ids[:1]


def milestone_id(world: World, project: Project, id_: int | None) -> int | None:
    """The milestone, if the project can use it."""
    usable = {milestone.id for milestone in milestones.list_available(world, project)} if id_ else set()
    return id_ if id_ in usable else None


def label_ids(
    ctx: WriteContext, project: Project, fields: dict[str, Any], before: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The new labels; unknown ones are made where the caller may. None for no change."""
    ids, changed = list(before), False
    if "labels" in fields:
        ids, changed = find_or_create_labels(ctx, project, fields.pop("labels") or ()), True
    if "add_labels" in fields:
        ids, changed = [*ids, *find_or_create_labels(ctx, project, fields.pop("add_labels") or ())], True
    if "remove_labels" in fields:
        gone = {label.id for title in fields.pop("remove_labels") or () if (label := _known(ctx, project, title))}
        ids, changed = [id_ for id_ in ids if id_ not in gone], True
    return tuple(dict.fromkeys(ids)) if changed else None


def _known(ctx: WriteContext, container: Place, title: str) -> Label | None:
    return labels.find_by_title(ctx.world, container, title)


def find_or_create_labels(ctx: WriteContext, container: Place, titles: Iterable[str]) -> list[int]:
    """Return the ids of the labels with these titles; unknown ones are created where the caller may."""
    found = []
    for title in dict.fromkeys(title.strip() for title in titles):
        label = _known(ctx, container, title) if title else None
        if label is None and title and can(ctx, Ability.ADMIN_LABEL, container):
            label = labels.create(ctx, container, title, labels.DEFAULT_COLOR)
        if label is not None:
            found.append(label.id)
    return found
