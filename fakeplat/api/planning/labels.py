"""Labels of projects and groups. Source: docs/platform/labels.md."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.operations.scope import Scope
from fakeplat.core.params.params import Params, at_least_one_of, exactly_one_of
from fakeplat.core.release import Lifetime
from fakeplat.domain.notes import subscriptions
from fakeplat.domain.planning import labels
from fakeplat.domain.purging import purge
from fakeplat.entities.planning.labels import WITH_COUNTS, GroupLabelView, ProjectLabelView
from fakeplat.model.people import Group
from fakeplat.model.planning import Label
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import LABELS_OF_GROUPS_NEED_THE_GROUP
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Labels", login=Login.ALWAYS)
CONTAINERS: Final = (PROJECT, GROUP)
_ARCHIVED: Final = Lifetime(since="18.10")
_LABELS_BELOW: Final = Lifetime(since="<=14.8")
F = TypeVar("F", bound=Callable[..., Any])


def _view(ctx: ReadContext, _p: Params) -> type[ProjectLabelView | GroupLabelView]:
    return ProjectLabelView if isinstance(ctx.records[0], Project) else GroupLabelView


def _options(ctx: ReadContext, p: Params, _label: Label | None) -> tuple[str, ...]:
    container = ctx.records[0]
    counts = (WITH_COUNTS,) if getattr(p, "with_counts", False) else ()
    # The priority of a label differs between projects, so the view has to know the project.
    return (*counts, f"project:{container.id}") if isinstance(container, Project) else counts


class GetLabel(Params):
    """Where to look for a label."""

    include_ancestor_groups: bool = True


class GroupLabelSources(Params):
    """Of which groups and projects the labels are, besides the group itself."""

    include_descendant_groups: Annotated[bool, _LABELS_BELOW] = False
    only_group_labels: Annotated[bool, _LABELS_BELOW] = True


class GetGroupLabel(GetLabel, GroupLabelSources):
    """Where to look for a label of a group."""


class ListLabels(Paged):
    """Filters of lists of labels."""

    with_counts: bool = False
    include_ancestor_groups: bool = True
    search: str | None = None
    archived: Annotated[bool | None, _ARCHIVED] = None


class ListGroupLabels(ListLabels, GroupLabelSources):
    """Filters of lists of a group's labels."""


def _declare_list(name: str, scope: Scope, params: type[Params]) -> Callable[[F], F]:
    return area.operation(
        "GET",
        "labels",
        scope=scope,
        name=name,
        ability=Ability.READ_LABEL,
        params=params,
        view=_view,
        many=True,
        options=_options,
    )


@_declare_list("list_group_labels", GROUP, ListGroupLabels)
@_declare_list("list_project_labels", PROJECT, ListLabels)
def list_labels(ctx: ReadContext, container: Container, p: ListLabels) -> Sequence[Label]:
    """List labels."""
    available = labels.list_available(ctx.world, container, ancestors=p.include_ancestor_groups)
    below = _list_below(ctx, container, p)
    found = sorted([*available, *below], key=lambda label: (label.title.lower(), label.id)) if below else available
    return [label for label in found if _matches(label, p)]


def _list_below(ctx: ReadContext, container: Container, p: Params) -> Sequence[Label]:
    if not isinstance(container, Group) or not isinstance(p, GroupLabelSources):
        return ()
    projects = not p.only_group_labels
    return labels.list_below(ctx, container, descendants=p.include_descendant_groups, projects=projects)


def _matches(label: Label, p: ListLabels) -> bool:
    text = (p.search or "").lower()
    is_wanted = p.archived is None or p.archived == label.archived
    return is_wanted and (not text or text in label.title.lower() or text in (label.description or "").lower())


def _declare_get(name: str, scope: Scope, params: type[Params]) -> Callable[[F], F]:
    return area.operation(
        "GET",
        "labels/:name",
        scope=scope,
        name=name,
        ability=Ability.READ_LABEL,
        params=params,
        view=_view,
        options=_options,
        refusals=(404,),
    )


