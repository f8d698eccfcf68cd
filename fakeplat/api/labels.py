"""Labels of projects and groups. Source: more on labels."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.entity import Entity
from fakeplat.core.errors import BadRequest
from fakeplat.core.operation import Area, Login
from fakeplat.core.paging import Paged
from fakeplat.core.params import Params, at_least_one_of, exactly_one_of
from fakeplat.domain import labels, subscriptions
from fakeplat.entities.labels import WITH_COUNTS, GroupLabelView, ProjectLabelView
from fakeplat.model.labels import Label
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Labels", login=Login.ALWAYS)
PLACES: Final = (PROJECT, GROUP)
Place = Project | Group


def _view(cx: Context, p: Params) -> type[Entity[Any]]:
    del p
    return ProjectLabelView if isinstance(cx.records[0], Project) else GroupLabelView


def _options(cx: Context, p: Any, label: Label | None) -> tuple[str, ...]:
    del label
    place = cx.records[0]
    counts = (WITH_COUNTS,) if getattr(p, "with_counts", False) else ()
    return (*counts, f"project:{place.id}") if isinstance(place, Project) else counts


class FindLabel(Params):
    """Where to look."""

    include_ancestor_groups: bool = True


class ListLabels(Paged):
    """Filters of lists of labels."""

    with_counts: bool = False
    include_ancestor_groups: bool = True
    search: str | None = None


@area.operation(
    "GET", "labels", under=PLACES, may=May.READ_LABEL, takes=ListLabels, shows=_view, many=True, options=_options
)
def list_labels(cx: Context, place: Place, p: ListLabels) -> Sequence[Label]:
    """List the labels."""
    wanted = (p.search or "").lower()
    found = labels.usable(cx.world, place, ancestors=p.include_ancestor_groups)
    return [label for label in found if _matches(label, wanted)]


def _matches(label: Label, wanted: str) -> bool:
    return not wanted or wanted in label.title.lower() or wanted in (label.description or "").lower()


@area.operation(
    "GET",
    "labels/:name",
    under=PLACES,
    may=May.READ_LABEL,
    takes=FindLabel,
    shows=_view,
    options=_options,
    refuses=(404,),
)
def get_label(cx: Context, place: Place, name: str, p: FindLabel) -> Label:
    """Get a label by id or title."""
    return labels.find(cx.world, place, name, ancestors=p.include_ancestor_groups)


class CreateLabel(Params):
    """A new label."""

    name: str
    color: str
    description: str | None = None
    priority: int | None = None


@area.operation(
    "POST",
    "labels",
    under=PLACES,
    may=May.ADMIN_LABEL,
    takes=CreateLabel,
    shows=_view,
    options=_options,
    refuses=(409,),
)
def create_label(cx: Doing, place: Place, p: CreateLabel) -> Label:
    """Create a label."""
    return labels.create(cx, place, p.name, p.color, p.description, p.priority)


class UpdateLabel(Params):
    """Changes of a label."""

    new_name: str | None = None
    color: str | None = None
    description: str | None = None
    priority: int | None = None

    rules = (at_least_one_of("new_name", "color", "description", "priority"),)


class UpdateLabelByParameter(UpdateLabel):
    """Changes of a label that a parameter names."""

    label_id: int | None = None
    name: str | None = None

    rules = (exactly_one_of("label_id", "name"),)


@area.operation(
    "PUT",
    "labels/:name",
    under=PLACES,
    may=May.ADMIN_LABEL,
    takes=UpdateLabel,
    shows=_view,
    options=_options,
    refuses=(404,),
)
def update_label(cx: Doing, place: Place, name: str, p: UpdateLabel) -> Label:
    """Edit a label."""
    return labels.update(cx, place, labels.find(cx.world, place, name, ancestors=False), p.given())


@area.operation(
    "PUT",
    "labels",
    under=PLACES,
    name="update_{scope}_label_by_parameter",
    may=May.ADMIN_LABEL,
    takes=UpdateLabelByParameter,
    shows=_view,
    options=_options,
    refuses=(404,),
)
def update_label_by_parameter(cx: Doing, place: Place, p: UpdateLabelByParameter) -> Label:
    """Edit a label that a parameter names."""
    found = labels.find(cx.world, place, str(p.label_id or p.name), ancestors=False)
    changes = {name: value for name, value in p.given().items() if name not in ("label_id", "name")}
    return labels.update(cx, place, found, changes)


@area.operation("DELETE", "labels/:name", under=PLACES, may=May.ADMIN_LABEL, refuses=(404, 412))
def delete_label(cx: Doing, place: Place, name: str) -> None:
    """Delete a label."""
    _delete(cx, labels.find(cx.world, place, name, ancestors=False))


class NameLabel(Params):
    """Which label."""

    label_id: int | None = None
    name: str | None = None

    rules = (exactly_one_of("label_id", "name"),)


@area.operation(
    "DELETE",
    "labels",
    under=PLACES,
    name="delete_{scope}_label_by_parameter",
    may=May.ADMIN_LABEL,
    takes=NameLabel,
    refuses=(404, 412),
)
def delete_label_by_parameter(cx: Doing, place: Place, p: NameLabel) -> None:
    """Delete a label that a parameter names."""
    _delete(cx, labels.find(cx.world, place, str(p.label_id or p.name), ancestors=False))


def _delete(cx: Doing, label: Label) -> None:
    cx.unmodified_since(label.updated_at)
    labels.delete(cx, label)


@area.operation(
    "POST",
    "labels/:name/subscribe",
    under=PLACES,
    name="subscribe_{scope}_label",
    may=May.READ_LABEL,
    shows=_view,
    options=_options,
    refuses=(304, 404),
)
def subscribe_label(cx: Doing, place: Place, name: str) -> Label:
    """Hear of what gets a label."""
    return _subscribe(cx, labels.find(cx.world, place, name), wanted=True)


@area.operation(
    "POST",
    "labels/:name/unsubscribe",
    under=PLACES,
    name="unsubscribe_{scope}_label",
    may=May.READ_LABEL,
    shows=_view,
    options=_options,
    refuses=(304, 404),
)
def unsubscribe_label(cx: Doing, place: Place, name: str) -> Label:
    """Hear no more of what gets a label."""
    return _subscribe(cx, labels.find(cx.world, place, name), wanted=False)


def _subscribe(cx: Doing, label: Label, *, wanted: bool) -> Label:
    subject, user = ("label", label.id), cx.someone
    subscriptions.subscribe(cx, subject, user, wanted=wanted, now=subscriptions.subscribed(cx.world, subject, user))
    return label


@area.operation(
    "PUT", "labels/:name/promote", under=PROJECT, may=May.ADMIN_LABEL, shows=GroupLabelView, refuses=(400, 404)
)
def promote_label(cx: Doing, project: Project, name: str) -> Label:
    """Make a project's label its group's."""
    label = labels.find(cx.world, project, name, ancestors=False)
    if not isinstance(cx.world.namespaces[project.namespace_id], Group):
        raise BadRequest("Failed to promote project label to group label", reason="the project is in no group")
    return labels.promote(cx, project, label)
