"""Sizes of the repositories of namespaces and projects, and their limits. Source: docs/platform/graphql.md."""

from collections.abc import Callable
from typing import Final

from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import size_limits
from fakeplat.graphql.people.groups import BOTH
from fakeplat.graphql.projects import PROJECT
from fakeplat.model.people import Namespace
from fakeplat.model.projects import Project, Routable
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext

_SINCE: Final = "<=13.6"
_MEBIBYTE: Final = 1024 * 1024


def _declare(name: str, kind: str, description: str, measure: Callable[[World, Namespace], int], since: str) -> None:
    """Declare a field of namespaces, for their members."""

    def show(ctx: ReadContext, namespace: Routable) -> int | None:
        if isinstance(namespace, Project) or not can(ctx, Ability.READ_NAMESPACE, namespace):
            return None
        return measure(ctx.world, namespace)

    for type_ in BOTH:
        type_.field(f"{name}: {kind}", description=description, since=since)(show)


def _measure(world: World, namespace: Namespace) -> int:
    return sum(size_limits.measure(world, project) for project in namespaces.list_projects_within(world, namespace))


def _list_excesses(world: World, namespace: Namespace) -> list[int]:
    excesses = (size_limits.get_excess(world, project) for project in namespaces.list_projects_within(world, namespace))
    return [excess for excess in excesses if excess]


def _measure_excess(world: World, namespace: Namespace) -> int:
    return sum(_list_excesses(world, namespace))


def _count_excesses(world: World, namespace: Namespace) -> int:
    return len(_list_excesses(world, namespace))


def _get_purchased(_world: World, namespace: Namespace) -> int:
    return namespace.additional_purchased_storage_size * _MEBIBYTE


def _has_locked_projects(world: World, namespace: Namespace) -> bool:
    return _measure_excess(world, namespace) > _get_purchased(world, namespace)


_LIMIT: Final = "The most bytes of a repository without a limit of its own; 0 if there is none."
_declare("actualRepositorySizeLimit", "Float", _LIMIT, size_limits.get_namespace_limit, _SINCE)
_declare("actualSizeLimit", "Float", _LIMIT, size_limits.get_namespace_limit, "<=16.2")
_declare("additionalPurchasedStorageSize", "Float", "The bytes that were purchased.", _get_purchased, _SINCE)
_declare("totalRepositorySize", "Float", "The bytes of all repositories.", _measure, _SINCE)
_declare("totalRepositorySizeExcess", "Float", "The bytes beyond the limits.", _measure_excess, _SINCE)
_declare(
    "repositorySizeExcessProjectCount", "Int", "Number of projects that exceed their limits.", _count_excesses, _SINCE
)
_declare(
    "containsLockedProjects", "Boolean", "Whether more than was purchased is needed.", _has_locked_projects, _SINCE
)


@PROJECT.field("actualRepositorySizeLimit: Float", since=_SINCE)
def limit_of_project(ctx: ReadContext, project: Project) -> int:
    """The most bytes of the repository; 0 if there is no limit."""
    return size_limits.get_limit(ctx.world, project)


@PROJECT.field("repositorySizeExcess: Float", since=_SINCE)
def excess_of_project(ctx: ReadContext, project: Project) -> int:
    """The bytes beyond that limit."""
    return size_limits.get_excess(ctx.world, project)
