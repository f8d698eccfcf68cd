"""Features of the platform itself: gates for everybody, groups of users, single actors and percentages."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from attrs import evolve

from fakeplat.core.operations.errors import BadRequest, InvalidParams, NotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.core.store.table import Record
from fakeplat.domain.instance.feature_definitions import DEFINITIONS, is_on_by_default
from fakeplat.domain.people import namespaces, users
from fakeplat.domain.purging import purge
from fakeplat.model.instance import FULL, OPTED_OUT, Feature
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import (
    FEATURE_PERCENTAGES_ARE_DECIMAL,
    FEATURE_TARGETS_ARE_LISTS,
    FEATURE_VALUES_ARE_CHECKED,
)
from fakeplat.policy.context import WriteContext

Actor = Group | Project | User
"""For whom a feature can be on, if not for everybody."""
Targets = Mapping[str, str]
"""Names of those for whom a feature is switched, by kind: ``feature_group``, ``user``, ``group``, ``project``."""

_GROUPS: Final = "feature_groups"
_FIELDS: Final = {
    "feature_group": _GROUPS,
    "user": "user_ids",
    "group": "group_ids",
    "project": "project_ids",
    "namespace": "namespace_ids",
    "repository": "repositories",
    "runner": "runner_ids",
    "organization": "organizations",
}
_ORGANIZATION: Final = "default"
_OF_ACTORS: Final = "percentage_of_actors"
_OF_TIME: Final = "percentage_of_time"


@frozen
class Target:
    """One of those for whom a feature is switched: a group of users, or an actor. ``name`` is shown in refusals."""

    field: str
    value: int | str
    name: str

    def is_in(self, feature: Feature, prefix: str = "") -> bool:
        """Whether a field of a feature names it."""
        return self.field != _GROUPS and self.value in getattr(feature, f"{prefix}{self.field}")


def find_feature(world: World, name: str) -> Feature | None:
    """Return a feature that was switched before, or None."""
    return world.features.find("name", name)


def is_known(world: World, name: str) -> bool:
    """Return whether there is a feature: one with a definition, or one that was switched before."""
    return name in DEFINITIONS or find_feature(world, name) is not None


def is_enabled(world: World, name: str, actor: Actor | None = None) -> bool:
    """Return whether a feature is on for everybody or for an actor: as it was switched, or by default."""
    feature = find_feature(world, name)
    if feature is None:
        return is_on_by_default(world.profile, name)
    if actor is not None and _names(feature, actor, OPTED_OUT):
        return False
    return feature.state == "on" or (actor is not None and _names(feature, actor))


def _names(feature: Feature, actor: Actor, prefix: str = "") -> bool:
    return actor.id in getattr(feature, f"{prefix}{_get_field(actor)}")


def _get_field(actor: Actor) -> str:
    match actor:
        case Group():
            return "group_ids"
        case Project():
            return "project_ids"
        case User():
            return "user_ids"


def check_enabled(world: World, name: str, actor: Actor | None = None) -> None:
    """Refuse with 404 what a feature offers that is off."""
    if not is_enabled(world, name, actor):
        raise NotFound(reason=f"the feature {name} is off: switch it on with POST /features/{name}")


def switch(ctx: WriteContext, name: str, value: str, key: str | None, targets: Targets) -> Feature:
    """Set a feature to a value for some targets, or for everybody if none is named.

    Up to 18.5, what is neither a truth value nor a number counts as 0, and targets know truth values only.
    """
    feature = find_feature(ctx.world, name) or Feature(0, name)
    if ctx.profile.has(FEATURE_VALUES_ARE_CHECKED):
        return _switch_targets(ctx, feature, value, targets) if targets else _switch_all(ctx, feature, value, key)
    if value not in ("true", "false", "0"):
        gate = _OF_ACTORS if key == _OF_ACTORS else _OF_TIME
        return _change(ctx, feature, {gate: _read_percentage(ctx, value)})
    if not targets:
        return _enable(ctx, name, on=value == "true")
    return _change_targets(ctx, feature, list(_find_targets(ctx, targets)), on=value == "true")


_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_INTEGER: Final = re.compile(r"[0-9]{1,9}")


def _read_percentage(ctx: WriteContext, text: str) -> float:
    """Return the number at the start of a text, 0 if there is none."""
    pattern = _NUMBER if ctx.profile.has(FEATURE_PERCENTAGES_ARE_DECIMAL) else _INTEGER
    match = pattern.match(text.strip())
    number = match.group() if match else "0"
    return _check_percentage(float(number) if "." in number else int(number), text)


def _check_percentage(percentage: float, text: str) -> float:
    if percentage > FULL:
        raise InvalidParams("value is invalid", reason=f"{text} is no percentage")
    return percentage


def _enable(ctx: WriteContext, name: str, *, on: bool) -> Feature:
    """Switch a feature for everybody, which closes all other gates."""
    return save(ctx, Feature(0, name, enabled=on))


_ON: Final = ("100", "100.0", "true")
_OFF: Final = ("0", "0.0", "false")


def _switch_all(ctx: WriteContext, feature: Feature, value: str, key: str | None) -> Feature:
    if value in (*_ON, *_OFF):
        return _enable(ctx, feature.name, on=value in _ON)
    is_number = _NUMBER.fullmatch(value) is not None
    if key not in (_OF_ACTORS, _OF_TIME) and (key or not is_number):
        of_key = f' ("{key}")' if key else ""
        raise _refuse(f"Cannot set '{feature.name}'{of_key} to \"{value}\"")
    if not is_number:
        raise _refuse("Not a percentage")
    gate = key or _OF_TIME
    if feature.state == "on":
        raise _refuse(f"Cannot enable {gate.replace('_', ' ')} for a fully-enabled flag")
    return _change(ctx, feature, {gate: _check_percentage(float(value), value)})


def _switch_targets(ctx: WriteContext, feature: Feature, value: str, targets: Targets) -> Feature:
    switched = list(_find_targets(ctx, targets))
    if value in _ON:
        for target in switched:
            if target.is_in(feature, OPTED_OUT):
                raise _refuse(f"Opt-out exists for {target.name} - remove opt-out before enabling")
    elif value == "remove_opt_out":
        for target in switched:
            if not target.is_in(feature, OPTED_OUT):
                raise _refuse(f"No opt-out exists for {target.name}")
    elif value not in (*_OFF, "opt_out") and switched:
        raise _refuse(f"Cannot set '{feature.name}' to \"{value}\" for {switched[0].name}")
    if value not in ("opt_out", "remove_opt_out"):
        return _change_targets(ctx, feature, switched, on=value in _ON)
    actors = [target for target in switched if target.field != _GROUPS]
    return _change_targets(ctx, feature, actors, on=value == "opt_out", prefix=OPTED_OUT)


def _refuse(text: str) -> BadRequest:
    return BadRequest(f"400 Bad request - {text}")


def _change_targets(
    ctx: WriteContext, feature: Feature, targets: list[Target], *, on: bool, prefix: str = ""
) -> Feature:
    changes = {
        f"{prefix}{field}": _switched(
            getattr(feature, f"{prefix}{field}"), [target.value for target in targets if target.field == field], on=on
        )
        for field in dict.fromkeys(target.field for target in targets)
    }
    return _change(ctx, feature, changes) if changes else feature


def delete(ctx: WriteContext, name: str) -> None:
    """Delete all gates of a feature, if there are any."""
    feature = find_feature(ctx.world, name)
    if feature is not None:
        purge(ctx, feature)


def _find_targets(ctx: WriteContext, targets: Targets) -> Iterator[Target]:
    """Yield those whom texts name; unknown ones are refused where a text may name several, otherwise ignored."""
    has_lists = ctx.profile.has(FEATURE_TARGETS_ARE_LISTS)
    for kind, text in targets.items():
        names = [name for name in text.split(",") if name] if has_lists and kind != "feature_group" else [text]
        for name in names:
            target = _find_target(ctx.world, kind, name)
            if target is not None:
                yield target
            elif has_lists:
                raise _refuse(f"{name} is not found!")


def _find_target(world: World, kind: str, name: str) -> Target | None:
    record: Record | None
    field, shown = _FIELDS[kind], name
    match kind:
        case "feature_group":
            return Target(field, name, name)
        case "organization":
            # There is one organization only.
            return Target(field, _ORGANIZATION, name) if name in (_ORGANIZATION, "1") else None
        case "repository":
            path = name.removesuffix(".git").removesuffix(".wiki")
            return None if namespaces.find_project_by_path(world, path) is None else Target(field, name, name)
        case "user":
            record, shown = users.find_by_username(world, name), f"@{name}"
        case "group":
            record, shown = namespaces.find_group(world, name), f"@{name}"
        case "namespace":
            record = namespaces.find_by_path(world, name)
            if isinstance(record, Group):
                field, shown = _FIELDS["group"], f"@{name}"
        case "runner":
            record = world.runners.get(parse_number(name) or 0)
        case _:
            record = namespaces.find_project_by_path(world, name)
    return None if record is None else Target(field, record.id, shown)


def _switched(targets: tuple[object, ...], listed: list[int | str], *, on: bool) -> tuple[object, ...]:
    others = tuple(other for other in targets if other not in listed)
    return (*others, *dict.fromkeys(listed)) if on else others


def _change(ctx: WriteContext, feature: Feature, changes: Mapping[str, object]) -> Feature:
    table = ctx.world.features
    stored = feature if feature.id else table.add(Feature(table.next_id(), feature.name))
    return table.change(stored, **changes)


def save(ctx: WriteContext, feature: Feature) -> Feature:
    """Store a feature in place of the one with the same name."""
    table, stored = ctx.world.features, find_feature(ctx.world, feature.name)
    new = evolve(feature, id=stored.id if stored else table.next_id())
    return table.replace(stored, new) if stored else table.add(new)
