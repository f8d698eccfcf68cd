"""Namespaces. Source: shared specification, 'Namespaces'; facts on namespaces."""

from collections.abc import Sequence
from typing import Final

from fakeplat.api import missing
from fakeplat.core.errors import NotFound
from fakeplat.core.operation import Area, Login
from fakeplat.core.paging import Paged
from fakeplat.domain import namespaces
from fakeplat.entities.namespaces import NamespaceView
from fakeplat.model.namespaces import Namespace
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context
from fakeplat.policy.rulings import rule

area: Final = Area("Namespaces", login=Login.ALWAYS)


class ListNamespaces(Paged):
    """Filters of the list of namespaces."""

    search: str | None = None


@area.operation("GET", "namespaces", takes=ListNamespaces, shows=NamespaceView, many=True)
def list_namespaces(cx: Context, p: ListNamespaces) -> Sequence[Namespace]:
    """List the caller's namespaces; all of them for administrators."""
    found = list(cx.world.namespaces.all()) if cx.admin else _own(cx)
    wanted = (p.search or "").strip().lower()
    return [space for space in found if wanted in space.name.lower() or wanted in space.path.lower()]


def _own(cx: Context) -> list[Namespace]:
    user = cx.someone
    own = list(cx.world.namespaces.where("owner", user.id))
    ids = {member.source[1] for member in cx.world.members.where("user", user.id) if member.source[0] == "group"}
    return sorted([*own, *(cx.world.namespaces[id_] for id_ in ids)], key=lambda space: space.id)


@area.operation("GET", "namespaces/:id", shows=NamespaceView, refuses=(404,))
def get_namespace(cx: Context, id: str) -> Namespace:  # the platform's name of the parameter
    """Get a namespace by id or full path."""
    found = namespaces.by_reference(cx.world, id)
    if found is None:
        raise NotFound("Namespace", reason=missing.namespace(cx, id))
    ruling = rule(cx, May.READ_NAMESPACE, found)
    if not ruling.allowed:
        raise NotFound("Namespace", reason=ruling.why)
    return found
