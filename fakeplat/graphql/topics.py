"""Topics. Source: docs/platform/graphql.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.markup import markup
from fakeplat.domain.projects import topics
from fakeplat.entities import urls
from fakeplat.graphql.schema_builder import QUERY, Type
from fakeplat.model.projects import Topic
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=14.9"
TOPIC = Type("Topic", "A topic of projects.", gid="Projects::Topic", since=_SINCE)
TOPIC.attributes({"name: String!": "The name.", "description: String": "The description in Markdown."})
TOPIC.attributes({"title: String": "The title."}, since="<=15.0")


@TOPIC.field("descriptionHtml: String")
def description_html(ctx: ReadContext, topic: Topic) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, topic.description, None)


@TOPIC.field("avatarUrl: String")
def avatar_url(ctx: ReadContext, topic: Topic) -> str | None:
    """The URL of the avatar."""
    return urls.avatar_url(ctx, "projects/topic", topic.id, topic.avatar)


@QUERY.field("topics(search: String): TopicConnection", since=_SINCE)
def topics_of_instance(ctx: ReadContext, search: str | None = None) -> Sequence[Topic]:
    """The topics, those of most projects first."""
    return topics.list_topics(ctx.world, search)