@_declare_get("get_group_label", GROUP, GetGroupLabel)
@_declare_get("get_project_label", PROJECT, GetLabel)
def get_label(ctx: ReadContext, container: Container, name: str, p: GetLabel) -> Label:
    """Get a label by id or title."""
    below = _list_below(ctx, container, p)
    return labels.get_label(ctx.world, container, name, ancestors=p.include_ancestor_groups, further=below)


class CreateLabel(Params):
    """A new label."""

    name: str
    color: str
    description: str | None = None
    priority: int | None = None
    archived: Annotated[bool, _ARCHIVED] = False


@area.operation(
    "POST",
    "labels",
    scope=CONTAINERS,
    ability=Ability.ADMIN_LABEL,
    params=CreateLabel,
    view=_view,
    options=_options,
    refusals=(409,),
)
def create_label(ctx: WriteContext, container: Container, p: CreateLabel) -> Label:
    """Create a label."""
    return labels.create(ctx, container, p.name, p.color, p.description, p.priority, archived=p.archived)


class LabelReference(Params):
    """The id or name of a label."""

    label_id: int | None = None
    name: str | None = None

    rules = (exactly_one_of("label_id", "name"),)


class LabelChanges(Params):
    """Changes of any label."""

    new_name: str | None = None
    color: str | None = None
    description: str | None = None
    archived: Annotated[bool | None, _ARCHIVED] = None


class UpdateGroupLabel(LabelChanges):
    """Changes of a group label."""

    rules = (at_least_one_of("new_name", "color", "description", "archived"),)


class UpdateProjectLabel(LabelChanges):
    """Changes of a project label."""

    priority: int | None = None

    rules = (at_least_one_of("new_name", "color", "description", "priority", "archived"),)


class UpdateNamedGroupLabel(LabelReference, UpdateGroupLabel):
    """Changes of a group label that a parameter names."""


class UpdateNamedProjectLabel(LabelReference, UpdateProjectLabel):
    """Changes of a project label that a parameter names."""


def _declare_update(path: str, name: str, scope: Scope, params: type[Params]) -> Callable[[F], F]:
    """Return a decorator that declares an operation to edit a label."""
    return area.operation(
        "PUT",
        path,
        scope=scope,
        name=name,
        ability=Ability.ADMIN_LABEL,
        params=params,
        view=_view,
        options=_options,
        refusals=(403, 404),
    )


# Group labels have no priority, so the parameters differ between projects and groups.
@_declare_update("labels/:name", "update_group_label", GROUP, UpdateGroupLabel)
@_declare_update("labels/:name", "update_project_label", PROJECT, UpdateProjectLabel)
def update_label(ctx: WriteContext, container: Container, name: str, p: Params) -> Label:
    """Update a label."""
    # A project still has the labels of its immediate group then, but not those of groups further up.
    return _update(ctx, container, labels.get_label(ctx.world, container, name, ancestors=False), p.given())


@_declare_update("labels", "update_group_label_by_parameter", GROUP, UpdateNamedGroupLabel)
@_declare_update("labels", "update_project_label_by_parameter", PROJECT, UpdateNamedProjectLabel)
def update_label_by_parameter(ctx: WriteContext, container: Container, p: LabelReference) -> Label:
    """Update a label given as a parameter (deprecated)."""
    label = labels.get_label(ctx.world, container, str(p.label_id or p.name), ancestors=False)
    changes = {name: value for name, value in p.given().items() if name not in ("label_id", "name")}
    return _update(ctx, container, label, changes)


def _update(ctx: WriteContext, container: Container, label: Label, changes: Mapping[str, Any]) -> Label:
    if changes.keys() - {"priority"}:
        _authorize_group_label(ctx, label)
    return labels.update(ctx, container, label, **changes)


def _authorize_group_label(ctx: ReadContext, label: Label) -> None:
    """Refuse with 403 who may not change a label of a group there, since releases ask for that."""
    kind, id_ = label.source
    if kind == "group" and ctx.profile.has(LABELS_OF_GROUPS_NEED_THE_GROUP):
        authorize(ctx, Ability.ADMIN_LABEL, ctx.world.namespaces[id_])


