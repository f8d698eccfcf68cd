"""Namespaces. Source: docs/platform/specification.md ('Namespaces'), docs/platform/namespaces.md."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.api import missing
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Day, Params
from fakeplat.domain.people import namespaces
from fakeplat.entities.namespaces import PLAN, NamespaceView
from fakeplat.model.namespaces import Namespace
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.rulings import rule

area: Final = Area("Namespaces", login=Login.ALWAYS)


class GetNamespace(Params):
    """For which plan billable members are counted."""

    requested_hosted_plan: str | None = None


class ListNamespaces(Paged, GetNamespace):
    """Filters of the list of namespaces."""

    search: str | None = None


def _options(cx: Context, p: Any, namespace: Namespace | None) -> tuple[str, ...]:
    del cx, namespace
    return (f"{PLAN}{p.requested_hosted_plan}",) if p.requested_hosted_plan else ()


@area.operation("GET", "namespaces", takes=ListNamespaces, shows=NamespaceView, many=True, options=_options)
def list_namespaces(cx: Context, p: ListNamespaces) -> Sequence[Namespace]:
    """List the caller's namespaces; for administrators all of them."""
    found = list(cx.world.namespaces.all()) if cx.admin else _own(cx)
    wanted = (p.search or "").strip().lower()
    return [space for space in found if wanted in space.name.lower() or wanted in space.path.lower()]


def _own(cx: Context) -> list[Namespace]:
    user = cx.someone
    own = list(cx.world.namespaces.where("owner", user.id))
    ids = {member.source[1] for member in cx.world.members.where("user", user.id) if member.source[0] == "group"}
    return sorted([*own, *(cx.world.namespaces[id_] for id_ in ids)], key=lambda space: space.id)


@area.operation("GET", "namespaces/:id", takes=GetNamespace, shows=NamespaceView, options=_options, refuses=(404,))
def get_namespace(cx: Context, id: str, p: GetNamespace) -> Namespace:  # the platform's name of the parameter
    """Get a namespace by id or full path."""
    del p
    return readable(cx, namespaces.by_reference(cx.world, id), id)


def readable(cx: Context, namespace: Namespace | None, reference: str) -> Namespace:
    """Return a namespace that was looked for if it is there and the caller may read it, else refuse with 404."""
    if namespace is None:
        raise NotFound("Namespace", reason=missing.namespace(cx, reference))
    ruling = rule(cx, May.READ_NAMESPACE, namespace)
    if not ruling.allowed:
        raise NotFound("Namespace", reason=ruling.why)
    return namespace


class UpdateNamespace(Params):
    """Changes of a namespace."""

    plan: str | None = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    trial_ends_on: Day | None = None


@area.operation(
    "PUT",
    "namespaces/:id",
    takes=UpdateNamespace,
    shows=NamespaceView,
    may=May.UPDATE_NAMESPACE,
    tier="premium",
    refuses=(400, 404),
)
def update_namespace(cx: Doing, id: str, p: UpdateNamespace) -> Namespace:
    """Update the plan and limits of a namespace. Administrators only."""
    namespace = namespaces.by_reference(cx.world, id)
    if namespace is None:
        raise NotFound("Namespace", reason=missing.namespace(cx, id))
    return namespaces.update(cx, namespace, **p.given())
