"""Namespaces. Source: docs/platform/namespaces.md."""

from collections.abc import Sequence
from itertools import count
from typing import Annotated, Any, Final

from fakeplat.api import missing
from fakeplat.api.people.subscription_params import UpdateSubscription, read_fields, read_plan
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Day, Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.pages_domains import page_urls
from fakeplat.domain.people import namespaces, subscriptions
from fakeplat.entities.people.namespaces import PLAN, NamespaceView
from fakeplat.model.people import Namespace
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, decide
from fakeplat.policy.behaviours import DOMAINS_OF_PAGES_ARE_TAKEN
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Namespaces", login=Login.ALWAYS)
_STORAGE: Final = Lifetime(since="<=13.12")
# Later the plan is part of the subscription.
_PLAN: Final = Lifetime(until="<=14.10")


class GetNamespace(Params):
    """The plan to count billable members for."""

    requested_hosted_plan: str | None = None


class ListNamespaces(Paged, GetNamespace):
    """Filters of the list of namespaces."""

    search: str | None = None
    owned_only: Annotated[bool, Lifetime(since="14.2")] = False
    top_level_only: Annotated[bool, Lifetime(since="16.8")] = False
    full_path_search: Annotated[bool, Lifetime(since="<=18.9")] = False


def _options(_ctx: ReadContext, p: GetNamespace, _namespace: Namespace | None) -> tuple[str, ...]:
    return (f"{PLAN}{p.requested_hosted_plan}",) if p.requested_hosted_plan else ()


@area.operation("GET", "namespaces", params=ListNamespaces, view=NamespaceView, many=True, options=_options)
def list_namespaces(ctx: ReadContext, p: ListNamespaces) -> Sequence[Namespace]:
    """List the caller's namespaces; for administrators all of them."""
    available = list(ctx.world.namespaces.all()) if ctx.admin else _list_own(ctx)
    text = (p.search or "").strip().lower()
    # An empty text is part of every name, so it filters nothing.
    return [
        namespace
        for namespace in available
        if _contains(ctx, namespace, text, in_full_path=p.full_path_search)
        and (not p.top_level_only or namespace.parent_id is None)
        and (not p.owned_only or can(ctx, Ability.ADMIN_NAMESPACE, namespace))
    ]


def _contains(ctx: ReadContext, namespace: Namespace, text: str, *, in_full_path: bool) -> bool:
    path = namespaces.full_path(ctx.world, namespace) if in_full_path else namespace.path
    return text in namespace.name.lower() or text in path.lower()


def _list_own(ctx: ReadContext) -> list[Namespace]:
    user = ctx.signed_in_user
    user_namespaces = list(ctx.world.namespaces.where("owner", user.id))
    # Only direct memberships count: subgroups of these groups are left out.
    group_ids = {member.source[1] for member in ctx.world.members.where("user", user.id) if member.source[0] == "group"}
    return sorted(
        [*user_namespaces, *(ctx.world.namespaces[id_] for id_ in group_ids)], key=lambda namespace: namespace.id
    )


@area.operation("GET", "namespaces/:id", params=GetNamespace, view=NamespaceView, options=_options, refusals=(404,))
def get_namespace(ctx: ReadContext, id: str) -> Namespace:  # the platform's parameter name
    """Get a namespace by id or full path."""
    return require_readable(ctx, namespaces.find_by_reference(ctx.world, id), id)


def require_namespace(ctx: ReadContext, reference: str) -> Namespace:
    """Return the namespace with an id or a full path, whoever may read it, or refuse with 404."""
    namespace = namespaces.find_by_reference(ctx.world, reference)
    if namespace is None:
        raise NotFound("Namespace", reason=missing.namespace(ctx, reference))
    return namespace


def require_readable(ctx: ReadContext, namespace: Namespace | None, reference: str) -> Namespace:
    """Return the namespace if it exists and the caller may read it, else refuse with 404."""
    if namespace is None:
        raise NotFound("Namespace", reason=missing.namespace(ctx, reference))
    ruling = decide(ctx, Ability.READ_NAMESPACE, namespace)
    if not ruling.allowed:
        # A hidden namespace is refused like a missing one; only the reason tells them apart.
        raise NotFound("Namespace", reason=ruling.why)
    return namespace


class UpdateNamespace(Params):
    """Changes of a namespace."""

    plan: Annotated[str | None, _PLAN] = None
    shared_runners_minutes_limit: int | None = None
    extra_shared_runners_minutes_limit: int | None = None
    trial_ends_on: Annotated[Day | None, _PLAN] = None
    additional_purchased_storage_size: Annotated[int | None, _STORAGE] = None
    additional_purchased_storage_ends_on: Annotated[Day | None, _STORAGE] = None
    gitlab_subscription_attributes: Annotated[UpdateSubscription | None, Lifetime(since="<=13.12")] = None


@area.operation(
    "PUT",
    "namespaces/:id",
    params=UpdateNamespace,
    view=NamespaceView,
    ability=Ability.UPDATE_NAMESPACE,
    tier="premium",
    refusals=(400, 404),
)
def update_namespace(ctx: WriteContext, id: str, p: UpdateNamespace) -> Namespace:
    """Update the plan and limits of a namespace. Administrators only."""
    namespace = require_namespace(ctx, id)
    changes = p.given()
    changes.pop("gitlab_subscription_attributes", None)
    if changes.get("additional_purchased_storage_size", 0) is None:
        del changes["additional_purchased_storage_size"]
    changed = namespaces.update(ctx, namespace, **changes)
    bought = p.gitlab_subscription_attributes
    if bought is None:
        return changed
    return subscriptions.save_nested(ctx, changed, read_plan(bought), **read_fields(bought))


class CheckExistence(Params):
    """The group that the path is below; without one, it is a top-level path."""

    parent_id: int | None = None


@area.operation("GET", "namespaces/:id/exists", params=CheckExistence, since="<=14.3")
def check_namespace_exists(ctx: ReadContext, id: str, p: CheckExistence) -> dict[str, Any]:  # the platform's name
    """Check whether a path is taken by a user or group, and suggest one that is not."""
    exists = _is_taken(ctx, p.parent_id, id)
    free = (f"{id}{number}" for number in count(1) if not _is_taken(ctx, p.parent_id, f"{id}{number}"))
    return {"exists": exists, "suggests": [next(free)] if exists else []}


def _is_taken(ctx: ReadContext, parent_id: int | None, path: str) -> bool:
    is_namespace = ctx.world.namespaces.find("place", (parent_id, path.lower())) is not None
    return is_namespace or (ctx.profile.has(DOMAINS_OF_PAGES_ARE_TAKEN) and page_urls.is_unique_domain(ctx.world, path))
