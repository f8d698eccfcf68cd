"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Iterable, Sequence

from fakeplat.domain.notes.markdown import render_html
from fakeplat.domain.planning import colors as colours
from fakeplat.domain.planning import labels
from fakeplat.domain.planning.labels import find_by_title
from fakeplat.graphql.groups import GROUP
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type
from fakeplat.model.labels import Label
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import ReadContext

Place = Project | Group

LABEL = Type("Label", "A label.", gid=lambda label: f"{label.source[0].title()}Label", counts=True)
LABEL.attributes(
    {
        "title: String!": "Its name.",
        "description: String": "What it means.",
        "color: String!": "The colour behind its name.",
    }
)


@LABEL.field("textColor: String!")
def text_color(ctx: ReadContext, label: Label) -> str:
    """The colour of its name."""
    del ctx
    return colours.text_color(label.color)


@LABEL.field("descriptionHtml: String")
def description_html(ctx: ReadContext, label: Label) -> str:
    """The description as HTML."""
    del ctx
    return render_html(label.description or "")


@PROJECT.field("labels(searchTerm: String): LabelConnection")
@GROUP.field("labels(searchTerm: String): LabelConnection")
def labels_of(ctx: ReadContext, place: Place, search_term: str | None = None) -> Sequence[Label]:
    """The labels that can be used in it, those of the groups above too."""
    wanted = (search_term or "").lower()
    found = labels.list_available(ctx.world, place)
    return [one for one in found if wanted in one.title.lower() or wanted in (one.description or "").lower()]


@PROJECT.field("label(title: String!): Label", one=True)
@GROUP.field("label(title: String!): Label", one=True)
def label(ctx: ReadContext, place: Place, title: str) -> Label | None:
    """The label with a title."""
    return find_by_title(ctx.world, place, title)


def titles_of(ctx: ReadContext, project: Project, ids: Iterable[str]) -> list[str]:
    """The titles of a project's usable labels with these global ids; others are passed over."""
    usable = {label.id: label.title for label in labels.list_available(ctx.world, project)}
    wanted = [id_of(ctx, text, "Label", "ProjectLabel", "GroupLabel") for text in ids]
    return [usable[id_] for id_ in wanted if id_ in usable]
