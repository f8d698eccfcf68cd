"""Features of the platform itself: gates for everybody, groups of users, single actors and percentages."""

from collections.abc import Mapping, Sequence
from typing import Final

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.store.table import Record
from fakeplat.domain.instance.feature_definitions import is_on_by_default
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.purging import purge
from fakeplat.model.instance import Feature
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import FEATURE_TARGETS_ARE_LISTS
from fakeplat.policy.context import WriteContext

Actor = Group | Project | User
"""For whom a feature can be on, if not for everybody."""
Targets = Mapping[str, str]
"""Names of those for whom a feature is switched, by kind: ``feature_group``, ``user``, ``group``, ``project``."""

_FIELDS: Final = {
    "feature_group": "feature_groups",
    "user": "user_ids",
    "group": "group_ids",
    "project": "project_ids",
    "namespace": "namespace_ids",
    "repository": "repositories",
    "runner": "runner_ids",
    "organization": "organizations",
}
_ORGANIZATION: Final = "default"


def find_feature(world: World, name: str) -> Feature | None:
    """Return a feature that was switched before, or None."""
    return world.features.find("name", name)


def is_enabled(world: World, name: str, actor: Actor | None = None) -> bool:
    """Return whether a feature is on for everybody or for an actor: as it was switched, or by default."""
    feature = find_feature(world, name)
    if feature is None:
        return is_on_by_default(world.profile, name)
    return feature.state == "on" or (actor is not None and _is_target(feature, actor))


def _is_target(feature: Feature, actor: Actor) -> bool:
    match actor:
        case Group():
            return actor.id in feature.group_ids
        case Project():
            return actor.id in feature.project_ids
        case User():
            return actor.id in feature.user_ids


def check_enabled(world: World, name: str, actor: Actor | None = None) -> None:
    """Refuse with 404 what a feature offers that is off."""
    if not is_enabled(world, name, actor):
        raise NotFound(reason=f"the feature {name} is off: switch it on with POST /features/{name}")


def switch(ctx: WriteContext, name: str, *, on: bool, targets: Targets) -> Feature:
    """Switch a feature for some targets, or for everybody if none is named. Unknown targets are ignored."""
    if not targets:
        # For everybody, all other gates are closed.
        return save(ctx, Feature(0, name, enabled=on))
    feature = find_feature(ctx.world, name) or Feature(0, name)
    found = {kind: _list_targets(ctx, kind, text) for kind, text in targets.items()}
    changes = {
        _FIELDS[kind]: _switched(getattr(feature, _FIELDS[kind]), listed, on=on)
        for kind, listed in found.items()
        if listed
    }
    return _change(ctx, feature, changes) if changes else feature


def set_percentage(ctx: WriteContext, name: str, gate: str, percentage: int) -> Feature:
    """Open a feature for a percentage of checks or of actors; ``gate`` is the name of the field."""
    return _change(ctx, find_feature(ctx.world, name) or Feature(0, name), {gate: percentage})


def delete(ctx: WriteContext, name: str) -> None:
    """Delete all gates of a feature, if there are any."""
    feature = find_feature(ctx.world, name)
    if feature is not None:
        purge(ctx, feature)


def _list_targets(ctx: WriteContext, kind: str, text: str) -> list[int | str]:
    """Return the ids of those whom a text names; unknown ones are refused where the text may name several."""
    if not ctx.profile.has(FEATURE_TARGETS_ARE_LISTS) or kind == "feature_group":
        target = _find_target(ctx.world, kind, text)
        return [] if target is None else [target]
    names = [name for name in text.split(",") if name.strip()]
    found = {name: _find_target(ctx.world, kind, name) for name in names}
    for name, target in found.items():
        if target is None:
            raise BadRequest(f"400 Bad request - {name} is not found!")
    return [target for target in found.values() if target is not None]


def _find_target(world: World, kind: str, name: str) -> int | str | None:
    record: Record | None
    match kind:
        case "feature_group":
            return name
        case "organization":
            # There is one organization only.
            return _ORGANIZATION if name in (_ORGANIZATION, "1") else None
        case "repository":
            path = name.removesuffix(".git").removesuffix(".wiki")
            return None if namespaces.find_project_by_path(world, path) is None else name
        case "user":
            record = users.find_by_username(world, name)
        case "group":
            record = namespaces.find_group(world, name)
        case "namespace":
            record = namespaces.find_by_path(world, name)
        case "runner":
            record = world.runners.get(parse_number(name) or 0)
        case _:
            record = namespaces.find_project_by_path(world, name)
    return None if record is None else record.id


def _switched(targets: tuple[object, ...], listed: Sequence[int | str], *, on: bool) -> tuple[object, ...]:
    others = tuple(other for other in targets if other not in listed)
    return (*others, *listed) if on else others


def _change(ctx: WriteContext, feature: Feature, changes: Mapping[str, object]) -> Feature:
    table = ctx.world.features
    stored = feature if feature.id else table.add(Feature(table.next_id(), feature.name))
    return table.change(stored, **changes)


def save(ctx: WriteContext, feature: Feature) -> Feature:
    """Store a feature in place of the one with the same name."""
    table, stored = ctx.world.features, find_feature(ctx.world, feature.name)
    new = evolve(feature, id=stored.id if stored else table.next_id())
    return table.replace(stored, new) if stored else table.add(new)
