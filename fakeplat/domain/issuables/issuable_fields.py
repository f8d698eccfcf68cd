"""Conversion of parameters (assignees, labels, milestone) to fields of issues and merge requests."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fakeplat.core.operations.errors import InvalidRecord
from fakeplat.core.release import Behaviour
from fakeplat.domain.planning import labels, milestones
from fakeplat.model.planning import Label
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.behaviours import ASSIGNEES_ARE_LIMITED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

MOST_PEOPLE: Final = 200
ADMIN_PARAMS: Final = (
    "assignee_ids",
    "assignee_id",
    "labels",
    "add_labels",
    "remove_labels",
    "milestone_id",
    "discussion_locked",
)
"""The parameters of issues and of merge requests that need the right to administer them."""


def resolve_fields(
    ctx: WriteContext, project: Project, params: Mapping[str, object], reads: Ability, before: tuple[int, ...]
) -> dict[str, Any]:
    """Convert parameters into fields of the record; ``before`` are the current labels."""
    fields: dict[str, Any] = {**params}
    assignees = assignee_ids(ctx, project, fields, reads)
    # None means no change, whereas an empty tuple removes all assignees.
    if assignees is not None:
        check_number(ctx, "assignees", assignees, ASSIGNEES_ARE_LIMITED)
        fields["assignee_ids"] = assignees
    labels = label_ids(ctx, project, fields, before)
    if labels is not None:
        fields["label_ids"] = labels
    if "milestone_id" in fields:
        fields["milestone_id"] = milestone_id(ctx.world, project, fields["milestone_id"])
    return fields


def check_number(ctx: ReadContext, field: str, people: Sequence[object], limited: Behaviour) -> None:
    """Refuse too many people with 400, in the releases that limit them."""
    if len(people) > MOST_PEOPLE and ctx.profile.has(limited):
        raise InvalidRecord({field: [f"total must be less than or equal to {MOST_PEOPLE}"]})


def assignee_ids(ctx: ReadContext, project: Project, fields: dict[str, Any], reads: Ability) -> tuple[int, ...] | None:
    """Return the new assignees: users who may read the record, only the first on the free tier; None for no change."""
    single = [fields.pop("assignee_id")] if "assignee_id" in fields else None
    requested_ids = fields.pop("assignee_ids", single)
    # The deprecated singular takes precedence if it has a value.
    if single is not None and single != [None]:
        requested_ids = single
    if requested_ids is None:
        return None if single is None else ()
    # 0 and null stand for nobody.
    users = (ctx.world.users.get(id_) for id_ in requested_ids if id_)
    ids = tuple(dict.fromkeys(user.id for user in users if user and can(ctx.as_user(user), reads, project)))
    return ids if has_feature(ctx.world, "premium", project) else ids[:1]


def milestone_id(world: World, project: Project, id_: int | None) -> int | None:
    """Return the milestone id, if the project can use the milestone."""
    usable = {milestone.id for milestone in milestones.list_available(world, project)} if id_ else set()
    return id_ if id_ in usable else None


def label_ids(
    ctx: WriteContext, container: Routable, fields: dict[str, Any], before: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Return the new labels, creating unknown ones if the caller may; None for no change."""
    ids, is_changed = list(before), False
    if "labels" in fields:
        ids, is_changed = get_or_create_labels(ctx, container, fields.pop("labels") or ()), True
    if "add_labels" in fields:
        ids, is_changed = [*ids, *get_or_create_labels(ctx, container, fields.pop("add_labels") or ())], True
    if "remove_labels" in fields:
        removed = {
            label.id for title in fields.pop("remove_labels") or () if (label := _find_label(ctx, container, title))
        }
        ids, is_changed = [id_ for id_ in ids if id_ not in removed], True
    return tuple(dict.fromkeys(ids)) if is_changed else None


def _find_label(ctx: WriteContext, container: Routable, title: str) -> Label | None:
    return labels.find_by_title(ctx.world, container, title)


def get_or_create_labels(ctx: WriteContext, container: Routable, titles: Iterable[str]) -> list[int]:
    """Return the ids of the labels with these titles, creating unknown ones if the caller may."""
    label_ids = []
    for title in dict.fromkeys(title.strip() for title in titles):
        label = _find_label(ctx, container, title) if title else None
        if label is None and title and can(ctx, Ability.ADMIN_LABEL, container):
            label = labels.create(ctx, container, title, labels.DEFAULT_COLOR)
        if label is not None:
            label_ids.append(label.id)
    return label_ids
