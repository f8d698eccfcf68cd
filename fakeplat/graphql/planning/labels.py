"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from graphql import GraphQLError

from fakeplat.domain.markup import markup
from fakeplat.domain.planning import colors, labels
from fakeplat.domain.planning.labels import find_by_title
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.lookups import find_namespace, find_visible_project
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Type, mutation
from fakeplat.model.people import Group
from fakeplat.model.planning import Label
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

LABEL = Type(
    "Label", "A label of a project or group.", gid=lambda label: f"{label.source[0].title()}Label", has_count=True
)
LABEL.attributes(
    {
        "title: String!": "The name.",
        "description: String": "The description.",
        "color: String!": "The background color.",
    }
)


LABEL.attributes(
    {"createdAt: Time!": "Timestamp of creation.", "updatedAt: Time!": "Timestamp of the last update."}, since="<=13.10"
)
LABEL.attributes({"archived: Boolean!": "Whether the label is archived."}, since="<=18.5")


@LABEL.field("textColor: String!")
def text_color(_ctx: ReadContext, label: Label) -> str:
    """The text color."""
    return colors.text_color(label.color)


@LABEL.field("descriptionHtml: String")
def description_html(ctx: ReadContext, label: Label) -> str:
    """The description rendered as HTML."""
    return markup.render_line(ctx, label.description, markup.project_of_source(ctx, label.source))


_SEARCHED: Final = ("title", "description")
Enumeration(
    "LabelSearchFieldList",
    "Where to search for a text.",
    {"TITLE": ("title", "In the name."), "DESCRIPTION": ("description", "In the description.")},
    since="<=18.5",
)
_ARGUMENTS: Final = """searchTerm: String, includeAncestorGroups: Boolean, title: String @lifetime(since: "<=18.5"),
    searchIn: [LabelSearchFieldList!]! = [TITLE, DESCRIPTION] @lifetime(since: "<=18.5"),
    archived: Boolean @lifetime(since: "<=18.5")"""


@PROJECT.field(f"labels({_ARGUMENTS}): LabelConnection")
def labels_of(
    ctx: ReadContext,
    container: Container,
    search_term: str | None = None,
    include_ancestor_groups: bool | None = None,
    title: str | None = None,
    search_in: Sequence[str] = _SEARCHED,
    archived: bool | None = None,
) -> Sequence[Label]:
    """The available labels, those of ancestor groups included unless they are not wanted."""
    above = include_ancestor_groups is not False
    return _select(
        labels.list_available(ctx.world, container, ancestors=above), search_term, title, search_in, archived
    )


@GROUP.field(f"labels({_ARGUMENTS}, includeDescendantGroups: Boolean, onlyGroupLabels: Boolean): LabelConnection")
def labels_of_group(
    ctx: ReadContext,
    group: Group,
    search_term: str | None = None,
    include_ancestor_groups: bool | None = None,
    include_descendant_groups: bool | None = None,
    only_group_labels: bool | None = None,
    title: str | None = None,
    search_in: Sequence[str] = _SEARCHED,
    archived: bool | None = None,
) -> Sequence[Label]:
    """The available labels, those of ancestor groups included unless they are not wanted."""
    found = labels.list_available(ctx.world, group, ancestors=include_ancestor_groups is not False)
    if include_descendant_groups or only_group_labels is False:
        below = labels.list_below(
            ctx.world, group, descendants=bool(include_descendant_groups), projects=only_group_labels is False
        )
        found = [*{label.id: label for label in (*found, *below)}.values()]
    return _select(found, search_term, title, search_in, archived)


def _select(
    found: Iterable[Label], search: str | None, title: str | None, columns: Sequence[str], archived: bool | None
) -> list[Label]:
    text = (search or "").lower()
    return [
        label
        for label in found
        if (not text or any(text in (getattr(label, column) or "").lower() for column in columns))
        and title in (None, label.title)
        and archived in (None, label.archived)
    ]


@PROJECT.field("label(title: String!): Label", single=True)
@GROUP.field("label(title: String!): Label", single=True)
def label(ctx: ReadContext, container: Container, title: str) -> Label | None:
    """The label with a title."""
    return find_by_title(ctx.world, container, title)


def label_titles(ctx: ReadContext, project: Project, ids: Iterable[str]) -> list[str]:
    """Return the titles of a project's available labels with these global ids; others are ignored."""
    titles_by_id = {label.id: label.title for label in labels.list_available(ctx.world, project)}
    label_ids = [parse_id(ctx, text, "Label", "ProjectLabel", "GroupLabel") for text in ids]
    # The domain functions take labels by title, as REST does.
    return [titles_by_id[id_] for id_ in label_ids if id_ in titles_by_id]


@mutation(
    "labelCreate",
    input_fields='''
"""The full path of the project to create the label in."""
projectPath: ID
"""The full path of the group to create the label in."""
groupPath: ID
"""The name."""
title: String!
"""The description."""
description: String
"""The background color."""
color: String = "#428BCA" @lifetime(until: "<=15.3")
"""The background color."""
color: String = "#6699cc" @lifetime(since: "<=15.3")
''',
    payload_fields='"""The label."""\nlabel: Label',
    since="<=13.6",
)
def create_label(
    ctx: WriteContext,
    title: str,
    color: str,
    project_path: str | None = None,
    group_path: str | None = None,
    description: str | None = None,
) -> Mapping[str, Any]:
    """Create a label in a project or group."""
    if (project_path is None) == (group_path is None):
        raise GraphQLError("Exactly one of groupPath or projectPath arguments is required")
    container = find_visible_project(ctx, project_path) if project_path else find_namespace(ctx, group_path or "")
    if not isinstance(container, Project | Group) or not can(ctx, Ability.ADMIN_LABEL, container):
        raise ResourceNotAvailable("the caller may not create labels there, or there is no project or group")
    with collect_errors(label=None):
        return {"label": labels.create(ctx, container, title, color, description)}
