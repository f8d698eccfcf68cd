"""Custom attributes of users, groups and projects. Source: docs/platform/users.md, docs/platform/projects.md."""

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.domain.purging import purge
from fakeplat.model.projects import CustomAttribute
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Subject = tuple[str, int]


def list_attributes(world: World, subject: Subject) -> list[CustomAttribute]:
    """All attributes of something."""
    return list(world.custom_attributes.where("subject", subject))


def find_attribute(world: World, subject: Subject, key: str) -> CustomAttribute:
    """One attribute, or 404."""
    found = world.custom_attributes.find("key", (subject, key))
    if found is None:
        raise RecordNotFound(reason=f"{subject[0]} {subject[1]} has no custom attribute {key!r}")
    return found


def set_attribute(ctx: WriteContext, subject: Subject, key: str, value: str) -> CustomAttribute:
    """Set an attribute."""
    table = ctx.world.custom_attributes
    found = table.find("key", (subject, key))
    if found is not None:
        return table.change(found, value=value)
    return table.add(CustomAttribute(table.next_id(), subject, key, value))


def delete_attribute(ctx: WriteContext, subject: Subject, key: str) -> None:
    """Remove an attribute."""
    purge(ctx, find_attribute(ctx.world, subject, key))


def find_matching_ids(world: World, kind: str, wanted: dict[str, str]) -> set[int]:
    """The ids of the things of a kind that have all the wanted values."""
    sets = [
        {world.custom_attributes[id_].subject[1] for id_ in world.custom_attributes.ids("pair", (kind, key, value))}
        for key, value in wanted.items()
    ]
    return set.intersection(*sets) if sets else set()
