"""Topics of projects, which the platform has since release 14.5."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fakeplat.api.people.groups import check_organization
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime, Required
from fakeplat.domain.projects import topics
from fakeplat.entities.projects.projects import TopicView
from fakeplat.model.projects import Topic
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import TOPICS_HAVE_AN_ORGANIZATION
from fakeplat.policy.context import ReadContext, WriteContext

# Reading needs no login. Writing is for administrators, whom the platform checks for after the parameters.
area: Final = Area("Topics", login=Login.NEVER)


class ListTopics(Paged):
    """Filters of the list of topics."""

    search: str | None = None
    without_projects: bool | None = None
    organization_id: Annotated[int | None, TOPICS_HAVE_AN_ORGANIZATION] = None


@area.operation("GET", "topics", params=ListTopics, view=TopicView, many=True, refusals=(404,), since="14.5")
def list_topics(ctx: ReadContext, p: ListTopics) -> Sequence[Topic]:
    """List topics, those of most projects first."""
    check_organization(p.organization_id)
    return topics.list_topics(ctx.world, p.search, without_projects=bool(p.without_projects))


@area.operation("GET", "topics/:id", view=TopicView, refusals=(404,), since="14.5")
def get_topic(ctx: ReadContext, id: int) -> Topic:
    """Get a topic."""
    return topics.get_topic(ctx.world, id)


_HAS_TITLE: Final = Lifetime(since="15.0")


class TopicAttributes(Params):
    """What may be said of a topic. An empty ``avatar`` removes the one that is there."""

    description: str | None = None
    avatar: Upload | str | None = None


class CreateTopic(TopicAttributes):
    """A new topic."""

    name: str
    organization_id: Annotated[int | None, TOPICS_HAVE_AN_ORGANIZATION] = None
    title: Annotated[str, _HAS_TITLE, Required(_HAS_TITLE.since)] = ""


def _fields(p: TopicAttributes) -> dict[str, Any]:
    # There is one organization only.
    return {name: value for name, value in p.given().items() if name != "organization_id"}


@area.operation(
    "POST",
    "topics",
    ability=Ability.ADMIN_TOPICS,
    params=CreateTopic,
    view=TopicView,
    refusals=(400, 404),
    since="14.5",
)
def create_topic(ctx: WriteContext, p: CreateTopic) -> Topic:
    """Create a topic."""
    check_organization(p.organization_id)
    avatar = p.avatar if isinstance(p.avatar, Upload) else None
    return topics.create(ctx, **{"title": p.name, **_fields(p), "avatar": avatar})


class UpdateTopic(TopicAttributes):
    """Changes of a topic."""

    name: str | None = None
    title: Annotated[str | None, _HAS_TITLE] = None


@area.operation(
    "PUT",
    "topics/:id",
    ability=Ability.ADMIN_TOPICS,
    params=UpdateTopic,
    view=TopicView,
    refusals=(400, 404),
    since="14.5",
)
def update_topic(ctx: WriteContext, id: int, p: UpdateTopic) -> Topic:
    """Update a topic. A new name also reaches its projects."""
    return topics.update(ctx, topics.get_topic(ctx.world, id), **_fields(p))


@area.operation("DELETE", "topics/:id", ability=Ability.ADMIN_TOPICS, refusals=(404,), since="14.9")
def delete_topic(ctx: WriteContext, id: int) -> None:
    """Delete a topic, and remove it from its projects."""
    topics.delete(ctx, topics.get_topic(ctx.world, id))


class MergeTopics(Params):
    """The topic that goes, and the one that its projects get instead."""

    source_topic_id: int
    target_topic_id: int


@area.operation(
    "POST",
    "topics/merge",
    ability=Ability.ADMIN_TOPICS,
    params=MergeTopics,
    view=TopicView,
    refusals=(400, 404),
    since="15.4",
)
def merge_topics(ctx: WriteContext, p: MergeTopics) -> Topic:
    """Merge a topic into another one."""
    source, target = (topics.get_topic(ctx.world, id_) for id_ in (p.source_topic_id, p.target_topic_id))
    return topics.merge(ctx, source, target)
