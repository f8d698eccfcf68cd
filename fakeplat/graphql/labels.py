"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Iterable, Sequence

from fakeplat.domain.notes.markdown import html
from fakeplat.domain.planning import colours, labels
from fakeplat.domain.planning.labels import by_title
from fakeplat.graphql.declaring import Type
from fakeplat.graphql.groups import GROUP
from fakeplat.graphql.ids import id_of
from fakeplat.graphql.projects import PROJECT
from fakeplat.model.labels import Label
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.context import Context

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
def text_color(cx: Context, label: Label) -> str:
    """The colour of its name."""
    del cx
    return colours.text_colour(label.color)


@LABEL.field("descriptionHtml: String")
def description_html(cx: Context, label: Label) -> str:
    """The description as HTML."""
    del cx
    return html(label.description or "")


@PROJECT.field("labels(searchTerm: String): LabelConnection")
@GROUP.field("labels(searchTerm: String): LabelConnection")
def labels_of(cx: Context, place: Place, search_term: str | None = None) -> Sequence[Label]:
    """The labels that can be used in it, those of the groups above too."""
    wanted = (search_term or "").lower()
    found = labels.usable(cx.world, place)
    return [one for one in found if wanted in one.title.lower() or wanted in (one.description or "").lower()]


@PROJECT.field("label(title: String!): Label", one=True)
@GROUP.field("label(title: String!): Label", one=True)
def label(cx: Context, place: Place, title: str) -> Label | None:
    """The label with a title."""
    return by_title(cx.world, place, title)


def titles_of(cx: Context, project: Project, ids: Iterable[str]) -> list[str]:
    """The titles of a project's usable labels with these global ids; others are passed over."""
    usable = {label.id: label.title for label in labels.usable(cx.world, project)}
    wanted = [id_of(cx, text, "Label", "ProjectLabel", "GroupLabel") for text in ids]
    return [usable[id_] for id_ in wanted if id_ in usable]
