"""Custom attributes of users, groups and projects. Source: docs/platform/users.md, docs/platform/projects.md."""

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.core.store.references import Subject
from fakeplat.domain.purging import purge
from fakeplat.model.people import Group, User
from fakeplat.model.projects import CustomAttribute, Project
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

Owner = User | Group | Project


def subject_of(owner: Owner) -> Subject:
    """Return how attributes name their owner."""
    return (type(owner).__name__.lower(), owner.id)


def list_attributes(world: World, subject: Subject) -> list[CustomAttribute]:
    """Return all attributes of a subject."""
    return list(world.custom_attributes.where("subject", subject))


def get_attribute(world: World, subject: Subject, key: str) -> CustomAttribute:
    """Return one attribute, or raise 404."""
    attribute = world.custom_attributes.find("key", (subject, key))
    if attribute is None:
        raise RecordNotFound(reason=f"{subject[0]} {subject[1]} has no custom attribute {key!r}")
    return attribute


def set_attribute(ctx: WriteContext, subject: Subject, key: str, value: str) -> CustomAttribute:
    """Set an attribute."""
    table = ctx.world.custom_attributes
    attribute = table.find("key", (subject, key))
    if attribute is not None:
        return table.change(attribute, value=value)
    return table.add(CustomAttribute(table.next_id(), subject, key, value))


def delete_attribute(ctx: WriteContext, subject: Subject, key: str) -> None:
    """Delete an attribute."""
    purge(ctx, get_attribute(ctx.world, subject, key))


def find_matching_ids(world: World, kind: str, attributes: dict[str, str]) -> set[int]:
    """Return the ids of the subjects of a kind that have all the given attribute values."""
    sets = [
        {world.custom_attributes[id_].subject[1] for id_ in world.custom_attributes.ids("pair", (kind, key, value))}
        for key, value in attributes.items()
    ]
    return set.intersection(*sets) if sets else set()
