"""Features of the platform itself: gates for everybody, groups of users, single actors and percentages."""

from collections.abc import Mapping
from typing import Any, Final

from attrs import evolve

from fakeplat.domain.people import namespaces, users
from fakeplat.domain.purging import purge
from fakeplat.model.instance import Feature
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Targets = Mapping[str, str]
"""Names of those for whom a feature is switched, by kind: ``feature_group``, ``user``, ``group``, ``project``."""

_FIELDS: Final = {
    "feature_group": "feature_groups",
    "user": "user_ids",
    "group": "group_ids",
    "project": "project_ids",
}


def find_feature(world: World, name: str) -> Feature | None:
    """Return a feature that was switched before, or None."""
    return world.features.find("name", name)


def is_enabled(world: World, name: str, actor: Group | Project) -> bool:
    """Return whether a feature that is off by default is on for a group or project."""
    feature = find_feature(world, name)
    if feature is None:
        return False
    ids = feature.group_ids if isinstance(actor, Group) else feature.project_ids
    return feature.state == "on" or actor.id in ids


def switch(ctx: WriteContext, name: str, *, on: bool, targets: Targets) -> Feature:
    """Switch a feature for some targets, or for everybody if none is named. Unknown targets are ignored."""
    if not targets:
        # For everybody, all other gates are closed.
        return save(ctx, Feature(0, name, enabled=on))
    feature = find_feature(ctx.world, name) or Feature(0, name)
    found = {kind: _find_target(ctx.world, kind, target) for kind, target in targets.items()}
    changes = {
        _FIELDS[kind]: _switched(getattr(feature, _FIELDS[kind]), target, on=on)
        for kind, target in found.items()
        if target is not None
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


def _find_target(world: World, kind: str, name: str) -> int | str | None:
    if kind == "feature_group":
        return name
    if kind == "user":
        record: Any = users.find_by_username(world, name)
    else:
        record = namespaces.find_group(world, name) if kind == "group" else namespaces.find_project_by_path(world, name)
    return None if record is None else int(record.id)


def _switched(targets: tuple[object, ...], target: int | str, *, on: bool) -> tuple[object, ...]:
    others = tuple(other for other in targets if other != target)
    return (*others, target) if on else others


def _change(ctx: WriteContext, feature: Feature, changes: Mapping[str, object]) -> Feature:
    table = ctx.world.features
    stored = feature if feature.id else table.add(Feature(table.next_id(), feature.name))
    return table.change(stored, **changes)


def save(ctx: WriteContext, feature: Feature) -> Feature:
    """Store a feature in place of the one with the same name."""
    table, stored = ctx.world.features, find_feature(ctx.world, feature.name)
    new = evolve(feature, id=stored.id if stored else table.next_id())
    return table.replace(stored, new) if stored else table.add(new)
