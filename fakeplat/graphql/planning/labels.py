"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from graphql import GraphQLError

from fakeplat.domain.markup import markup
from fakeplat.domain.people.members import container_of
from fakeplat.domain.planning import colors, labels
from fakeplat.graphql.errors import ResourceNotAvailable, collect_errors
from fakeplat.graphql.ids import LABEL_KINDS, parse_id
from fakeplat.graphql.lookups import find_namespace, find_visible_project, require_ability
from fakeplat.graphql.people.groups import GROUP
from fakeplat.graphql.planning.boards import BOARD
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Enumeration, Interface, Type, mutation
from fakeplat.model.people import Group
from fakeplat.model.planning import Board, Label
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

_INTERFACE: Final = "LabelInterface"
Interface(
    _INTERFACE,
    "A label of a project or group, or one for new projects.",
    {
        "title: String!": "The name.",
        "description: String": "The description.",
        "color: String!": "The background color.",
        "textColor: String!": "The text color.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    },
    since="<=18.5",
    type_of=lambda _label: "Label",
)
LABEL = Type(
    "Label",
    "A label of a project or group.",
    gid=lambda label: f"{label.source[0].title()}Label",
    has_count=True,
    implements=(_INTERFACE,),
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
LABEL.attributes(
    {"lockOnMerge: Boolean!": "Whether merge requests keep the label once they are merged."}, since="<=16.9"
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
_SEARCH: Final = "<=18.2"
Enumeration(
    "LabelSearchFieldList",
    "Where to search for a text.",
    {"TITLE": ("title", "In the name."), "DESCRIPTION": ("description", "In the description.")},
    since=_SEARCH,
)
_EXCLUSIVE: Final = "Only one of [searchTerm, title] arguments is allowed at the same time."
_ONE_PARENT: Final = "Exactly one of group_path or project_path arguments is required"
_ARGUMENTS: Final = f"""searchTerm: String, includeAncestorGroups: Boolean = false,
    title: String @lifetime(since: "{_SEARCH}"),
    searchIn: [LabelSearchFieldList!] = [TITLE, DESCRIPTION] @lifetime(since: "{_SEARCH}"),
    archived: Boolean @lifetime(since: "<=18.5")"""


class LabelFilters(TypedDict, total=False):
    """The arguments of lists of labels."""

    search_term: str | None
    title: str | None
    search_in: Sequence[str] | None
    archived: bool | None


@PROJECT.field(f"labels({_ARGUMENTS}): LabelConnection")
def labels_of(
    ctx: ReadContext,
    project: Project,
    include_ancestor_groups: bool | None = None,
    **filters: Unpack[LabelFilters],
) -> Sequence[Label]:
    """The labels of the project and of its group by title, and on request those of the groups above."""
    require_ability(ctx, Ability.READ_LABEL, project)
    return _select(labels.list_available(ctx.world, project, ancestors=bool(include_ancestor_groups)), filters)


@BOARD.field("labels: LabelConnection", since="<=13.6")
def labels_of_board(ctx: ReadContext, board: Board) -> Sequence[Label]:
    """The labels to which the board is limited."""
    return [ctx.world.labels[id_] for id_ in board.label_ids]


@GROUP.field(
    f"labels({_ARGUMENTS}, includeDescendantGroups: Boolean = false, onlyGroupLabels: Boolean = false): LabelConnection"
)
def labels_of_group(
    ctx: ReadContext,
    group: Group,
    include_ancestor_groups: bool | None = None,
    include_descendant_groups: bool | None = None,
    only_group_labels: bool | None = None,
    **filters: Unpack[LabelFilters],
) -> Sequence[Label]:
    """The labels of the group and its projects by title, and on request those of the groups above and below."""
    require_ability(ctx, Ability.READ_LABEL, group)
    found = [
        *labels.list_available(ctx.world, group, ancestors=bool(include_ancestor_groups)),
        *labels.list_below(ctx, group, descendants=bool(include_descendant_groups), projects=not only_group_labels),
    ]
    return _select(sorted(found, key=lambda label: (label.title.lower(), label.id)), filters)


def _select(found: Iterable[Label], filters: LabelFilters) -> list[Label]:
    title, text = filters.get("title"), (filters.get("search_term") or "").lower()
    if title is not None and filters.get("search_term") is not None:
        raise GraphQLError(_EXCLUSIVE)
    columns = filters.get("search_in") or _SEARCHED
    return [
        label
        for label in found
        if (not text or any(text in (getattr(label, column) or "").lower() for column in columns))
        and title in (None, label.title)
        and filters.get("archived") in (None, label.archived)
    ]


@PROJECT.field("label(title: String!): Label", single=True)
def label_of_project(ctx: ReadContext, project: Project, title: str) -> Label | None:
    """The label of the project or of its group with a title."""
    if not can(ctx, Ability.READ_LABEL, project):
        return None
    available = labels.list_available(ctx.world, project, ancestors=False)
    return next((label for label in available if label.title == title), None)


@GROUP.field("label(title: String!): Label", single=True)
def label_of_group(ctx: ReadContext, group: Group, title: str) -> Label | None:
    """The label of the group or of one of its projects with a title."""
    available = [
        *labels.list_own(ctx.world, group),
        *labels.list_below(ctx, group, descendants=False, projects=True),
    ]
    return next((label for label in available if label.title == title), None)


def label_titles(ctx: ReadContext, project: Project, ids: Iterable[str]) -> list[str]:
    """Return the titles of a project's available labels with these global ids; others are ignored."""
    titles_by_id = {label.id: label.title for label in labels.list_available(ctx.world, project)}
    label_ids = [parse_id(ctx, text, *LABEL_KINDS) for text in ids]
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
    if bool(project_path) == bool(group_path):
        raise GraphQLError(_ONE_PARENT)
    container = find_visible_project(ctx, project_path) if project_path else find_namespace(ctx, group_path or "")
    if not isinstance(container, Project | Group) or not can(ctx, Ability.ADMIN_LABEL, container):
        raise ResourceNotAvailable("the caller may not create labels there, or there is no project or group")
    with collect_errors(label=None):
        labels.validate_title(ctx.world, container, title)
        return {"label": labels.insert(ctx, container, title=title, color=color, description=description)}


@mutation(
    "labelUpdate",
    input_fields='''
"""The global ID of the label."""
id: LabelID!
"""Whether the label is archived."""
archived: Boolean
''',
    payload_fields='"""The label."""\nlabel: Label',
    since="18.4",
)
def update_label(ctx: WriteContext, id: str, archived: bool | None = None) -> Mapping[str, Any]:
    """Archive a label, or take it back."""
    label = ctx.world.labels.get(parse_id(ctx, id, *LABEL_KINDS))
    container = container_of(ctx.world, label.source) if label is not None else None
    if label is None or container is None or not can(ctx, Ability.ADMIN_LABEL, container):
        raise ResourceNotAvailable(f"there is no label {id}, or the caller may not administer it")
    with collect_errors(label=None):
        return {"label": labels.update(ctx, container, label, archived=archived)}
