"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.entity import Entity
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.core.params.params import Params, at_least_one_of, exactly_one_of
from fakeplat.domain.notes import subscriptions
from fakeplat.domain.planning import labels
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
    """List labels."""
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


class NameLabel(Params):
    """Which label."""

    label_id: int | None = None
    name: str | None = None

    rules = (exactly_one_of("label_id", "name"),)


class LabelChanges(Params):
    """What changes of a label."""

    new_name: str | None = None
    color: str | None = None
    description: str | None = None


class UpdateGroupLabel(LabelChanges):
    """Changes of a group label."""

    rules = (at_least_one_of("new_name", "color", "description"),)


class UpdateProjectLabel(LabelChanges):
    """Changes of a project label."""

    priority: int | None = None

    rules = (at_least_one_of("new_name", "color", "description", "priority"),)


class UpdateNamedGroupLabel(NameLabel, UpdateGroupLabel):
    """Changes of a group label that a parameter names."""


class UpdateNamedProjectLabel(NameLabel, UpdateProjectLabel):
    """Changes of a project label that a parameter names."""


F = TypeVar("F", bound=Callable[..., Any])


def _updates(path: str, name: str, scope: Scope, takes: type[Params]) -> Callable[[F], F]:
    """Declare an operation that edits a label."""
    return area.operation(
        "PUT",
        path,
        under=scope,
        name=name,
        may=May.ADMIN_LABEL,
        takes=takes,
        shows=_view,
        options=_options,
        refuses=(404,),
    )


@_updates("labels/:name", "update_group_label", GROUP, UpdateGroupLabel)
@_updates("labels/:name", "update_project_label", PROJECT, UpdateProjectLabel)
def update_label(cx: Doing, place: Place, name: str, p: Params) -> Label:
    """Update a label."""
    return labels.update(cx, place, labels.find(cx.world, place, name, ancestors=False), p.given())


@_updates("labels", "update_group_label_by_parameter", GROUP, UpdateNamedGroupLabel)
@_updates("labels", "update_project_label_by_parameter", PROJECT, UpdateNamedProjectLabel)
def update_label_by_parameter(cx: Doing, place: Place, p: NameLabel) -> Label:
    """Update a label given as a parameter (deprecated)."""
    label = labels.find(cx.world, place, str(p.label_id or p.name), ancestors=False)
    changes = {name: value for name, value in p.given().items() if name not in ("label_id", "name")}
    return labels.update(cx, place, label, changes)


@area.operation("DELETE", "labels/:name", under=PLACES, may=May.ADMIN_LABEL, refuses=(404, 412))
def delete_label(cx: Doing, place: Place, name: str) -> None:
    """Delete a label."""
    _delete(cx, labels.find(cx.world, place, name, ancestors=False))


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
    """Delete a label given as a parameter (deprecated)."""
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
    """Subscribe to a label."""
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
    """Unsubscribe from a label."""
    return _subscribe(cx, labels.find(cx.world, place, name), wanted=False)


def _subscribe(cx: Doing, label: Label, *, wanted: bool) -> Label:
    subject, user = ("label", label.id), cx.someone
    subscriptions.subscribe(cx, subject, user, wanted=wanted, now=subscriptions.subscribed(cx.world, subject, user))
    return label


@area.operation(
    "PUT", "labels/:name/promote", under=PROJECT, may=May.ADMIN_LABEL, shows=GroupLabelView, refuses=(400, 404)
)
def promote_label(cx: Doing, project: Project, name: str) -> Label:
    """Promote a project label to a group label."""
    return _promote(cx, project, name)


class PromoteLabel(Params):
    """Which label."""

    name: str


@area.operation(
    "PUT",
    "labels/promote",
    under=PROJECT,
    may=May.ADMIN_LABEL,
    takes=PromoteLabel,
    shows=GroupLabelView,
    refuses=(400, 404),
)
def promote_project_label_by_name(cx: Doing, project: Project, p: PromoteLabel) -> Label:
    """Promote a project label given as a parameter to a group label (deprecated)."""
    return _promote(cx, project, p.name)


def _promote(cx: Doing, project: Project, name: str) -> Label:
    label = labels.find(cx.world, project, name, ancestors=False)
    in_group = isinstance(cx.world.namespaces[project.namespace_id], Group)
    if not in_group or label.source[0] == "group":
        reason = f"label {name!r} is the group's already" if in_group else "the project is in no group"
        raise BadRequest("Failed to promote project label to group label", reason=reason)
    return labels.promote(cx, project, label)
