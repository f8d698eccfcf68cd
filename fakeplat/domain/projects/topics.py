"""Topics: the names in the tag lists of projects, with a title, a description and an avatar.

A topic begins with the first project that has it, and stays when no project has it any more.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import BadRequest, RecordNotFound
from fakeplat.core.params.body import Upload
from fakeplat.domain import uploads
from fakeplat.domain.projects.similarity import trigrams
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.projects import Topic
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

KIND: Final = "topic"
_SHORTEST_PART: Final = 3
"""Number of characters from which a search text matches parts of names; a shorter one matches whole names."""
_LONGEST_DESCRIPTION: Final = 1024


def count_projects(world: World, topic: Topic) -> int:
    """Return the number of projects that have a topic."""
    return len(world.projects.ids("topic", topic.name.lower()))


def list_topics(world: World, search: str | None = None, *, without_projects: bool = False) -> Sequence[Topic]:
    """Return topics: those of most projects first; with a search text, the most similar ones first."""
    matching = [
        topic
        for topic in world.topics.all()
        if _matches(topic, search or "") and not (without_projects and count_projects(world, topic))
    ]
    matching.sort(key=lambda topic: (-_similarity(topic, search or ""), -count_projects(world, topic), topic.id))
    return matching


def _matches(topic: Topic, search: str) -> bool:
    names, text = (topic.name.lower(), topic.title.lower()), search.lower()
    return any(text in name for name in names) if not text or len(text) >= _SHORTEST_PART else text in names


def _similarity(topic: Topic, search: str) -> float:
    ours, theirs = trigrams(topic.name), trigrams(search)
    return len(ours & theirs) / len(ours | theirs) if search and ours | theirs else 0.0


def get_topic(world: World, id_: int) -> Topic:
    """Return the topic with an id, or refuse with 404."""
    topic = world.topics.get(id_)
    if topic is None:
        raise RecordNotFound(reason=f"there is no topic {id_}")
    return topic


def add_missing(ctx: WriteContext, names: Iterable[str]) -> None:
    """Create the topics of a project that do not exist yet."""
    for name in names:
        if ctx.world.topics.find("name", name.lower()) is None:
            ctx.world.topics.add(Topic(ctx.world.topics.next_id(), name, name))


class NewTopic(TypedDict, total=False):
    """The fields of a new topic."""

    name: Required[str]
    title: Required[str]
    description: str | None


class TopicChanges(TypedDict, total=False):
    """Changes of a topic; an empty avatar removes the one that is there."""

    name: str | None
    title: str | None
    description: str | None
    avatar: Upload | str | None


def create(ctx: WriteContext, *, avatar: Upload | None = None, **fields: Unpack[NewTopic]) -> Topic:
    """Create a topic."""
    _list_errors(ctx.world, None, fields, avatar).refuse()
    topic = ctx.world.topics.add(Topic(ctx.world.topics.next_id(), **fields))
    return _change_avatar(ctx, topic, avatar) if avatar is not None else topic


def update(ctx: WriteContext, topic: Topic, **fields: Unpack[TopicChanges]) -> Topic:
    """Change a topic; a new name also reaches its projects. An empty avatar removes the one that is there."""
    changes_avatar, avatar = "avatar" in fields, fields.pop("avatar", None)
    _list_errors(ctx.world, topic, fields, avatar).refuse()
    changed = ctx.world.topics.change(topic, **fields)
    _replace_in_projects(ctx, topic, changed.name)
    return _change_avatar(ctx, changed, avatar) if changes_avatar else changed


def _list_errors(
    world: World, before: Topic | None, fields: NewTopic | TopicChanges, avatar: object
) -> ValidationErrors:
    errors = ValidationErrors()
    if "name" in fields:
        _check_text(errors, "name", fields["name"])
    if "title" in fields:
        _check_text(errors, "title", fields["title"])
    same_name = world.topics.find("name", (fields.get("name") or "").lower())
    errors.when(same_name is not None and same_name.id != (before.id if before else None), "name", TAKEN)
    too_long(errors, "description", fields.get("description"), _LONGEST_DESCRIPTION)
    if isinstance(avatar, Upload):
        uploads.check_avatar(errors, avatar, world.profile)
    return errors


def _check_text(errors: ValidationErrors, name: str, text: str | None) -> None:
    errors.when(not (text or "").strip(), name, BLANK)
    too_long(errors, name, text)


def _change_avatar(ctx: WriteContext, topic: Topic, avatar: object) -> Topic:
    owner = (KIND, topic.id)
    uploads.delete_avatar(ctx, owner)
    stored = uploads.new_avatar(ctx, owner, avatar) if isinstance(avatar, Upload) else None
    return ctx.world.topics.change(topic, avatar=stored)


def delete(ctx: WriteContext, topic: Topic) -> None:
    """Delete a topic, and remove it from its projects."""
    _replace_in_projects(ctx, topic, None)
    purge(ctx, topic)


def merge(ctx: WriteContext, source: Topic, target: Topic) -> Topic:
    """Give the projects of a topic another one instead, and delete it."""
    if source.id == target.id:
        raise BadRequest("The source topic and the target topic are identical.")
    _replace_in_projects(ctx, source, target.name)
    purge(ctx, source)
    return target


def _replace_in_projects(ctx: WriteContext, topic: Topic, name: str | None) -> None:
    """Replace a topic in the tag lists of its projects; without a name, remove it."""
    old = topic.name.lower()
    for id_ in list(ctx.world.projects.ids("topic", old)):
        project = ctx.world.projects[id_]
        names = [name if tag.lower() == old else tag for tag in project.tag_list]
        ctx.world.projects.change(project, tag_list=tuple(dict.fromkeys(tag for tag in names if tag is not None)))
