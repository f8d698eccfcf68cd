"""Routing: the operation of a request, or the refusal for a path, method, release or tier that is not served."""

from collections.abc import Sequence
from functools import cache, partial

import fakeplat.api  # noqa: F401  # registers the lazy routes
from fakeplat import catalog
from fakeplat.core.operations.errors import Gone, PageNotAllowed, Refusal, RouteNotFound
from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import OPERATIONS, PREFIX, SCIM_PREFIX, LazyRoute, Operation
from fakeplat.core.operations.router import Match, Router
from fakeplat.model.world import World


@cache
def _router(*, api: bool, stale_count: int) -> Router[LazyRoute]:  # noqa: ARG001 - part of the cache key
    """Return the router of the API, or of all other paths. ``stale_count`` only invalidates the cache."""
    routes = [route for route in OPERATIONS.lazy_routes() if route.path.startswith("/api/") == api]
    digits = [(route.path, name) for route in routes for name in route.digits]
    endings = [(route.path, ending) for route in routes for ending in route.endings]
    dashed = [(route.path, route.dashed) for route in routes if route.dashed]
    return Router(routes, digits, endings, dashed)


def _match(method: str, path: str) -> Match[LazyRoute]:
    """Match a request to a route and import the module of its operation; all modules if there is no match."""
    # An import may show that the stored lazy routes are out of date. The router that matched was then built from
    # wrong routes, so the match is repeated with a new one.
    while True:
        stale_count = OPERATIONS.stale_count
        match = _router(api=path.startswith("/api/"), stale_count=stale_count).match(method, path)
        if match.route is None:
            OPERATIONS.load_all()
        else:
            OPERATIONS.load(match.route.name)
        if OPERATIONS.stale_count == stale_count:
            return match


def route(request: Request, world: World) -> tuple[Operation, dict[str, str]]:
    """Return the operation and the texts of its path parameters; raise a refusal if no route matches."""
    route, texts, allowed = _match(request.method, request.path)
    if route is None:
        raise _refuse_route(request, world, allowed)
    operation = OPERATIONS[route.name]
    _check_served(operation, world)
    return operation, texts


def _check_served(operation: Operation, world: World) -> None:
    instance = world.instance
    if operation.lifetime and not operation.lifetime.covers(instance.release):
        raise RouteNotFound(reason=catalog.explain_missing_in_release(operation.name, operation.lifetime, instance))
    # On the hosted offering the tier depends on the namespace, so it is checked when that is located.
    if not (instance.hosted or instance.has(operation.tier)):
        reason = f"{operation.name} requires the tier {operation.tier}; instance.tier is {instance.tier}"
        raise catalog.tier_refusal(operation.name, reason)


def _refuse_route(request: Request, world: World, allowed: Sequence[str]) -> Refusal:
    if request.path.startswith("/api/v3/"):
        return Gone()
    refusal = catalog.refusal(world.instance, request.method, request.path)
    if refusal is not None:
        return refusal
    served = (method for method in allowed if _is_in_release(method, request.path, world))
    allowed = sorted({*served, *catalog.known_methods(world.instance, request.path)})
    if request.path.startswith((PREFIX, SCIM_PREFIX)) and allowed:
        methods = ", ".join(sorted({*allowed, "HEAD"} if "GET" in allowed else allowed))
        reason = f"{request.path} allows {methods}, not {request.method}"
        return PageNotAllowed("405 Not Allowed", reason=reason, headers=(("Allow", methods),))
    return RouteNotFound(reason=partial(catalog.explain_unknown_path, request.method, request.path))


def _is_in_release(method: str, path: str, world: World) -> bool:
    """Return whether the world's release has the method of a path, which a declared operation matches."""
    route = _match(method, path).route
    return route is not None and OPERATIONS[route.name].lifetime.covers(world.instance.release)