@area.operation("DELETE", "labels/:name", scope=CONTAINERS, ability=Ability.ADMIN_LABEL, refusals=(403, 404, 412))
def delete_label(ctx: WriteContext, container: Container, name: str) -> None:
    """Delete a label."""
    _delete(ctx, labels.get_label(ctx.world, container, name, ancestors=False))


@area.operation(
    "DELETE",
    "labels",
    scope=CONTAINERS,
    name="delete_{scope}_label_by_parameter",
    ability=Ability.ADMIN_LABEL,
    params=LabelReference,
    refusals=(403, 404, 412),
)
def delete_label_by_parameter(ctx: WriteContext, container: Container, p: LabelReference) -> None:
    """Delete a label given as a parameter (deprecated)."""
    _delete(ctx, labels.get_label(ctx.world, container, str(p.label_id or p.name), ancestors=False))


def _delete(ctx: WriteContext, label: Label) -> None:
    _authorize_group_label(ctx, label)
    ctx.check_unmodified_since(label.updated_at)
    purge(ctx, label)


@area.operation(
    "POST",
    "labels/:name/subscribe",
    scope=CONTAINERS,
    name="subscribe_{scope}_label",
    ability=Ability.READ_LABEL,
    view=_view,
    options=_options,
    refusals=(304, 404),
)
def subscribe_label(ctx: WriteContext, container: Container, name: str) -> Label:
    """Subscribe to a label."""
    return _set_subscription(ctx, labels.get_label(ctx.world, container, name), subscribed=True)


@area.operation(
    "POST",
    "labels/:name/unsubscribe",
    scope=CONTAINERS,
    name="unsubscribe_{scope}_label",
    ability=Ability.READ_LABEL,
    view=_view,
    options=_options,
    refusals=(304, 404),
)
def unsubscribe_label(ctx: WriteContext, container: Container, name: str) -> Label:
    """Unsubscribe from a label."""
    return _set_subscription(ctx, labels.get_label(ctx.world, container, name), subscribed=False)


def _set_subscription(ctx: WriteContext, label: Label, *, subscribed: bool) -> Label:
    subject, user = ("label", label.id), ctx.signed_in_user
    subscriptions.subscribe(
        ctx, subject, user, subscribed=subscribed, now=subscriptions.is_subscribed(ctx.world, subject, user)
    )
    return label


@area.operation(
    "PUT",
    "labels/:name/promote",
    scope=PROJECT,
    ability=Ability.ADMIN_LABEL,
    view=GroupLabelView,
    refusals=(400, 403, 404),
)
def promote_label(ctx: WriteContext, project: Project, name: str) -> Label:
    """Promote a project label to a group label."""
    return _promote(ctx, project, name)


class PromoteLabel(Params):
    """The name of a label."""

    name: str


@area.operation(
    "PUT",
    "labels/promote",
    scope=PROJECT,
    ability=Ability.ADMIN_LABEL,
    params=PromoteLabel,
    view=GroupLabelView,
    refusals=(400, 403, 404),
)
def promote_project_label_by_name(ctx: WriteContext, project: Project, p: PromoteLabel) -> Label:
    """Promote a project label given as a parameter to a group label (deprecated)."""
    return _promote(ctx, project, p.name)


def _promote(ctx: WriteContext, project: Project, name: str) -> Label:
    group = ctx.world.namespaces[project.namespace_id]
    in_group = isinstance(group, Group)
    if in_group and ctx.profile.has(LABELS_OF_GROUPS_NEED_THE_GROUP):
        authorize(ctx, Ability.ADMIN_LABEL, group)
    label = labels.get_label(ctx.world, project, name, ancestors=False)
    # Labels of the project's immediate group are found, too, and cannot be promoted.
    if not in_group or label.source[0] == "group":
        reason = f"label {name!r} is a group label already" if in_group else "the project is not in a group"
        raise BadRequest("Failed to promote project label to group label", reason=reason)
    return labels.promote(ctx, project, label)
